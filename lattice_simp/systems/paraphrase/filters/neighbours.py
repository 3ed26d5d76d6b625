"""Requires neighbouring words to fit: they or their parts of speech are neighbours in the set.

A word fits another one if the set has the two as neighbours, or each of them beside a word of the other's part of
speech. Marks fit all words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import is_word
from lattice_simp.ops.intersect import intersect
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, adjacent_words


def passing(lattice: Lattice, sentence_set: SentenceSet) -> Lattice:
    """Returns the sentences of a lattice whose neighbouring words fit.

    The acceptor remembers the last word, but only words that another word of the lattice does not fit.
    """
    fit = _fit(sentence_set)
    columns = {word: column for column, word in enumerate(sentence_set.words)}
    clashes = [pair for pair in adjacent_words(lattice) if not fit(*pair)]
    if not clashes:
        return lattice
    names = {word: number for number, word in enumerate(dict.fromkeys(first for first, _ in clashes), start=1)}
    last = [names.get(word, 0) for word in sentence_set.words]
    goals = np.tile(np.array(last, dtype=np.int64), (len(names) + 1, 1))
    for first, second in clashes:
        goals[names[first], columns[second]] = -1
    return intersect(lattice, sentence_set.acceptor(goals, (True for _ in goals)))


def _fit(sentence_set: SentenceSet) -> Callable[[str, str], bool]:
    """Returns a function that returns whether a word may stand before another one."""
    tags_of = sentence_set.tags_of
    all_tags = {tag for tags in sentence_set.tags for tag in tags}
    before: defaultdict[str, set[str]] = defaultdict(set)  # the parts of speech right before and after each word
    after: defaultdict[str, set[str]] = defaultdict(set)
    for tokens, tags in zip(sentence_set.sentences, sentence_set.tags, strict=True):
        before[tokens[0]] |= all_tags  # nothing is known of words before it
        for (first, second), (first_tag, second_tag) in zip(pairwise(tokens), pairwise(tags), strict=True):
            before[second].add(first_tag)
            after[first].add(second_tag)

    def fit(first: str, second: str) -> bool:
        if (first, second) in sentence_set.neighbours or not (is_word(first) and is_word(second)):
            return True
        return not (tags_of[first].isdisjoint(before[second]) or tags_of[second].isdisjoint(after[first]))

    return fit
