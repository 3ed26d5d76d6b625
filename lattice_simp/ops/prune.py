"""Pruning: keeps the arcs and states of good paths."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.arguments import beam_of, whole
from lattice_simp.core.kernel import Bools, Floats, jit
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.shortest_distance import backward_costs, forward_costs

ROUNDING = 1e-12
"""Relative slack, see `rounding_slack`."""


def rounding_slack(*costs: Floats) -> float:
    """Returns by how much a bound is widened, so that a path just on it survives sums that are taken in another order.

    Rounding errors grow with the largest partial sum in `costs`, not with the cost of a whole path, where positive
    and negative parts may cancel. At least 1e-9.
    """
    return 1e-9 + ROUNDING * max(_largest.light(part.reshape(-1)) for part in costs)


@jit
def _largest(costs: Floats) -> float:
    largest = 0.0
    for index in range(len(costs)):
        size = abs(costs[index])
        largest = max(largest, size if size < np.inf else 0.0)
    return largest


def prune(lattice: Lattice, beam: float | None = None, *, max_arcs: int | None = None) -> Lattice:
    """Keeps the arcs whose best path costs at most `beam` more than the best path of all.

    >>> lattice = Lattice.from_strings([("a", 1.0), ("b", 2.0), ("c", 5.0)])
    >>> prune(lattice, 1.5).num_arcs, prune(lattice, max_arcs=1).num_arcs
    (2, 1)

    Args:
        lattice: acyclic.
        beam: nats; None for no limit.
        max_arcs: narrows the beam until at most this many arcs are left; ties with the first arc to go are removed
            too. One best path always stays, even if it has more arcs.

    Returns:
        A topologically sorted lattice. It holds every path within the beam. A path beyond the beam stays, too, if each
        of its arcs is on a path within the beam.

    Raises:
        LatticeSimpError: a negative or undefined beam, or `max_arcs` below 1.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("prune", lattice)
    width = beam_of(beam)
    if max_arcs is not None:
        max_arcs = whole(max_arcs, "max_arcs", 1)
    lattice = lattice.connected()
    if lattice.empty:
        return lattice
    return lattice.keep_arcs(*paths_within(lattice, width, max_arcs)).connected()


def paths_within(lattice: Lattice, width: float, max_arcs: int | None = None) -> tuple[Bools, Bools]:
    """Marks the arcs and the final states of a connected lattice that `prune` keeps: (num_arcs,), (num_states,)."""
    forward, backward = forward_costs(lattice), backward_costs(lattice)
    best = float(backward[0])
    through = forward[lattice.sources] + lattice.weights + backward[lattice.nextstates]
    slack = rounding_slack(forward, backward)
    limit = best + width + slack
    if max_arcs is not None and np.count_nonzero(through <= limit) > max_arcs:
        costs = np.sort(through)
        # The limit is below all ties with the first arc to go, or more than `max_arcs` would stay. Arcs of one path
        # differ by rounding, hence the distance of two slacks.
        below = np.searchsorted(costs, costs[max_arcs] - 2 * slack)
        if below == 0 or costs[below - 1] <= best + slack:
            limit = best + slack
            if np.count_nonzero(through <= limit) > max_arcs:
                return _best_path(lattice, backward)
        else:
            limit = float(costs[below - 1]) + slack
    return through <= limit, forward + lattice.finals <= limit


def _best_path(lattice: Lattice, backward: Floats) -> tuple[Bools, Bools]:
    """Marks the arcs and the final state of one best path, which takes the first of equally good arcs."""
    kept = np.zeros(lattice.num_arcs, dtype=np.bool_)
    state = 0
    while backward[state] < lattice.finals[state]:
        begin, end = lattice.offsets[state], lattice.offsets[state + 1]
        arc = begin + int(np.argmin(lattice.weights[begin:end] + backward[lattice.nextstates[begin:end]]))
        kept[arc] = True
        state = int(lattice.nextstates[arc])
    return kept, np.arange(lattice.num_states) == state
