"""Forbids a content word more often in a sentence than in any sentence of the set, in whatever form."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import best_cost
from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.ops.intersect import intersect
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, counting
from lattice_simp.systems.paraphrase.tree import content_tags


def passing(lattice: Lattice, sentence_set: SentenceSet) -> Lattice:
    """Returns the sentences of a lattice without such words."""
    most: Counter[str] = Counter()
    forms: dict[str, set[str]] = {}
    for tokens, tags, lemmas in zip(sentence_set.sentences, sentence_set.tags, sentence_set.lemmas, strict=True):
        for token, tag, lemma in zip(tokens, tags, lemmas, strict=True):
            if content_tags().get(tag, tag[:1].isalnum()) and lemma not in word_set("light_verbs"):
                forms.setdefault(lemma, set()).add(token)
    for tokens in sentence_set.sentences:
        for lemma, words in forms.items():
            most[lemma] = max(most[lemma], sum(token in words for token in tokens))
    for lemma, words in forms.items():
        if _largest_count(lattice, words) > most[lemma]:
            lattice = intersect(lattice, counting(sentence_set, words, most[lemma], range(most[lemma] + 1)))
    return lattice


def _largest_count(lattice: Lattice, words: set[str]) -> int:
    """Returns the largest number of these words in a sentence of the lattice."""
    labels = [label for word in words if (label := lattice.symbols.find(word)) is not None]
    counting = replace(
        lattice,
        weights=np.where(np.isin(lattice.olabels, labels), -1.0, 0.0),
        finals=np.where(np.isfinite(lattice.finals), 0.0, np.inf),
    )
    return -round(best_cost(counting))
