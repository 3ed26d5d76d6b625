"""The probability of each arc: the share of the paths through it, weighted by their probabilities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.arguments import scale_of_costs
from lattice_simp.core.kernel import Floats, jit
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.shortest_distance import shortest_distance


def arc_posteriors(lattice: Lattice, scale: float = 1.0) -> Floats:
    """Returns the probability that a path takes each arc, (num_arcs,) float64.

    >>> lattice = Lattice.from_strings([("a b", 0.0), ("a c", 0.0), ("d", 0.0)])
    >>> arc_posteriors(lattice).round(3).tolist()
    [0.667, 0.333, 0.333, 0.333]

    Args:
        lattice: sorted topologically (the result is in the order of its arcs); a path with cost c has the probability
            exp(-scale * c) / Z.
        scale: above 0; larger values favour the best paths.

    Raises:
        LatticeSimpError: the scale is not a number above 0, or the states are not sorted topologically.
    """
    require_lattice("arc_posteriors", lattice)
    return _forward(lattice.arcs, ways_on(lattice, scale)[0])


def ways_on(lattice: Lattice, scale: float) -> tuple[Floats, Floats]:
    """Returns the probability of each arc given its source state, (num_arcs,), and of ending there, (num_states,).

    Conditional probabilities do not underflow however many paths there are.
    """
    scale = scale_of_costs(scale)
    scaled = replace(lattice, weights=scale * lattice.weights, finals=scale * lattice.finals)
    rest = shortest_distance(scaled, semiring="log", reverse=True)
    costs = scaled.weights + rest[lattice.nextstates]
    alive = np.isfinite(costs)  # others lead to no final state
    leaving = np.zeros(lattice.num_arcs)
    leaving[alive] = np.exp(rest[lattice.sources][alive] - costs[alive])
    ending = np.zeros(lattice.num_states)
    final = np.isfinite(scaled.finals)
    ending[final] = np.exp(rest[final] - scaled.finals[final])
    sums = np.bincount(lattice.sources, leaving, lattice.num_states) + ending  # not 1 where costs are large and rounded
    sums[sums == 0.0] = 1.0
    return leaving / sums[lattice.sources], ending / sums


@jit
def _forward(arcs: Arcs, leaving: Floats) -> Floats:
    visits = np.zeros(len(arcs.finals))
    through = np.empty(len(leaving))
    if len(visits):
        visits[0] = 1.0
    for state in range(len(visits)):
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            through[arc] = visits[state] * leaving[arc]
            visits[arcs.nextstates[arc]] += through[arc]
    return through
