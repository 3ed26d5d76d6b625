"""Concatenation: each string of one lattice followed by each of the next."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.joining import side_by_side, with_epsilons
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.errors import LatticeSimpError


def concat(*lattices: Lattice) -> Lattice:
    """Returns the concatenation of lattices: a path of each, one after the other; costs and features add up.

    >>> from lattice_simp.ops.nbest import nbest
    >>> both = concat(Lattice.from_strings([("a", 1.0), ("b", 2.0)]), Lattice.from_strings([("c", 0.5)]))
    >>> [(path.text, path.cost) for path in nbest(both, 2)]
    [('a c', 1.5), ('b c', 2.5)]

    Args:
        lattices: acyclic acceptors or transducers.

    Raises:
        LatticeSimpError: no lattices.
        CyclicLatticeError: a lattice has a cycle.
        TypeError: an argument is not a lattice, for example a list of lattices.
    """
    require_lattice("concat", *lattices)
    if not lattices:
        raise LatticeSimpError("a concatenation needs at least one lattice")
    parts = [lattice.connected() for lattice in lattices]
    joined, begins = side_by_side(parts)
    if any(part.empty for part in parts):
        return Lattice.empty_like(joined)
    is_last = np.arange(joined.num_states) >= begins[-2]
    ends = np.flatnonzero(np.isfinite(joined.finals) & ~is_last).astype(np.int32)
    following = begins[np.searchsorted(begins, ends, side="right")]
    linked = with_epsilons(joined, ends, following, joined.finals[ends], joined.features.finals[:, ends])
    states = np.arange(joined.num_states, dtype=np.int32)
    return linked.gather(
        np.arange(linked.num_arcs, dtype=np.int32), linked.offsets, linked.nextstates, np.where(is_last, states, -1)
    ).connected()
