"""Records that are found by a key."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.records import NONE, Table, empty_table, find, rehashed, slot_of

KIND = np.dtype([("key", np.int64)])


def added(table: Table, count: int, key: int) -> Table:
    """Returns the table with one more record, grown if there is no room."""
    if count == len(table.rows):
        table = rehashed(table, count, 2 * count)
    slot = slot_of(table.keys, key)
    table.keys[slot], table.values[slot] = key, count
    table.rows[count]["key"] = key
    return table


def test_records_are_found_as_in_a_dictionary():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table, known = empty_table(KIND, 8), {}
        for key in (rng.integers(0, 40, size=60) << 32) + rng.integers(0, 3, size=60):
            assert find(table, int(key)) == known.get(int(key), NONE), seed
            if int(key) not in known:
                table = added(table, len(known), int(key))
                known[int(key)] = len(known)
        assert len(table.rows) > 8
        assert {key: find(table, key) for key in known} == known
        assert table.rows["key"][: len(known)].tolist() == list(known)
