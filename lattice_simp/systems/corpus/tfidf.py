"""TF-IDF: how many sentences a word occurs in, weighted word counts, and their cosines.

A word of a text weighs its count times ln((N + 1) / d), where d of the N sentences of both collections hold it; the 1
keeps a little weight for a word that all sentences hold. The table of d is bounded: words share `SLOTS` entries by
their numbers, which are hashes. Two words of one entry count as one there, which makes the rarer of them seem as
frequent as both; with a million different words that happens to every fifth one, nearly always among words that are
rare anyway. Cosines compare the words' own numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs, jit

SLOTS = 1 << 22
"""Entries of the table of frequencies: 32 MB."""


@dataclass(frozen=True, eq=False)
class Frequencies:
    """In how many sentences words occur.

    Attributes:
        sentences: how many there are.
        counts: (SLOTS,) int64; a word's entry is its number modulo `SLOTS`.
    """

    sentences: int
    counts: Longs

    @classmethod
    def of(cls, slots: Longs, counts: Longs, sentences: int) -> Frequencies:
        """Makes the table of the entries that are not 0, see `count_words`."""
        table = np.zeros(SLOTS, dtype=np.int64)
        table[slots] = counts
        return cls(sentences, table)

    def inverse(self, words: Ints) -> Floats:
        """Returns ln((N + 1) / d) of words; one that no sentence holds counts as one that a single sentence holds."""
        weights: Floats = np.log((self.sentences + 1) / np.maximum(self.counts[words % SLOTS], 1))
        return weights


def count_words(offsets: Longs, words: Ints) -> tuple[Longs, Longs]:
    """Returns the entries that the words of sentences have in the table, and how many sentences hold each.

    >>> count_words(np.array([0, 3, 4]), np.array([7, 5, 7, 7]))
    (array([5, 7]), array([1, 2]))

    Args:
        offsets: (sentences + 1,) int64, where each sentence's words begin.
        words: flat numbers, not negative.
    """
    keys = np.unique(_rows(offsets) * SLOTS + words % SLOTS)
    slots, counts = np.unique(keys % SLOTS, return_counts=True)
    return slots, counts.astype(np.int64)


class Vectors(NamedTuple):
    """Sparse vectors of length 1, or 0 where a text has no words; row r is `offsets[r]:offsets[r + 1]`.

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
        """Makes the vectors of texts, whose words are `words[offsets[r]:offsets[r + 1]]`."""
        keys, counts = np.unique((_rows(offsets) << 32) | words.astype(np.int64), return_counts=True)
        rows, own = keys >> 32, keys & 0xFFFFFFFF
        weights = counts * frequencies.inverse(own)
        lengths = np.sqrt(np.bincount(rows, weights * weights, minlength=len(offsets) - 1))
        begins = np.searchsorted(rows, np.arange(len(offsets)))
        return cls(begins, own, weights / np.maximum(lengths, np.finfo(np.float64).tiny)[rows])


def cosines(left: Vectors, right: Vectors, rows: Longs, others: Longs) -> Floats:
    """Returns the cosine of row `rows[p]` of `left` and row `others[p]` of `right` for each p, (pairs,) float64.

    They are from 0 to 1: of equal texts that have words, 1.

    >>> one = Frequencies.of(np.array([3, 4]), np.array([1, 1]), 2)
    >>> vectors = Vectors.of(np.array([0, 2, 3, 3]), np.array([3, 4, 3]), one)
    >>> cosines(vectors, vectors, np.array([0, 0, 2]), np.array([0, 1, 2])).round(3).tolist()
    [1.0, 0.707, 0.0]
    """
    found: Floats = _cosines(left, right, rows, others)
    return found


@jit
def _cosines(left: Vectors, right: Vectors, rows: Longs, others: Longs) -> Floats:
    found = np.zeros(len(rows))
    for pair in range(len(rows)):
        first, end = left.offsets[rows[pair]], left.offsets[rows[pair] + 1]
        second, other_end = right.offsets[others[pair]], right.offsets[others[pair] + 1]
        total = 0.0
        while first < end and second < other_end:
            word, other = left.words[first], right.words[second]
            if word == other:
                total += left.weights[first] * right.weights[second]
            first += word <= other
            second += other <= word
        found[pair] = min(1.0, total if total < 1.0 - 1e-12 else 1.0)  # lengths are 1 but for rounding
    return found


def _rows(offsets: Longs) -> Longs:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
