"""Requires neighbouring words to fit: they or their parts of speech are neighbours in the set.

A word fits another one if the set has the two as neighbours, or each of them beside a word of the other's part of
speech. Marks fit all words.
"""

from __future__ import annotations

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet
from lattice_simp.systems.paraphrase.tree import joint_counts


def acceptor(sentence_set: SentenceSet) -> Lattice:
    """Returns an acceptor that remembers the last word."""
    words = {word: number for number, word in enumerate(sentence_set.words)}
    names = {tag: number for number, tag in enumerate(sorted({tag for tags in sentence_set.tags for tag in tags}))}
    has_tag = np.zeros((len(words), len(names)), dtype=np.bool_)
    beside = np.zeros((len(words), len(words)), dtype=np.bool_)
    before = np.zeros((len(names), len(words)), dtype=np.bool_)
    after = np.zeros((len(words), len(names)), dtype=np.bool_)
    for tokens, tags in zip(sentence_set.sentences, sentence_set.tags, strict=True):
        numbers = np.array([words[token] for token in tokens])
        kinds = np.array([names[tag] for tag in tags])
        has_tag[numbers, kinds] = True
        beside[numbers[:-1], numbers[1:]] = True
        before[kinds[:-1], numbers[1:]] = True
        before[:, numbers[:1]] = True  # the first word fits all, as nothing is known of words before it
        after[numbers[:-1], kinds[1:]] = True
    mark = np.array([not any(map(str.isalnum, word)) for word in words], dtype=np.bool_)
    fits = beside | mark | mark[:, None] | ((joint_counts(has_tag, before) > 0) & (joint_counts(after, has_tag.T) > 0))
    goals = np.where(fits, np.arange(1, len(words) + 1), -1)
    start = np.arange(1, len(words) + 1)
    return sentence_set.acceptor(np.vstack([start, goals]), (True for _ in range(len(words) + 1)))
