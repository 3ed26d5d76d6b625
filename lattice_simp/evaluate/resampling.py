"""Sums of sentence statistics over many resamples, by matrix products in blocks of bounded memory.

The random numbers are drawn as sacrebleu's paired tests draw them, so the same seed gives the same resamples.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lattice_simp.core.kernel import Bools, Floats

BLOCK_CELLS = 1 << 22
"""Sentences times resamples that are held at once: a few matrices of 32 MiB."""

_BITS = 32
"""numpy makes so many bools of one random number; blocks of as many rows continue the stream without a loss."""

DEFAULT_SEED = 12345
"""That of sacrebleu."""


def bootstrap_sums(statistics: Floats, samples: int, seed: int = DEFAULT_SEED) -> Floats:
    """Sums the statistics over samples of the sentences, drawn with replacement.

    >>> bootstrap_sums(np.ones((5, 2)), samples=3).tolist()
    [[5.0, 5.0], [5.0, 5.0], [5.0, 5.0]]

    Args:
        statistics: (sentences, k).
        samples: how many.
        seed: of numpy's default generator.

    Returns:
        (samples, k) float64.
    """
    return np.concatenate([counts @ statistics for counts in _bootstrap_counts(len(statistics), samples, seed)])


def swapped_sums(first: Floats, second: Floats, samples: int, seed: int = DEFAULT_SEED) -> tuple[Floats, Floats]:
    """Sums the statistics of two systems after their outputs were swapped for a random half of the sentences.

    >>> one, other = swapped_sums(np.ones((8, 1)), np.zeros((8, 1)), samples=100)
    >>> bool((one + other == 8).all()), bool(3 < one.mean() < 5)
    (True, True)

    Args:
        first: (sentences, k), of one system.
        second: of the other system.
        samples: how many times.
        seed: of numpy's default generator.

    Returns:
        Two arrays, (samples, k) float64.
    """
    difference = first - second
    moved = np.concatenate([mask.astype(np.float64) @ difference for mask in _swap_masks(len(first), samples, seed)])
    return second.sum(axis=0) + moved, first.sum(axis=0) - moved


def _bootstrap_counts(sentences: int, samples: int, seed: int) -> Iterator[Floats]:
    """Yields blocks of (rows, sentences): how often each sentence is in each sample."""
    generator = np.random.default_rng(seed)
    for rows in _blocks(samples, max(1, BLOCK_CELLS // sentences)):
        drawn = generator.integers(0, sentences, size=(rows, sentences))
        drawn += np.arange(rows)[:, None] * sentences
        yield np.bincount(drawn.ravel(), minlength=rows * sentences).reshape(rows, sentences).astype(np.float64)


def _swap_masks(sentences: int, samples: int, seed: int) -> Iterator[Bools]:
    """Yields blocks of (rows, sentences)."""
    generator = np.random.default_rng(seed)
    for rows in _blocks(samples, max(1, BLOCK_CELLS // (sentences * _BITS)) * _BITS):
        yield generator.integers(2, size=(rows, sentences), dtype=np.bool_)


def _blocks(total: int, most: int) -> Iterator[int]:
    for start in range(0, total, most):
        yield min(most, total - start)
