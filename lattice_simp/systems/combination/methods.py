"""The methods of combination: each builds a lattice of candidates from the systems' strings.

A new method is an entry of `METHODS` with a function that returns an acceptor whose path probabilities, exp(-cost), sum
to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from lattice_simp.core.columns import UNKNOWN_LOG
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.features import Features
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.confusion_network import confusion_network
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.normalise import normalise
from lattice_simp.ops.recombine import recombine
from lattice_simp.ops.union import union
from lattice_simp.ops.word_vote import WordConfidence, word_vote

Tokens: TypeAlias = tuple[str, ...]

Expand: TypeAlias = Callable[[Sequence[Tokens]], Lattice]
"""A function from synonymous sentences to the lattice of their paraphrases."""

EXPANDED_SHARE = 0.1
"""The probability of all paraphrases: no system produced them, but their n-grams may come from all systems."""


@dataclass(frozen=True)
class Task:
    """The inputs of a combination.

    Attributes:
        systems: normalised lattices that share a symbol table.
        shares: the shares of the systems, which sum to 1.
        strings: the number of strings of each system to align.
        expand: the function that paraphrases by parsing; None without a parser.
        confidence_weight, empty_confidence, word_confidence: as in `word_vote`.
    """

    systems: Sequence[Lattice]
    shares: Sequence[float]
    strings: int = 100
    expand: Expand | None = None
    confidence_weight: float = 0.0
    empty_confidence: float = 0.0
    word_confidence: WordConfidence = "mean"


@dataclass(frozen=True)
class Method:
    """A method of combination.

    Attributes:
        make: the function that returns the lattice of candidates.
        posterior_weight: the default weight of a path's log probability in that lattice. In a confusion network this
            shows how many systems have each word at its place; in other lattices only the system of the path, which
            does not indicate quality.
        is_vote: whether that cost decides alone by default, and confidences of words count.
    """

    make: Callable[[Task], Lattice]
    posterior_weight: float = 0.0
    is_vote: bool = False


def mixture(task: Task) -> Lattice:
    """Returns the union of the systems, with probabilities multiplied by their shares."""
    plain = [replace(system, features=Features.empty(system.num_arcs, system.num_states)) for system in task.systems]
    return union(*plain, shares=task.shares)


def unchanged(task: Task) -> Lattice:
    """Returns the lattice of a single system, with the times and confidences of its words."""
    (system,) = task.systems
    names = tuple(name for name in (POSTERIOR, TIME) if name in system.features)
    return replace(system, features=system.features.select(names))


def phrases(task: Task) -> Lattice:
    """Returns all recombinations of the systems' best strings at the borders of aligned phrases.

    Phrases are the spans between common words of the strings (`recombine`), in any language; with a parser also the
    equivalent constituents of the best strings (Imamura, Akiba and Sumita 2002, section 2).
    """
    strings = _strings(task)
    lattice = recombine(strings, task.systems[0].symbols)
    best = list(dict.fromkeys(nbest(system, 1, ignore=())[0].tokens for system in task.systems))
    if task.expand is None or not all(best):
        return lattice
    expanded = normalise(task.expand(best))
    expanded = replace(expanded, features=Features.empty(expanded.num_arcs, expanded.num_states))
    return union(lattice, expanded, shares=[1.0 - EXPANDED_SHARE, EXPANDED_SHARE])


def confusion(task: Task) -> Lattice:
    """Returns the confusion network of the systems' best strings: slots of words, with the probability of each.

    The strings are first aligned with one another, which leaves few arcs to cluster.
    """
    return confusion_network(recombine(_strings(task), task.systems[0].symbols), max_arcs=None, ignore=())


def rover(task: Task) -> Lattice:
    """Returns the confusion network of all strings of the systems; votes on the words in each slot are its costs.

    It has the confidences of words as the feature "posterior", and times of words if all systems have them.
    """
    names = (POSTERIOR, TIME) if all(TIME in system.features for system in task.systems) else (POSTERIOR,)
    sure = [
        system
        if POSTERIOR in system.features
        else system.with_feature(POSTERIOR, np.full(system.num_arcs, UNKNOWN_LOG))
        for system in task.systems
    ]
    systems = [replace(system, features=system.features.select(names)) for system in sure]
    joined = union(*systems, shares=task.shares)
    return word_vote(joined, task.confidence_weight, task.empty_confidence, task.word_confidence)


METHODS: Mapping[str, Method] = {
    "union": Method(mixture),
    "confusion": Method(confusion, posterior_weight=1.0),
    "phrases": Method(phrases),
    "rover": Method(rover, posterior_weight=1.0, is_vote=True),
}
"""The methods by name, which commands offer as options."""


def _strings(task: Task) -> list[Hypothesis]:
    """Returns the best strings of each system, with probabilities that sum to its share."""
    strings: list[Hypothesis] = []
    for system, share in zip(task.systems, task.shares, strict=True):
        best = nbest(system, task.strings, ignore=())
        excess = -float(np.logaddexp.reduce([-entry.cost for entry in best])) + math.log(share)
        strings += [entry.with_cost(entry.cost - excess) for entry in best]
    return strings
