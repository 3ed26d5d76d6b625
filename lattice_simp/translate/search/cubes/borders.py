"""The words at the borders of a cell's strings, and what the language model says where two strings meet.

A *border* is a string's first words (its *prefix*, one fewer than the model's order), and the model's state after its
last ones. As long as the string has fewer words than that, the prefix is all of it, without a state. The words of
a prefix are charged as if nothing were known of those before them, and the first one's *rest cost*, what these should
change, is added. When it meets a context, they are charged again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Longs, Records, jit
from lattice_simp.core.records import NONE, Table, added, empty_table, find, first_slot, rehashed
from lattice_simp.lm.automaton import NgramAutomaton, advance

EMPTY, WHOLE = 0, 1
"""Two prefixes: no words; and whatever is before a sentence, so that the state is always known."""

PREFIX = np.dtype(
    [(name, np.int32) for name in ("parent", "word", "length", "state", "closed", "unused")] + [("charge", np.float64)]
)
"""The prefix without its last word, that word, how many there are, the state after them, whether there are as many as
matter, and what they cost."""

MEETING = np.dtype([("key", np.int64), ("cost", np.float64), ("left", np.int32), ("right", np.int32)])
"""Words behind a border: their key, what they cost beyond what was charged, and the border after them."""

FEWEST_MEETINGS = 1 << 13
"""The slots for meetings that a search begins with."""

PREFIXES, MEETINGS = range(2)
"""The counters in `Borders.used`."""


class Borders(NamedTuple):
    """Tables that grow during a search.

    Attributes:
        used: how many prefixes and meetings there are.
        prefixes: records of `PREFIX`.
        meetings: an open hash table of records of `MEETING`, whose free slots have the key -1: the search spends most
            of its time on waiting for these, and one record is in one line of the processor's cache.
        rests: (words,) float64, the rest costs.
    """

    used: Longs
    prefixes: Table
    meetings: Records
    rests: Floats


def new_borders(model: NgramAutomaton, rests: Floats) -> Borders:
    """Returns tables that hold `EMPTY` and `WHOLE`."""
    prefixes = empty_table(PREFIX)
    prefixes.rows[EMPTY] = (NONE, NONE, 0, model.root, model.order == 1, 0, 0.0)
    prefixes.rows[WHOLE] = (NONE, NONE, 0, model.root, True, 0, 0.0)
    return Borders(np.array([2, 0]), prefixes, _free_slots(FEWEST_MEETINGS), rests)


def with_room(borders: Borders, meetings: int, prefixes: int) -> Borders:
    """Returns tables with room for so many more meetings and prefixes."""
    if has_room(borders, meetings, prefixes):
        return borders
    table, many = borders.prefixes, int(borders.used[PREFIXES]) + prefixes
    if many > len(table.rows):
        table = rehashed(table, int(borders.used[PREFIXES]), 2 * many)
    larger, slots = borders.meetings, len(borders.meetings)
    while 2 * (int(borders.used[MEETINGS]) + meetings) > slots:
        slots *= 2
    if slots > len(larger):
        larger = _free_slots(2 * slots)
        _move(borders.meetings, larger)
    return borders._replace(prefixes=table, meetings=larger)


@jit
def has_room(borders: Borders, meetings: int, prefixes: int) -> bool:
    """Returns whether `with_room` would return the same tables."""
    fits = borders.used[PREFIXES] + prefixes <= len(borders.prefixes.rows)
    return fits and 2 * (borders.used[MEETINGS] + meetings) <= len(borders.meetings)


def _free_slots(count: int) -> Records:
    slots = np.empty(count, dtype=MEETING)
    slots["key"] = -1
    return slots


@jit
def _move(meetings: Records, larger: Records) -> None:
    for index in range(len(meetings)):
        if meetings[index].key >= 0:
            larger[_slot(larger, meetings[index].key)] = meetings[index]


@jit
def _slot(meetings: Records, key: int) -> np.int64:
    """Does what `records.slot_of` does, in a table whose slots are the records themselves."""
    mask = len(meetings) - 1
    slot = first_slot(key, mask)
    while meetings[slot].key >= 0 and meetings[slot].key != key:
        slot = (slot + 1) & mask
    return slot


@jit
def longer_prefix(model: NgramAutomaton, borders: Borders, prefix: int, word: int) -> int:
    """Finds a prefix with one more word, or adds it."""
    table = borders.prefixes
    key = (np.int64(prefix) << 32) + word
    longer = find(table, key)
    if longer >= 0:
        return longer
    longer = added(table, key, borders.used, PREFIXES)
    state, cost = advance(model, table.rows[prefix].state, model.vocabulary[word])
    row = table.rows[longer]
    row.parent, row.word, row.length, row.state = prefix, word, table.rows[prefix].length + 1, state
    row.closed = row.length >= model.order - 1
    row.charge = table.rows[prefix].charge + cost + (borders.rests[word] if prefix == EMPTY else 0.0)
    return longer


@jit
def meeting(model: NgramAutomaton, borders: Borders, left: int, right: int, words: int, is_prefix: bool) -> np.int64:
    """Finds what words cost behind a border, or adds it: those of a prefix, which were charged already, or one word."""
    prefixes = borders.prefixes.rows
    context = 2 * right if right != NONE else 2 * left + 1
    key = (np.int64(context) << 32) + 2 * words + (1 if is_prefix else 0)
    slot = _slot(borders.meetings, key)
    if borders.meetings[slot].key >= 0:
        return slot
    cost = -prefixes[words].charge if is_prefix else 0.0
    count = prefixes[words].length if is_prefix else 1
    for index in range(count):
        word = words
        if is_prefix:
            at = words
            for _ in range(count - 1 - index):
                at = prefixes[at].parent
            word = prefixes[at].word
        if right == NONE:
            before = prefixes[left].charge
            left = longer_prefix(model, borders, left, word)
            cost += prefixes[left].charge - before
            if prefixes[left].closed:
                right = prefixes[left].state
        else:
            right, paid = advance(model, right, model.vocabulary[word])
            cost += paid
    row = borders.meetings[slot]
    row.key, row.left, row.right, row.cost = key, left, right, cost
    borders.used[MEETINGS] += 1
    return slot


@jit
def after_word(model: NgramAutomaton, borders: Borders, left: int, right: int, word: int) -> tuple[int, int, float]:
    """Returns the border of a string with one more word, and what that costs."""
    row = borders.meetings[meeting(model, borders, left, right, word, False)]
    return left if right != NONE else row.left, row.right, row.cost


@jit
def after_string(
    model: NgramAutomaton, borders: Borders, left: int, right: int, other: tuple[int, int]
) -> tuple[int, int, float]:
    """Returns the border of a string with another one behind it, and what that costs beyond both."""
    if left == EMPTY and model.order > 1:
        return other[0], other[1], 0.0
    if other[0] == EMPTY:
        return left, right, 0.0
    row = borders.meetings[meeting(model, borders, left, right, other[0], True)]
    after = other[1] if borders.prefixes.rows[other[0]].closed else row.right
    return left if right != NONE else row.left, after, row.cost
