"""Pairs of paragraphs against their definition."""

from __future__ import annotations

import numpy as np

from lattice_simp.systems.corpus.alignment import Ranges
from lattice_simp.systems.corpus.paragraphs import pair_paragraphs
from lattice_simp.systems.corpus.tfidf import Frequencies, Vectors, cosines, count_words


def random_side(rng, articles):
    """Returns the paragraphs' words and which are an article's; few words, so that cosines are often equal."""
    sizes = rng.integers(0, 5, articles)
    lengths = rng.integers(0, 4, sizes.sum())
    ends = np.cumsum(sizes)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return offsets, rng.integers(0, 4, offsets[-1]).astype(np.int32), Ranges(ends - sizes, ends)


def test_each_complex_paragraph_goes_to_the_most_similar_simple_one():
    several = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        articles = int(rng.integers(1, 5))
        (offsets, words, result), (other_offsets, other_words, others) = (random_side(rng, articles) for _ in range(2))
        table = Frequencies.of(*count_words(offsets, words), len(offsets) - 1)
        left, right = Vectors.of(offsets, words, table), Vectors.of(other_offsets, other_words, table)
        threshold = float(rng.choice([0.0, 0.5, 0.9]))
        expected = []
        for article in range(articles):
            simple = range(others.begin[article], others.end[article])
            for paragraph in range(result.begin[article], result.end[article]):
                actual = [float(cosines(left, right, np.array([paragraph]), np.array([entry]))[0]) for entry in simple]
                if actual and max(actual) >= threshold:
                    expected.append((article, simple[actual.index(max(actual))], paragraph, max(actual)))
        pairs = pair_paragraphs(left, right, result, others, threshold)
        columns = (pairs.simple.tolist(), pairs.complex.tolist(), pairs.cosine.tolist())
        assert list(zip(*columns, strict=True)) == [entry[1:] for entry in sorted(expected)], f"seed {seed}"
        assert len(set(columns[1])) == len(columns[1]), f"seed {seed}"
        several += len(set(columns[0])) < len(columns[0])
    assert several > 10  # simple paragraphs with several complex ones occur
