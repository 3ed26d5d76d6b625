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

from lattice_simp.core.arguments import real
from lattice_simp.core.features import Features
from lattice_simp.core.header import NO_HEADER
from lattice_simp.core.lattice import Lattice, share_symbols
from lattice_simp.core.symbols import EPSILON
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.normalise import normalise


def union(
    lattices: Sequence[Lattice],
    costs: Sequence[float] | None = None,
    *,
    shares: Sequence[float] | None = None,
    normalised: bool = False,
) -> Lattice:
    """Returns the lattice of all paths of all lattices; strings that several hold keep a path for each.

    >>> from lattice_simp.ops.nbest import nbest
    >>> both = union([Lattice.from_strings([("a", 1.0)]), Lattice.from_strings([("b", 0.5)])], [0.0, 1.0])
    >>> [(path.text, path.cost) for path in nbest(both, 2)]
    [('a', 1.0), ('b', 1.5)]

    A mixture of two systems, three quarters of it the first, whatever their costs are relative to:

    >>> systems = [Lattice.from_strings([("a", 7.0), ("b", 7.0)]), Lattice.from_strings([("a", 0.0)])]
    >>> mixture = union(systems, shares=[3, 1], normalised=True)
    >>> [(path.text, round(math.exp(-path.cost), 3)) for path in nbest(mixture, 3, unique=False)]
    [('a', 0.375), ('b', 0.375), ('a', 0.25)]

    Args:
        lattices: acyclic acceptors, or transducers that share one table of input labels. Words are numbered by the
            table of the first. Features that one of them lacks are 0 there.
        costs: what each lattice's paths cost in addition (nats); 0 if None.
        shares: instead of costs, what each lattice's probabilities are multiplied with, above 0; divided by their sum.
        normalised: whether the costs of each lattice become those of posteriors first (`normalise`, which takes a
            scale, too).

    Raises:
        LatticeSimpError: no lattices, another number of costs or shares, both of them, shares that are not numbers
            above 0, or transducers with several tables of input labels.
        CyclicLatticeError: one has a cycle.
    """
    if shares is not None:
        costs = _costs_of_shares(shares, costs)
    if not lattices or (costs is not None and len(costs) != len(lattices)):
        raise LatticeSimpError("a union needs at least one lattice, and one cost or share for each")
    entry_costs = [0.0] * len(lattices) if costs is None else [real(cost, "a lattice's cost") for cost in costs]
    if not all(map(math.isfinite, entry_costs)):
        raise LatticeSimpError(f"the costs of lattices are {entry_costs}; give finite numbers")
    if normalised:
        lattices = [normalise(own) for own in lattices]
    if any(own.isymbols is not lattices[0].isymbols for own in lattices):
        raise LatticeSimpError("the lattices have several tables of input labels; take project_output() of each")
    names = tuple(dict.fromkeys(name for own in lattices for name in own.features))
    held = share_symbols([lattice.connected() for lattice in lattices])
    shifts = np.cumsum([1, *(own.num_states for own in held)])
    entered = [number for number, own in enumerate(held) if own.num_states]
    entries = np.zeros(len(entered), dtype=np.int32)
    acceptors = all(own.is_acceptor for own in held)
    made = Lattice.from_arcs(
        np.concatenate([entries, *(own.sources + shift for own, shift in zip(held, shifts, strict=False))]),
        np.concatenate([entries + EPSILON, *(own.olabels for own in held)]),
        np.concatenate([[entry_costs[number] for number in entered], *(o.weights for o in held)]),
        np.concatenate([shifts[entered], *(own.nextstates + shift for own, shift in zip(held, shifts, strict=False))]),
        np.concatenate([[np.inf], *(own.finals for own in held)]),
        held[0].symbols,
        ilabels=None if acceptors else np.concatenate([entries + EPSILON, *(own.ilabels for own in held)]),
        isymbols=lattices[0].isymbols,
        header=lattices[0].header if all(own.header == lattices[0].header for own in lattices) else NO_HEADER,
    )
    own_features = [own.features.select(names) for own in held]
    kind = np.result_type(*(own.features.arcs for own in held if own.features), np.float32)
    features = Features(  # arcs are in order: the new start's, then those of each lattice
        names,
        np.hstack([np.zeros((len(names), len(entered))), *(own.arcs for own in own_features)], dtype=kind),
        np.hstack([np.zeros((len(names), 1)), *(own.finals for own in own_features)], dtype=kind),
    )
    return replace(made, features=features).connected()


def _costs_of_shares(shares: Sequence[float], costs: Sequence[float] | None) -> list[float]:
    """Returns what the paths of each lattice cost in a mixture."""
    if costs is not None:
        raise LatticeSimpError("a union takes costs or shares, not both")
    shares = [real(share, "the share of a lattice") for share in shares]
    wrong = [share for share in shares if not 0 < share < math.inf]
    if wrong:
        raise LatticeSimpError(f"the share of a lattice is {wrong[0]}; give a number above 0")
    return [math.log(sum(shares)) - math.log(share) for share in shares]
