"""Corpus BLEU (Papineni et al. 2002) from sufficient statistics, over integer words.

A hypothesis gives one row of `STATISTICS` whole numbers: its clipped matches for n = 1..4, the totals of its n-grams
(the first is its length), and the length of the closest reference. Rows are summed over a corpus and turned into BLEU
without smoothing, as sacrebleu does with `smooth_method="none"`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.growing import find_slot
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.errors import LatticeSimpError

ORDER = 4
"""The longest n-grams that count."""

STATISTICS = 2 * ORDER + 1
"""Columns of a row: `ORDER` matches, `ORDER` totals, the reference length."""


class References(NamedTuple):
    """What the references of one sentence contribute: a trie of their n-grams in a hash table, and their lengths.

    Attributes:
        keys: (slots,) int64, trie node and next word (`node << 32 | word`), -1 where a slot is free.
        nodes: (slots,) int32, the node that the slot's key leads to; node 0 is the empty n-gram.
        limits: (nodes,) int32, how often each n-gram occurs in the reference that has it most often.
        lengths: (references,) int32, in increasing order.
    """

    keys: Longs
    nodes: Ints
    limits: Ints
    lengths: Ints

    @classmethod
    def of(cls, references: Sequence[npt.ArrayLike]) -> References:
        """Counts the n-grams of one sentence's references, each an array of word ids.

        >>> References.of([[1, 2, 1, 2], [3]]).lengths.tolist()
        [1, 4]

        Raises:
            LatticeSimpError: no reference, or ids that are negative.
        """
        if not len(references):
            raise LatticeSimpError("a sentence has no reference; give one at least")
        rows = [np.asarray(words, dtype=np.int32) for words in references]
        words = np.concatenate(rows)
        if words.min(initial=0) < 0:
            raise LatticeSimpError("a reference holds a negative word id; encode it with the lattices' symbol table")
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        keys, nodes, limits = _count(words, offsets)
        return cls(keys, nodes, limits, np.sort(np.diff(offsets)).astype(np.int32))

    def statistics(self, words: npt.ArrayLike) -> Longs:
        """Returns the row of one hypothesis, (`STATISTICS`,) int64.

        >>> References.of([[1, 2, 3, 4, 5]]).statistics([1, 2, 3, 9]).tolist()
        [3, 2, 1, 0, 4, 3, 2, 1, 5]
        """
        own = np.asarray(words, dtype=np.int32)
        row = np.empty(STATISTICS, dtype=np.int64)
        used = np.zeros(len(self.limits), dtype=np.int32)
        hypothesis_statistics(own, self, used, row)
        return row


def corpus_bleu(statistics: npt.ArrayLike) -> Floats:
    """Returns the BLEU (0 to 1) of each row of summed statistics, shape (..., `STATISTICS`) to (...).

    BLEU is 0 where some order has no match.

    >>> float(corpus_bleu([3, 2, 1, 1, 4, 3, 2, 2, 4])).__round__(4)
    0.5946
    """
    rows = np.asarray(statistics, dtype=np.float64)
    matches, totals, reference = rows[..., :ORDER], rows[..., ORDER : 2 * ORDER], rows[..., -1]
    scored = np.asarray((matches > 0).all(axis=-1))
    ratios = np.where(scored[..., None], matches, 1.0) / np.where(scored[..., None], totals, 1.0)
    length = np.where(scored, totals[..., 0], 1.0)
    brevity = np.minimum(0.0, 1.0 - reference / length)
    return np.where(scored, np.exp(brevity + np.log(ratios).mean(axis=-1)), 0.0)


def brevity_penalty(statistics: npt.ArrayLike) -> float:
    """Returns the brevity penalty of one row of summed statistics; 0 for empty hypotheses."""
    row = np.asarray(statistics, dtype=np.float64)
    return float(np.exp(min(0.0, 1.0 - row[-1] / row[ORDER]))) if row[ORDER] else 0.0


@jit
def _count(words: Ints, offsets: Longs) -> tuple[Longs, Ints, Ints]:
    """Returns the trie of the n-grams of all references, and each one's highest count in a reference."""
    slots = 16
    while slots < 2 * ORDER * len(words):  # at most half full
        slots *= 2
    keys = np.full(slots, -1, dtype=np.int64)
    nodes = np.zeros(slots, dtype=np.int32)
    limits = np.zeros(ORDER * len(words) + 1, dtype=np.int32)
    counts = np.zeros(len(limits), dtype=np.int32)
    num_nodes = 1
    for reference in range(len(offsets) - 1):
        counts[:num_nodes] = 0
        for place in range(offsets[reference], offsets[reference + 1]):
            node = 0
            for position in range(place, min(place + ORDER, offsets[reference + 1])):
                key = (np.int64(node) << 32) | words[position]
                slot = find_slot(keys, key)
                if keys[slot] < 0:
                    keys[slot], nodes[slot] = key, num_nodes
                    num_nodes += 1
                node = nodes[slot]
                counts[node] += 1
                limits[node] = max(limits[node], counts[node])
    return keys, nodes, limits[:num_nodes].copy()


@jit
def hypothesis_statistics(words: Ints, references: References, used: Ints, row: Longs) -> None:
    """Fills `row` with the statistics of a hypothesis; `used` is all zeros, (nodes,), before and after."""
    keys, nodes, limits, lengths = references
    length = len(words)
    for order in range(ORDER):
        row[order] = 0
        row[ORDER + order] = max(0, length - order)
    touched = np.empty(ORDER * length, dtype=np.int32)
    matches = 0
    for place in range(length):
        node = 0
        for order in range(min(ORDER, length - place)):
            slot = find_slot(keys, (np.int64(node) << 32) | words[place + order])
            if keys[slot] < 0:
                break
            node = nodes[slot]
            if used[node] < limits[node]:
                used[node] += 1
                touched[matches] = node
                matches += 1
                row[order] += 1
    for match in range(matches):
        used[touched[match]] = 0
    closest = lengths[0]
    for other in lengths:
        if abs(other - length) < abs(closest - length):  # in increasing order, so of two the shorter stays
            closest = other
    row[2 * ORDER] = closest
