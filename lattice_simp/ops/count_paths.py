"""How many paths a lattice has."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.kernel import Floats, jit
from lattice_simp.core.lattice import Lattice


def count_paths(lattice: Lattice) -> float:
    """Returns the number of paths, as a float since there may be very many.

    >>> count_paths(Lattice.from_strings([("a b", 1.0), ("a c", 2.0)]))
    2.0

    Raises:
        CyclicLatticeError: the lattice has a cycle, hence infinitely many.
    """
    lattice = lattice.connected()
    return float(_count(lattice.arcs)[0]) if lattice.num_states else 0.0


@jit
def _count(arcs: Arcs) -> Floats:
    counts = np.isfinite(arcs.finals).astype(np.float64)
    for state in range(len(counts) - 1, -1, -1):
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            counts[state] += counts[arcs.nextstates[arc]]
    return counts
