"""The words at the borders of the states of a chart: the rows and columns of their matrices in the dense bounds.

Where several arcs meet, at the ends of cells and at the positions of the sentence, a state has a list of first words
and one of last words. The states inside a cell share the lists of the words and cells before them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, jit
from lattice_simp.core.sorting import lower_bound
from lattice_simp.translate.search.chart import Chart


class Words(NamedTuple):
    """The words at the borders of the states.

    Attributes:
        first, last: (states,) int32, the lists of the first and the last words; list w below the number of words holds
            the word w alone, and the list after those stands for any word.
        offsets, listed: the lists, sorted.
        begins: (states + 1,) int64, where each state's matrix begins.
        anything: the number of the list that stands for any word.
    """

    first: Ints
    last: Ints
    offsets: Longs
    listed: Ints
    begins: Longs
    anything: int


class Kept(NamedTuple):
    """The states and border words that derivations within a limit may use.

    Attributes:
        states: (states,) bool.
        firsts, lasts: (merging states, words) bool, the words at their borders, in the order of `_merging`.
    """

    states: Bools
    firsts: Bools
    lasts: Bools


def everything_kept(chart: Chart, charges: Floats, alive: Floats) -> Kept:
    """Returns the states and words to keep before the first bounds: living states, and first words of cells."""
    _, count, _ = _merging(chart)
    firsts, lasts = np.tile(charges < np.inf, (count, 1)), np.ones((count, len(charges)), dtype=np.bool_)
    return Kept(alive < np.inf, firsts, lasts)


@jit
def _merging(chart: Chart) -> tuple[Longs, int, Bools]:
    """Numbers the states where several arcs meet, -1 for others: the cells' ends, and the positions of the sentence.

    Returns:
        (states,) the numbers, how many there are, and (states,) which states are positions.
    """
    num_states, num_cells = len(chart.offsets) - 1, len(chart.starts)
    number = np.full(num_states, -1, dtype=np.int64)
    count = num_cells - 1
    sentence, goal = chart.starts[num_cells - 1], chart.ends[num_cells - 1]
    for cell in range(num_cells - 1):
        number[chart.ends[cell]] = cell
    top = np.zeros(num_states, dtype=np.bool_)
    top[sentence] = True
    for state in range(num_states):
        if top[state]:
            for arc in range(chart.offsets[state], chart.offsets[state + 1]):
                target = chart.targets[arc]
                if not top[target] and target != goal:
                    top[target] = True
                    number[target] = count
                    count += 1
    return number, count, top


@jit
def starts_of_cells(chart: Chart) -> Bools:
    """Marks the starts of cells, except that of the whole sentence."""
    is_start = np.zeros(len(chart.offsets) - 1, dtype=np.bool_)
    for cell in range(len(chart.starts) - 1):
        is_start[chart.starts[cell]] = True
    return is_start


@jit
def border_words(chart: Chart, count: int, kept: Kept) -> Words:
    """Finds the kept words at the borders of all kept states."""
    num_states, anything = len(chart.offsets) - 1, count
    number, sets, top = _merging(chart)
    is_start, goal = starts_of_cells(chart), chart.ends[len(chart.ends) - 1]
    firsts, lasts = np.zeros((sets, count), dtype=np.bool_), np.zeros((sets, count), dtype=np.bool_)
    first, last = np.full(num_states, anything, dtype=np.int32), np.full(num_states, anything, dtype=np.int32)
    offsets = np.zeros(count + 2 * sets + 2, dtype=np.int64)
    listed = np.empty(count + 1 + 2 * sets * count, dtype=np.int32)
    for word in range(count + 1):
        listed[word], offsets[word + 1] = word, word + 1
    lists = count + 1
    for state in range(num_states):
        node = number[state]
        if node >= 0:
            if not top[state]:
                lists = _add_list(offsets, listed, lists, firsts[node])
                first[state] = lists - 1
            lists = _add_list(offsets, listed, lists, lasts[node])
            last[state] = lists - 1
        for arc in range(chart.offsets[state], chart.offsets[state + 1]):
            target, symbol = chart.targets[arc], chart.symbols[arc]
            if target == goal or not (kept.states[state] and kept.states[target]):
                continue
            first_word = last_word = symbol
            if symbol < 0:
                first_word, last_word = first[chart.ends[-2 - symbol]], last[chart.ends[-2 - symbol]]
            if not is_start[state]:
                first_word = first[state]
            if first_word == anything and not top[state]:  # the state is unreachable
                continue
            met = number[target]
            if met < 0:
                first[target], last[target] = first_word, last_word
                continue
            if not top[target]:
                for word in listed[offsets[first_word] : offsets[first_word + 1]]:
                    firsts[met, word] = kept.firsts[met, word]
            for word in listed[offsets[last_word] : offsets[last_word + 1]]:
                lasts[met, word] = kept.lasts[met, word]
    begins = np.zeros(num_states + 1, dtype=np.int64)
    for state in range(num_states):
        size = (offsets[first[state] + 1] - offsets[first[state]]) * (offsets[last[state] + 1] - offsets[last[state]])
        begins[state + 1] = begins[state] + (size if kept.states[state] else 0)
    return Words(first, last, offsets[: lists + 1], listed[: offsets[lists]], begins, anything)


@jit
def _add_list(offsets: Longs, listed: Ints, lists: int, marked: Bools) -> int:
    """Adds the list of the marked words; returns the number of lists."""
    end = offsets[lists]
    for word in range(len(marked)):
        if marked[word]:
            listed[end] = word
            end += 1
    offsets[lists + 1] = end
    return lists + 1


@jit
def kept_within(chart: Chart, words: Words, totals: Floats, count: int) -> Kept:
    """Returns the states, and the words at the borders where arcs meet, with a finite total cost."""
    number, sets, _ = _merging(chart)
    states = np.zeros(len(number), dtype=np.bool_)
    firsts, lasts = np.zeros((sets, count), dtype=np.bool_), np.zeros((sets, count), dtype=np.bool_)
    for state in range(len(number)):
        width = size_of(words, words.last[state])
        for place in range(words.begins[state], words.begins[state + 1]):
            if totals[place] < np.inf:
                states[state] = True
                if number[state] >= 0:
                    row, column = divmod(place - words.begins[state], width)
                    lasts[number[state], words.listed[words.offsets[words.last[state]] + column]] = True
                    if words.first[state] != words.anything:
                        firsts[number[state], words.listed[words.offsets[words.first[state]] + row]] = True
    for cell in range(len(chart.starts)):
        states[chart.starts[cell]] = states[chart.ends[cell]]
    return Kept(states, firsts, lasts)


@jit
def size_of(words: Words, list_id: int) -> int:
    """Returns the length of a list."""
    return words.offsets[list_id + 1] - words.offsets[list_id]


@jit
def index_of(words: Words, list_id: int, word: int) -> int:
    """Returns the index of a word in a list, or -1."""
    if list_id == words.anything:
        return 0
    begin, end = words.offsets[list_id], words.offsets[list_id + 1]
    place = lower_bound(words.listed, begin, end, word)
    return place - begin if place < end and words.listed[place] == word else -1


@jit
def positions_of(words: Words, list_id: int, target_list: int) -> Longs:
    """Returns, for each word of the list `list_id`, its index in the list `target_list`, or -1."""
    positions = np.empty(size_of(words, list_id), dtype=np.int64)
    for index in range(len(positions)):
        positions[index] = (
            index
            if list_id == target_list
            else index_of(words, target_list, words.listed[words.offsets[list_id] + index])
        )
    return positions
