"""A question stays a question: how a sentence opens goes with the mark that it ends with, as somewhere in the set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, word_classes

_OTHER = "other"
_MARKS = ("?", "!")


def acceptor(given: SentenceSet) -> Lattice:
    """Makes an acceptor that remembers a sentence's opening (`openings.tsv`) and its last word."""
    kinds = word_classes("openings")
    openings = sorted({_OTHER, *kinds.values()})
    observed = {(_opening(own, kinds), _mark(own[-1])) for own in given.sentences}
    ends = (*_MARKS, _OTHER)
    pairs = [(opening, end) for opening in openings for end in ends]
    names = {pair: number for number, pair in enumerate(pairs, start=1)}
    goals = np.empty((len(pairs) + 1, len(given.words)), dtype=np.int64)
    for column, word in enumerate(given.words):
        goals[0, column] = names[_opening((word,), kinds), _mark(word)]
        for opening, end in pairs:
            goals[names[opening, end], column] = names[opening, _mark(word)]
    return given.acceptor(goals, (False, *(pair in observed for pair in pairs)))


def _opening(sentence: Sequence[str], kinds: dict[str, str]) -> str:
    return kinds.get(sentence[0].lower(), _OTHER)


def _mark(word: str) -> str:
    return word if word in _MARKS else _OTHER
