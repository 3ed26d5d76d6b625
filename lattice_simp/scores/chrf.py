"""chrF (Popović 2015): counts of character n-grams of sentences over integer words, and the formula over their sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.blocks import chosen_blocks, prefix_sums
from lattice_simp.core.growing import find_slot
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.scores.ngrams import NgramTrie, joined, require_reference

BETA = 2
"""How much more recall weighs than precision in chrF2."""

CHRF_ORDER = 6
"""The longest n-grams of characters that count."""

_HYPOTHESIS, _REFERENCE, _MATCHES = range(3)


class _Counts(NamedTuple):
    """The trie of references, see `NgramTrie`, and their counts.

    Attributes:
        counts: (nodes, references) int64, how often each reference has each n-gram.
        totals: (references, `CHRF_ORDER`) int64, n-grams of each reference.
    """

    keys: Longs
    nodes: Ints
    lengths: Ints
    counts: Longs
    totals: Longs


class ChrfReferences(NamedTuple):
    """The character n-grams of the references of one sentence.

    Attributes:
        counts: the counts that a kernel compares with.
        symbols: the table of words.
    """

    counts: _Counts
    symbols: SymbolTable

    @classmethod
    def of(cls, references: Sequence[npt.ArrayLike], symbols: SymbolTable) -> ChrfReferences:
        """Counts the character n-grams of one sentence's references, each an array of word ids.

        Raises:
            LatticeSimpError: no reference.
        """
        require_reference(references)
        characters, ends = _spelled(*joined(references), symbols)
        trie = NgramTrie.of(np.split(characters, ends[1:-1]), CHRF_ORDER)
        totals = np.maximum(np.diff(ends)[:, None] - np.arange(CHRF_ORDER), 0)
        return cls(_Counts(trie.keys, trie.nodes, trie.lengths, trie.counts(), totals), symbols)

    def rows(self, words: Ints, offsets: Longs) -> Longs:
        """Returns the statistics of hypotheses against the reference with the highest chrF2 (of ties the first).

        These are the n-grams of the hypothesis, those of the reference, and the matches, by order, (hypotheses,
        3 * `CHRF_ORDER`) int64, see `tune.metric.Prepared`.
        """
        rows: Longs = _rows(*_spelled(words, offsets, self.symbols), self.counts)
        best = np.argmax(chrf_score(*np.moveaxis(rows, 2, 0)), axis=1)
        return rows[np.arange(len(rows)), best].reshape(len(rows), -1)


def corpus_chrf(statistics: npt.ArrayLike) -> Floats:
    """Returns the chrF2 (0 to 1) of each row of summed statistics, (..., 3 * `CHRF_ORDER`) to (...).

    >>> symbols = SymbolTable("the cat rat")
    >>> sentence = ChrfReferences.of([symbols.encode("the cat")], symbols)
    >>> corpus_chrf(sentence.rows(symbols.encode("the rat"), np.array([0, 2]))).round(4).tolist()
    [0.2806]
    """
    rows = np.asarray(statistics)
    return chrf_score(*np.moveaxis(rows.reshape(*rows.shape[:-1], 3, CHRF_ORDER), -2, 0))


def chrf_score(
    hypothesis: npt.ArrayLike, reference: npt.ArrayLike, matches: npt.ArrayLike, *, scale: float = 1.0
) -> Floats:
    """Returns chrF2 of n-gram counts, (..., orders) each, to (...), from 0 to `scale`.

    >>> float(chrf_score([4, 3], [4, 3], [4, 0]))
    0.5

    Orders for which the hypothesis or the reference is too short are ignored.
    """
    hypothesis, reference, matches = (np.asarray(counts) for counts in (hypothesis, reference, matches))
    effective = (hypothesis > 0) & (reference > 0)
    orders = np.maximum(effective.sum(axis=-1), 1)
    precision = (matches / np.maximum(hypothesis, 1)).sum(axis=-1, where=effective) / orders
    recall = (matches / np.maximum(reference, 1)).sum(axis=-1, where=effective) / orders
    factor = float(BETA**2)
    below = factor * precision + recall
    above = scale * (1.0 + factor) * precision * recall
    return np.asarray(np.divide(above, below, out=np.zeros(np.shape(below)), where=below > 0))


def _spelled(words: Ints, offsets: Longs, symbols: SymbolTable) -> tuple[Ints, Longs]:
    """Returns the characters of sentences one after another, without blanks, and where each sentence begins."""
    labels, places = np.unique(words, return_inverse=True)
    names = ["".join(name.split()) for name in symbols.decode(labels.tolist())]
    alphabet = np.frombuffer("".join(names).encode("utf-32-le", "surrogatepass"), dtype="<i4").astype(np.int32)
    characters, ends = chosen_blocks(prefix_sums([len(name) for name in names]), places)
    return alphabet[characters], ends[offsets]


@jit
def _rows(characters: Ints, offsets: Longs, prepared: _Counts) -> Longs:
    """Returns the statistics of each hypothesis with each reference, (hypotheses, references, 3, `CHRF_ORDER`)."""
    references = prepared.counts.shape[1]
    rows = np.zeros((len(offsets) - 1, references, 3, CHRF_ORDER), dtype=np.int64)
    used = np.zeros(len(prepared.counts), dtype=np.int64)
    for number in range(len(rows)):
        begin, end = offsets[number], offsets[number + 1]
        for node in _touched(characters[begin:end], prepared, used):
            order = prepared.lengths[node] - 1
            for reference in range(references):
                rows[number, reference, _MATCHES, order] += min(used[node], prepared.counts[node, reference])
            used[node] = 0
        for reference in range(references):
            for order in range(CHRF_ORDER):
                total = prepared.totals[reference, order]
                rows[number, reference, _REFERENCE, order] = total
                rows[number, reference, _HYPOTHESIS, order] = max(0, end - begin - order) if total else 0
    return rows


@jit
def _touched(characters: Ints, prepared: _Counts, used: Longs) -> Ints:
    """Counts the n-grams of a hypothesis that a reference has in `used`, and returns their nodes."""
    nodes, count = np.empty(CHRF_ORDER * len(characters), dtype=np.int32), 0
    for begin in range(len(characters)):
        node = 0
        for place in range(begin, min(begin + CHRF_ORDER, len(characters))):
            slot = find_slot(prepared.keys, (np.int64(node) << 32) | characters[place])
            if prepared.keys[slot] < 0:
                break
            node = prepared.nodes[slot]
            if used[node] == 0:
                nodes[count] = node
                count += 1
            used[node] += 1
    return nodes[:count]
