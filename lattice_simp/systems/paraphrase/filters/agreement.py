"""Requires agreement in number: of determiners and nouns, and of nouns or pronouns and the verb after them.

`agreement.tsv` lists clashes of word classes (`number_words.tsv`, nouns by their tags) with parts of speech. Pairs that
occur in the set are always accepted.
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
"""Parts of speech allowed between a determiner and its noun."""


@cache
def _clashes() -> frozenset[tuple[str, str]]:
    """Returns the clashing pairs of class and part of speech."""
    return frozenset((row["first"], row["tag"]) for row in grammar_table("english/agreement.tsv", ("first", "tag")))


def acceptor(sentence_set: SentenceSet) -> Lattice:
    """Returns an acceptor that remembers the last word that requires a number."""
    kinds = {word: kind for word in sentence_set.words if (kind := _kind(sentence_set, word))}
    names = {word: number for number, word in enumerate(kinds, start=1)}
    observed = {pair for sentence in sentence_set.sentences for pair in _checked_pairs(sentence_set, kinds, sentence)}
    goals = np.zeros((len(names) + 1, len(sentence_set.words)), dtype=np.int64)
    columns = {word: column for column, word in enumerate(sentence_set.words)}
    for kind in set(kinds.values()):
        states = np.array([names[word] for word in kinds if kinds[word] == kind])
        for word, column in columns.items():
            goes_on = _goes_on(sentence_set, kinds, kind, word)
            clashes = all((kind, tag) in _clashes() for tag in sentence_set.tags_of[word])
            goals[states, column] = -1 if clashes else states if goes_on else names.get(word, 0)
    for first, word in observed:
        goes_on = _goes_on(sentence_set, kinds, kinds[first], word)
        goals[names[first], columns[word]] = names[first] if goes_on else names.get(word, 0)
    goals[0] = [names.get(word, 0) for word in sentence_set.words]
    return sentence_set.acceptor(goals, (True for _ in range(len(names) + 1)))


def _kind(sentence_set: SentenceSet, word: str) -> str:
    """Returns the class of a word that requires a number in all its parts of speech, or ""."""
    tags = sentence_set.tags_of[word]
    if tags <= {"NNS", "NNPS"}:
        return "plural noun"
    return word_classes("number_words").get(word.lower()) or ("singular noun" if tags <= {"NN", "NNP"} else "")


def _goes_on(sentence_set: SentenceSet, kinds: dict[str, str], kind: str, second: str) -> bool:
    """Returns whether a word of a class, if a determiner, still requires a number after the second word."""
    asks = kind.startswith(_DETERMINER)
    return asks and sentence_set.tags_of[second] <= _BETWEEN and not kinds.get(second, "noun").startswith(_DETERMINER)


def _checked_pairs(
    sentence_set: SentenceSet, kinds: dict[str, str], sentence: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yields the pairs of a requiring word and the word checked against it, as in the acceptor."""
    asking = None
    for word in sentence:
        if asking is not None:
            yield asking, word
        if asking is None or not _goes_on(sentence_set, kinds, kinds[asking], word):
            asking = word if word in kinds else None
