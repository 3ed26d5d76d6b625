"""Records found by a key."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.records import NONE, added, empty_table, find, rehashed

KIND = np.dtype([("key", np.int64)])


def test_records_are_found_as_in_a_dictionary():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table, known, used = empty_table(KIND, 8), {}, np.array([7, 0])
        for key in (rng.integers(0, 40, size=60) << 32) + rng.integers(0, 3, size=60):
            assert find(table, int(key)) == known.get(int(key), NONE), seed
            if int(key) not in known:
                if len(known) == len(table.rows):
                    table = rehashed(table, len(known), 2 * len(known))
                known[int(key)] = added(table, int(key), used, 1)
                table.rows[known[int(key)]]["key"] = key
        assert len(table.rows) > 8
        assert used.tolist() == [7, len(known)]
        assert {key: find(table, key) for key in known} == known
        assert table.rows["key"][: len(known)].tolist() == list(known)
