"""Numbers agree: of determiners and nouns, of pronouns or nouns and the verb right after them; and `a` before vowels.

What goes with what is in `agreement.tsv`, by classes of words and by parts of speech. Pairs of words that follow each
other in the set are right, whatever the table says.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.paraphrase.filters.acceptors import SentenceSet, word_classes
from lattice_simp.simplify.sentence import begins_with_vowel
from lattice_simp.support.tables import grammar_table

_TRANSPARENT = frozenset(("JJ", "JJR", "JJS", "RB", "RBR", "CD", "VBN", "NN"))
"""Words between a determiner and its noun."""

_ARTICLES = {"a": False, "an": True}


@cache
def _clashes() -> frozenset[tuple[str, str]]:
    """Returns the pairs of a class and a part of speech that do not agree."""
    return frozenset((row["first"], row["tag"]) for row in grammar_table("english/agreement.tsv", ("first", "tag")))


def acceptor(given: SentenceSet) -> Lattice:
    """Makes an acceptor that remembers the last word that asks for a number."""
    asking = {word: kind for word in given.words if (kind := _kind(given, word))}
    names = {word: number for number, word in enumerate(asking, start=1)}
    goals = np.zeros((len(names) + 1, len(given.words)), dtype=np.int64)
    for column, word in enumerate(given.words):
        goals[:, column] = names.get(word, 0)
        for other, state in names.items():
            if _clash(given, other, asking[other], word):
                goals[state, column] = -1
            elif asking[other].startswith("determiner") and given.tags_of[word] <= _TRANSPARENT and word not in names:
                goals[state, column] = state
    return given.acceptor(goals, (True for _ in range(len(names) + 1)))


def _kind(given: SentenceSet, word: str) -> str:
    """Returns the class of a word that asks for a number: of the lexicon, else of nouns."""
    known = word_classes("number_words").get(word.lower(), "")
    if known:
        return known
    tags = given.tags_of[word]
    if tags <= {"NNS", "NNPS"}:
        return "plural noun"
    return "singular noun" if tags <= {"NN", "NNP"} else ""


def _clash(given: SentenceSet, first: str, kind: str, second: str) -> bool:
    """Tells whether two words that follow each other do not agree, in all parts of speech of the second."""
    if (first, second) in given.neighbours:
        return False
    wants_vowel = _ARTICLES.get(first.lower())
    if wants_vowel is not None and second[:1].isalpha() and begins_with_vowel(second) != wants_vowel:
        return True
    return all((kind, tag) in _clashes() for tag in given.tags_of[second])
