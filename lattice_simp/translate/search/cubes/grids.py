"""The hyperedges into the places of a chart: a *place* is the end of a cell, or a position of the sentence.

A hyperedge is a target side with up to two references. It is a *grid* of hypotheses: one for each pair of hypotheses
that the references may stand for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints, jit
from lattice_simp.core.records import NONE
from lattice_simp.lm.automaton import NgramAutomaton, advance
from lattice_simp.translate.search.chart import NO_WORD, Chart


class Grids(NamedTuple):
    """The hyperedges into the places of the chart; the grid of each is the cube of Huang and Chiang (2007).

    Attributes:
        offsets: (places + 1,) the grids of the place `places[p]` are `offsets[p]:offsets[p + 1]`.
        places: (places,) int32, the states of the chart; a place depends only on earlier ones.
        arcs: (grids,) int32, the last arc of the target side.
        path_offsets, paths: all arcs of the target side of each grid.
        first, second: (grids,) int32, the states of the places that its references stand for, `NONE` without; at
            a position of the sentence, the first is the position before.
        costs: (grids,) float64, the costs without the references, each word scored after the grid's own words alone.
    """

    offsets: Ints
    places: Ints
    arcs: Ints
    path_offsets: Ints
    paths: Ints
    first: Ints
    second: Ints
    costs: Floats


class _Parts(NamedTuple):
    """Target sides up to each arc, (arcs,): the arc before, the number of arcs, the references, and the cost."""

    into: Ints
    length: Ints
    first: Ints
    second: Ints
    cost: Floats


@jit
def make_grids(chart: Chart, model: NgramAutomaton) -> Grids:
    """Finds the grids of all places."""
    num_states = len(chart.offsets) - 1
    is_place, reached = _places(chart)
    parts = _parts(chart, model, is_place)
    begins = np.zeros(num_states + 1, dtype=np.int32)
    total = 0
    for state in range(num_states):
        for arc in range(chart.offsets[state], chart.offsets[state + 1]):
            if is_place[chart.targets[arc]] and reached[state]:  # a position may be unreachable
                begins[chart.targets[arc] + 1] += 1
                total += parts.length[arc]
    num_places = 0
    for state in range(num_states):
        begins[state + 1] += begins[state]
        num_places += is_place[state]
    fill = begins[:-1].copy()
    arcs = np.empty(begins[num_states], dtype=np.int32)
    for state in range(num_states):
        for arc in range(chart.offsets[state], chart.offsets[state + 1]):
            target = chart.targets[arc]
            if is_place[target] and reached[state]:
                arcs[fill[target]] = arc
                fill[target] += 1
    path_offsets, paths = np.zeros(len(arcs) + 1, dtype=np.int32), np.empty(total, dtype=np.int32)
    for grid in range(len(arcs)):
        arc = arcs[grid]
        path_offsets[grid + 1] = path_offsets[grid] + parts.length[arc]
        for place in range(path_offsets[grid + 1] - 1, path_offsets[grid] - 1, -1):
            paths[place] = arc
            arc = parts.into[arc]
    places, offsets = np.empty(num_places, dtype=np.int32), np.empty(num_places + 1, dtype=np.int32)
    place, offsets[num_places] = 0, len(arcs)
    for state in range(num_states):
        if is_place[state]:
            places[place], offsets[place] = state, begins[state]
            place += 1
    first, second, costs = parts.first[arcs], parts.second[arcs], parts.cost[arcs]
    return Grids(offsets, places, arcs, path_offsets, paths, first, second, costs)


@jit
def _places(chart: Chart) -> tuple[Bools, Bools]:
    """Returns (states,) which are places, and which are reachable: a position may be in no derivation."""
    num_states, sentence = len(chart.offsets) - 1, chart.starts[len(chart.starts) - 1]
    is_place, at_top = np.zeros(num_states, dtype=np.bool_), np.zeros(num_states, dtype=np.bool_)
    reached = np.zeros(num_states, dtype=np.bool_)
    reached[chart.starts] = is_place[chart.ends] = at_top[sentence] = True
    for state in range(num_states):
        for arc in range(chart.offsets[state], chart.offsets[state + 1]):
            reached[chart.targets[arc]] |= reached[state]
            if at_top[state]:
                at_top[chart.targets[arc]] = is_place[chart.targets[arc]] = True
    return is_place, reached


@jit
def _parts(chart: Chart, model: NgramAutomaton, is_place: Bools) -> _Parts:
    """Returns the target sides up to each arc; those with the same beginning share arcs."""
    num_states, num_arcs = len(chart.offsets) - 1, len(chart.symbols)
    sentence = chart.starts[len(chart.starts) - 1]
    last = np.full(num_states, NONE, dtype=np.int32)  # the arc into a state of a prefix tree
    into, length = np.full(num_arcs, NONE, dtype=np.int32), np.ones(num_arcs, dtype=np.int32)
    first, second = np.full(num_arcs, NONE, dtype=np.int32), np.full(num_arcs, NONE, dtype=np.int32)
    costs, states = chart.costs.copy(), np.full(num_arcs, len(model.suffix) - 1, dtype=np.int32)
    for state in range(num_states):
        at_top = is_place[state] or state == sentence
        for arc in range(chart.offsets[state], chart.offsets[state + 1]):
            before, symbol = last[state], chart.symbols[arc]
            if before != NONE:
                into[arc], length[arc], costs[arc] = before, length[before] + 1, costs[arc] + costs[before]
                first[arc], second[arc] = first[before], second[before]
            if at_top:
                first[arc] = state
            if symbol <= -2:
                if first[arc] == NONE:
                    first[arc] = chart.ends[-2 - symbol]
                else:
                    second[arc] = chart.ends[-2 - symbol]
            elif not at_top:
                states[arc] = states[before] if before != NONE else len(model.suffix) - 1
                if symbol != NO_WORD:
                    states[arc], cost = advance(model, states[arc], model.vocabulary[symbol])
                    costs[arc] += cost
            if not is_place[chart.targets[arc]]:
                last[chart.targets[arc]] = arc
    return _Parts(into, length, first, second, costs)


def with_rests(grids: Grids, chart: Chart, rests: Floats) -> Grids:
    """Adds the rest costs of the grids' own first words."""
    first = chart.symbols[grids.paths[grids.path_offsets[:-1]]]
    in_cell = chart.targets[grids.arcs] != chart.ends[-1]  # `</s>` never begins a string
    rest_costs = np.where((first >= 0) & in_cell, rests[np.maximum(first, 0)], 0.0)
    return grids._replace(costs=grids.costs + rest_costs)
