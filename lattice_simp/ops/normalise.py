"""Costs that are posteriors: the probabilities of all paths sum to 1, so that lattices of several systems compare."""

from __future__ import annotations

from dataclasses import replace

from lattice_simp.core.arguments import scale_of_costs
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.shortest_distance import shortest_distance


def normalise(lattice: Lattice, scale: float = 1.0) -> Lattice:
    """Returns the lattice with costs that are negative log posteriors: over all paths, exp(-cost) sums to 1.

    >>> from lattice_simp.ops.nbest import nbest
    >>> lattice = normalise(Lattice.from_strings([("a", 5.0), ("b", 5.0)]))
    >>> [(path.text, round(path.cost, 3)) for path in nbest(lattice, 2)]   # -log(1/2) each
    [('a', 0.693), ('b', 0.693)]

    The constant, the shortest distance in the log semiring, is subtracted from the final costs. Features stay as they
    are.

    Args:
        lattice: acyclic.
        scale: the factor of the costs, above 0; the larger, the closer to the best paths alone.

    Returns:
        A connected, topologically sorted lattice; one without paths stays empty.

    Raises:
        LatticeSimpError: the scale is not a number above 0.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("normalise", lattice)
    scale = scale_of_costs(scale)
    lattice = lattice.connected()
    if lattice.empty:
        return lattice
    scaled = replace(lattice, weights=scale * lattice.weights, finals=scale * lattice.finals)
    total = shortest_distance(scaled, semiring="log", reverse=True)[0]
    return replace(scaled, finals=scaled.finals - total)
