"""The n shortest paths, or the n shortest different strings, with their costs, arcs and scores.

A best-first search with the exact cost of the rest as its estimate: each arc costs what its path loses against the
best one, and of prefixes with equal costs the longest is followed first, so that ties do not multiply the work. For
unique strings the search runs over *sets* of (state, cost) that one prefix reaches, as in lazy determinization (Mohri
and Riley 2002), so no string is found twice and a lattice with exponentially many paths per string costs no more than
its strings.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from lattice_simp.core.growing import longer_floats, longer_ints
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import backward_costs
from lattice_simp.errors import LatticeSimpError


@dataclass(frozen=True)
class Path:
    """A path of a lattice.

    Attributes:
        words: its output words, joined by blanks.
        cost: nats.
        arcs: (length,) int32, the arcs' numbers in the lattice that `nbest` was given, if that is sorted
            topologically and trim, else in `lattice.connected()`.
        inputs: the input labels that are not epsilon, in order.
        scores: the sums of the lattice's score columns along the path, final scores included.
    """

    words: str
    cost: float
    arcs: Ints
    inputs: tuple[int, ...]
    scores: dict[str, float] = field(default_factory=dict)


def nbest(lattice: Lattice, n: int = 1, *, unique: bool = True) -> list[Path]:
    """Returns the n cheapest paths in order of their costs; with `unique`, the best path of each string only.

    >>> lattice = Lattice.from_strings([("a b", 1.0), ("a c", 0.5), ("d", 2.0)])
    >>> [(path.words, path.cost) for path in nbest(lattice, 2)]
    [('a c', 0.5), ('a b', 1.0)]

    Fewer come back where the lattice holds fewer. Ties keep an order that depends on the lattice alone.

    Raises:
        LatticeSimpError: n is not positive.
        CyclicLatticeError: the lattice has a cycle.
    """
    if n < 1:
        raise LatticeSimpError(f"n is {n}; ask for one path at least")
    lattice = lattice.connected()
    if lattice.empty:
        return []
    backward = backward_costs(lattice)
    offsets, arcs, ends = _search(
        lattice.offsets,
        lattice.olabels,
        lattice.weights + backward[lattice.nextstates] - backward[lattice.sources],
        lattice.nextstates,
        lattice.finals - backward,
        min(n, sys.maxsize),
        unique,
    )
    # The costs summed anew may differ from the search's by rounding: equal ones keep the search's order.
    return sorted(_paths(lattice, offsets, arcs, ends), key=lambda path: path.cost)


def _paths(lattice: Lattice, offsets: Longs, arcs: Ints, ends: Ints) -> Iterator[Path]:
    for number, end in enumerate(ends.tolist()):
        own = arcs[offsets[number] : offsets[number + 1]]
        cost = float(lattice.weights[own].sum() + lattice.finals[end])
        totals = {
            name: float(values[own].sum() + (lattice.final_scores[name][end] if name in lattice.final_scores else 0.0))
            for name, values in lattice.scores.items()
        }
        inputs = lattice.ilabels[own]
        words = " ".join(lattice.symbols.decode(lattice.olabels[own].tolist()))
        yield Path(words, cost, own, tuple(inputs[inputs != 0].tolist()), totals)


@jit
def _search(
    offsets: Ints,
    labels: Ints,
    weights: Floats,
    nextstates: Ints,
    finals: Floats,
    n: int,
    unique: bool,
) -> tuple[Longs, Ints, Ints]:
    """Returns (path offsets, arcs, end states) of a trim lattice whose best completion costs 0 from every state.

    A prefix is a block of elements (state, cost so far, the element and the arc it came by).
    """
    capacity = 1024
    state = np.empty(capacity, dtype=np.int32)
    cost = np.empty(capacity, dtype=np.float64)
    origin = np.empty(capacity, dtype=np.int32)
    arrived = np.empty(capacity, dtype=np.int32)
    used = 1
    state[0], cost[0], origin[0], arrived[0] = 0, 0.0, -1, -1
    prefix_capacity = 1024
    begin = np.empty(prefix_capacity, dtype=np.int32)
    end = np.empty(prefix_capacity, dtype=np.int32)
    begin[0], end[0] = 0, 1
    prefixes = 1
    # (cost, minus the length, order of entry, prefix or -1 - element if complete)
    queue = [(0.0, 0, 0, 0)]
    entries = 1
    found_end = np.empty(1024, dtype=np.int32)
    found = 0
    while len(queue) > 0 and found < n:
        _, depth, _, prefix = heapq.heappop(queue)
        depth -= 1
        if prefix < 0:
            if found == len(found_end):
                found_end = longer_ints(found_end)
            found_end[found] = -1 - prefix
            found += 1
            continue
        # Follow epsilons inside the block, so that a prefix's block holds every state it can reach.
        if unique:
            at = begin[prefix]
            relocated = False
            while at < end[prefix]:
                for arc in range(offsets[state[at]], offsets[state[at] + 1]):
                    if labels[arc] != 0:
                        continue
                    goal, total = nextstates[arc], cost[at] + weights[arc]
                    same = -1
                    for other in range(begin[prefix], end[prefix]):
                        if state[other] == goal:
                            same = other
                    if same >= 0 and cost[same] <= total:
                        continue
                    if not relocated and end[prefix] != used:
                        # The block must grow: move it to the end of the arrays.
                        size = end[prefix] - begin[prefix]
                        while used + size + 1 >= capacity:
                            capacity *= 2
                            state, cost = longer_ints(state), longer_floats(cost)
                            origin, arrived = longer_ints(origin), longer_ints(arrived)
                        for shift in range(size):
                            old = begin[prefix] + shift
                            state[used + shift], cost[used + shift] = state[old], cost[old]
                            origin[used + shift], arrived[used + shift] = origin[old], arrived[old]
                        if same >= 0:
                            same += used - begin[prefix]
                        at += used - begin[prefix]
                        begin[prefix], end[prefix] = used, used + size
                        used += size
                    relocated = True
                    if used + 1 >= capacity:
                        capacity *= 2
                        state, cost = longer_ints(state), longer_floats(cost)
                        origin, arrived = longer_ints(origin), longer_ints(arrived)
                    # A cheaper way to a known state is a new element, so that older traces stay true.
                    if same >= 0:
                        cost[same] = np.inf
                        state[same] = -1 - state[same]
                    state[used], cost[used], origin[used], arrived[used] = goal, total, at, arc
                    used += 1
                    end[prefix] = used
                at += 1
                while at < end[prefix] and state[at] < 0:
                    at += 1
        best_element = -1
        best_total = np.inf
        choices = 0
        for element in range(begin[prefix], end[prefix]):
            if state[element] < 0:
                continue
            total = cost[element] + finals[state[element]]
            if total < best_total:
                best_element, best_total = element, total
            choices += offsets[state[element] + 1] - offsets[state[element]]
        if best_element >= 0:
            heapq.heappush(queue, (best_total, depth, entries, -1 - best_element))
            entries += 1
        choice_arc = np.empty(choices, dtype=np.int32)
        choice_element = np.empty(choices, dtype=np.int32)
        choice_cost = np.empty(choices, dtype=np.float64)
        choice_key = np.empty(choices, dtype=np.int64)
        count = 0
        for element in range(begin[prefix], end[prefix]):
            if state[element] < 0:
                continue
            for arc in range(offsets[state[element]], offsets[state[element] + 1]):
                if unique and labels[arc] == 0:
                    continue
                choice_arc[count], choice_element[count] = arc, element
                choice_cost[count] = cost[element] + weights[arc]
                choice_key[count] = (np.int64(labels[arc]) << 32) + nextstates[arc] if unique else count
                count += 1
        order = np.argsort(choice_key[:count], kind="mergesort")
        place = 0
        while place < count:
            # One new prefix: all choices with this label (or a single choice, where strings may repeat).
            first = used
            label = choice_key[order[place]] >> 32
            best_hope = np.inf
            while place < count and (
                (unique and choice_key[order[place]] >> 32 == label) or (not unique and used == first)
            ):
                choice = order[place]
                place += 1
                goal = nextstates[choice_arc[choice]]
                if unique and used > first and state[used - 1] == goal:
                    if choice_cost[choice] < cost[used - 1]:
                        cost[used - 1], origin[used - 1] = choice_cost[choice], choice_element[choice]
                        arrived[used - 1] = choice_arc[choice]
                        best_hope = min(best_hope, choice_cost[choice])
                    continue
                if used == capacity:
                    capacity *= 2
                    state, cost = longer_ints(state), longer_floats(cost)
                    origin, arrived = longer_ints(origin), longer_ints(arrived)
                state[used], cost[used] = goal, choice_cost[choice]
                origin[used], arrived[used] = choice_element[choice], choice_arc[choice]
                used += 1
                best_hope = min(best_hope, choice_cost[choice])
            if prefixes == prefix_capacity:
                prefix_capacity *= 2
                begin, end = longer_ints(begin), longer_ints(end)
            begin[prefixes], end[prefixes] = first, used
            heapq.heappush(queue, (best_hope, depth, entries, prefixes))
            entries += 1
            prefixes += 1
    path_offsets = np.zeros(found + 1, dtype=np.int64)
    for number in range(found):
        length = 0
        element = found_end[number]
        while arrived[element] >= 0:
            length += 1
            element = origin[element]
        path_offsets[number + 1] = path_offsets[number] + length
    arcs = np.empty(path_offsets[found], dtype=np.int32)
    ends = np.empty(found, dtype=np.int32)
    for number in range(found):
        element = found_end[number]
        ends[number] = state[element] if state[element] >= 0 else -1 - state[element]
        place = path_offsets[number + 1]
        while arrived[element] >= 0:
            place -= 1
            arcs[place] = arrived[element]
            element = origin[element]
    return path_offsets, arcs, ends
