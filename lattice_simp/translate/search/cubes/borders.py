"""The words at the borders of a cell's strings, and the language-model costs where two strings meet.

A *border* is a string's first words (its *prefix*, one fewer than the model's order), and the model's state after its
last words. The prefix of a shorter string is the whole string, and there is no state. The words of a prefix are charged
with an empty history, plus the *rest cost* of the first word, an estimate of the change that the real history makes.
When the prefix meets a context, its words are charged again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Longs, Records, jit
from lattice_simp.core.records import NONE, Table, added, empty_table, find, first_slot, rehashed
from lattice_simp.lm.automaton import NgramAutomaton, advance

EMPTY, WHOLE = 0, 1
"""Two prefixes: no words; and the beginning of the sentence, after which the state is always known."""

PREFIX = np.dtype(
    [(name, np.int32) for name in ("parent", "word", "length", "state", "closed", "unused")] + [("charge", np.float64)]
)
"""The prefix without its last word, that word, the length, the state after the words, whether it has full length
(`closed`), and the cost of the words."""

MEETING = np.dtype([("key", np.int64), ("cost", np.float64), ("left", np.int32), ("right", np.int32)])
"""Words after a border: their key, their cost beyond the charged cost, and the border after them."""

FEWEST_MEETINGS = 1 << 13
"""The initial number of slots for meetings."""

PREFIXES, MEETINGS = range(2)
"""The counters in `Borders.used`."""


class Borders(NamedTuple):
    """Tables that grow during a search.

    Attributes:
        used: the numbers of prefixes and meetings.
        prefixes: records of `PREFIX`.
        meetings: an open hash table of records of `MEETING`; free slots have the key -1. The search spends most of its
            time waiting for these, so the records themselves are the slots: each takes one cache line.
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
    """Returns the tables with room for this many more meetings and prefixes."""
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
    """Works like `records.slot_of`, for a table whose slots are the records themselves."""
    mask = len(meetings) - 1
    slot = first_slot(key, mask)
    while meetings[slot].key >= 0 and meetings[slot].key != key:
        slot = (slot + 1) & mask
    return slot


@jit
def longer_prefix(model: NgramAutomaton, borders: Borders, prefix: int, word: int) -> int:
    """Finds or adds the prefix with one more word."""
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
    """Finds or adds the meeting of a border with the words of a prefix, which have been charged, or with one word."""
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
            right, word_cost = advance(model, right, model.vocabulary[word])
            cost += word_cost
    row = borders.meetings[slot]
    row.key, row.left, row.right, row.cost = key, left, right, cost
    borders.used[MEETINGS] += 1
    return slot


@jit
def after_word(model: NgramAutomaton, borders: Borders, left: int, right: int, word: int) -> tuple[int, int, float]:
    """Returns the border of a string with one more word, and the cost of the word."""
    row = borders.meetings[meeting(model, borders, left, right, word, False)]
    return left if right != NONE else row.left, row.right, row.cost


@jit
def after_string(
    model: NgramAutomaton, borders: Borders, left: int, right: int, second: tuple[int, int]
) -> tuple[int, int, float]:
    """Returns the border of two strings in a row, and their cost beyond the sum of both."""
    if left == EMPTY and model.order > 1:
        return second[0], second[1], 0.0
    if second[0] == EMPTY:
        return left, right, 0.0
    row = borders.meetings[meeting(model, borders, left, right, second[0], True)]
    after = second[1] if borders.prefixes.rows[second[0]].closed else row.right
    return left if right != NONE else row.left, after, row.cost
