"""Finding repeated pairs by their hashes, in few bytes a pair."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.growing import find_slot
from lattice_simp.core.kernel import Bools, Longs, jit

_MAX_LOAD = 0.8
"""The share of slots beyond which looking up becomes slow."""


def pair_hashes(source: Iterable[str], target: Iterable[str]) -> Longs:
    """Returns a hash of 63 bits for each pair of lines, int64; among a billion pairs, one in ten lets two collide.

    >>> first, second, third = pair_hashes(["a", "a b", "a"], ["b c", "c", "b c"]).tolist()
    >>> first == third, first == second
    (True, False)
    """
    digests = b"".join(
        hashlib.blake2b(f"{own}\n{other}".encode(), digest_size=8).digest()
        for own, other in zip(source, target, strict=True)
    )
    return np.frombuffer(digests, dtype="<i8").astype(np.int64) & np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Seen:
    """The hashes that were met, in a table of 10 to 20 bytes for each pair.

    >>> seen = Seen.of(4)
    >>> seen.add(np.array([7, 8, 7])).tolist(), seen.add(np.array([8])).tolist()
    ([False, False, True], [True])
    """

    table: Longs

    @classmethod
    def of(cls, count: int) -> Seen:
        """Makes room for `count` hashes."""
        size = 1 << max(4, int(count / _MAX_LOAD).bit_length())
        return cls(np.full(size, -1, dtype=np.int64))

    def add(self, hashes: Longs) -> Bools:
        """Tells for each hash, in order, whether it was met before."""
        known: Bools = _add(self.table, hashes)
        return known


@jit
def _add(table: Longs, hashes: Longs) -> Bools:
    known = np.zeros(len(hashes), dtype=np.bool_)
    for place in range(len(hashes)):
        slot = find_slot(table, hashes[place])
        known[place] = table[slot] == hashes[place]
        table[slot] = hashes[place]
    return known
