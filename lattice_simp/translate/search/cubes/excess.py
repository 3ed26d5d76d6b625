"""Excess costs, by which the search is pruned: what the best derivation with a grid costs beyond the best of all."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Floats, jit
from lattice_simp.core.records import NONE
from lattice_simp.translate.search.cubes.grids import Grids
from lattice_simp.translate.search.cubes.search import Hypotheses
from lattice_simp.translate.search.forest import edge_totals, outside_costs


def excess_of_grids(hypotheses: Hypotheses, grids: Grids, goal: int) -> Floats:
    """Returns (grids,) the smaller of the excess of each grid in a search and its estimate.

    The search must have found a whole derivation; `goal` is the last place of the chart.
    """
    return np.minimum(found_excess(hypotheses, len(grids.arcs), goal), estimated_excess(hypotheses, grids, goal))


def found_excess(hypotheses: Hypotheses, num_grids: int, goal: int) -> Floats:
    """Returns (grids,) how much the best derivation of a search that uses a grid costs beyond the best one of all."""
    excess = np.full(num_grids, np.inf)
    np.minimum.at(excess, hypotheses.forest(goal).edges["arc"], edge_excess(hypotheses, goal))
    return excess


def edge_excess(hypotheses: Hypotheses, goal: int) -> Floats:
    """Returns (edges,) how much the best derivation of a search that uses an edge costs beyond the best one of all."""
    forest = hypotheses.forest(goal)
    inside = np.ascontiguousarray(hypotheses.nodes["cost"][: len(forest.axioms)])
    return edge_totals(forest, inside, outside_costs(forest, inside)) - inside[forest.goals].min()


@jit
def estimated_excess(hypotheses: Hypotheses, grids: Grids, goal: int) -> Floats:
    """Returns (grids,) an estimate of how much the best derivation with a grid costs beyond the best one.

    The search visits only few of the hypotheses near the best one. So the estimate covers all grids, and takes each
    reference for the best hypothesis of its place, whatever words it meets.
    """
    num_states = len(hypotheses.begin)
    inside, outside = np.full(num_states, np.inf), np.full(num_states, np.inf)
    for place in range(num_states):
        if hypotheses.begin[place] < hypotheses.end[place]:
            inside[place] = hypotheses.nodes[hypotheses.begin[place]].cost
    excess = np.full(len(grids.arcs), np.inf)
    outside[goal] = 0.0
    best = np.inf
    for number in range(len(grids.places) - 1, -1, -1):
        place = grids.places[number]
        for grid in range(grids.offsets[number], grids.offsets[number + 1]):
            first, second = grids.first[grid], grids.second[grid]
            above = outside[place] + grids.costs[grid]
            first_cost = inside[first] if first != NONE else 0.0
            second_cost = inside[second] if second != NONE else 0.0
            excess[grid] = above + first_cost + second_cost
            best = min(best, excess[grid])
            if first != NONE:
                outside[first] = min(outside[first], above + second_cost)
            if second != NONE:
                outside[second] = min(outside[second], above + first_cost)
    return excess - best
