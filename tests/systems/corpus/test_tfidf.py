"""Sparse vectors and their cosines against their definition in plain Python."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from lattice_simp.systems.corpus.tfidf import SLOTS, Frequencies, Vectors, cosines, count_words


def random_texts(rng, count):
    texts = [rng.integers(0, 12, rng.integers(0, 9)).tolist() for _ in range(count)]
    return texts, *flat(texts)


def flat(texts):
    offsets = np.cumsum([0, *map(len, texts)])
    return offsets, np.array([word for text in texts for word in text], dtype=np.int32)


def test_cosines_are_those_of_the_definition():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        texts, offsets, words = random_texts(rng, int(rng.integers(1, 8)))
        table = Frequencies.of(*count_words(offsets, words), len(texts))
        documents = Counter(word for text in texts for word in set(text))
        weights = [
            {word: count * math.log((len(texts) + 1) / documents[word]) for word, count in Counter(text).items()}
            for text in texts
        ]
        vectors = Vectors.of(offsets, words, table)
        for first, weight in enumerate(weights):
            for second, other in enumerate(weights):
                norm = math.hypot(*weight.values()) * math.hypot(*other.values())
                expected = sum(weight[word] * other.get(word, 0) for word in weight) / norm if norm else 0.0
                actual = cosines(vectors, vectors, np.array([first]), np.array([second]))
                assert actual[0] == pytest.approx(expected), f"seed {seed}"
                if texts[first] and sorted(texts[first]) == sorted(texts[second]):
                    assert actual[0] == 1.0, f"seed {seed}"


def test_words_of_all_sentences_keep_some_weight():
    """Otherwise two equal sentences of a collection of two would have nothing in common."""
    offsets, words = flat([[1, 2], [2, 1]])
    vectors = Vectors.of(offsets, words, Frequencies.of(*count_words(offsets, words), 2))
    assert cosines(vectors, vectors, np.array([0]), np.array([1])).tolist() == [1.0]


def test_words_of_one_slot_are_counted_as_one_and_compared_as_two():
    offsets, words = flat([[5], [5 + SLOTS], [6], [5, 5 + SLOTS]])
    slots, counts = count_words(offsets, words)
    assert dict(zip(slots.tolist(), counts.tolist(), strict=True)) == {5: 3, 6: 1}
    vectors = Vectors.of(offsets, words, Frequencies.of(slots, counts, 4))
    assert cosines(vectors, vectors, np.array([0, 0]), np.array([1, 0])).tolist() == [0.0, 1.0]


def test_nothing():
    offsets, words = flat([])
    vectors = Vectors.of(offsets, words, Frequencies.of(*count_words(offsets, words), 0))
    assert cosines(vectors, vectors, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)).tolist() == []
