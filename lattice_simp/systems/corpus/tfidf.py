"""TF-IDF vectors: sentence frequencies of words, weighted word counts, and cosines.

The weight of a word in a text is its count times ln((N + 1) / d), where d of the N sentences of both collections
contain it; the 1 leaves a small weight to words in all sentences. The table of d is bounded: words share `SLOTS`
entries by their numbers, which are hashes. Two words that share an entry seem as frequent as both together; with a
million distinct words this affects one in five, mostly rare words. Cosines compare the full numbers of words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lattice_simp.core.blocks import block_numbers
from lattice_simp.core.kernel import Floats, Ints, Longs, jit

SLOTS = 1 << 22
"""The number of entries in the table of frequencies (32 MB)."""


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The number of sentences, and (SLOTS,) of those with each word, whose entry is its number modulo SLOTS."""

    sentences: int
    counts: Longs

    @classmethod
    def of(cls, slots: Longs, counts: Longs, sentences: int) -> Frequencies:
        """Returns the table for its nonzero entries; see `count_words`."""
        table = np.zeros(SLOTS, dtype=np.int64)
        table[slots] = counts
        return cls(sentences, table)

    def inverse(self, words: Ints) -> Floats:
        """Returns ln((N + 1) / d) of words; unseen words count as seen in one sentence."""
        return np.asarray(np.log((self.sentences + 1) / np.maximum(self.counts[words % SLOTS], 1)))


def count_words(offsets: Longs, words: Ints) -> tuple[Longs, Longs]:
    """Returns the table entries of the words of sentences, and the number of sentences with each entry.

    >>> count_words(np.array([0, 3, 4]), np.array([7, 5, 7, 7]))
    (array([5, 7]), array([1, 2]))
    """
    keys = np.unique(block_numbers(offsets) * SLOTS + words % SLOTS)
    slots, counts = np.unique(keys % SLOTS, return_counts=True)
    return slots, counts.astype(np.int64)


class Vectors(NamedTuple):
    """Sparse vectors of length 1, or 0 for texts without words; row r is `offsets[r]:offsets[r + 1]`.

    Attributes:
        offsets: (rows + 1,) int64.
        words: flat int64 numbers, ascending in each row.
        weights: flat float64.
    """

    offsets: Longs
    words: Longs
    weights: Floats

    @classmethod
    def of(cls, offsets: Longs, words: Ints, frequencies: Frequencies) -> Vectors:
        """Returns the vectors of texts with the words `words[offsets[r]:offsets[r + 1]]`."""
        keys, counts = np.unique((block_numbers(offsets) << 32) | words.astype(np.int64), return_counts=True)
        rows, numbers = keys >> 32, keys & 0xFFFFFFFF
        weights = counts * frequencies.inverse(numbers)
        lengths = np.sqrt(np.bincount(rows, weights * weights, minlength=len(offsets) - 1))
        begins = np.searchsorted(rows, np.arange(len(offsets)))
        return cls(begins, numbers, weights / np.maximum(lengths, np.finfo(np.float64).tiny)[rows])


def cosines(left: Vectors, right: Vectors, left_rows: Longs, right_rows: Longs) -> Floats:
    """Returns the cosines of rows `left_rows[p]` of `left` and `right_rows[p]` of `right`, (pairs,) float64.

    They range from 0 to 1; equal texts with words have 1.

    >>> table = Frequencies.of(np.array([3, 4]), np.array([1, 1]), 2)
    >>> vectors = Vectors.of(np.array([0, 2, 3, 3]), np.array([3, 4, 3]), table)
    >>> cosines(vectors, vectors, np.array([0, 0, 2]), np.array([0, 1, 2])).round(3).tolist()
    [1.0, 0.707, 0.0]
    """
    return np.asarray(_cosines(left, right, left_rows, right_rows))


@jit
def _cosines(left: Vectors, right: Vectors, rows: Longs, columns: Longs) -> Floats:
    values = np.zeros(len(rows))
    for pair in range(len(rows)):
        left_place, left_end = left.offsets[rows[pair]], left.offsets[rows[pair] + 1]
        right_place, right_end = right.offsets[columns[pair]], right.offsets[columns[pair] + 1]
        total = 0.0
        while left_place < left_end and right_place < right_end:
            left_word, right_word = left.words[left_place], right.words[right_place]
            if left_word == right_word:
                total += left.weights[left_place] * right.weights[right_place]
            left_place += left_word <= right_word
            right_place += right_word <= left_word
        values[pair] = min(1.0, total if total < 1.0 - 1e-12 else 1.0)  # lengths are 1 up to rounding
    return values
