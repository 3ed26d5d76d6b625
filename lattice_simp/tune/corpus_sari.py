"""Corpus SARI (Xu et al. 2016) from sufficient statistics, over integer words: for simplification.

A hypothesis gives one row of whole numbers: for n-grams of the source that are kept and deleted, and for others that
are added, n = 1..4, the occurrences that are correct, those of the hypothesis and those of the references, as
`lattice_simp.metrics.sari_corpus` counts and scores them. Words are compared as they are, so lattices, sources and
references have the same tokens and the same case; on lower-cased tokens the score is that of `sari-corpus` and
`sari-legacy` without their tokenisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.growing import find_slot
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics.sari import ADD, DELETE, KEEP, OPERATIONS, corpus_parts
from lattice_simp.tune.metric import TunedMetric
from lattice_simp.tune.ngram_trie import ORDER, NgramTrie, empty_keys

STATISTICS = len(OPERATIONS) * ORDER * 3
"""Columns of a row: by operation, order, and correct, hypothesis, references."""

_KEEP, _DELETE, _ADD = map(OPERATIONS.index, (KEEP, DELETE, ADD))
_CORRECT, _SYSTEM, _REFERENCES = range(3)


class SariReferences(NamedTuple):
    """What the source and the references of one sentence contribute.

    Attributes:
        keys, nodes, lengths: the trie of all their n-grams, see `NgramTrie`.
        source: (nodes,) int64, how often the source has each n-gram, times the number of references.
        references: (nodes,) int64, how often all references together have it.
        number: how many references there are.
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
        if not len(references):
            raise LatticeSimpError("a sentence has no reference; give one at least")
        trie = NgramTrie.of([source, *references])
        before = trie.counts[:, 0].astype(np.int64) * len(references)
        wanted = trie.counts[:, 1:].sum(axis=1, dtype=np.int64)
        nothing = np.zeros((len(OPERATIONS), ORDER, 3), dtype=np.int64)
        for order in range(ORDER):
            own, goal = before[trie.lengths == order + 1], wanted[trie.lengths == order + 1]
            to_delete = np.maximum(own - goal, 0).sum()
            nothing[_KEEP, order, _REFERENCES] = np.minimum(own, goal).sum()
            nothing[_DELETE, order] = to_delete, own.sum(), to_delete
            nothing[_ADD, order, _REFERENCES] = np.count_nonzero(own == 0)
        return cls(trie.keys, trie.nodes, trie.lengths, before, wanted, len(references), nothing)

    def rows(self, words: Ints, offsets: Longs) -> Longs:
        """Returns the statistics of hypotheses, (hypotheses, `STATISTICS`) int64, see `Prepared`."""
        rows: Longs = _rows(words, offsets, self)
        return rows.reshape(-1, STATISTICS)


def corpus_sari(statistics: npt.ArrayLike) -> Floats:
    """Returns the SARI (0 to 1) of each row of summed statistics, shape (..., `STATISTICS`) to (...).

    >>> sentence = SariReferences.of([[1, 3, 4], [1, 3, 5]], source=[1, 2, 4])
    >>> corpus_sari(sentence.rows(np.array([1, 3, 4], dtype=np.int32), np.array([0, 3]))).round(4).tolist()
    [0.4825]
    """
    return np.asarray(corpus_parts(np.asarray(statistics, dtype=np.float64)).mean(axis=-1))


def _prepare(references: Sequence[npt.ArrayLike], source: npt.ArrayLike | None) -> SariReferences:
    if source is None:
        raise LatticeSimpError("SARI needs the source of each sentence")
    return SariReferences.of(references, source)


SARI = TunedMetric("SARI", _prepare, corpus_sari, needs_source=True)


# ---------------------------------------------------------------- kernels


@jit
def _rows(words: Ints, offsets: Longs, known: SariReferences) -> Longs:
    """Returns the statistics, (hypotheses, operations, orders, 3)."""
    rows = np.empty((len(offsets) - 1, *known.nothing.shape), dtype=np.int64)
    used = np.zeros(len(known.source), dtype=np.int64)
    for number in range(len(rows)):
        row = rows[number]
        row[:] = known.nothing
        touched = _count_ngrams(words[offsets[number] : offsets[number + 1]], known, used, row)
        for node in touched:
            _add_known(known, node, used[node], row[:, known.lengths[node] - 1])
            used[node] = 0
    return rows


@jit
def _count_ngrams(words: Ints, known: SariReferences, used: Longs, row: Longs) -> Ints:
    """Counts a hypothesis' n-grams that source or references have, and returns their nodes; adds others to `row`.

    The others continue the trie in a table of their own, since of added n-grams each counts once.
    """
    touched = np.empty(ORDER * len(words), dtype=np.int32)
    others = empty_keys(len(words))
    other_nodes = np.empty(len(others), dtype=np.int32)
    found, num_nodes = 0, len(used)
    for place in range(len(words)):
        node = 0
        for order in range(min(ORDER, len(words) - place)):
            key = (np.int64(node) << 32) | words[place + order]
            if node < len(used):
                slot = find_slot(known.keys, key)
                if known.keys[slot] >= 0:
                    node = known.nodes[slot]
                    if used[node] == 0:
                        touched[found] = node
                        found += 1
                    used[node] += 1
                    continue
            slot = find_slot(others, key)
            if others[slot] < 0:
                others[slot], other_nodes[slot] = key, num_nodes
                num_nodes += 1
                row[_ADD, order, _SYSTEM] += 1
            node = other_nodes[slot]
    return touched[:found]


@jit
def _add_known(known: SariReferences, node: int, count: int, own: Longs) -> None:
    """Adds an n-gram of source or references that a hypothesis has so often to `own`, (operations, 3)."""
    before, wanted = known.source[node], known.references[node]
    if before == 0:
        own[_ADD, _SYSTEM] += 1
        own[_ADD, _CORRECT] += 1
        return
    kept = min(before, known.number * count)
    to_delete = max(0, before - wanted)
    own[_KEEP, _SYSTEM] += kept
    own[_KEEP, _CORRECT] += min(kept, wanted)
    own[_DELETE, _SYSTEM] -= kept
    own[_DELETE, _CORRECT] += min(before - kept, to_delete) - to_delete
