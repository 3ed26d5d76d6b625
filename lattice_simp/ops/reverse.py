"""Reversal: every string backwards."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.arcs import offsets_of
from lattice_simp.core.joining import dead_state, side_by_side, with_epsilons
from lattice_simp.core.lattice import Lattice, require_lattice


def reverse(lattice: Lattice) -> Lattice:
    """Returns the lattice with every path reversed.

    >>> from lattice_simp.ops.nbest import nbest
    >>> [path.text for path in nbest(reverse(Lattice.from_strings([("a b c", 1.0), ("a d", 2.0)])), 2)]
    ['c b a', 'd a']

    Costs and features stay; an epsilon arc leads from the new start to each old final state.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("reverse", lattice)
    lattice = lattice.connected()
    if lattice.empty:
        return lattice
    order = np.argsort(lattice.nextstates, kind="stable").astype(np.int32)
    flipped = lattice.gather(
        order,
        offsets_of(lattice.nextstates, lattice.num_states),
        lattice.sources[order],
        np.full(lattice.num_states, -1, dtype=np.int32),
        finals=np.where(np.arange(lattice.num_states) == 0, 0.0, np.inf),
    )
    ends = np.flatnonzero(np.isfinite(lattice.finals)).astype(np.int32)
    joined, _ = side_by_side([dead_state(lattice), flipped])
    sources = np.zeros(len(ends), dtype=np.int32)
    return with_epsilons(joined, sources, ends + 1, lattice.finals[ends], lattice.features.finals[:, ends]).connected()
