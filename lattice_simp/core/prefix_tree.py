"""Prefix trees of strings of labels, as the arcs of an automaton."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lattice_simp.core.columns import real_numbers
from lattice_simp.core.kernel import Floats, Ints, Longs, jit


class PrefixTree(NamedTuple):
    """The arcs of a prefix tree, each to a higher state; the last arc of every string leads to the last state.

    Attributes:
        num_states: at least 1; all strings end in the last state, except the empty string.
        sources, labels, nextstates: (num_arcs,) int32, sorted by source state.
        last_arcs: (strings,) int32, the arc that each string ends with; -1 for the empty string.
    """

    num_states: int
    sources: Ints
    labels: Ints
    nextstates: Ints
    last_arcs: Ints

    def spread(self, values: Sequence[float], what: str, blank: float) -> tuple[Floats, Floats]:
        """Returns a column of the arcs and one of the states, with the value of each string at its end.

        Raises:
            InvalidLatticeError: the values, which the message calls `what`, are not numbers.
        """
        numbers, filled = real_numbers(values, what), self.last_arcs >= 0
        arcs, ends = np.zeros(len(self.labels)), np.full(self.num_states, blank)
        arcs[self.last_arcs[filled]] = numbers[filled]
        ends[: np.count_nonzero(~filled)] = numbers[~filled]  # of the empty string
        return arcs, ends


def prefix_tree(labels: Ints, begins: Longs) -> PrefixTree:
    """Makes the prefix tree of distinct strings; the labels of string n are `labels[begins[n]:begins[n + 1]]`.

    >>> tree = prefix_tree(np.array([1, 2, 1, 3, 2]), np.array([0, 2, 5]))
    >>> [column.tolist() for column in tree[1:]]
    [[0, 1, 1, 2], [1, 3, 2, 2], [1, 2, 3, 3], [2, 3]]

    States are numbered in the order in which the strings reach them. The last arcs of a state are those that end
    strings.
    """
    filled = np.diff(begins) > 0
    parents, words = np.zeros(len(labels) + 1, dtype=np.int32), np.zeros(len(labels) + 1, dtype=np.int32)
    ends, slots = np.zeros(len(filled), dtype=np.int32), np.zeros(1 << (2 * len(labels) + 1).bit_length(), np.int32)
    count = _walk.light(labels, begins, slots, parents, words, ends)
    sources = np.concatenate((parents[1:count], ends[filled]))
    words = np.concatenate((words[1:count], labels[begins[1:][filled] - 1]))
    nextstates = np.minimum(np.arange(1, len(sources) + 1, dtype=np.int32), np.int32(count))
    order = np.argsort(sources, kind="stable")
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    last_arcs = np.full(len(filled), -1, dtype=np.int32)
    last_arcs[filled] = places[count - 1 :]
    return PrefixTree(count + bool(filled.any()), sources[order], words[order], nextstates[order], last_arcs)


@jit
def _walk(labels: Ints, begins: Longs, slots: Ints, parents: Ints, words: Ints, ends: Ints) -> int:
    """Fills in each inner state's parent and label, and each string's last inner state; returns their number.

    `slots` is an open hash table of the inner states, 0 where it is free.
    """
    mask, count = len(slots) - 1, 1
    for string in range(len(ends)):
        state = 0
        for index in range(begins[string], begins[string + 1] - 1):
            label = int(labels[index])
            slot = ((state * 668265263 + label * 374761393) >> 15) & mask
            while slots[slot] > 0 and (parents[slots[slot]] != state or words[slots[slot]] != label):
                slot = (slot + 1) & mask
            if slots[slot] == 0:
                slots[slot], parents[count], words[count] = count, state, label
                count += 1
            state = int(slots[slot])
        ends[string] = state
    return count
