"""How many paths a lattice has."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints, jit
from lattice_simp.core.lattice import Lattice


def count_paths(lattice: Lattice) -> float:
    """Returns the number of paths, as a float since there may be very many.

    >>> count_paths(Lattice.from_strings([("a b", 1.0), ("a c", 2.0)]))
    2.0

    Raises:
        CyclicLatticeError: the lattice has a cycle, hence infinitely many.
    """
    lattice = lattice.connected()
    if lattice.num_states == 0:
        return 0.0
    counts: Floats = _count(lattice.offsets, lattice.nextstates, np.isfinite(lattice.finals))
    return float(counts[0])


@jit
def _count(offsets: Ints, nextstates: Ints, final: Bools) -> Floats:
    counts = final.astype(np.float64)
    for state in range(len(final) - 1, -1, -1):
        for arc in range(offsets[state], offsets[state + 1]):
            counts[state] += counts[nextstates[arc]]
    return counts
