"""Requires the same kinds of modal verbs as in some sentence of the set."""

from __future__ import annotations

from lattice_simp.core.lattice import Lattice
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, automaton, word_classes


def acceptor(sentence_set: SentenceSet) -> Lattice:
    """Returns an acceptor whose states are the sets of kinds (`modals.tsv`) seen so far."""
    kinds = word_classes("modals")
    there = sorted({kinds[word.lower()] for word in sentence_set.words if word.lower() in kinds})
    bits = {kind: 1 << number for number, kind in enumerate(there)}

    def bit(word: str) -> int:
        return bits.get(kinds.get(word.lower(), ""), 0)

    observed = set()
    for sentence in sentence_set.sentences:
        state = 0
        for word in sentence:
            state |= bit(word)
        observed.add(state)
    states = 1 << len(there)
    steps = {word: {state: state | bit(word) for state in range(states)} for word in sentence_set.words if bit(word)}
    return automaton(sentence_set, steps, states, observed)
