"""Aligns strings one after the other in a growing network of slots, as ROVER does (Fiscus 1997): a first consensus.

Each string is aligned with the slots of those before it. To put a word into a slot costs the share of these strings
that do not have it there, to leave a slot empty the share that has a word there, and a new slot 1. So a word that most
strings share attracts the others, whichever string came first. The longest strings come first: where a network lacks a
word, the strings that have it need not put it into the same slot.

Probabilities become whole numbers and costs sums of these, so the result does not depend on rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs, jit

PROBABLE = 100
"""How many strings are aligned; more if others are as probable as the last of them."""

MOST_STRINGS = 1 << 10
"""If more are as probable, none is aligned."""

MOST_CELLS = 1 << 24
"""Strings with more pairs of a word and a slot (0.1 s) are not aligned. Slots count as twice the longest string.
"""

_FILLED, _EMPTY, _NEW = 0, 1, 2
"""Where the last word of a prefix goes: into the last slot; before it, as that stays empty; or into a new slot."""

_UNIT = 1 << 12
"""The weight of the most probable string; weights are rounded to whole numbers."""


def longest_first(string: Sequence[Any]) -> tuple[int, Sequence[Any]]:
    """Returns the key by which strings are sorted before they are aligned: longer ones first, then by their words."""
    return -len(string), string


@jit
def progressive_consensus(words: Ints, begins: Longs, masses: Floats, order: Longs, size: int) -> tuple[bool, Ints]:
    """Returns whether the strings were aligned, and the most probable word of each slot without empty ones, (words,).

    Args:
        words: the numbers, from 1, of the words of all strings, which are distinct.
        begins: (strings + 1,) int64, where each string begins in `words`.
        masses: (strings,) float64, their probabilities.
        order: the numbers of the strings to align, in the order of `longest_first`.
        size: exceeds all word numbers.
    """
    best, total = 0.0, 0
    for string in order:
        best = max(best, masses[string])
        total += begins[string + 1] - begins[string] + 1
    longest = begins[order[0] + 1] - begins[order[0]] + 1
    if len(order) > MOST_STRINGS or 2 * longest * total > MOST_CELLS:
        return False, words[:0]
    weight_of = np.zeros((2 * longest, size), dtype=np.int64)  # of each word in each slot, and of none
    place, count, done = np.zeros(0, dtype=np.int64), 0, 0  # the slots from left to right
    for string in order:
        tokens = words[begins[string] : begins[string + 1]]
        weight = int(_UNIT * masses[string] / best + 0.38)  # few shares are at a border
        if weight == 0:
            continue
        if count + len(tokens) > len(weight_of):
            larger = np.zeros((2 * (count + len(tokens)), size), dtype=np.int64)
            larger[:count] = weight_of[:count]
            weight_of = larger
        place, count = _added(tokens, weight, done, weight_of, place, count)
        done += weight
    chosen, length = np.empty(len(place), dtype=np.int32), 0
    for slot in place:
        most = 0
        for word in range(size):
            if weight_of[slot, word] > weight_of[slot, most]:
                most = word
        if most > 0:
            chosen[length] = most
            length += 1
    return True, chosen[:length]


@jit
def _added(tokens: Ints, weight: int, done: int, weight_of: Longs, place: Longs, count: int) -> tuple[Longs, int]:
    """Aligns a string with the slots; returns the slots from left to right, new ones included, and their number."""
    shape = (len(tokens) + 1, len(place) + 1)
    costs, moves = np.zeros(shape, dtype=np.int64), np.full(shape, _NEW, dtype=np.int8)
    for column in range(1, len(place) + 1):
        costs[0, column] = costs[0, column - 1] + done - weight_of[place[column - 1], 0]
        moves[0, column] = _EMPTY
    for row in range(1, len(tokens) + 1):
        costs[row, 0] = costs[row - 1, 0] + done
        for column in range(1, len(place) + 1):
            slot = place[column - 1]
            same = weight_of[slot, tokens[row - 1]]
            filled = costs[row - 1, column - 1] + done - same + (same == 0)  # of ties, the one with more matches wins
            empty, new = costs[row, column - 1] + done - weight_of[slot, 0], costs[row - 1, column] + done
            costs[row, column] = min(filled, min(empty, new))
            if filled <= min(empty, new):
                moves[row, column] = _FILLED
            elif empty <= new:
                moves[row, column] = _EMPTY
    row, column, begin = len(tokens), len(place), len(tokens) + len(place)
    slots = np.empty(begin, dtype=np.int64)
    while row > 0 or column > 0:
        begin -= 1
        move, word = moves[row, column], 0
        if move == _NEW:
            slot, count = count, count + 1
            weight_of[slot, 0] = done
        else:
            slot, column = place[column - 1], column - 1
        if move != _EMPTY:
            word, row = tokens[row - 1], row - 1
        weight_of[slot, word] += weight
        slots[begin] = slot
    return slots[begin:], count
