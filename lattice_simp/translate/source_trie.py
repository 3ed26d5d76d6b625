"""The trie of a grammar's source patterns, built from flat arrays level by level."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Ints, Longs

_MIDDLE = 1 << 31


def source_trie(offsets: Ints, symbols: Ints, left: Ints, num_nonterminals: int) -> tuple[Longs, Ints, Ints]:
    """Returns (trie_keys, trie_targets, pattern_at) of patterns, as `Grammar` describes them.

    >>> keys, targets, pattern_at = source_trie(np.array([0, 2, 3]), np.array([7, 8, 7]), np.array([0, 0]), 1)
    >>> targets.tolist(), pattern_at[:, 0].tolist()
    ([1, 2], [-1, 1, 0])

    Args:
        offsets, symbols: pattern p is `symbols[offsets[p]:offsets[p + 1]]`.
        left: the patterns' left-hand sides; no two patterns are equal.
        num_nonterminals: the number of non-terminals.
    """
    lengths = np.diff(offsets)
    node = np.zeros(len(lengths), dtype=np.int64)
    keys, nodes = [np.zeros(0, dtype=np.int64)], 1
    for depth in range(int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > depth)
        longer_keys = (node[longer] << 32) + symbols[offsets[:-1][longer] + depth] + _MIDDLE
        different, indices = np.unique(longer_keys, return_inverse=True)
        node[longer] = nodes + indices
        keys.append(different)
        nodes += len(different)
    # Nodes are numbered level by level, and within a level by their keys, so keys come out sorted.
    pattern_at = np.full((nodes, max(num_nonterminals, 1)), -1, dtype=np.int32)
    pattern_at[node, left] = np.arange(len(lengths))
    return np.concatenate(keys), np.arange(1, nodes, dtype=np.int32), pattern_at
