"""The n-grams of sentences in a trie, for all scores that count n-grams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.blocks import block_numbers, prefix_sums
from lattice_simp.core.growing import find_slot
from lattice_simp.core.kernel import Ints, Longs, jit
from lattice_simp.errors import LatticeSimpError

ORDER = 4
"""The longest n-grams of words that count."""


def numbered(strings: Iterable[Sequence[str]]) -> list[Ints]:
    """Numbers each string's tokens (or characters) from 0, int32; equal ones have equal numbers.

    >>> [numbers.tolist() for numbers in numbered([("the", "cat"), ("a", "cat")])]
    [[0, 1], [2, 1]]
    """
    numbers: dict[str, int] = {}
    return [
        np.fromiter((numbers.setdefault(token, len(numbers)) for token in string), np.int32, len(string))
        for string in strings
    ]


def joined(sentences: Sequence[npt.ArrayLike]) -> tuple[Ints, Longs]:
    """Returns the words of sentences one after another, and where each sentence begins, (sentences + 1,).

    >>> [array.tolist() for array in joined([[1, 2], [], [3]])]
    [[1, 2, 3], [0, 2, 2, 3]]
    """
    rows = [np.asarray(words, dtype=np.int32) for words in sentences]
    return np.concatenate([*rows, np.zeros(0, dtype=np.int32)]), prefix_sums([len(row) for row in rows])


def require_reference(references: Sequence[npt.ArrayLike]) -> None:
    """Refuses a sentence without references."""
    if not len(references):
        raise LatticeSimpError("a sentence has no reference; give at least one")


class NgramTrie(NamedTuple):
    """A trie in a hash table; node 0 is the empty n-gram, and a node's number is above its parent's.

    Attributes:
        keys: (slots,) int64, trie node and next word (`node << 32 | word`), -1 where a slot is free.
        nodes: (slots,) int32, the node that the slot's key leads to.
        lengths: (nodes,) int32, the words of each n-gram.
        occurrences: (occurrences,) int32, the node of each n-gram of each sentence.
        offsets: (sentences + 1,) int64, where the occurrences of each sentence begin.
    """

    keys: Longs
    nodes: Ints
    lengths: Ints
    occurrences: Ints
    offsets: Longs

    @classmethod
    def of(cls, sentences: Sequence[npt.ArrayLike], max_order: int = ORDER) -> NgramTrie:
        """Finds the n-grams of sentences, each an array of word ids.

        >>> NgramTrie.of([[1, 2, 1], [2]]).lengths.tolist()  # nothing, 1, 1 2, 1 2 1, 2, 2 1
        [0, 1, 2, 3, 1, 2]

        Raises:
            LatticeSimpError: ids that are negative.
        """
        words, offsets = joined(sentences)
        if words.min(initial=0) < 0:
            raise LatticeSimpError("a sentence holds a negative word id; encode it with the lattices' symbol table")
        return cls(*_find_ngrams(words, offsets, max_order))

    def counts(self) -> Longs:
        """Returns how often each n-gram occurs in each sentence, (nodes, sentences) int64.

        >>> NgramTrie.of([[1, 2, 1], [2]]).counts()[1:].tolist()
        [[2, 0], [1, 0], [1, 0], [1, 1], [1, 0]]
        """
        shape = len(self.lengths), len(self.offsets) - 1
        cells = self.occurrences * np.int64(shape[1]) + self.sentences()
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    def sentences(self) -> Longs:
        """Returns the sentence of each occurrence, (occurrences,) int64."""
        return block_numbers(self.offsets)


@jit
def _find_ngrams(words: Ints, offsets: Longs, max_order: int) -> tuple[Longs, Ints, Ints, Ints, Longs]:
    """Returns the arrays of the trie."""
    keys = empty_keys(max_order * len(words))
    nodes = np.zeros(len(keys), dtype=np.int32)
    lengths = np.zeros(max_order * len(words) + 1, dtype=np.int32)
    occurrences = np.empty(max_order * len(words), dtype=np.int32)
    ends = np.zeros(len(offsets), dtype=np.int64)
    num_nodes, count = 1, 0
    for sentence in range(len(offsets) - 1):
        for place in range(offsets[sentence], offsets[sentence + 1]):
            node = 0
            for position in range(place, min(place + max_order, offsets[sentence + 1])):
                key = (np.int64(node) << 32) | words[position]
                slot = find_slot(keys, key)
                if keys[slot] < 0:
                    keys[slot], nodes[slot] = key, num_nodes
                    lengths[num_nodes] = position - place + 1
                    num_nodes += 1
                node = nodes[slot]
                occurrences[count] = node
                count += 1
        ends[sentence + 1] = count
    return keys, nodes, lengths[:num_nodes].copy(), occurrences[:count].copy(), ends


@jit
def empty_keys(ngrams: int) -> Longs:
    """Returns free keys of a hash table with room for this many n-grams."""
    slots = 16
    while slots < 2 * ngrams:  # at most half full
        slots *= 2
    return np.full(slots, -1, dtype=np.int64)
