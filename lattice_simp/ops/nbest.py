"""The n cheapest paths, or the n cheapest different strings, with their costs, arcs and features.

A best-first search with the exact cost of the rest as its estimate: the cost of each arc is how much its path loses
against the best one, and of prefixes with equal costs the longest comes first, so that ties do not multiply work. For
unique strings the search runs over *sets* of (state, cost) that one prefix reaches, as in lazy determinization (Mohri
and Riley 2002), so no string is found twice and a lattice with exponentially many paths per string costs no more than
its strings.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Collection, Iterator

import numpy as np

from lattice_simp.core.arcs import Arcs, offsets_of
from lattice_simp.core.arguments import flag, whole
from lattice_simp.core.columns import are_unknown, probabilities_of
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.growing import copy_into, grown
from lattice_simp.core.hypothesis import Confidences, Hypothesis, Times
from lattice_simp.core.kernel import Ints, Longs, Records, jit, record
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.shortest_distance import backward_costs
from lattice_simp.core.sorting import stable_order
from lattice_simp.errors import EmptyLatticeError

_WITH_EPSILONS, _WITHOUT_EPSILONS = 20, 2
"""How often Python may visit an arc for each path (see `Kernel.light`); by epsilons, a prefix may reach many states."""


def nbest(lattice: Lattice, n: int = 1, *, unique: bool = True, ignore: Collection[str] = MARKS) -> list[Hypothesis]:
    """Returns the n cheapest paths in order of their costs; with `unique`, the best path of each string only.

    >>> lattice = Lattice.from_strings([("a b", 1.0), ("a c", 0.5), ("d", 2.0)])
    >>> [(path.text, path.cost) for path in nbest(lattice, 2)]
    [('a c', 0.5), ('a b', 1.0)]

    Returns fewer if the lattice has fewer. The order of ties depends only on the lattice.

    Args:
        lattice: acyclic.
        n: the number of paths.
        unique: whether each string comes once.
        ignore: labels that are not words: paths that differ in them alone have the same string, and hypotheses lack
            them. The marks of sentence ends, silence and noise by default.

    Returns:
        Hypotheses whose `arcs` are numbers of `lattice`, if that is sorted topologically and connected, else of
        `lattice.connected()`; their features are the sums along the path, final scores included. If the lattice has
        the feature "time", they have the times of their words.

    Raises:
        LatticeSimpError: n is not positive.
        TypeError: n is not a whole number.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("nbest", lattice)
    n, unique = whole(n, "n", 1), flag(unique, "unique")
    lattice = lattice.connected().without_words(ignore)
    if lattice.empty:
        return []
    backward = backward_costs(lattice)
    losses = lattice.arcs._replace(
        weights=lattice.weights + backward[lattice.nextstates] - backward[lattice.sources],
        finals=lattice.finals - backward,
    )
    rounds = n * (_WITH_EPSILONS if (lattice.olabels == 0).any() else _WITHOUT_EPSILONS)
    paths = _search.light(losses, min(n, sys.maxsize), unique, rounds=rounds)
    hypotheses = _hypotheses(lattice, *paths)
    # Sums along the paths may differ from the costs of the search by rounding; a stable sort keeps its order for ties.
    return sorted(hypotheses, key=lambda path: path.cost)


def shortest_path(lattice: Lattice, *, ignore: Collection[str] = MARKS) -> Hypothesis:
    """Returns the cheapest path; `ignore` is as in `nbest`.

    >>> shortest_path(Lattice.from_strings([("a b", 1.0), ("a c", 0.5)])).text
    'a c'

    Raises:
        EmptyLatticeError: the lattice accepts nothing.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("shortest_path", lattice)
    best = nbest(lattice, ignore=ignore)
    if not best:
        raise EmptyLatticeError("the lattice accepts nothing, so it has no shortest path")
    return best[0]


def shortest_paths(lattice: Lattice, n: int = 1, *, unique: bool = True, ignore: Collection[str] = MARKS) -> Lattice:
    """Returns the lattice of the n cheapest paths, as OpenFst's `shortestpath` does; arguments as in `nbest`.

    >>> lattice = Lattice.from_strings([("a b", 1.0), ("a c", 0.5), ("d", 2.0)])
    >>> [path.text for path in nbest(shortest_paths(lattice, 2), 9)]
    ['a c', 'a b']

    Each path has its own states after the start; labels, costs and features stay, marks included.

    Raises:
        LatticeSimpError: n is not positive.
        TypeError: n is not a whole number.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("shortest_paths", lattice)
    lattice = lattice.connected()
    paths = nbest(lattice, n, unique=unique, ignore=ignore)
    if not paths:
        return Lattice.empty_like(lattice)
    lengths = np.array([len(path.arcs) for path in paths])
    arcs = np.concatenate([np.zeros(0, dtype=np.int32), *(path.arcs for path in paths)]).astype(np.int32)
    nextstates = np.arange(1, len(arcs) + 1, dtype=np.int32)
    lasts = np.cumsum(lengths)[lengths > 0]
    states = np.full(len(arcs) + 1, -1, dtype=np.int32)
    states[lasts] = lattice.nextstates[arcs[lasts - 1]]
    if not lengths.all():  # the empty path
        states[0] = 0
    is_first = np.zeros(len(arcs), dtype=np.bool_)
    is_first[(np.cumsum(lengths) - lengths)[lengths > 0]] = True
    sources = np.where(is_first, 0, nextstates - 1)
    order = np.argsort(sources, kind="stable")
    return lattice.gather(arcs[order], offsets_of(sources, len(states)), nextstates[order], states).connected()


def _hypotheses(lattice: Lattice, offsets: Longs, arcs: Ints, ends: Ints) -> Iterator[Hypothesis]:
    for number, end in enumerate(ends.tolist()):
        yield path_hypothesis(lattice, arcs[offsets[number] : offsets[number + 1]], end)


def path_hypothesis(lattice: Lattice, arcs: Ints, end: int) -> Hypothesis:
    """Returns the hypothesis of a path, given the numbers of its arcs and its final state."""
    inputs = lattice.ilabels[arcs]
    return Hypothesis(
        tokens=tuple(lattice.symbols.decode(lattice.olabels[arcs].tolist())),
        cost=float(lattice.weights[arcs].sum() + lattice.finals[end]),
        features=_features(lattice, arcs, end),
        arcs=arcs,
        inputs=tuple(inputs[inputs != 0].tolist()),
        times=_times(lattice, arcs) if TIME in lattice.features else None,
        confidences=_confidences(lattice, arcs) if POSTERIOR in lattice.features else None,
    )


def _features(lattice: Lattice, arcs: Ints, end: int) -> dict[str, float]:
    """Returns the features of a path; unknown posteriors do not count."""
    features = lattice.features.of_path(arcs, end)
    if POSTERIOR in features and (unknown := are_unknown(lattice.features[POSTERIOR][arcs])).any():
        known = lattice.features[POSTERIOR][arcs][~unknown]
        return {**features, POSTERIOR: float(known.sum())}
    return features


def _times(lattice: Lattice, arcs: Ints) -> Times:
    """Returns when each word on a path begins and ends, in seconds."""
    seconds, is_word = lattice.features[TIME][arcs], lattice.olabels[arcs] != 0
    ends = lattice.header.start + np.cumsum(seconds)
    begins = (ends - seconds)[is_word].round(6).tolist()
    return tuple(zip(begins, ends[is_word].round(6).tolist(), strict=True))


def _confidences(lattice: Lattice, arcs: Ints) -> Confidences:
    """Returns the posterior of each word's arc on a path."""
    logs = lattice.features[POSTERIOR][arcs[lattice.olabels[arcs] != 0]]
    return tuple(probabilities_of(logs).round(12).tolist())


ELEMENT = record([("state", np.int32), ("cost", np.float64), ("origin", np.int32), ("arc", np.int32)])
"""A state that a prefix reaches, its cost, and the element and arc before it. A cheaper path to the state becomes a new
element, and this one is marked by `-1 - state`."""

BLOCK = record([("begin", np.int32), ("end", np.int32)])
"""A prefix: the elements of all states that it reaches."""

CHOICE = record([("arc", np.int32), ("element", np.int32), ("cost", np.float64)])
"""An arc that leaves the state of an element."""


@jit
def _search(arcs: Arcs, n: int, unique: bool) -> tuple[Longs, Ints, Ints]:
    """Returns (path offsets, arcs, end states) of a connected lattice; from every state, completion costs 0 at best."""
    elements, used = np.empty(1024, dtype=ELEMENT), 1
    elements[0].state, elements[0].cost, elements[0].origin, elements[0].arc = 0, 0.0, -1, -1
    blocks, prefixes = np.empty(1024, dtype=BLOCK), 1
    blocks[0].begin, blocks[0].end = 0, 1
    # (cost, minus the length, order of entry, prefix; -1 - its last element for a complete path)
    queue = [(0.0, 0, 0, 0)]
    entries = 1
    ends = np.empty(1024, dtype=np.int32)
    num_paths = 0
    follows = unique and (arcs.labels == 0).any()
    place = np.full(len(arcs.finals) if follows else 0, -1, dtype=np.int32)
    while len(queue) > 0 and num_paths < n:
        _, depth, _, prefix = heapq.heappop(queue)
        depth -= 1
        if prefix < 0:
            if num_paths == len(ends):
                ends = grown(ends)
            ends[num_paths] = -1 - prefix
            num_paths += 1
            continue
        begin, end = blocks[prefix].begin, blocks[prefix].end
        if follows:
            elements, used, begin, end = _follow_epsilons(arcs, elements, used, begin, end, place)
        last = _best_end(arcs, elements, begin, end)
        if last >= 0:
            total = elements[last].cost + arcs.finals[elements[last].state]
            heapq.heappush(queue, (total, depth, entries, -1 - last))
            entries += 1
        choices, order, keys = _choices(arcs, elements, begin, end, unique)
        index = 0
        while index < len(order):
            while used + len(order) >= len(elements):
                elements = grown(elements)
            if prefixes == len(blocks):
                blocks = grown(blocks)
            first = used
            index, used, best = _next_block(arcs, elements, used, choices, order, keys, index, unique)
            blocks[prefixes].begin, blocks[prefixes].end = first, used
            heapq.heappush(queue, (best, depth, entries, prefixes))
            entries += 1
            prefixes += 1
    return _trace(elements, ends[:num_paths])


@jit
def _follow_epsilons(
    arcs: Arcs, elements: Records, used: int, begin: int, end: int, place: Ints
) -> tuple[Records, int, int, int]:
    """Adds every state that a block reaches by epsilons; a block that must grow moves to the end of the pool.

    `place` has the element of each state of the block, counted from the block's first one, and -1 for other states; it
    is all -1 before and after.
    """
    for element in range(begin, end):
        place[elements[element].state] = element - begin
    position = begin
    while position < end:
        state = elements[position].state
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            if arcs.labels[arc] != 0:
                continue
            goal, total = arcs.nextstates[arc], elements[position].cost + arcs.weights[arc]
            old_place = place[goal]
            if old_place >= 0 and elements[begin + old_place].cost <= total:
                continue
            while used + (end - begin) + 1 >= len(elements):
                elements = grown(elements)
            if end != used:
                copy_into(elements, used, elements[begin:end])
                position, begin, end = position + used - begin, used, used + end - begin
                used = end
            if old_place >= 0:  # the old element stays in place, since others may trace back through it
                elements[begin + old_place].cost, elements[begin + old_place].state = np.inf, -1 - goal
            elements[used].state, elements[used].cost = goal, total
            elements[used].origin, elements[used].arc = position, arc
            place[goal] = used - begin
            used += 1
            end = used
        position += 1
        while position < end and elements[position].state < 0:
            position += 1
    for element in range(begin, end):
        if elements[element].state >= 0:
            place[elements[element].state] = -1
    return elements, used, begin, end


@jit
def _best_end(arcs: Arcs, elements: Records, begin: int, end: int) -> int:
    """Returns the element of a block with the cheapest end, or -1 if none is final."""
    best, least = -1, np.inf
    for element in range(begin, end):
        if elements[element].state >= 0:
            total = elements[element].cost + arcs.finals[elements[element].state]
            if total < least:
                best, least = element, total
    return best


@jit
def _choices(arcs: Arcs, elements: Records, begin: int, end: int, unique: bool) -> tuple[Records, Longs, Longs]:
    """Returns the arcs that leave a block, their order (by label and next state if `unique`), and the sort keys."""
    most = 0
    for element in range(begin, end):
        state = elements[element].state
        if state >= 0:
            most += arcs.offsets[state + 1] - arcs.offsets[state]
    choices, keys = np.empty(most, dtype=CHOICE), np.empty(most, dtype=np.int64)
    count = 0
    for element in range(begin, end):
        state = elements[element].state
        if state < 0:
            continue
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            if unique and arcs.labels[arc] == 0:
                continue
            choices[count].arc, choices[count].element = arc, element
            choices[count].cost = elements[element].cost + arcs.weights[arc]
            keys[count] = (np.int64(arcs.labels[arc]) << 32) + arcs.nextstates[arc] if unique else count
            count += 1
    return choices, stable_order(keys[:count]), keys


@jit
def _next_block(
    arcs: Arcs, elements: Records, used: int, choices: Records, order: Longs, keys: Longs, index: int, unique: bool
) -> tuple[int, int, float]:
    """Writes one new prefix: all choices with one label if `unique`, else one choice.

    Returns the index of the next choice, the number of elements, and the least cost.
    """
    first, best = used, np.inf
    label = keys[order[index]] >> 32
    while index < len(order) and (keys[order[index]] >> 32 == label if unique else used == first):
        choice = order[index]
        index += 1
        goal, cost = arcs.nextstates[choices[choice].arc], choices[choice].cost
        if unique and used > first and elements[used - 1].state == goal:
            if cost >= elements[used - 1].cost:
                continue
            used -= 1
        elements[used].state, elements[used].cost = goal, cost
        elements[used].origin, elements[used].arc = choices[choice].element, choices[choice].arc
        used += 1
        best = min(best, cost)
    return index, used, best


@jit
def _trace(elements: Records, last: Ints) -> tuple[Longs, Ints, Ints]:
    """Follows complete paths back to the start; returns (path offsets, arcs, end states)."""
    offsets = np.zeros(len(last) + 1, dtype=np.int64)
    for number in range(len(last)):
        length, element = 0, last[number]
        while elements[element].arc >= 0:
            length += 1
            element = elements[element].origin
        offsets[number + 1] = offsets[number] + length
    arcs = np.empty(offsets[len(last)], dtype=np.int32)
    ends = np.empty(len(last), dtype=np.int32)
    for number in range(len(last)):
        element = last[number]
        state = elements[element].state
        ends[number] = state if state >= 0 else -1 - state
        index = offsets[number + 1]
        while elements[element].arc >= 0:
            index -= 1
            arcs[index] = elements[element].arc
            element = elements[element].origin
    return offsets, arcs, ends
