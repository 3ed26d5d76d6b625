"""Keeps questions questions: the opening and the final mark must occur together in the set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, word_classes

_OTHER = "other"
_MARKS = ("?", "!")


def acceptor(sentence_set: SentenceSet) -> Lattice:
    """Returns an acceptor that remembers a sentence's opening (`openings.tsv`) and its last word."""
    kinds = word_classes("openings")
    openings = sorted({_OTHER, *kinds.values()})
    observed = {(_opening(sentence, kinds), _mark(sentence[-1])) for sentence in sentence_set.sentences}
    ends = (*_MARKS, _OTHER)
    pairs = [(opening, end) for opening in openings for end in ends]
    names = {pair: number for number, pair in enumerate(pairs, start=1)}
    goals = np.empty((len(pairs) + 1, len(sentence_set.words)), dtype=np.int64)
    for column, word in enumerate(sentence_set.words):
        goals[0, column] = names[_opening((word,), kinds), _mark(word)]
        for opening, end in pairs:
            goals[names[opening, end], column] = names[opening, _mark(word)]
    return sentence_set.acceptor(goals, (False, *(pair in observed for pair in pairs)))


def _opening(sentence: Sequence[str], kinds: dict[str, str]) -> str:
    return kinds.get(sentence[0].lower(), _OTHER)


def _mark(word: str) -> str:
    return word if word in _MARKS else _OTHER
