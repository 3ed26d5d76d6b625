"""Records that are found by a key: a pool of records and an open hash table of their numbers, for compiled kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lattice_simp.core.kernel import Ints, Longs, Records, jit

NONE = -1
"""The number of a record that is not there."""

SMALLEST = 1 << 12
"""The records that a pool begins with."""


class Table(NamedTuple):
    """Records that are found by a key: an open hash table of their numbers."""

    keys: Longs
    values: Ints
    rows: Records


def empty_table(kind: np.dtype[Any], rows: int = SMALLEST) -> Table:
    """Returns a table with room for some records."""
    slots = 1 << (2 * rows - 1).bit_length()
    return Table(np.full(slots, -1, dtype=np.int64), np.empty(slots, dtype=np.int32), np.zeros(rows, dtype=kind))


@jit
def rehashed(table: Table, count: int, rows: int) -> Table:
    """Returns a table with room for `rows` records."""
    size = 16
    while size < 2 * rows:
        size *= 2
    keys, values = np.full(size, -1, dtype=np.int64), np.empty(size, dtype=np.int32)
    records = np.zeros(rows, dtype=table.rows.dtype)
    for index in range(count):
        records[index] = table.rows[index]
    for slot in range(len(table.keys)):
        if table.keys[slot] >= 0:
            new = slot_of(keys, table.keys[slot])
            keys[new], values[new] = table.keys[slot], table.values[slot]
    return Table(keys, values, records)


@jit
def slot_of(keys: Longs, key: int) -> np.int64:
    """Returns the slot of a key, or the free one where it belongs.

    Keys here are pairs of numbers, whose regular patterns need more mixing than `growing.find_slot` does (Stafford's
    variant 13 of MurmurHash3's last steps).
    """
    mask = len(keys) - 1
    mixed = np.uint64(key)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    slot = np.int64((mixed ^ (mixed >> np.uint64(31))) & np.uint64(mask))
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@jit
def find(table: Table, key: int) -> int:
    """Returns the number of the record with a key, or `NONE`."""
    return find_in(table.keys, table.values, key)


@jit
def find_in(keys: Longs, values: Ints, key: int) -> int:
    """Does what `find` does, for kernels that have fetched the arrays of their tables: fetching counts references."""
    slot = slot_of(keys, key)
    return values[slot] if keys[slot] >= 0 else NONE


@jit
def added(table: Table, key: int, used: Longs, counter: int) -> int:
    """Returns the number of a new record: `used[counter]`, which is then counted up. Its fields are not written.

    There has to be room for it.
    """
    slot = slot_of(table.keys, key)
    table.keys[slot], table.values[slot] = key, used[counter]
    used[counter] += 1
    return used[counter] - 1
