"""The target symbols of a joint model: frequent words, and the rare words of each class as one symbol.

Symbols are numbered class by class, so a class is a range of symbols. The last two classes have one symbol each: the
words outside all classes, and the sentence's boundary (its end, and the place before its first word).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.rescore.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class TargetSymbols:
    """The symbols that stand for words in the network.

    Attributes:
        vocabulary: the words that have a class.
        symbols: (words + 1,) int32 symbol of each word, the unknown word last.
        log_shares: (words + 1,) log p(word | symbol): 0 for a frequent word, less for those that share a symbol.
        class_begins: (classes + 1,) int64, the symbols of class c are `class_begins[c]:class_begins[c + 1]`.
    """

    vocabulary: Vocabulary
    symbols: Ints
    log_shares: Floats
    class_begins: Longs

    @property
    def size(self) -> int:
        """The number of symbols."""
        return int(self.class_begins[-1])

    @property
    def boundary(self) -> int:
        """The symbol of the sentence's boundary."""
        return self.size - 1

    @property
    def classes(self) -> Ints:
        """The (symbols,) int32 class of each symbol."""
        return np.repeat(np.arange(len(self.class_begins) - 1, dtype=np.int32), np.diff(self.class_begins))

    def of(self, words: Sequence[str]) -> tuple[Ints, Floats]:
        """Returns the (words,) symbols of words, and log p(word | symbol)."""
        numbers = self.vocabulary.numbers(words)
        return self.symbols[numbers], self.log_shares[numbers]


def target_symbols(vocabulary: Vocabulary, counts: Longs, classes: Ints, frequent_words: int) -> TargetSymbols:
    """Returns the symbols of words with their counts and classes (from 0); the frequent ones get separate symbols.

    >>> words = Vocabulary(("the", "cat", "dog", "eel"))
    >>> symbols = target_symbols(words, np.array([9, 5, 2, 2]), np.array([0, 1, 1, 1]), 2)
    >>> symbols.symbols.tolist(), symbols.class_begins.tolist()
    ([0, 1, 2, 2, 3], [0, 1, 3, 4, 5])
    >>> symbols.of(["cat", "eel"])[1].round(3).tolist()
    [0.0, -0.693]
    """
    order = np.argsort(-counts, kind="stable")
    frequent = np.zeros(len(counts), dtype=bool)
    frequent[order[:frequent_words]] = True
    rank = np.empty(len(counts), dtype=np.int64)
    rank[order] = np.arange(len(counts))
    # Each class: its frequent words by rank, then one symbol for all others.
    keys = np.where(frequent, rank, len(counts))
    pairs, symbols = np.unique(np.stack([classes.astype(np.int64), keys], axis=1), axis=0, return_inverse=True)
    symbols = symbols.reshape(-1)
    totals = np.bincount(symbols, weights=counts, minlength=len(pairs))
    shares = np.log(counts) - np.log(totals[symbols])
    begins = np.searchsorted(pairs[:, 0], np.arange(int(classes.max(initial=-1)) + 2))
    return TargetSymbols(
        vocabulary,
        np.append(symbols, len(pairs)).astype(np.int32),
        np.append(shares, 0.0),
        np.concatenate([begins, len(pairs) + np.arange(1, 3)]).astype(np.int64),
    )
