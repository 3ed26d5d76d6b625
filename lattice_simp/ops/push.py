"""Weight pushing: costs move towards the start or the end (Mohri 1997), and paths keep theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from lattice_simp.core.arguments import choice
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.shortest_distance import Semiring, shortest_distance

Direction = Literal["start", "end"]


def push(lattice: Lattice, to: Direction = "start", *, semiring: Semiring = "tropical") -> Lattice:
    """Moves the costs as near as possible to the start or to the end; each path costs the same as before.

    >>> push(Lattice.from_strings([("a b", 3.0), ("a c", 5.0)])).weights.tolist()
    [3.0, 0.0, 2.0]

    If costs move to the start, the best path to the end costs 0 from every state except the start (`tropical`), or the
    probabilities of all paths to the end sum to 1 (`log`). Features stay where they are: their sums along a path do not
    change either.

    Args:
        lattice: acyclic.
        to: where the costs move.
        semiring: whether the best path's cost or the summed probability of all paths is moved.

    Raises:
        LatticeSimpError: another direction or semiring.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("push", lattice)
    choice(to, get_args(Direction), "direction")
    lattice = lattice.connected()
    if lattice.empty:
        return lattice
    distances = shortest_distance(lattice, semiring=semiring, reverse=to == "start")
    potentials = distances.copy() if to == "start" else -distances
    if to == "start":
        potentials[0] = 0.0  # the start's total stays on its arcs
    weights = lattice.weights + potentials[lattice.nextstates] - potentials[lattice.sources]
    is_final = np.isfinite(lattice.finals)
    finals = np.where(is_final, lattice.finals - potentials, np.inf)
    return replace(lattice, weights=weights, finals=finals)
