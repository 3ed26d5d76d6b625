"""Packed forests: the derivations of a chart that a search has looked at, and the costs inside and outside of nodes.

Both searches return one: the pruned search that of its hypotheses, the exact search that of everything within a limit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Records, jit
from lattice_simp.core.records import NONE

EDGE = np.dtype([(name, np.int32) for name in ("head", "tail", "second", "junction", "arc")])
"""How a node is derived: from up to two other nodes (`NONE` if there are fewer), by an arc of the chart and perhaps a
junction where their words meet (the exact search), or by a grid (the pruned search)."""


class Forest(NamedTuple):
    """Derivations as a hypergraph.

    Attributes:
        edges: records of `EDGE`, in topological order: every node comes after those that it is derived from.
        costs: (edges,) float64, the costs of the edges alone.
        axioms: (nodes,) float64, the costs of axioms, infinity for others.
        goals: (goals,) int32, the nodes of whole derivations.
    """

    edges: Records
    costs: Floats
    axioms: Floats
    goals: Ints


@jit
def inside_costs(forest: Forest) -> tuple[Floats, Ints]:
    """Returns (nodes,) the costs of the nodes' best derivations, and (nodes,) int32 their last edges."""
    edges = forest.edges
    best, last = forest.axioms.copy(), np.full(len(forest.axioms), NONE, dtype=np.int32)
    for index in range(len(edges)):
        total = forest.costs[index]
        if edges[index].tail >= 0:
            total = best[edges[index].tail] + total
        if edges[index].second >= 0:
            total += best[edges[index].second]
        if total < best[edges[index].head]:
            best[edges[index].head], last[edges[index].head] = total, index
    return best, last


@jit
def outside_costs(forest: Forest, inside: Floats) -> Floats:
    """Returns (nodes,) the outside costs: the best whole derivation with each node, less its inside cost.

    They are infinite where such a derivation does not exist; `inside` are the costs of the nodes' best derivations.
    """
    edges, outside = forest.edges, np.full(len(inside), np.inf)
    outside[forest.goals] = 0.0
    for index in range(len(edges) - 1, -1, -1):
        tail, second = edges[index].tail, edges[index].second
        above = outside[edges[index].head] + forest.costs[index]
        if not above < np.inf:
            continue
        if tail >= 0:
            outside[tail] = min(outside[tail], above + inside[second] if second >= 0 else above)
        if second >= 0:
            outside[second] = min(outside[second], above + inside[tail] if tail >= 0 else above)
    return outside


@jit
def edge_totals(forest: Forest, inside: Floats, outside: Floats) -> Floats:
    """Returns (edges,) the cost of the best whole derivation with each edge.

    Args:
        forest: the forest of a search.
        inside: (nodes,) the costs of the nodes' best derivations.
        outside: (nodes,) the outside costs.
    """
    edges, totals = forest.edges, np.empty(len(forest.edges))
    for index in range(len(edges)):
        totals[index] = outside[edges[index].head] + forest.costs[index]
        if edges[index].tail >= 0:
            totals[index] += inside[edges[index].tail]
        if edges[index].second >= 0:
            totals[index] += inside[edges[index].second]
    return totals


@jit
def best_derivation(edges: Records, last: Ints, goal: int) -> Ints:
    """Returns the edges of a node's best derivation; those that read words are in the order of the string.

    Args:
        edges: the edges of a forest.
        last: (nodes,) the last edges of the nodes' best derivations, `NONE` for axioms.
        goal: the node.
    """
    stack = [np.int64(goal)]
    path = [np.int64(0) for _ in range(0)]
    while len(stack) > 0:
        node = stack.pop()
        if node < 0:  # marks an edge to write after its tail, before its second part
            path.append(-1 - node)
        elif last[node] >= 0:
            edge = last[node]
            if edges[edge].second >= 0:
                stack.append(np.int64(edges[edge].second))
            stack.append(np.int64(-1 - edge))
            stack.append(np.int64(edges[edge].tail))
    return np.array(path, dtype=np.int64)
