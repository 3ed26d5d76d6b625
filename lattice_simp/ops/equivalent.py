"""Equivalence: whether two lattices give the same strings the same costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lattice_simp.core.arguments import real
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.shortest_distance import Semiring, shortest_distance
from lattice_simp.ops.count_paths import count_paths
from lattice_simp.ops.determinize import determinize

_DOUBLE = 2.0**-40
"""Costs that differ by less than this share of the largest one are equal up to rounding."""


def equivalent(first: Lattice, second: Lattice, *, tolerance: float = 1e-6, semiring: Semiring = "tropical") -> bool:
    """Returns whether two lattices hold the same strings at the same costs.

    >>> tree = Lattice.from_strings([("a b", 1.0), ("a c", 2.0)])
    >>> from lattice_simp.ops.push import push
    >>> equivalent(tree, push(tree, "end")), equivalent(tree, Lattice.from_strings([("a b", 1.0)]))
    (True, False)

    Both are made deterministic in double precision, their common strings are counted, and the greatest difference of
    costs over all strings is compared with the tolerance; no strings are sampled.

    Args:
        first, second: acyclic; their words are compared, not their input labels or features.
        tolerance: nats by which the costs of a string may differ.
        semiring: the cost of a string: that of its cheapest path (`tropical`), or of the sum of its paths'
            probabilities (`log`).

    Raises:
        CyclicLatticeError: a lattice has a cycle.
        LatticeSimpError: a lattice is too large to be made deterministic.
    """
    require_lattice("equivalent", first, second)
    tolerance = real(tolerance, "the tolerance")
    first, second = (_deterministic(lattice, semiring) for lattice in (first, second))
    difference = first @ _negated(second)
    common = count_paths(difference)
    if not common == count_paths(first) == count_paths(second):
        return False
    return not common or all(
        -float(shortest_distance(signed, reverse=True)[0]) <= tolerance for signed in (difference, _negated(difference))
    )


def _deterministic(lattice: Lattice, semiring: Semiring) -> Lattice:
    plain = lattice.project_output().without_features()
    return determinize(plain, semiring=semiring, precision=_DOUBLE)


def _negated(lattice: Lattice) -> Lattice:
    finals = np.where(np.isfinite(lattice.finals), -lattice.finals, np.inf)
    return replace(lattice, weights=-lattice.weights, finals=finals)
