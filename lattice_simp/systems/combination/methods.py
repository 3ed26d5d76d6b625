"""What the systems' strings are combined to: a table of methods, each of which makes a lattice to choose a path from.

A new method is a function that makes an acceptor, the probabilities of whose paths, exp(-cost), sum to 1, and an entry
of `METHODS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from lattice_simp.core.features import Features
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.confusion_network import confusion_network
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.normalise import normalise
from lattice_simp.ops.recombine import recombine
from lattice_simp.ops.union import union

Tokens: TypeAlias = tuple[str, ...]

Expand: TypeAlias = Callable[[Sequence[Tokens]], Lattice]
"""Sentences that mean the same, to the lattice of all that their equivalent phrases make."""

EXPANDED_SHARE = 0.1
"""Of the probability, for all that an expansion holds: no system said it, but its n-grams may be all systems'."""


@dataclass(frozen=True)
class Task:
    """What is combined.

    Attributes:
        systems: normalised lattices, whose words one table numbers.
        shares: of the systems; they sum to 1.
        strings: how many stand for each system where strings are aligned.
        expand: finds equivalent phrases by parses; None without a parser.
    """

    systems: Sequence[Lattice]
    shares: Sequence[float]
    strings: int = 100
    expand: Expand | None = None


@dataclass(frozen=True)
class Method:
    """A method.

    Attributes:
        make: returns the lattice to choose from.
        posterior_weight: of a path's log probability in that lattice, beside the gain of its n-grams, where no weights
            are given. That of a confusion network says how many systems have each word in its place, those of the
            others which system a path is from, which is not about quality.
    """

    make: Callable[[Task], Lattice]
    posterior_weight: float = 0.0


def mixture(task: Task) -> Lattice:
    """Returns the union: each path is one of a system, at the system's share of its probability."""
    plain = [replace(own, features=Features.empty(own.num_arcs, own.num_states)) for own in task.systems]
    return union(*plain, shares=task.shares)


def phrases(task: Task) -> Lattice:
    """Returns all recombinations of the systems' best strings at the borders of aligned phrases.

    These are the spans between words that the strings have in common (`recombine`), in any language; with a parser
    also the constituents of the best strings that have the same category and the same words linked (Imamura,
    Akiba and Sumita 2002, section 2).
    """
    found = _strings(task)
    lattice = recombine(found, task.systems[0].symbols)
    best = list(dict.fromkeys(nbest(own, 1)[0].tokens for own in task.systems))
    if task.expand is None or not all(best):
        return lattice
    expanded = normalise(task.expand(best))
    expanded = replace(expanded, features=Features.empty(expanded.num_arcs, expanded.num_states))
    return union(lattice, expanded, shares=[1.0 - EXPANDED_SHARE, EXPANDED_SHARE])


def confusion(task: Task) -> Lattice:
    """Returns the confusion network of the systems' best strings: slots of words, with the probability of each.

    The strings are aligned with one another first, which leaves few arcs to cluster.
    """
    return confusion_network(recombine(_strings(task), task.systems[0].symbols), max_arcs=None)


METHODS: Mapping[str, Method] = {
    "union": Method(mixture),
    "confusion": Method(confusion, posterior_weight=1.0),
    "phrases": Method(phrases),
}
"""By name; the options of commands have theirs from here."""


def _strings(task: Task) -> list[Hypothesis]:
    """Returns the best strings of each system; their probabilities sum to its share."""
    found: list[Hypothesis] = []
    for system, share in zip(task.systems, task.shares, strict=True):
        own = nbest(system, task.strings)
        excess = -float(np.logaddexp.reduce([-entry.cost for entry in own])) + math.log(share)
        found += [replace(entry, cost=entry.cost - excess) for entry in own]
    return found
