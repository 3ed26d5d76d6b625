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
from lattice_simp.tune.metric import TunedMetric
from lattice_simp.tune.ngram_trie import ORDER, NgramTrie

STATISTICS = 2 * ORDER + 1
"""Columns of a row: `ORDER` matches, `ORDER` totals, the reference length."""


class References(NamedTuple):
    """What the references of one sentence contribute: a trie of their n-grams in a hash table, and their lengths.

    Attributes:
        keys, nodes: the trie, see `NgramTrie`.
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
        trie = NgramTrie.of(references)
        lengths = np.sort([len(np.asarray(words)) for words in references]).astype(np.int32)
        return cls(trie.keys, trie.nodes, trie.counts.max(axis=1), lengths)

    def rows(self, words: Ints, offsets: Longs) -> Longs:
        """Returns the statistics of hypotheses, (hypotheses, `STATISTICS`) int64, see `Prepared`."""
        rows: Longs = _rows(words, offsets, self)
        return rows

    def statistics(self, words: npt.ArrayLike) -> Longs:
        """Returns the row of one hypothesis, (`STATISTICS`,) int64.

        >>> References.of([[1, 2, 3, 4, 5]]).statistics([1, 2, 3, 9]).tolist()
        [3, 2, 1, 0, 4, 3, 2, 1, 5]
        """
        own = np.asarray(words, dtype=np.int32)
        row: Longs = self.rows(own, np.array([0, len(own)]))[0]
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


BLEU = TunedMetric("BLEU", lambda references, source: References.of(references), corpus_bleu, brevity_penalty)


# ---------------------------------------------------------------- kernels


@jit
def _rows(words: Ints, offsets: Longs, references: References) -> Longs:
    """Returns the statistics, (hypotheses, `STATISTICS`)."""
    rows = np.empty((len(offsets) - 1, STATISTICS), dtype=np.int64)
    used = np.zeros(len(references.limits), dtype=np.int32)
    for number in range(len(rows)):
        _fill_row(words[offsets[number] : offsets[number + 1]], references, used, rows[number])
    return rows


@jit
def _fill_row(words: Ints, references: References, used: Ints, row: Longs) -> None:
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
