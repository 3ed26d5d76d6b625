"""The stage `lexical`: word translation probabilities of both directions from the links (Koehn, Och, Marcu 2003).

w(target | source) is the share of a source word's links that go to a target word; a word without a link is linked
with NULL.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Floats, Longs, jit
from lattice_simp.core.sorting import lower_bound
from lattice_simp.pipeline.shards import read_npz, shard_paths
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.rescore.counts import count_events
from lattice_simp.support.atomic import replacing
from lattice_simp.train.alignment.links import Bitext, read_bitext
from lattice_simp.train.rules.extract import RuleSides

NULL = -1
"""The number of the NULL word, with which unlinked words are linked."""

_FILE = "lexical.npz"
_SHIFT = 32


@dataclass(frozen=True)
class LexicalTable:
    """Probabilities of word pairs, sorted by (source, target).

    Attributes:
        pairs: (pairs,) int64 `pair_key`s.
        target_given_source, source_given_target: (pairs,) float64.
    """

    pairs: Longs
    target_given_source: Floats
    source_given_target: Floats

    @classmethod
    def read(cls, folder: Path) -> LexicalTable:
        """Reads the stage's file."""
        return cls(*read_npz(folder / _FILE, *(field.name for field in fields(cls))))


def lexical_stage() -> Stage:
    """Returns the stage that makes the lexical tables."""
    return Stage("lexical", ("number", "align"), None, (), _lexical)


def _lexical(run: Run, folder: Path) -> dict[str, Any]:
    shards = shard_paths(run.folders["number"])
    bitexts = (read_bitext(run.folders["number"], run.folders["align"], path.name) for path in run.each(shards))
    table = lexical_table(*count_events(map(_linked_pairs, bitexts)))
    with replacing(folder / _FILE) as growing:
        np.savez(growing, **table.__dict__)
    return {"word_pairs": len(table.pairs)}


def lexical_table(pairs: Longs, counts: Longs) -> LexicalTable:
    """Turns counts into probabilities; `pairs` must be sorted.

    >>> table = lexical_table(np.array([1 << 32 | 1, 1 << 32 | 2]), np.array([3, 1]))
    >>> table.target_given_source.tolist(), table.source_given_target.tolist()
    ([0.75, 0.25], [1.0, 1.0])
    """
    source, target = pairs >> _SHIFT, pairs & ((1 << _SHIFT) - 1)
    by_source = np.bincount(source, weights=counts)
    by_target = np.bincount(target, weights=counts)
    return LexicalTable(pairs, counts / by_source[source], counts / by_target[target])


@jit
def pair_key(source: int, target: int) -> np.int64:
    """Returns the number of a word pair; either word may be NULL, whose half of the number is 0."""
    return ((np.int64(source) + 1) << _SHIFT) | (np.int64(target) + 1)


@jit
def _linked_pairs(bitext: Bitext) -> Longs:
    source_offsets, source, target_offsets, target, link_offsets, links = bitext
    pairs = np.empty(len(links) + len(source) + len(target), dtype=np.int64)
    count = 0
    for sentence in range(len(source_offsets) - 1):
        source_begin, target_begin = source_offsets[sentence], target_offsets[sentence]
        source_linked = np.zeros(source_offsets[sentence + 1] - source_begin, dtype=np.bool_)
        target_linked = np.zeros(target_offsets[sentence + 1] - target_begin, dtype=np.bool_)
        for index in range(link_offsets[sentence], link_offsets[sentence + 1]):
            s, t = links[index, 0], links[index, 1]
            source_linked[s] = target_linked[t] = True
            pairs[count] = pair_key(source[source_begin + s], target[target_begin + t])
            count += 1
        for s in range(len(source_linked)):
            if not source_linked[s]:
                pairs[count] = pair_key(source[source_begin + s], NULL)
                count += 1
        for t in range(len(target_linked)):
            if not target_linked[t]:
                pairs[count] = pair_key(NULL, target[target_begin + t])
                count += 1
    return pairs[:count].copy()


@jit
def lexical_weights(rules: RuleSides, pairs: Longs, probabilities: Floats, of_target: bool, least: float) -> Floats:
    """Returns the log lexical weight of each rule.

    The weight is a product over the words of one side: for each, the mean probability over the words it is linked with
    (or of NULL).

    Args:
        rules: both sides of the rules, and their links.
        pairs, probabilities: from a `LexicalTable`: those of the target words if `of_target`, else of the source words.
        of_target: the product runs over the target words.
        least: the probability of an unknown pair.
    """
    source_offsets, source, target_offsets, target, point_offsets, points = rules
    weights = np.zeros(len(source_offsets) - 1)
    for rule in range(len(weights)):
        source_begin, target_begin = source_offsets[rule], target_offsets[rule]
        side_begin = target_begin if of_target else source_begin
        side_end = target_offsets[rule + 1] if of_target else source_offsets[rule + 1]
        for index in range(side_begin, side_end):
            word = target[index] if of_target else source[index]
            if word < 0:
                continue
            total, number = 0.0, 0
            for point in range(point_offsets[rule], point_offsets[rule + 1], 2):
                s, t = points[point], points[point + 1]
                if (t if of_target else s) != index - side_begin:
                    continue
                key = pair_key(source[source_begin + s], target[target_begin + t])
                total += _look_up(pairs, probabilities, key, least)
                number += 1
            if number == 0:
                key = pair_key(NULL, word) if of_target else pair_key(word, NULL)
                total, number = _look_up(pairs, probabilities, key, least), 1
            weights[rule] += np.log(total / number)
    return weights


@jit
def _look_up(pairs: Longs, probabilities: Floats, key: int, least: float) -> float:
    index = lower_bound(pairs, 0, len(pairs), key)
    return probabilities[index] if index < len(pairs) and pairs[index] == key else least
