"""The union of lattices: all their paths after one new start state.

Lattices of several systems are combined by the union of their posteriors, as a mixture of models: with shares w_i, a
string's probability is the sum of w_i P_i(string) (Sim, Byrne, Gales, Sahbi and Woodland 2007; DeNero, Kumar, Chelba
and Och 2010). A decision by `mbr` or `confusion_network` over the mixture is a consensus of the systems.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lattice_simp.core.arguments import flag, reals
from lattice_simp.core.feature_names import TIME
from lattice_simp.core.joining import dead_state, side_by_side, with_epsilons
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.normalise import normalise


def union(
    *lattices: Lattice,
    costs: Sequence[float] | None = None,
    shares: Sequence[float] | None = None,
    normalised: bool = False,
) -> Lattice:
    """Returns the union: a lattice with all paths of all lattices, equal strings of several lattices included.

    >>> from lattice_simp.ops.nbest import nbest
    >>> both = union(Lattice.from_strings([("a", 1.0)]), Lattice.from_strings([("b", 0.5)]), costs=[0.0, 1.0])
    >>> [(path.text, path.cost) for path in nbest(both, 2)]
    [('a', 1.0), ('b', 1.5)]

    A mixture of two systems with the shares 3/4 and 1/4. Constants in the costs of a system have no effect:

    >>> systems = [Lattice.from_strings([("a", 7.0), ("b", 7.0)]), Lattice.from_strings([("a", 0.0)])]
    >>> mixture = union(*systems, shares=[3, 1], normalised=True)
    >>> [(path.text, round(math.exp(-path.cost), 3)) for path in nbest(mixture, 3, unique=False)]
    [('a', 0.375), ('b', 0.375), ('a', 0.25)]

    Args:
        lattices: acyclic acceptors or transducers. A feature that one of them lacks is 0 there. The union begins when
            the first of them does, and words keep their times; the rest of the headers stays if all are the same.
        costs: the additional cost of each lattice's paths (nats); 0 if None.
        shares: instead of costs, the weight of each lattice's probabilities, above 0; divided by their sum.
        normalised: whether the costs of each lattice become those of posteriors first (see `normalise`, which also
            takes a scale).

    Raises:
        LatticeSimpError: no lattices, another number of costs or shares, both of them, or shares that are not numbers
            above 0.
        CyclicLatticeError: a lattice has a cycle.
        TypeError: an argument is not a lattice, for example a list of lattices.
    """
    require_lattice("union", *lattices)
    if shares is not None:
        costs = _costs_of_shares(shares, costs)
    entry_costs = [0.0] * len(lattices) if costs is None else reals(costs, "the costs of the lattices")
    if not lattices or len(entry_costs) != len(lattices):
        raise LatticeSimpError("a union needs at least one lattice, and one cost or share for each")
    if not all(map(math.isfinite, entry_costs)):
        raise LatticeSimpError(f"the costs of lattices are {entry_costs}; give finite numbers")
    normalised = flag(normalised, "normalised")
    parts = [normalise(lattice) if normalised else lattice.connected() for lattice in lattices]
    starts = np.array([part.header.start for part in parts])
    same_start = [replace(part, header=replace(part.header, start=float(starts.min()))) for part in parts]
    joined, begins = side_by_side([dead_state(same_start[0]), *same_start])
    entered = np.array([number for number, part in enumerate(parts) if part.num_states], dtype=np.int32)
    waits = [(starts - starts.min())[entered] if name == TIME else np.zeros(len(entered)) for name in joined.features]
    sources, scores = np.zeros(len(entered), dtype=np.int32), np.reshape(waits, (len(waits), len(entered)))
    return with_epsilons(joined, sources, begins[1:][entered], np.array(entry_costs)[entered], scores).connected()


def _costs_of_shares(shares: Sequence[float], costs: Sequence[float] | None) -> list[float]:
    """Returns the additional cost of the paths of each lattice in a mixture."""
    if costs is not None:
        raise LatticeSimpError("a union takes costs or shares, not both")
    shares = reals(shares, "the shares of the lattices")
    wrong = [share for share in shares if not 0 < share < math.inf]
    if wrong:
        raise LatticeSimpError(f"the share of a lattice is {wrong[0]}; give a number above 0")
    return [math.log(sum(shares)) - math.log(share) for share in shares]
