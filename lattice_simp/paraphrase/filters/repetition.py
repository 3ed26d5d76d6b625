"""No word comes twice in a row that does not somewhere in the set."""

from __future__ import annotations

from lattice_simp.core.lattice import Lattice
from lattice_simp.paraphrase.filters.acceptors import SentenceSet, automaton


def acceptor(given: SentenceSet) -> Lattice:
    """Makes an acceptor that remembers the last word."""
    lowered = sorted({word.lower() for word in given.words})
    names = {word: number for number, word in enumerate(lowered, start=1)}
    doubled = {one.lower() for one, other in given.neighbours if one.lower() == other.lower()}
    steps = {}
    for word in given.words:
        own = names[word.lower()]
        steps[word] = dict.fromkeys(range(len(lowered) + 1), own)
        if word.lower() not in doubled:
            steps[word][own] = -1
    return automaton(given, steps, len(lowered) + 1, range(len(lowered) + 1))
