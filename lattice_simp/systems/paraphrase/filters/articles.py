"""Requires `an` before vowels and `a` before consonants, except where the set deviates."""

from __future__ import annotations

from lattice_simp.core.lattice import Lattice
from lattice_simp.grammars.english.lexicon import begins_with_vowel
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, automaton

_ARTICLES = ("a", "an")


def acceptor(sentence_set: SentenceSet) -> Lattice:
    """Returns an acceptor that remembers whether the last word was `a` or `an`."""
    observed = {(first.lower(), second) for first, second in sentence_set.neighbours}
    steps = {}
    for word in sentence_set.words:
        article = _ARTICLES.index(word.lower()) + 1 if word.lower() in _ARTICLES else 0
        steps[word] = dict.fromkeys(range(3), article)
        wrong = 1 if begins_with_vowel(word) else 2
        if word[:1].isalpha() and (_ARTICLES[wrong - 1], word) not in observed:
            steps[word][wrong] = -1
    return automaton(sentence_set, steps, 3, range(3))
