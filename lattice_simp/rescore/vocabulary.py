"""Numbers words for the scorers: frequent words have numbers, all others are one unknown word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.plurals import counted


class Sentences(NamedTuple):
    """One side of a corpus: sentence k is `words[offsets[k]:offsets[k + 1]]`."""

    offsets: Longs
    words: Ints

    @classmethod
    def of(cls, sentences: Sequence[Sequence[int]]) -> Sentences:
        """Makes one side from the word numbers of each sentence."""
        offsets = prefix_sums([len(sentence) for sentence in sentences])
        return cls(offsets, np.fromiter(chain.from_iterable(sentences), dtype=np.int32, count=offsets[-1]))

    @property
    def num_sentences(self) -> int:
        """The number of sentences."""
        return len(self.offsets) - 1


@dataclass(frozen=True)
class Vocabulary:
    """The words that a model knows; `unknown` is the number of all others.

    >>> vocabulary = Vocabulary(("the", "cat"))
    >>> vocabulary.numbers(["the", "dog"]).tolist(), vocabulary.unknown
    ([0, 2], 2)
    """

    words: tuple[str, ...]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @property
    def unknown(self) -> int:
        """The number of all other words."""
        return len(self.words)

    def numbers(self, words: Sequence[str]) -> Ints:
        """Returns the (words,) int32 numbers of words."""
        get, unknown = self._numbers.get, self.unknown
        return np.fromiter((get(word, unknown) for word in words), dtype=np.int32, count=len(words))


def frequent(counts: Longs, words: Sequence[str], least: int) -> tuple[Vocabulary, Ints]:
    """Returns the vocabulary of the words that occur at least `least` times, and the (words,) new number of each word.

    >>> vocabulary, numbers = frequent(np.array([1, 5, 2]), ["a", "b", "c"], 2)
    >>> vocabulary.words, numbers.tolist()
    (('b', 'c'), [2, 0, 1])
    """
    if len(counts) != len(words):
        raise LatticeSimpError(f"{counted(len(words), 'word')}, but numbers up to {len(counts) - 1} in the sentences")
    kept = np.flatnonzero(counts >= least)
    numbers = np.full(len(counts), len(kept), dtype=np.int32)
    numbers[kept] = np.arange(len(kept), dtype=np.int32)
    return Vocabulary(tuple(words[number] for number in kept.tolist())), numbers


def word_counts(sides: Sequence[Sentences], size: int) -> Longs:
    """Returns the counts of `size` words in the parts of a corpus; a number without a word is a LatticeSimpError."""
    counts = np.zeros(size, dtype=np.int64)
    for side in sides:
        if len(side.words) and (side.words.max() >= size or side.words.min() < 0):
            raise LatticeSimpError(f"a word has the number {side.words.max()}, but there are {size} words")
        counts += np.bincount(side.words, minlength=size)
    return counts
