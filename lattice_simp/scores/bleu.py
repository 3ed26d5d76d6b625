"""BLEU (Papineni et al. 2002): the statistics of sentences over integer words, and the formula over their sums.

A hypothesis gives one row of `STATISTICS` whole numbers: its clipped matches for n = 1..4, the totals of its n-grams
(the first is its length), and the length of the closest reference. Rows are summed over a corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.growing import find_slot
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.scores.ngrams import ORDER, NgramTrie, joined, numbered, require_reference

STATISTICS = 2 * ORDER + 1
"""Columns of a row: `ORDER` matches, `ORDER` totals, the reference length."""


class References(NamedTuple):
    """The references of one sentence: a trie of their n-grams in a hash table, and their lengths.

    Attributes:
        keys, nodes: the trie, see `NgramTrie`.
        limits: (nodes,) int32, the most occurrences of each n-gram in any one reference.
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
        require_reference(references)
        trie = NgramTrie.of(references)
        lengths = np.sort([len(np.asarray(words)) for words in references]).astype(np.int32)
        return cls(trie.keys, trie.nodes, trie.counts().max(axis=1).astype(np.int32), lengths)

    def rows(self, words: Ints, offsets: Longs) -> Longs:
        """Returns the statistics of hypotheses, (hypotheses, `STATISTICS`) int64, see `tune.metric.Prepared`."""
        rows: Longs = _rows(words, offsets, self)
        return rows

    def statistics(self, words: npt.ArrayLike) -> Longs:
        """Returns the row of one hypothesis, (`STATISTICS`,) int64.

        >>> References.of([[1, 2, 3, 4, 5]]).statistics([1, 2, 3, 9]).tolist()
        [3, 2, 1, 0, 4, 3, 2, 1, 5]
        """
        row: Longs = self.rows(*joined([words]))[0]
        return row


def bleu_logs(
    matches: npt.ArrayLike,
    totals: npt.ArrayLike,
    reference: npt.ArrayLike,
    *,
    smooth: bool = False,
    effective: bool = False,
    scale: float = 1.0,
) -> tuple[Floats, Floats]:
    """Returns the logs of the two factors of BLEU: of the brevity penalty, and of the mean n-gram precision.

    >>> brevity, precision = bleu_logs([3, 2, 0, 0], [3, 2, 1, 0], 4, smooth=True, effective=True)
    >>> round(float(np.exp(brevity + precision)), 4)
    0.5687

    Args:
        matches: (..., orders), clipped.
        totals: (..., orders), n-grams of the hypotheses; those of the first order are their words.
        reference: (...), lengths of the closest references.
        smooth: exponential smoothing, where each order without a match counts half as much as the one before. Without
            it, BLEU is 0 where an order has no match.
        effective: leaves out orders that no hypothesis is long enough for; else BLEU is 0 there.
        scale: the factor of precisions.

    Returns:
        Two arrays (...); a mean precision of 0 is minus infinity.
    """
    matches, totals = np.asarray(matches, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    counted, matched = totals > 0, matches > 0
    scored = np.asarray(matched.any(axis=-1) if smooth else matched.all(axis=-1))
    counts = scale * matches
    if smooth:
        counts = np.where(matched, counts, scale / 2.0 ** np.cumsum(~matched, axis=-1))
    orders: int | Longs = totals.shape[-1]
    if effective:
        orders = np.maximum(counted.sum(axis=-1), 1)
    else:
        scored = np.asarray(scored & counted.all(axis=-1))
    used = scored[..., None] & counted
    logs = np.log(np.divide(counts, totals, out=np.ones(used.shape), where=used))
    precision = np.where(scored, logs.sum(axis=-1) / orders, -np.inf)
    return np.minimum(0.0, 1.0 - reference / np.where(counted[..., 0], totals[..., 0], np.inf)), precision


def corpus_bleu(statistics: npt.ArrayLike) -> Floats:
    """Returns the BLEU (0 to 1) of each row of summed statistics, shape (..., `STATISTICS`) to (...).

    BLEU is 0 if an order has no match, as in sacrebleu with `smooth_method="none"`.

    >>> float(corpus_bleu([3, 2, 1, 1, 4, 3, 2, 2, 4])).__round__(4)
    0.5946
    """
    rows = np.asarray(statistics, dtype=np.float64)
    brevity, precision = bleu_logs(rows[..., :ORDER], rows[..., ORDER : 2 * ORDER], rows[..., -1])
    return np.asarray(np.exp(brevity + precision))


def brevity_penalty(statistics: npt.ArrayLike) -> float:
    """Returns the brevity penalty of one row of summed statistics; 0 for empty hypotheses."""
    row = np.asarray(statistics, dtype=np.float64)
    brevity, _ = bleu_logs(row[:ORDER], row[ORDER : 2 * ORDER], row[-1])
    return float(np.exp(brevity)) if row[ORDER] else 0.0


def sentence_bleus(strings: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> Floats:
    """Returns the sentence BLEU of each string, (strings,), 0 to 100: exponential smoothing, effective order.

    >>> sentence_bleus([("the", "cat", "sat")], [("the", "cat", "sat", "down")]).round(2).tolist()
    [71.65]
    """
    words = numbered([*references, *strings])
    rows = References.of(words[: len(references)]).rows(*joined(words[len(references) :]))
    matches, totals = rows[:, :ORDER], rows[:, ORDER : 2 * ORDER]
    brevity, precision = bleu_logs(matches, totals, rows[:, -1], smooth=True, effective=True, scale=100.0)
    return np.asarray(np.exp(brevity) * np.exp(precision))


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
    for candidate in lengths:
        if abs(candidate - length) < abs(closest - length):  # lengths increase, so the shorter wins a tie
            closest = candidate
    row[2 * ORDER] = closest
