"""The n-grams of a few sentences in a trie, and how often each sentence has them: what metrics count hypotheses by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.growing import find_slot
from lattice_simp.core.kernel import Ints, Longs, jit
from lattice_simp.errors import LatticeSimpError

ORDER = 4
"""The longest n-grams that count."""


class NgramTrie(NamedTuple):
    """A trie in a hash table; node 0 is the empty n-gram.

    Attributes:
        keys: (slots,) int64, trie node and next word (`node << 32 | word`), -1 where a slot is free.
        nodes: (slots,) int32, the node that the slot's key leads to.
        lengths: (nodes,) int32, the words of each n-gram.
        counts: (nodes, sentences) int32, how often each occurs in each sentence; 0 for the empty n-gram.
    """

    keys: Longs
    nodes: Ints
    lengths: Ints
    counts: Ints

    @classmethod
    def of(cls, sentences: Sequence[npt.ArrayLike]) -> NgramTrie:
        """Counts the n-grams of sentences, one at least, each an array of word ids.

        >>> NgramTrie.of([[1, 2, 1], [2]]).counts.tolist()  # nothing, 1, 1 2, 1 2 1, 2, 2 1
        [[0, 0], [2, 0], [1, 0], [1, 0], [1, 1], [1, 0]]

        Raises:
            LatticeSimpError: ids that are negative.
        """
        rows = [np.asarray(words, dtype=np.int32) for words in sentences]
        words = np.concatenate(rows)
        if words.min(initial=0) < 0:
            raise LatticeSimpError("a sentence holds a negative word id; encode it with the lattices' symbol table")
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        return cls(*_count(words, offsets))


@jit
def _count(words: Ints, offsets: Longs) -> tuple[Longs, Ints, Ints, Ints]:
    """Returns the arrays of the trie."""
    keys = empty_keys(len(words))
    nodes = np.zeros(len(keys), dtype=np.int32)
    lengths = np.zeros(ORDER * len(words) + 1, dtype=np.int32)
    counts = np.zeros((len(lengths), len(offsets) - 1), dtype=np.int32)
    num_nodes = 1
    for sentence in range(len(offsets) - 1):
        for place in range(offsets[sentence], offsets[sentence + 1]):
            node = 0
            for position in range(place, min(place + ORDER, offsets[sentence + 1])):
                key = (np.int64(node) << 32) | words[position]
                slot = find_slot(keys, key)
                if keys[slot] < 0:
                    keys[slot], nodes[slot] = key, num_nodes
                    lengths[num_nodes] = position - place + 1
                    num_nodes += 1
                node = nodes[slot]
                counts[node, sentence] += 1
    return keys, nodes, lengths[:num_nodes].copy(), counts[:num_nodes].copy()


@jit
def empty_keys(length: int) -> Longs:
    """Returns the keys of a hash table for the n-grams of so many words: free slots, more than it needs."""
    slots = 16
    while slots < 2 * ORDER * length:  # at most half full
        slots *= 2
    return np.full(slots, -1, dtype=np.int64)
