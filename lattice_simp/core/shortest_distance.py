"""Shortest distances in the tropical semiring (least costs) and in the log semiring (costs of sums of probabilities).

`shortest_distance` is the public function; `forward_costs` and `backward_costs` are its two tropical halves.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.arguments import choice, flag
from lattice_simp.core.kernel import Floats, jit
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.errors import LatticeSimpError

Semiring: TypeAlias = Literal["tropical", "log"]


def shortest_distance(lattice: Lattice, *, semiring: Semiring = "tropical", reverse: bool = False) -> Floats:
    """Returns each state's distance from the start or, with `reverse`, to the end (its final cost included).

    >>> lattice = Lattice.from_strings([("a b", 1.5), ("a c", 2.0)])
    >>> shortest_distance(lattice, reverse=True).tolist()
    [1.5, 1.5, 0.0]
    >>> float(shortest_distance(lattice, semiring="log", reverse=True)[0].round(3))   # -log(exp(-1.5) + exp(-2))
    1.026

    Args:
        lattice: sorted topologically (see `Lattice.topsorted`), since the distances follow the order of its states.
        semiring: `tropical` for the cost of the best path, `log` for the cost of all paths' summed probabilities.
        reverse: whether to return the distances to the end; entry 0 is the distance of the whole lattice.

    Returns:
        (num_states,) float64 nats; infinity where there is no path.

    Raises:
        LatticeSimpError: the states are not sorted topologically, or the semiring is unknown.
    """
    require_lattice("shortest_distance", lattice)
    adds = adds_probabilities(semiring)
    if not lattice.is_topsorted:
        raise LatticeSimpError("the states are not sorted topologically; call topsorted() first")
    return (_backward if flag(reverse, "reverse") else _forward)(lattice.arcs, adds)


def adds_probabilities(semiring: Semiring) -> bool:
    """Returns whether a semiring adds the probabilities of paths (`log`), or keeps the best path (`tropical`).

    Raises:
        LatticeSimpError: another semiring.
    """
    choice(semiring, get_args(Semiring), "semiring")
    return semiring == "log"


def forward_costs(lattice: Lattice) -> Floats:
    """Returns the least cost from the start to each state of a topsorted lattice, (num_states,) float64 nats."""
    return _forward.light(lattice.arcs, False)  # type: ignore[no-any-return]


def backward_costs(lattice: Lattice) -> Floats:
    """Returns the least cost from each state to the end, as `forward_costs`; final costs are included."""
    return _backward.light(lattice.arcs, False)  # type: ignore[no-any-return]


def best_cost(lattice: Lattice) -> float:
    """Returns the cost of the best path; infinity for an empty lattice."""
    lattice = lattice.topsorted()
    return float(backward_costs(lattice)[0]) if lattice.num_states else math.inf


@jit
def log_add(first: float, second: float) -> float:
    """Returns -log(exp(-first) + exp(-second)): the cost of the sum of two probabilities."""
    least = min(first, second)
    return least if least == np.inf else least - np.log1p(np.exp(least - max(first, second)))


@jit
def _forward(arcs: Arcs, log: bool) -> Floats:
    cost = np.full(len(arcs.finals), np.inf)
    if len(cost):
        cost[0] = 0.0
    for state in range(len(cost)):
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            target, total = arcs.nextstates[arc], cost[state] + arcs.weights[arc]
            cost[target] = log_add(cost[target], total) if log else min(cost[target], total)
    return cost


@jit
def _backward(arcs: Arcs, log: bool) -> Floats:
    offsets, _, weights, nextstates, finals = arcs
    cost = finals.copy()
    for state in range(len(cost) - 1, -1, -1):
        least = finals[state]
        for arc in range(offsets[state], offsets[state + 1]):
            least = min(least, weights[arc] + cost[nextstates[arc]])
        cost[state] = least
        if log and least < np.inf:  # one logarithm a state
            total = np.exp(least - finals[state])
            for arc in range(offsets[state], offsets[state + 1]):
                total += np.exp(least - (weights[arc] + cost[nextstates[arc]]))  # rounded as in `least`: at most 1
            cost[state] = least - np.log(total)
    return cost
