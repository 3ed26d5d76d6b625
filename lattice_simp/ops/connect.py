"""Trimming: only states on complete paths stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lattice_simp.kernel import Bools, Ints, jit
from lattice_simp.ops.topsort import renumber

if TYPE_CHECKING:
    from lattice_simp.lattice import Lattice


def connect(lattice: Lattice) -> Lattice:
    """Gives the lattice without states that no path from the start to a final state visits, topologically sorted.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
    """
    if lattice.num_states == 0:
        return lattice
    if lattice.is_topsorted:
        accessible = _accessible(lattice.offsets, lattice.nextstates)
        order = np.flatnonzero(accessible).astype(np.int32)
    else:
        lattice = lattice.topsorted()
        order = np.arange(lattice.num_states, dtype=np.int32)
    useful = _coaccessible(lattice.offsets, lattice.nextstates, np.isfinite(lattice.finals))
    order = order[useful[order]]
    if len(order) == lattice.num_states:
        return lattice
    if len(order) == 0 or order[0] != 0:
        return type(lattice).empty_like(lattice)
    return renumber(lattice, order)


@jit
def _accessible(offsets: Ints, nextstates: Ints) -> Bools:
    seen = np.zeros(len(offsets) - 1, dtype=np.bool_)
    seen[0] = True
    for state in range(len(offsets) - 1):
        if seen[state]:
            for arc in range(offsets[state], offsets[state + 1]):
                seen[nextstates[arc]] = True
    return seen


@jit
def _coaccessible(offsets: Ints, nextstates: Ints, final: Bools) -> Bools:
    seen = final.copy()
    for state in range(len(offsets) - 2, -1, -1):
        if not seen[state]:
            for arc in range(offsets[state], offsets[state + 1]):
                if seen[nextstates[arc]]:
                    seen[state] = True
                    break
    return seen
