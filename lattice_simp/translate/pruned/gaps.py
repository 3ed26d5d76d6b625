"""How much the best derivation with a grid costs beyond the best one of all: what pruning goes by."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Floats, jit
from lattice_simp.core.records import NONE
from lattice_simp.translate.pruned.cubes import EDGES, NODES, Found
from lattice_simp.translate.pruned.grids import Grids


def gaps_of_grids(found: Found, grids: Grids, goal: int) -> Floats:
    """Returns (grids,) how much a derivation with a grid costs, or should cost, beyond the best one that was found.

    Args:
        found: what a search has found; a derivation of the whole at least.
        grids: all of the chart.
        goal: the last place of the chart.
    """
    return np.minimum(grid_gaps(found, len(grids.arcs), goal), estimated_gaps(found, grids, goal))


@jit
def grid_gaps(found: Found, num_grids: int, goal: int) -> Floats:
    """Returns (grids,) how much the best derivation found that uses a grid costs beyond the best one of all.

    Args:
        goal: the last place of the chart.
    """
    gaps = np.full(num_grids, np.inf)
    of_edges = edge_gaps(found, goal)
    for index in range(len(of_edges)):
        gaps[found.edges[index].arc] = min(gaps[found.edges[index].arc], of_edges[index])
    return gaps


@jit
def edge_gaps(found: Found, goal: int) -> Floats:
    """Returns (edges,) how much the best derivation found that uses an edge costs beyond the best one of all.

    Args:
        goal: the last place of the chart.
    """
    nodes, edges = found.nodes, found.edges
    outside, gaps = np.full(found.used[NODES], np.inf), np.full(found.used[EDGES], np.inf)
    best = nodes[found.begin[goal]].cost
    for node in range(found.begin[goal], found.end[goal]):
        outside[node] = 0.0
    for index in range(found.used[EDGES] - 1, -1, -1):
        edge = edges[index]
        above = outside[edge.head] + found.costs[index]
        if not above < np.inf:
            continue
        tail = nodes[edge.tail].cost if edge.tail != NONE else 0.0
        second = nodes[edge.second].cost if edge.second != NONE else 0.0
        gaps[index] = above + tail + second - best
        if edge.tail != NONE:
            outside[edge.tail] = min(outside[edge.tail], above + second)
        if edge.second != NONE:
            outside[edge.second] = min(outside[edge.second], above + tail)
    return gaps


@jit
def estimated_gaps(found: Found, grids: Grids, goal: int) -> Floats:
    """Returns (grids,) how much the best derivation with a grid should cost beyond the best one.

    The hypotheses that were looked at are few of those near the best one. So each reference is taken for the best
    hypothesis of its place, whatever words it meets; all grids are looked at.
    """
    num_states = len(found.begin)
    inside, outside = np.full(num_states, np.inf), np.full(num_states, np.inf)
    for place in range(num_states):
        if found.begin[place] < found.end[place]:
            inside[place] = found.nodes[found.begin[place]].cost
    gaps = np.full(len(grids.arcs), np.inf)
    outside[goal] = 0.0
    best = np.inf
    for number in range(len(grids.places) - 1, -1, -1):
        place = grids.places[number]
        for grid in range(grids.offsets[number], grids.offsets[number + 1]):
            first, second = grids.first[grid], grids.second[grid]
            above = outside[place] + grids.costs[grid]
            one = inside[first] if first != NONE else 0.0
            two = inside[second] if second != NONE else 0.0
            gaps[grid] = above + one + two
            best = min(best, gaps[grid])
            if first != NONE:
                outside[first] = min(outside[first], above + two)
            if second != NONE:
                outside[second] = min(outside[second], above + one)
    return gaps - best
