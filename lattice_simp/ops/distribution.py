"""The strings of a lattice as a distribution, and the most probable one.

What is asked here depends on the strings and their probabilities alone, not on how states and arcs are arranged.
Probabilities within `TIE` of each other count as equal, and then the order of the words as strings decides.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Floats, Ints, Longs, Records, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.sorting import stable_order
from lattice_simp.core.symbols import EPSILON
from lattice_simp.ops.arc_posteriors import ways_on

TIE = 1e-6
"""A relative difference of probabilities; costs in single precision are as inexact."""

LEAST = np.finfo(np.float64).tiny
"""The least probability of a possible event, in place of probabilities that are too small for a float."""

MOST_PREFIXES = 1 << 14
"""How many prefixes the search for the most probable string extends at most."""

_PREFIX = np.dtype(
    [("parent", np.int32), ("word", np.int32), ("begin", np.int64), ("end", np.int64), ("mass", np.float64)]
)
"""A prefix: its parent (the prefix without the last word), its last word, the range of elements for the states that it
reaches, and its probability."""

_ELEMENT = np.dtype([("state", np.int32), ("mass", np.float64)])


@dataclass(frozen=True)
class Distribution:
    """The strings of a lattice's output side with their probabilities.

    Attributes:
        arcs: sorted topologically; labels number `words` from 1 (0 is epsilon), weights are the probability of each
            arc given its source state, finals that of ending there.
        words: the words that occur, sorted.
        labels: (words + 1,) int32, the label of epsilon and of each word in the lattice's table.
    """

    arcs: Arcs
    words: tuple[str, ...]
    labels: Ints

    @classmethod
    def of(cls, lattice: Lattice, scale: float = 1.0) -> Distribution:
        """Returns the strings of a connected lattice; a path with cost c has the probability exp(-scale * c) / Z.

        Raises:
            LatticeSimpError: the scale is not a number above 0.
        """
        going_on, ending = ways_on(lattice, scale)
        ending = np.where(np.isfinite(lattice.finals), np.maximum(ending, LEAST), 0.0)
        used = np.flatnonzero(np.bincount(lattice.olabels, minlength=1)[1:]) + 1
        names = {lattice.symbols[label]: label for label in used.tolist()}
        words = tuple(sorted(names))
        labels = np.array([EPSILON, *map(names.__getitem__, words)], dtype=np.int32)
        numbers = np.zeros(len(lattice.symbols), dtype=np.int32)
        numbers[labels] = np.arange(len(labels))
        going_on = np.maximum(going_on, LEAST)
        return cls(Arcs(lattice.offsets, numbers[lattice.olabels], going_on, lattice.nextstates, ending), words, labels)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, start=1)}

    def encode(self, tokens: Iterable[str]) -> Ints:
        """Returns the numbers of words, (len(tokens),) int32; -1 for those that no string has."""
        return np.array([self._numbers.get(token, -1) for token in tokens], dtype=np.int32)

    def decode(self, numbers: Ints) -> tuple[str, ...]:
        """Returns the words of these numbers."""
        return tuple(self.words[number - 1] for number in numbers.tolist())


def most_probable(strings: Distribution) -> Ints | None:
    """Returns the numbers of the words of the most probable string.

    Of ties the shortest string wins, then the first by word numbers. The search extends prefixes, the most probable
    one first; it gives up and returns None after `MOST_PREFIXES` of them.
    """
    tied = probable_strings(strings, 1)
    return None if tied is None else np.array(first_of_ties(tied), dtype=np.int32)


def probable_strings(
    strings: Distribution, count: int, most: int | None = None
) -> list[tuple[tuple[int, ...], float]] | None:
    """Returns the `count` most probable strings of word numbers, and those as probable as the last, with probabilities.

    The search extends prefixes, the most probable one first; it gives up and returns None after `MOST_PREFIXES` of
    them, or after `most` strings.
    """
    is_complete, masses, lengths, words = _search(strings.arcs, MOST_PREFIXES, count, most or MOST_PREFIXES)
    if not is_complete:
        return None
    ends = np.cumsum(lengths)
    tokens = [tuple(words[end - length : end].tolist()) for end, length in zip(ends, lengths, strict=True)]
    return list(zip(tokens, masses.tolist(), strict=True))


def first_of_ties(strings: Iterable[tuple[tuple[Any, ...], float]]) -> tuple[Any, ...]:
    """Returns the most probable of some strings; of ties the shortest, then the first."""
    pairs = list(strings)
    enough = max(mass for _, mass in pairs) * (1.0 - TIE)
    return min((words for words, mass in pairs if mass >= enough), key=lambda words: (len(words), words))


def greedy(strings: Distribution) -> Ints:
    """Returns the string that takes the most probable next word after each prefix."""
    words: Ints = _greedy(strings.arcs)
    return words


@jit
def _search(arcs: Arcs, most_prefixes: int, wanted: int, most: int) -> tuple[bool, Floats, Longs, Ints]:
    """Returns whether the search is complete, the probabilities and lengths of strings, and their words in a row."""
    prefixes, elements, used = _start(arcs)
    count, steps, least = 1, 0, 0.0
    queue = [(-1.0, 0, 0)]  # minus the probability, order of entry, prefix (-1 - prefix for a complete string)
    entries = 1
    complete, masses = np.empty(256, dtype=np.int32), np.empty(256)
    ended = 0
    while len(queue) > 0:
        cost, _, prefix = heapq.heappop(queue)
        if ended >= wanted and -cost < least * (1.0 - TIE):
            break
        if prefix < 0:
            if ended == len(complete):
                complete, masses = grown(complete), grown(masses)
            complete[ended], masses[ended] = -1 - prefix, -cost
            ended += 1
            least = -cost if ended == wanted else least
            continue
        steps += 1
        if steps > most_prefixes or ended > most:
            return False, masses[:0], np.zeros(0, dtype=np.int64), complete[:0]
        total = _ending(arcs, elements, prefixes[prefix].begin, prefixes[prefix].end)
        if total > 0.0:
            heapq.heappush(queue, (-total, entries, -1 - prefix))
            entries += 1
        first = count
        prefixes, count, elements, used = _continued(arcs, prefixes, count, elements, used, prefix)
        for following in range(first, count):
            heapq.heappush(queue, (-prefixes[following].mass, entries, following))
            entries += 1
    lengths = np.zeros(ended, dtype=np.int64)
    for number in range(ended):
        prefix = complete[number]
        while prefix > 0:
            lengths[number] += 1
            prefix = prefixes[prefix].parent
    words = np.empty(lengths.sum(), dtype=np.int32)
    end = 0
    for number in range(ended):
        end += lengths[number]
        _spell(prefixes, complete[number], words[end - lengths[number] : end])
    return True, masses[:ended], lengths, words


@jit
def _greedy(arcs: Arcs) -> Ints:
    prefixes, elements, used = _start(arcs)
    count, prefix, length = 1, 0, 0
    while prefix >= 0:
        best = _ending(arcs, elements, prefixes[prefix].begin, prefixes[prefix].end)
        first, chosen = count, -1
        prefixes, count, elements, used = _continued(arcs, prefixes, count, elements, used, prefix)
        for following in range(first, count):
            mass = prefixes[following].mass
            if mass > best * (1.0 + TIE):
                best, chosen = mass, following
        if chosen < 0:
            words = np.empty(length, dtype=np.int32)
            _spell(prefixes, prefix, words)
            return words
        for element in range(prefixes[chosen].begin, prefixes[chosen].end):
            elements[element].mass /= best  # keeps the probabilities of long strings from underflow
        prefix = chosen
        length += 1
    return np.zeros(0, dtype=np.int32)


@jit
def _start(arcs: Arcs) -> tuple[Records, Records, int]:
    """Returns pools that hold the empty prefix and its elements, and the number of elements."""
    prefixes, elements = np.empty(256, dtype=_PREFIX), np.empty(1024, dtype=_ELEMENT)
    elements, used = _added(elements, 0, 0, 0, 1.0)
    elements, used = _closed(arcs, elements, 0, used)
    prefixes[0].parent, prefixes[0].word, prefixes[0].begin, prefixes[0].end = -1, 0, 0, used
    return prefixes, elements, used


@jit
def _continued(
    arcs: Arcs, prefixes: Records, count: int, elements: Records, used: int, prefix: int
) -> tuple[Records, int, Records, int]:
    """Extends a prefix by each next word, in the order of the words' numbers."""
    begin, end = prefixes[prefix].begin, prefixes[prefix].end
    most = 0
    for element in range(begin, end):
        state = elements[element].state
        most += arcs.offsets[state + 1] - arcs.offsets[state]
    words, goals, masses = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32), np.empty(most)
    choices = 0
    for element in range(begin, end):
        state = elements[element].state
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            if arcs.labels[arc]:
                words[choices], goals[choices] = arcs.labels[arc], arcs.nextstates[arc]
                masses[choices] = elements[element].mass * arcs.weights[arc]
                choices += 1
    last = -1
    for choice in stable_order(words[:choices]):
        if words[choice] != last:
            if last >= 0:
                elements, used = _closed(arcs, elements, prefixes[count - 1].begin, used)
                prefixes[count - 1].end = used
            last = words[choice]
            if count == len(prefixes):
                prefixes = grown(prefixes)
            prefixes[count].parent, prefixes[count].word, prefixes[count].begin = prefix, last, used
            prefixes[count].mass = 0.0
            count += 1
        prefixes[count - 1].mass += masses[choice]
        elements, used = _added(elements, prefixes[count - 1].begin, used, goals[choice], masses[choice])
    if last >= 0:
        elements, used = _closed(arcs, elements, prefixes[count - 1].begin, used)
        prefixes[count - 1].end = used
    return prefixes, count, elements, used


@jit
def _added(elements: Records, begin: int, used: int, state: int, mass: float) -> tuple[Records, int]:
    """Adds probability to a state among the elements from `begin` on, which are sorted by state."""
    place = used
    while place > begin and elements[place - 1].state >= state:
        place -= 1
    if place < used and elements[place].state == state:
        elements[place].mass += mass
        return elements, used
    if used == len(elements):
        elements = grown(elements)
    for index in range(used, place, -1):
        elements[index] = elements[index - 1]
    elements[place].state, elements[place].mass = state, mass
    return elements, used + 1


@jit
def _closed(arcs: Arcs, elements: Records, begin: int, used: int) -> tuple[Records, int]:
    """Adds the states that the elements from `begin` on reach by epsilons; epsilons lead to higher states."""
    place = begin
    while place < used:
        state, mass = elements[place].state, elements[place].mass
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            if arcs.labels[arc] == 0:
                elements, used = _added(elements, begin, used, arcs.nextstates[arc], mass * arcs.weights[arc])
        place += 1
    return elements, used


@jit
def _ending(arcs: Arcs, elements: Records, begin: int, end: int) -> float:
    """Returns the probability that the string ends after the prefix."""
    total = 0.0
    for element in range(begin, end):
        total += elements[element].mass * arcs.finals[elements[element].state]
    return total


@jit
def _spell(prefixes: Records, prefix: int, words: Ints) -> None:
    """Writes the words of a prefix."""
    for place in range(len(words) - 1, -1, -1):
        words[place] = prefixes[prefix].word
        prefix = prefixes[prefix].parent
