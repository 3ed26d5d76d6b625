"""Forbids small numbers in words beside others in digits, as in `3 boys and two girls`, unless the set does."""

from __future__ import annotations

from functools import cache

from lattice_simp.core.lattice import Lattice
from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, automaton

_DIGITS, _WORDS, _BOTH = 1, 2, 3


def acceptor(sentence_set: SentenceSet) -> Lattice:
    """Returns an acceptor whose states are the notations seen so far."""
    bits = {word: notations().get(word.lower(), 0) for word in sentence_set.words}
    mixed = any({bits[word] for word in sentence} >= {_DIGITS, _WORDS} for sentence in sentence_set.sentences)
    states = _BOTH + 1
    steps = {word: {state: state | bit for state in range(states)} for word, bit in bits.items() if bit}
    return automaton(sentence_set, steps, states, range(states) if mixed else range(_BOTH))


@cache
def notations() -> dict[str, int]:
    """Returns the notation of each numeral from 2 that `synonyms.tsv` has in digits and in words.

    >>> notations()["3"] != notations()["three"], "one" in notations()
    (True, False)
    """
    groups = [row["words"].split() for row in grammar_table("english/synonyms.tsv", ("words",))]
    numbers = [group for group in groups if group[0].isdecimal() and group[0] != "1"]
    return {word: _DIGITS if word == group[0] else _WORDS for group in numbers for word in group}
