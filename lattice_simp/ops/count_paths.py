"""How many paths a lattice has, exactly: the shortest distance in the counting semiring."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.kernel import jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import shortest_distance

_LIMB = 32
"""Bits of a digit: 2^32 arcs may leave a state before the sum of their digits leaves 64 bits."""


def count_paths(lattice: Lattice) -> int:
    """Returns the number of paths, which may be of any size.

    >>> count_paths(Lattice.from_strings([("a b", 1.0), ("a c", 2.0)]))
    2

    Of a deterministic lattice without epsilons (see `determinize`) it is the number of strings.

    Raises:
        CyclicLatticeError: the lattice has a cycle, hence infinitely many.
    """
    lattice = lattice.connected()
    if not lattice.num_states:
        return 0
    digits = _count(lattice.arcs, _digits_needed(lattice))[0]
    return sum(int(digit) << (_LIMB * place) for place, digit in enumerate(digits))


def _digits_needed(lattice: Lattice) -> int:
    """Returns how many digits the greatest number of paths from a state has, one more to be safe from rounding."""
    costs = shortest_distance(unweighted(lattice), semiring="log", reverse=True)
    return int(-costs.min() / np.log(2.0)) // _LIMB + 2


def unweighted(lattice: Lattice) -> Lattice:
    """Returns a lattice all of whose paths cost nothing."""
    ends = np.where(np.isfinite(lattice.finals), 0.0, np.inf)
    return replace(lattice, weights=np.zeros(lattice.num_arcs), finals=ends)


@jit
def _count(arcs: Arcs, digits: int) -> npt.NDArray[np.uint64]:
    """Returns the number of paths from each state, (states, digits), the lowest digit first."""
    counts = np.zeros((len(arcs.finals), digits), dtype=np.uint64)
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    for state in range(len(arcs.finals) - 1, -1, -1):
        if np.isfinite(arcs.finals[state]):
            counts[state, 0] = np.uint64(1)
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            for place in range(digits):
                counts[state, place] += counts[arcs.nextstates[arc], place]
        carry = np.uint64(0)
        for place in range(digits):
            total = counts[state, place] + carry
            counts[state, place], carry = total & mask, total >> shift
    return counts
