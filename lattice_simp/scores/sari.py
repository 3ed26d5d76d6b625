"""SARI (Xu et al. 2016) over integer words: counts of kept, deleted and added n-grams, and the formula.

A hypothesis gives one row of whole numbers: for n-grams of the source that are kept or deleted, and for other n-grams
that are added, n = 1..4, the correct occurrences, those of the hypothesis and those of the references. Rows are summed
over a corpus. An n-gram of source or hypothesis counts once for each reference, an added n-gram once.
`metrics/sari.py` describes the two variants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.growing import copy_into, find_slot
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.scores.ngrams import ORDER, NgramTrie, empty_keys, require_reference
from lattice_simp.scores.ratios import ratio

KEEP, DELETE, ADD = "keep", "delete", "add"

OPERATIONS = (KEEP, DELETE, ADD)
"""The parts of SARI, which is their mean."""

STATISTICS = len(OPERATIONS) * ORDER * 3
"""Columns of a row: by operation, order, and correct, hypothesis, references."""

_KEEP, _DELETE, _ADD = range(3)
_CORRECT, _SYSTEM, _REFERENCES = range(3)


class SariReferences(NamedTuple):
    """The source and the references of one sentence.

    Attributes:
        keys, nodes, lengths: the trie of all their n-grams, see `NgramTrie`.
        source: (nodes,) int64, how often the source has each n-gram, times the number of references.
        references: (nodes,) int64, how often all references together have it.
        number: the number of references.
        nothing: (operations, orders, 3) int64, the statistics of a hypothesis without words.
    """

    keys: Longs
    nodes: Ints
    lengths: Ints
    source: Longs
    references: Longs
    number: int
    nothing: Longs

    @classmethod
    def of(cls, references: Sequence[npt.ArrayLike], source: npt.ArrayLike) -> SariReferences:
        """Counts the n-grams of one sentence's source and references, each an array of word ids.

        Raises:
            LatticeSimpError: no reference, or ids that are negative.
        """
        require_reference(references)
        trie = NgramTrie.of([source, *references])
        counts = trie.counts()
        source_counts, reference_counts = len(references) * counts[:, 0], counts[:, 1:].sum(axis=1)
        nothing = _nothing(trie.lengths, source_counts, reference_counts)
        return cls(trie.keys, trie.nodes, trie.lengths, source_counts, reference_counts, len(references), nothing)

    def rows(self, words: Ints, offsets: Longs) -> Longs:
        """Returns the statistics of hypotheses, (hypotheses, `STATISTICS`) int64, see `tune.metric.Prepared`."""
        rows: Longs = _rows(words, offsets, self)
        return rows.reshape(-1, STATISTICS)


def corpus_sari(statistics: npt.ArrayLike) -> Floats:
    """Returns the SARI (0 to 1) of each row of summed statistics, shape (..., `STATISTICS`) to (...).

    >>> sentence = SariReferences.of([[1, 3, 4], [1, 3, 5]], source=[1, 2, 4])
    >>> corpus_sari(sentence.rows(np.array([1, 3, 4], dtype=np.int32), np.array([0, 3]))).round(4).tolist()
    [0.4825]
    """
    return np.asarray(corpus_parts(statistics).mean(axis=-1))


def corpus_parts(statistics: npt.ArrayLike) -> Floats:
    """Returns the scores of the operations, 0 to 1, of summed statistics, (..., `STATISTICS`) to (..., 3)."""
    sums = np.asarray(statistics, dtype=np.float64)
    correct, system, references = np.moveaxis(sums.reshape(*sums.shape[:-1], len(OPERATIONS), ORDER, 3), -1, 0)
    return _f1(ratio(correct, system), ratio(correct, references)).mean(axis=-1)


def sentence_parts(hypothesis: npt.ArrayLike, references: Sequence[npt.ArrayLike], source: npt.ArrayLike) -> Floats:
    """Returns the scores of the operations in one sentence, (3,), 0 to 1, in the sentence variant.

    Each n-gram counts equally, however often it occurs, and deletion is scored by precision alone.

    >>> sentence_parts([1, 3, 4], [[1, 3, 4], [1, 3, 5]], [1, 2, 4]).round(4).tolist()
    [0.2143, 0.75, 0.5333]
    """
    trie = NgramTrie.of([source, hypothesis, *references])
    counts = trie.counts()
    shares, ngrams = _shares(trie.lengths, len(references) * counts[:, :2], counts[:, 2:].sum(axis=1))
    precision, recall = ratio(shares, ngrams)
    scores = _f1(precision, recall)
    scores[_DELETE] = precision[_DELETE]
    return np.asarray(scores.mean(axis=-1))


def _f1(precision: Floats, recall: Floats) -> Floats:
    return ratio(2.0 * precision * recall, precision + recall)


# ---------------------------------------------------------------- kernels


@jit
def _nothing(lengths: Ints, source: Longs, references: Longs) -> Longs:
    """Returns the statistics of a hypothesis without words, (operations, orders, 3)."""
    row = np.zeros((3, ORDER, 3), dtype=np.int64)
    for node in range(1, len(lengths)):
        _add_ngram(source[node], 0, references[node], 1, row[:, lengths[node] - 1])
    return row


@jit
def _rows(words: Ints, offsets: Longs, references: SariReferences) -> Longs:
    """Returns the statistics, (hypotheses, operations, orders, 3)."""
    rows = np.empty((len(offsets) - 1, *references.nothing.shape), dtype=np.int64)
    nothing = references.nothing.reshape(-1)
    used = np.zeros(len(references.source), dtype=np.int64)
    for number in range(len(rows)):
        row = rows[number]
        copy_into(row.reshape(-1), 0, nothing)
        touched = _count_ngrams(words[offsets[number] : offsets[number + 1]], references, used, row)
        for node in touched:
            cells = row[:, references.lengths[node] - 1]
            _add_ngram(references.source[node], 0, references.references[node], -1, cells)
            _add_ngram(references.source[node], references.number * used[node], references.references[node], 1, cells)
            used[node] = 0
    return rows


@jit
def _count_ngrams(words: Ints, references: SariReferences, used: Longs, row: Longs) -> Ints:
    """Counts a hypothesis's n-grams in source or references and returns their nodes; counts the others in `row`.

    The others continue the trie in a separate table, since each added n-gram counts only once.
    """
    touched = np.empty(ORDER * len(words), dtype=np.int32)
    added_keys = empty_keys(ORDER * len(words))
    added_nodes = np.empty(len(added_keys), dtype=np.int32)
    count, num_nodes = 0, len(used)
    for place in range(len(words)):
        node = 0
        for order in range(min(ORDER, len(words) - place)):
            key = (np.int64(node) << 32) | words[place + order]
            if node < len(used):
                slot = find_slot(references.keys, key)
                if references.keys[slot] >= 0:
                    node = references.nodes[slot]
                    if used[node] == 0:
                        touched[count] = node
                        count += 1
                    used[node] += 1
                    continue
            slot = find_slot(added_keys, key)
            if added_keys[slot] < 0:
                added_keys[slot], added_nodes[slot] = key, num_nodes
                num_nodes += 1
                row[_ADD, order, _SYSTEM] += 1
            node = added_nodes[slot]
    return touched[:count]


@jit
def _shares(lengths: Ints, source_and_hypothesis: Longs, references: Longs) -> tuple[Floats, Floats]:
    """Returns sums of n-grams' correct shares, and numbers of n-grams; (precision or recall, operations, orders)."""
    shares, ngrams = np.zeros((2, 3, ORDER)), np.zeros((2, 3, ORDER))
    cells = np.empty((3, 3), dtype=np.int64)
    for node in range(1, len(lengths)):
        before, after = source_and_hypothesis[node]
        cells[:] = 0
        _add_ngram(before, after, references[node], 1, cells)
        cells[_DELETE, _CORRECT] = max(0, cells[_DELETE, _SYSTEM] - references[node])
        for operation in range(3):
            for side in range(2):
                total = cells[operation, _SYSTEM + side]
                if total > 0:
                    shares[side, operation, lengths[node] - 1] += cells[operation, _CORRECT] / total
                    ngrams[side, operation, lengths[node] - 1] += 1
    return shares, ngrams


@jit
def _add_ngram(before: int, after: int, in_references: int, times: int, cells: Longs) -> None:
    """Adds the statistics of one n-gram, multiplied by `times`, to `cells`, (operations, 3).

    Source and hypothesis have it `before` and `after` times, counted once for each reference; all references together
    have it `in_references` times.
    """
    if before == 0:
        cells[_ADD, _SYSTEM] += times * (after > 0)
        cells[_ADD, _REFERENCES] += times * (in_references > 0)
        cells[_ADD, _CORRECT] += times * (after > 0 and in_references > 0)
        return
    kept, to_keep, to_delete = min(before, after), min(before, in_references), max(0, before - in_references)
    cells[_KEEP, _SYSTEM] += times * kept
    cells[_KEEP, _REFERENCES] += times * to_keep
    cells[_KEEP, _CORRECT] += times * min(kept, to_keep)
    cells[_DELETE, _SYSTEM] += times * (before - kept)
    cells[_DELETE, _REFERENCES] += times * to_delete
    cells[_DELETE, _CORRECT] += times * min(before - kept, to_delete)
