"""Shortest distances in the tropical semiring."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, jit
from lattice_simp.core.lattice import Lattice


def forward_costs(lattice: Lattice) -> Floats:
    """Returns each state's least cost from the start, (num_states,) float64 nats; the lattice is topsorted."""
    return _forward(lattice.offsets, lattice.weights, lattice.nextstates)


def backward_costs(lattice: Lattice) -> Floats:
    """Returns each state's least cost to the end, final cost included, (num_states,) float64 nats.

    The lattice is sorted topologically.

    >>> backward_costs(Lattice.from_strings([("a b", 1.5), ("a c", 2.0)])).tolist()
    [1.5, 1.5, 0.0]
    """
    return _backward(lattice.offsets, lattice.weights, lattice.nextstates, lattice.finals)


def best_cost(lattice: Lattice) -> float:
    """Returns the cost of the best path; infinity for an empty lattice."""
    lattice = lattice.topsorted()
    return float(backward_costs(lattice)[0]) if lattice.num_states else float("inf")


@jit
def _forward(offsets: Ints, weights: Floats, nextstates: Ints) -> Floats:
    cost = np.full(len(offsets) - 1, np.inf)
    if len(cost):
        cost[0] = 0.0
    for state in range(len(cost)):
        for arc in range(offsets[state], offsets[state + 1]):
            cost[nextstates[arc]] = min(cost[nextstates[arc]], cost[state] + weights[arc])
    return cost


@jit
def _backward(offsets: Ints, weights: Floats, nextstates: Ints, finals: Floats) -> Floats:
    cost = finals.copy()
    for state in range(len(cost) - 1, -1, -1):
        for arc in range(offsets[state], offsets[state + 1]):
            cost[state] = min(cost[state], weights[arc] + cost[nextstates[arc]])
    return cost
