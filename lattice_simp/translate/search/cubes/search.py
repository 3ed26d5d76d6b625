"""Cube pruning (Chiang 2007) over a sentence's chart, cell by cell, scored with the language model's states.

A grid has one hypothesis for each pair of hypotheses that its references may stand for, both sorted by cost. The best
corners of all grids of a place wait in one priority queue; when a hypothesis is taken out, its neighbours in the grid
are added. A hypothesis waits with an estimated cost and is scored only when it comes first (Gesmundo and Henderson
2010).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.growing import find_slot, grown
from lattice_simp.core.kernel import Floats, Ints, Longs, Records, inlined, jit
from lattice_simp.core.records import NONE
from lattice_simp.core.sorting import stable_order
from lattice_simp.lm.automaton import NgramAutomaton, start_state
from lattice_simp.translate.search.chart import NO_WORD, Chart
from lattice_simp.translate.search.cubes.borders import (
    EMPTY,
    WHOLE,
    Borders,
    after_string,
    after_word,
    has_room,
    new_borders,
    with_room,
)
from lattice_simp.translate.search.cubes.grids import Grids
from lattice_simp.translate.search.forest import EDGE, Forest

NODE = np.dtype([("left", np.int32), ("right", np.int32), ("cost", np.float64)])
"""A hypothesis of a place of the chart (the end of a cell, or a position of the sentence): its border and its cost."""

ENTRY = np.dtype(
    [(name, np.int32) for name in ("grid", "row", "column", "left", "right", "scored")] + [("cost", np.float64)]
)
"""A hypothesis in the queue: its place in a grid and, once it is scored, its border and its cost."""


class Hypotheses(NamedTuple):
    """The hypotheses of a search.

    Attributes:
        used: the numbers of hypotheses and edges.
        nodes: records of `NODE`; those of a place are side by side, the cheapest first.
        edges: records of `EDGE`, whose arc is a grid here, without junctions.
        costs: the cost of each without tails.
        begin, end: (states,) int32, the hypotheses of each state of the chart that is a place.
    """

    used: Longs
    nodes: Records
    edges: Records
    costs: Floats
    begin: Ints
    end: Ints

    def forest(self, goal: int) -> Forest:
        """Returns the derivations of all hypotheses; `goal` is the last place of the chart."""
        axioms = np.full(self.used[NODES], np.inf)
        axioms[0] = self.nodes[0]["cost"]
        goals = np.arange(self.begin[goal], self.end[goal], dtype=np.int32)
        return Forest(self.edges[: self.used[EDGES]], self.costs[: self.used[EDGES]], axioms, goals)


NODES, EDGES = range(2)
"""The counters in `Hypotheses.used`."""


BEAM = 20.0
"""The search of a place ends at hypotheses that cost this many nats more than the first."""


def search(
    chart: Chart, model: NgramAutomaton, grids: Grids, pops: Ints, rests: Floats, beam: float = BEAM
) -> tuple[Hypotheses, Borders]:
    """Finds the best hypotheses of all places; returns them and their borders. The last place is the whole sentence.

    Args:
        chart: the chart of a sentence.
        model: the language model.
        grids: the grids of the chart.
        pops: (places,) int32, the number of hypotheses to visit at each place.
        rests: (words,) float64, the rest costs.
        beam: the search of a place ends at hypotheses that cost this many nats more than the first.
    """
    borders = new_borders(model, rests)
    hypotheses = Hypotheses(
        np.array([1, 0]),
        np.zeros(4096, dtype=NODE),
        np.zeros(4096, dtype=EDGE),
        np.zeros(4096),
        np.zeros(chart.num_states, dtype=np.int32),
        np.zeros(chart.num_states, dtype=np.int32),
    )
    sentence = int(chart.starts[-1])
    state, cost = start_state(model)
    hypotheses.nodes[0] = (WHOLE, state, cost)
    hypotheses.begin[sentence], hypotheses.end[sentence] = 0, 1
    longest = _longest(grids)
    number = 0
    while number < len(grids.places):
        most = _most_scored(grids, number, int(pops[number]))
        borders = with_room(borders, most * longest, most * (model.order - 1))
        hypotheses = _roomy(hypotheses, int(pops[number]))
        number = _fill_places(number, chart, model, grids, borders, hypotheses, pops, beam)
    return hypotheses, borders


@jit
def _longest(grids: Grids) -> int:
    """Returns the length of the longest target side."""
    longest = 1
    for grid in range(len(grids.arcs)):
        longest = max(longest, grids.path_offsets[grid + 1] - grids.path_offsets[grid])
    return longest


@jit
def _most_scored(grids: Grids, number: int, pops: int) -> int:
    """Returns a bound of how many hypotheses of a place are scored."""
    return grids.offsets[number + 1] - grids.offsets[number] + 2 * pops + 2


def _roomy(hypotheses: Hypotheses, more: int) -> Hypotheses:
    """Returns the hypotheses with room for `more` hypotheses and edges."""
    nodes, edges, costs = hypotheses.nodes, hypotheses.edges, hypotheses.costs
    while hypotheses.used[NODES] + more > len(nodes):
        nodes = grown(nodes)
    while hypotheses.used[EDGES] + more > len(edges):
        edges, costs = grown(edges), grown(costs)
    return hypotheses._replace(nodes=nodes, edges=edges, costs=costs)


class Queue(NamedTuple):
    """The priority queue, a heap; `used` counts the entries in the heap, and all records.

    Attributes:
        entries: records of `ENTRY`.
        keys, numbers: the heap: the cost of each entry, estimated or exact, and its number.
    """

    used: Longs
    entries: Records
    keys: Floats
    numbers: Ints


WAITING, ENTRIES = range(2)
"""The counters in `Queue.used`."""


@inlined
def _put(queue: Queue, key: float, number: int) -> None:
    """Adds an entry to the heap."""
    keys, numbers = queue.keys, queue.numbers
    at = queue.used[WAITING]
    queue.used[WAITING] += 1
    while at > 0 and keys[(at - 1) >> 1] > key:
        above = (at - 1) >> 1
        keys[at], numbers[at] = keys[above], numbers[above]
        at = above
    keys[at], numbers[at] = key, number


@inlined
def _take(queue: Queue) -> int:
    """Removes the first entry from the heap and returns it."""
    keys, numbers = queue.keys, queue.numbers
    first = numbers[0]
    queue.used[WAITING] -= 1
    size = queue.used[WAITING]
    key, number, at = keys[size], numbers[size], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and keys[below + 1] < keys[below]:
            below += 1
        if keys[below] >= key:
            break
        keys[at], numbers[at] = keys[below], numbers[below]
        at = below
    keys[at], numbers[at] = key, number
    return first


@inlined
def _wait(queue: Queue, grid: int, row: int, column: int, key: float) -> None:
    """Adds an unscored hypothesis to the queue, at its estimated cost."""
    number = queue.used[ENTRIES]
    queue.used[ENTRIES] += 1
    entry = queue.entries[number]
    entry.grid, entry.row, entry.column, entry.scored = grid, row, column, 0
    _put(queue, key, number)


@jit
def _corners(grids: Grids, hypotheses: Hypotheses, number: int, pops: int) -> Queue:
    """Returns a queue of the best hypothesis of each grid of a place."""
    begin, end = grids.offsets[number], grids.offsets[number + 1]
    room = end - begin + 2 * pops + 2
    queue = Queue(
        np.zeros(2, dtype=np.int64), np.empty(room, dtype=ENTRY), np.empty(room), np.empty(room, dtype=np.int32)
    )
    for grid in range(begin, end):
        key = grids.costs[grid]
        for tail in (grids.first[grid], grids.second[grid]):
            if tail != NONE:
                key += (
                    hypotheses.nodes[hypotheses.begin[tail]].cost
                    if hypotheses.begin[tail] < hypotheses.end[tail]
                    else np.inf
                )
        if key < np.inf:
            _wait(queue, grid, 0, 0, key)
    return queue


@inlined
def _go_on(queue: Queue, grids: Grids, hypotheses: Hypotheses, number: int) -> None:
    """Adds the neighbours of a hypothesis to the queue, such that each pair of a grid is added once."""
    grid, row, column = queue.entries[number].grid, queue.entries[number].row, queue.entries[number].column
    cost, nodes = queue.entries[number].cost, hypotheses.nodes
    first, second = grids.first[grid], grids.second[grid]
    if first != NONE and column == 0 and hypotheses.begin[first] + row + 1 < hypotheses.end[first]:
        at = hypotheses.begin[first] + row
        _wait(queue, grid, row + 1, column, cost + nodes[at + 1].cost - nodes[at].cost)
    if second != NONE and hypotheses.begin[second] + column + 1 < hypotheses.end[second]:
        at = hypotheses.begin[second] + column
        _wait(queue, grid, row, column + 1, cost + nodes[at + 1].cost - nodes[at].cost)


@jit
def _score(
    chart: Chart,
    model: NgramAutomaton,
    grids: Grids,
    borders: Borders,
    nodes: Records,
    grid: int,
    tails: tuple[int, int],
) -> tuple[int, int, float]:
    """Returns the border and the cost of the hypothesis of a grid and up to two others."""
    left, right, cost = EMPTY, (NONE if model.order > 1 else len(model.suffix) - 1), 0.0
    references = 0
    if tails[0] != NONE and nodes[tails[0]].left == WHOLE:
        left, right, cost = WHOLE, nodes[tails[0]].right, nodes[tails[0]].cost
        references = 1
    for index in range(grids.path_offsets[grid], grids.path_offsets[grid + 1]):
        arc = grids.paths[index]
        symbol = chart.symbols[arc]
        cost += chart.costs[arc]
        if symbol == NO_WORD:
            continue
        if symbol >= 0:
            left, right, added_cost = after_word(model, borders, left, right, symbol)
        else:
            node = nodes[tails[references]]
            references += 1
            cost += node.cost
            left, right, added_cost = after_string(model, borders, left, right, (node.left, node.right))
        cost += added_cost
    return left, right, cost


@jit
def _fill_places(
    first: int,
    chart: Chart,
    model: NgramAutomaton,
    grids: Grids,
    borders: Borders,
    hypotheses: Hypotheses,
    pops: Ints,
    beam: float,
) -> int:
    """Fills places from `first` on, for which there is room, until there is none; returns the next place."""
    longest = _longest(grids)
    for number in range(first, len(grids.places)):
        if number > first:
            room = min(len(hypotheses.nodes) - hypotheses.used[NODES], len(hypotheses.edges) - hypotheses.used[EDGES])
            most = _most_scored(grids, number, pops[number])
            if room < pops[number] or not has_room(borders, most * longest, most * (model.order - 1)):
                return number
        _fill_place(number, chart, model, grids, borders, hypotheses, pops[number], beam)
    return len(grids.places)


@jit
def _fill_place(
    number: int,
    chart: Chart,
    model: NgramAutomaton,
    grids: Grids,
    borders: Borders,
    hypotheses: Hypotheses,
    pops: int,
    beam: float,
) -> None:
    """Finds the hypotheses of a place from those of earlier places."""
    place = grids.places[number]
    first_node, first_edge = hypotheses.used[NODES], hypotheses.used[EDGES]
    queue = _corners(grids, hypotheses, number, pops)
    slots = 16
    while slots < 2 * pops:
        slots *= 2
    codes, owners = np.full(slots, -1, dtype=np.int64), np.empty(slots, dtype=np.int32)
    popped, best = 0, np.inf
    while queue.used[WAITING] > 0 and popped < pops and queue.keys[0] <= best + beam:
        entry_number = _take(queue)
        entry = queue.entries[entry_number]
        first, second = grids.first[entry.grid], grids.second[entry.grid]
        tail = hypotheses.begin[first] + entry.row if first != NONE else NONE
        second_tail = hypotheses.begin[second] + entry.column if second != NONE else NONE
        if entry.scored == 0:
            entry.left, entry.right, entry.cost = _score(
                chart, model, grids, borders, hypotheses.nodes, entry.grid, (tail, second_tail)
            )
            entry.scored = 1
            if queue.used[WAITING] > 0 and entry.cost > queue.keys[0]:
                _put(queue, entry.cost, entry_number)
                continue
        popped, best = popped + 1, min(best, entry.cost)
        slot = find_slot(codes, (np.int64(entry.left) << 32) + entry.right + 1)
        if codes[slot] < 0:
            codes[slot] = (np.int64(entry.left) << 32) + entry.right + 1
            owners[slot] = hypotheses.used[NODES]
            hypotheses.used[NODES] += 1
            node = hypotheses.nodes[owners[slot]]
            node.left, node.right, node.cost = entry.left, entry.right, entry.cost
        node = hypotheses.nodes[owners[slot]]
        node.cost = min(node.cost, entry.cost)
        edge = hypotheses.edges[hypotheses.used[EDGES]]
        edge.head, edge.tail, edge.second, edge.junction, edge.arc = owners[slot], tail, second_tail, NONE, entry.grid
        before = hypotheses.nodes[tail].cost if tail != NONE else 0.0
        before += hypotheses.nodes[second_tail].cost if second_tail != NONE else 0.0
        hypotheses.costs[hypotheses.used[EDGES]] = entry.cost - before
        hypotheses.used[EDGES] += 1
        _go_on(queue, grids, hypotheses, entry_number)
    _sort(hypotheses, first_node, first_edge)
    hypotheses.begin[place], hypotheses.end[place] = first_node, hypotheses.used[NODES]


@jit
def _sort(hypotheses: Hypotheses, first_node: int, first_edge: int) -> None:
    """Sorts the hypotheses from `first_node` on by cost, and adapts the edges."""
    nodes, edges = hypotheses.nodes, hypotheses.edges
    count = hypotheses.used[NODES] - first_node
    costs = np.empty(count)
    for index in range(count):
        costs[index] = nodes[first_node + index].cost
    order = stable_order(costs)
    rank = np.empty(count, dtype=np.int32)
    before = nodes[first_node : first_node + count].copy()
    for index in range(count):
        rank[order[index]] = index
        nodes[first_node + index] = before[order[index]]
    for edge in range(first_edge, hypotheses.used[EDGES]):
        edges[edge].head = first_node + rank[edges[edge].head - first_node]
