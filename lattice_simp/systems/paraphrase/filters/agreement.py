"""Numbers agree: of determiners and nouns, of pronouns or nouns and the verb right after them.

What does not go with what is in `agreement.tsv`, by classes of words (`number_words.tsv`, nouns by their tags) and by
parts of speech. What comes together in the set is right, whatever the table says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, word_classes

_DETERMINER = "determiner"

_BETWEEN = frozenset(("JJ", "JJR", "JJS", "RB", "RBR", "CD", "VBN", "NN"))
"""Parts of speech that may come between a determiner and its noun."""


@cache
def _clashes() -> frozenset[tuple[str, str]]:
    """Returns the pairs of a class and a part of speech that do not agree."""
    return frozenset((row["first"], row["tag"]) for row in grammar_table("english/agreement.tsv", ("first", "tag")))


def acceptor(given: SentenceSet) -> Lattice:
    """Makes an acceptor that remembers the last word that asks for a number."""
    kinds = {word: kind for word in given.words if (kind := _kind(given, word))}
    names = {word: number for number, word in enumerate(kinds, start=1)}
    observed = {pair for sentence in given.sentences for pair in _asked(given, kinds, sentence)}
    goals = np.zeros((len(names) + 1, len(given.words)), dtype=np.int64)
    for column, word in enumerate(given.words):
        goals[:, column] = names.get(word, 0)
        for other, state in names.items():
            if (other, word) not in observed and all((kinds[other], tag) in _clashes() for tag in given.tags_of[word]):
                goals[state, column] = -1
            elif _goes_on(given, kinds, other, word):
                goals[state, column] = state
    return given.acceptor(goals, (True for _ in range(len(names) + 1)))


def _kind(given: SentenceSet, word: str) -> str:
    """Returns the class of a word that asks for a number, in all its parts of speech; `` if there is none."""
    tags = given.tags_of[word]
    if tags <= {"NNS", "NNPS"}:
        return "plural noun"
    return word_classes("number_words").get(word.lower()) or ("singular noun" if tags <= {"NN", "NNP"} else "")


def _goes_on(given: SentenceSet, kinds: dict[str, str], first: str, second: str) -> bool:
    """Tells whether a determiner still asks after the second word."""
    asks = kinds[first].startswith(_DETERMINER)
    return asks and given.tags_of[second] <= _BETWEEN and not kinds.get(second, "noun").startswith(_DETERMINER)


def _asked(given: SentenceSet, kinds: dict[str, str], sentence: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields the pairs of a word that asks and one that is asked, as the acceptor meets them."""
    asking = None
    for word in sentence:
        if asking is not None:
            yield asking, word
        if asking is None or not _goes_on(given, kinds, asking, word):
            asking = word if word in kinds else None
