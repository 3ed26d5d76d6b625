"""Pruning: only what lies on good paths stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lattice_simp.errors import LatticeSimpError
from lattice_simp.kernel import Bools
from lattice_simp.lattice import Lattice
from lattice_simp.ops.distance import backward_costs, forward_costs

ROUNDING = 1e-9
"""Relative slack: the same sum taken in another order must not lose a path that lies just on the beam."""


def prune(lattice: Lattice, beam: float | None = None, *, max_arcs: int | None = None) -> Lattice:
    """Keeps the arcs whose best path costs at most `beam` more than the best path of all.

    >>> lattice = Lattice.from_strings([("a", 1.0), ("b", 2.0), ("c", 5.0)])
    >>> prune(lattice, 1.5).num_arcs, prune(lattice, max_arcs=1).num_arcs
    (2, 1)

    Args:
        lattice: acyclic.
        beam: nats; None for no limit.
        max_arcs: narrows the beam until at most so many arcs are left; the best path always stays.

    Returns:
        A topologically sorted lattice. It holds every path within the beam, and paths beyond it whose every arc lies
        on a path within it.

    Raises:
        LatticeSimpError: a negative or undefined beam, or `max_arcs` below 1.
        CyclicLatticeError: the lattice has a cycle.
    """
    if beam is not None and not beam >= 0:
        raise LatticeSimpError(f"the beam is {beam}; give a number of nats from 0 up")
    if max_arcs is not None and max_arcs < 1:
        raise LatticeSimpError(f"max_arcs is {max_arcs}; at least one arc must stay")
    lattice = lattice.connected()
    if lattice.empty:
        return lattice
    forward, backward = forward_costs(lattice), backward_costs(lattice)
    best = float(backward[0])
    through = forward[lattice.sources] + lattice.weights + backward[lattice.nextstates]
    slack = ROUNDING * max(1.0, abs(best))
    limit = np.inf if beam is None else best + beam + slack
    if max_arcs is not None and lattice.num_arcs > max_arcs:
        costs = np.sort(through)
        # Ties with the first arc that must go would exceed the count: the limit lies below them, but not below the best.
        below = costs[: max_arcs + 1][costs[: max_arcs + 1] < costs[max_arcs]]
        limit = min(limit, max(float(below[-1]) if len(below) else best, best) + slack)
    finals = np.where(forward + lattice.finals <= limit, lattice.finals, np.inf)
    return keep_arcs(replace(lattice, finals=finals), through <= limit).connected()


def keep_arcs(lattice: Lattice, kept: Bools) -> Lattice:
    """Gives the lattice without the other arcs; states stay as they are."""
    arcs = np.flatnonzero(kept)
    olabels = lattice.olabels[arcs]
    return replace(
        lattice,
        offsets=np.concatenate(([0], np.cumsum(kept)))[lattice.offsets].astype(np.int32),
        olabels=olabels,
        ilabels=olabels if lattice.ilabels is lattice.olabels else lattice.ilabels[arcs],
        weights=lattice.weights[arcs],
        nextstates=lattice.nextstates[arcs],
        scores={name: values[arcs] for name, values in lattice.scores.items()},
    )
