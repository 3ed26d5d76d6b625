"""A hash table of records for compiled kernels: a pool of records, and an open hash table of their numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lattice_simp.core.kernel import Longs, Records, inlined, jit

NONE = -1
"""The number of a missing record."""

SMALLEST = 1 << 12
"""The initial size of a pool."""


class Table(NamedTuple):
    """Records with integer keys.

    Attributes:
        slots: (slots, 2) int64, an open hash table: keys (-1 in free slots) next to the numbers of their records, so
            that both share a cache line.
        rows: the records.
    """

    slots: Longs
    rows: Records


def empty_table(kind: np.dtype[Any], rows: int = SMALLEST) -> Table:
    """Returns an empty table with room for `rows` records."""
    return Table(np.full((1 << (2 * rows - 1).bit_length(), 2), -1, dtype=np.int64), np.zeros(rows, dtype=kind))


def num_records(table: Table) -> int:
    """Returns the number of records that have a key."""
    return int(np.count_nonzero(table.slots[:, 0] >= 0))


@jit
def rehashed(table: Table, count: int, rows: int) -> Table:
    """Copies a table of `count` records into one with room for `rows` records."""
    size = 16
    while size < 2 * rows:
        size *= 2
    records = np.zeros(rows, dtype=table.rows.dtype)
    for index in range(count):
        records[index] = table.rows[index]
    return Table(_spread(table.slots, size), records)


@jit
def _spread(slots: Longs, size: int) -> Longs:
    """Copies a hash table into one of another size."""
    larger = np.full((size, 2), -1, dtype=np.int64)
    for slot in range(len(slots)):
        if slots[slot, 0] >= 0:
            new = slot_of(larger, slots[slot, 0])
            larger[new, 0], larger[new, 1] = slots[slot, 0], slots[slot, 1]
    return larger


@jit
def slot_of(slots: Longs, key: int) -> np.int64:
    """Returns the slot of a key, or the free slot where it belongs."""
    mask = len(slots) - 1
    slot = first_slot(key, mask)
    while slots[slot, 0] >= 0 and slots[slot, 0] != key:
        slot = (slot + 1) & mask
    return slot


@inlined
def first_slot(key: int, mask: int) -> np.int64:
    """Returns the first slot to probe for a key, among `mask + 1` slots.

    The keys are pairs of numbers, whose regular patterns need more mixing than in `growing.find_slot` (Stafford's
    variant 13 of MurmurHash3's finaliser).
    """
    mixed = np.uint64(key)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((mixed ^ (mixed >> np.uint64(31))) & np.uint64(mask))


@jit
def find(table: Table, key: int) -> int:
    """Returns the number of the record with a key, or `NONE`."""
    return find_in(table.slots, key)


@jit
def find_in(slots: Longs, key: int) -> int:
    """As `find`, for kernels that hold the array already: fetching it costs a reference count."""
    return slots[slot_of(slots, key), 1]  # NONE in a free slot


@jit
def added(table: Table, key: int, used: Longs, counter: int) -> int:
    """Adds a record and returns its number, `used[counter]`, which is incremented.

    The table must have room for it. The caller writes its fields.
    """
    enter(table.slots, key, used[counter])
    used[counter] += 1
    return used[counter] - 1


@jit
def enter(slots: Longs, key: int, number: int) -> None:
    """Writes the number of a key's record."""
    slot = slot_of(slots, key)
    slots[slot, 0], slots[slot, 1] = key, number
