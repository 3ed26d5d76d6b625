"""What the systems' strings are combined to: a table of methods, each of which makes a lattice to choose a path from.

A new method is a function and an entry of `METHODS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from lattice_simp.core.features import Features
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.confusion_network import confusion_network
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.recombine import recombine
from lattice_simp.ops.union import union

Method: TypeAlias = Callable[[Sequence[Lattice], Sequence[float], int], Lattice]
"""Normalised lattices with one table of words, their shares, and how many strings stand for each; to an acceptor
whose paths' probabilities, exp(-cost), sum to 1."""


def mixture(systems: Sequence[Lattice], shares: Sequence[float], strings: int) -> Lattice:
    """Returns the union: each path is one of a system, at the system's share of its probability."""
    plain = [replace(own, features=Features.empty(own.num_arcs, own.num_states)) for own in systems]
    return union(plain, shares=shares)


def phrases(systems: Sequence[Lattice], shares: Sequence[float], strings: int) -> Lattice:
    """Returns all recombinations of the systems' best strings at the borders of aligned phrases (`recombine`)."""
    found = [
        replace(own, cost=own.cost - float(np.log(share)))
        for system, share in zip(systems, shares, strict=True)
        for own in _posteriors(nbest(system, strings))
    ]
    return recombine(found, systems[0].symbols)


def confusion(systems: Sequence[Lattice], shares: Sequence[float], strings: int) -> Lattice:
    """Returns the confusion network of the systems' best strings: slots of words, with the probability of each.

    The strings are aligned with one another first, which leaves few arcs to cluster.
    """
    return confusion_network(phrases(systems, shares, strings), max_arcs=None)


METHODS: Mapping[str, Method] = {"union": mixture, "confusion": confusion, "phrases": phrases}
"""By name; the options of commands have theirs from here."""


def _posteriors(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Returns hypotheses whose costs are those of their share among themselves."""
    total = -float(np.logaddexp.reduce([-own.cost for own in hypotheses]))
    return [replace(own, cost=own.cost - total) for own in hypotheses]
