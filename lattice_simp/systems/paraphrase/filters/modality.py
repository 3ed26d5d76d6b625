"""Modal verbs say the same: the kinds of them that a sentence has are those of one of the set."""

from __future__ import annotations

from lattice_simp.core.lattice import Lattice
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, automaton, word_classes


def acceptor(given: SentenceSet) -> Lattice:
    """Makes an acceptor whose states are the sets of kinds (`modals.tsv`) that have come."""
    kinds = word_classes("modals")
    there = sorted({kinds[word.lower()] for word in given.words if word.lower() in kinds})
    bits = {kind: 1 << number for number, kind in enumerate(there)}

    def bit(word: str) -> int:
        return bits.get(kinds.get(word.lower(), ""), 0)

    observed = set()
    for sentence in given.sentences:
        state = 0
        for word in sentence:
            state |= bit(word)
        observed.add(state)
    states = 1 << len(there)
    steps = {word: {state: state | bit(word) for state in range(states)} for word in given.words if bit(word)}
    return automaton(given, steps, states, observed)
