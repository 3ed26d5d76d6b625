"""`an` stands before vowels, `a` before consonants, unless the set itself has it otherwise."""

from __future__ import annotations

from lattice_simp.core.lattice import Lattice
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, automaton
from lattice_simp.systems.simplify.sentence import begins_with_vowel

_ARTICLES = ("a", "an")


def acceptor(given: SentenceSet) -> Lattice:
    """Makes an acceptor that remembers whether the last word was `a` or `an`."""
    observed = {(one.lower(), other) for one, other in given.neighbours}
    steps = {}
    for word in given.words:
        own = _ARTICLES.index(word.lower()) + 1 if word.lower() in _ARTICLES else 0
        steps[word] = dict.fromkeys(range(3), own)
        wrong = 1 if begins_with_vowel(word) else 2
        if word[:1].isalpha() and (_ARTICLES[wrong - 1], word) not in observed:
            steps[word][wrong] = -1
    return automaton(given, steps, 3, range(3))
