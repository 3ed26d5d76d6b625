"""The consensus of an n-best list: the same as that of its confusion network, in a tenth of the time.

One kernel aligns each string with the pivot and counts the words in each slot. The alignments, the slots, the pivots
and the order of equally probable words are those of `confusion_network`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from itertools import accumulate, chain

import numpy as np

from lattice_simp.core.arguments import scale_of_costs
from lattice_simp.core.growing import find_slot
from lattice_simp.core.hypothesis import Hypothesis, Strings, as_hypotheses
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import MARKS, unmarked
from lattice_simp.core.sorting import stable_order
from lattice_simp.errors import EmptyLatticeError
from lattice_simp.ops.confusion_network import DRAW, ROUNDS, consensus_entries, consensus_of
from lattice_simp.ops.distribution import LEAST, TIE, Distribution, first_of_ties
from lattice_simp.ops.mbr_nbest import string_probabilities
from lattice_simp.ops.mbr_utilities import Tokens
from lattice_simp.ops.progressive_alignment import PROBABLE, longest_first, progressive_consensus
from lattice_simp.ops.word_alignment import EDIT, LEVEL, MOST_ROWS


def consensus_nbest(hypotheses: Strings, scale: float = 1.0, *, ignore: Collection[str] = MARKS) -> Hypothesis:
    """Returns the string of the most probable words of a list's confusion network, and its cost there.

    >>> consensus_nbest(["the cat is on the mat", "a bat sat on the mat", "the cat sat on a hat"]).text
    'the cat sat on the mat'

    It has the fewest expected word errors of all strings of the network, and need not be one of the hypotheses.

    Args:
        hypotheses: of one sentence; costs are negative log probabilities, up to the scale and a constant. The
            probabilities of equal strings add up.
        scale: above 0; the factor of the costs before they become probabilities.
        ignore: tokens that are not words; the consensus excludes them.

    Raises:
        LatticeSimpError: the scale is not a number above 0.
        EmptyLatticeError: there are no hypotheses.
    """
    scale = scale_of_costs(scale)
    strings = string_probabilities(unmarked(as_hypotheses(hypotheses), ignore), scale)
    if not strings:
        raise EmptyLatticeError("there are no hypotheses, so there is no consensus")
    if sum(map(len, strings)) >= MOST_ROWS:  # the lattice limits the alignments, which is faster
        return _consensus_of_lattice(strings)
    names = ["", *sorted(set(chain.from_iterable(strings)))]
    numbers = dict(zip(names, range(len(names)), strict=True))
    words = np.fromiter(map(numbers.__getitem__, chain.from_iterable(strings)), dtype=np.int32)
    begins = np.fromiter(accumulate(map(len, strings), initial=0), dtype=np.int64)
    masses = np.fromiter(strings.values(), dtype=np.float64)
    pivot = np.array([numbers[word] for word in first_of_ties(strings.items())], dtype=np.int32)
    order = np.array(_probable(strings), dtype=np.int64)
    chosen, cost = _consensus(words, begins, masses, pivot, order, len(names))
    return Hypothesis(tuple([names[number] for number in chosen.tolist()]), float(cost))


def _probable(strings: Mapping[Tokens, float]) -> list[int]:
    """Returns the numbers of the most probable strings, as `probable_strings` chooses them, the longest first."""
    tokens, masses = list(strings), list(strings.values())
    enough = sorted(masses)[-PROBABLE:][0] * (1.0 - TIE)
    chosen = [number for number, mass in enumerate(masses) if mass >= enough]
    return sorted(chosen, key=lambda number: longest_first(tokens[number]))


def _consensus_of_lattice(strings: Mapping[Tokens, float]) -> Hypothesis:
    costs = [(words, -math.log(max(mass, LEAST))) for words, mass in strings.items()]
    distribution = Distribution.of(lattice := Lattice.from_strings(costs).connected())
    slots = consensus_of(lattice, distribution).slots
    first = np.flatnonzero(np.diff(slots.slots, prepend=-1))
    cost = -np.log(np.maximum(slots.masses[first], LEAST)).sum()
    return Hypothesis(distribution.decode(slots.words[consensus_entries(slots)]), float(cost))


@jit
def _consensus(words: Ints, begins: Longs, masses: Floats, pivot: Ints, order: Longs, size: int) -> tuple[Ints, float]:
    """Returns the consensus of strings and its cost; `size` exceeds all word ids.

    Alignment begins with the pivot, and again with the consensus of the strings in `order`.
    """
    chosen, cost, errors = _settled(words, begins, masses, pivot, size)
    is_aligned, guess = progressive_consensus(words, begins, masses, order, size)
    if is_aligned and not _are_equal(guess, chosen):
        other, other_cost, other_errors = _settled(words, begins, masses, guess, size)
        if other_errors < errors - DRAW:
            return other, other_cost
    return chosen, cost


@jit
def _are_equal(words: Ints, others: Ints) -> bool:
    is_same = len(words) == len(others)
    for place in range(len(words) if is_same else 0):
        is_same = is_same and words[place] == others[place]
    return is_same


@jit
def _settled(words: Ints, begins: Longs, masses: Floats, pivot: Ints, size: int) -> tuple[Ints, float, float]:
    """Returns the consensus that alignment with the pivot leads to, its cost and its expected errors."""
    runs = 1
    for string in range(len(masses)):
        runs = max(runs, begins[string + 1] - begins[string] + 1)
    cost, errors = 0.0, 0.0
    for _ in range(ROUNDS + 1):
        most = len(words) + len(pivot) + 1
        room = 16
        while room < 2 * most:
            room *= 2
        keys, sums = np.full(room, -1, dtype=np.int64), np.empty(room)
        costs = np.empty((runs, len(pivot) + 1), dtype=np.int32)
        for string in range(len(masses)):
            string_words = words[begins[string] : begins[string + 1]]
            _align(string_words, max(masses[string], LEAST), pivot, (runs, size), costs, keys, sums)
        following, cost, errors = _chosen(keys, sums, pivot, runs, size)
        is_same = _are_equal(following, pivot)
        pivot = following
        if is_same:
            break
    return pivot, cost, errors


@jit
def _align(
    words: Ints, mass: float, pivot: Ints, sizes: tuple[int, int], costs: Ints, keys: Longs, sums: Floats
) -> None:
    """Adds the probability of a string to its word in each slot.

    The slot of the pivot's word in a column (from 1) is `column * runs`. The slot of an inserted word after it is
    `column * runs + runs - inserted`, where `inserted` counts the words from there to the next word of the pivot. Keys
    are `slot * size + word`; word 0 is no word.
    """
    runs, size = sizes
    columns = len(pivot) + 1
    for column in range(columns):
        costs[0, column] = EDIT * column
    for row in range(1, len(words) + 1):
        costs[row, 0] = cost = EDIT * row
        for column in range(1, columns):
            replaced = costs[row - 1, column - 1] + (0 if words[row - 1] == pivot[column - 1] else EDIT + 1)
            cost = min(min(costs[row - 1, column], cost) + EDIT, replaced)
            costs[row, column] = cost
    column, inserted = columns - 1, 0
    for row in range(len(words), -1, -1):
        while column > 0 and (row == 0 or costs[row, column] == costs[row, column - 1] + EDIT):
            _add(keys, sums, column * runs * size, mass)
            column, inserted = column - 1, 0
        if row > 0:
            replaced = np.int64(4 * EDIT) * (runs + columns)
            if column > 0:
                replaced = costs[row - 1, column - 1] + (0 if words[row - 1] == pivot[column - 1] else EDIT + 1)
            is_replaced = replaced <= costs[row - 1, column] + EDIT
            inserted = 0 if is_replaced else inserted + 1
            slot = column * runs + (runs - inserted if inserted else 0)
            _add(keys, sums, slot * size + words[row - 1], mass)
            column -= is_replaced


@jit
def _add(keys: Longs, sums: Floats, key: int, mass: float) -> None:
    slot = find_slot(keys, key)
    sums[slot] = mass if keys[slot] < 0 else sums[slot] + mass
    keys[slot] = key


@jit
def _chosen(keys: Longs, sums: Floats, pivot: Ints, runs: int, size: int) -> tuple[Ints, float, float]:
    """Returns the most probable words of the slots, their cost and their expected errors.

    The pivot's word wins ties, then the first word.
    """
    used = np.flatnonzero(keys >= 0)
    order = used[stable_order(keys[used])]
    words, count, cost, errors, begin = np.empty(len(order), dtype=np.int32), 0, 0.0, 0.0, 0
    while begin < len(order):
        slot, end, total = keys[order[begin]] // size, begin, 0.0
        while end < len(order) and keys[order[end]] // size == slot:
            total += max(sums[order[end]], LEAST)
            end += 1
        best, level, mass, tied, same = -1, 0.0, 0.0, 1, 0
        if slot % runs:  # between words of the pivot; the other strings have no word here
            rest = max(1.0 - total, LEAST)
            total += rest
            best, mass = 0, rest / total
            level = _level(mass)
        else:
            same = pivot[slot // runs - 1]
        for place in range(begin, end):
            word, share = keys[order[place]] % size, max(sums[order[place]], LEAST) / total
            if best < 0 or _level(share) < level:
                best, level, mass, tied = word, _level(share), share, 1
            elif _level(share) == level:
                best, mass, tied = (word if word == same else best), mass + share, tied + 1
        cost -= np.log(max(mass / tied, LEAST))
        errors += 1.0 - mass / tied
        if best > 0:
            words[count] = best
            count += 1
        begin = end
    return words[:count], cost, errors


@jit
def _level(share: float) -> float:
    """Returns the level of a probability; probabilities of one level count as equal."""
    return np.floor(0.0 - np.log(share) / LEVEL + 0.38)
