"""Sentence pairs of one pair of paragraphs, and of many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.corpus.grid import MOVES, Alignments, Grids, best_alignments, cells_of
from lattice_simp.systems.corpus.sentences import Splitter
from lattice_simp.systems.corpus.settings import CorpusSettings
from lattice_simp.systems.corpus.tfidf import Frequencies, Vectors, cosines, count_words

MAX_CELLS = 4_000_000
"""What two texts may have of pairs of their parts; texts with more would need more memory than others have."""

Words: TypeAlias = str | Sequence[str]
"""A sentence: a string, or its tokens."""

_DEFAULTS = CorpusSettings()


@dataclass(frozen=True)
class SentencePair:
    """Two sentences that say the same.

    Attributes:
        complex, simple: their numbers, from 0.
        similarity: the cosine of their TF-IDF vectors.
        kind: of the move that paired them: `1-1`, `1-2`, `2-1` (each makes one pair or two) or `crossed`.
    """

    complex: int
    simple: int
    similarity: float
    kind: str


def align_sentences(
    complex_sentences: Sequence[Words],
    simple_sentences: Sequence[Words],
    *,
    settings: CorpusSettings = _DEFAULTS,
    frequencies: Frequencies | None = None,
) -> list[SentencePair]:
    """Aligns the sentences of a complex and a simple paragraph (Coster and Kauchak 2011).

    >>> pairs = align_sentences(
    ...     ["The committee rejected the proposal on Monday, and it was shelved.", "Rain fell."],
    ...     ["The committee rejected the proposal.", "It was shelved on Monday."],
    ... )
    >>> [(pair.complex, pair.simple, pair.kind) for pair in pairs]
    [(0, 0, '1-2'), (0, 1, '1-2')]

    Of all alignments by six moves (leave out a sentence of either side, 1-1, 1-2, 2-1, and two crossed ones), the one
    with the greatest sum of similarities counts; its pairs below the threshold are dropped. See `corpus/grid.py` for
    ties.

    Args:
        complex_sentences, simple_sentences: strings or lists of tokens.
        frequencies: how many sentences of a collection hold each word; by default, of the sentences given.
        settings: `sentence_threshold`, `skip_cost` and `language` count here.

    Returns:
        The pairs, in the order of the moves.

    Raises:
        LatticeSimpError: a paragraph is a string, an unknown language, more than `MAX_CELLS` pairs of sentences.
        MissingExtraError: spaCy, whose words these are, is not installed.
    """
    both = [_texts(sentences) for sentences in (complex_sentences, simple_sentences)]
    if len(both[0]) * len(both[1]) > MAX_CELLS:
        raise LatticeSimpError(f"{len(both[0])} and {len(both[1])} sentences; align shorter paragraphs")
    splitter = Splitter(settings.language)
    sides = [splitter.words(texts) for texts in both]
    if frequencies is None:
        offsets = np.concatenate([sides[0][0], sides[0][0][-1] + sides[1][0][1:]])
        table = count_words(offsets, np.concatenate([sides[0][1], sides[1][1]]))
        frequencies = Frequencies.of(*table, len(offsets) - 1)
    vectors = [Vectors.of(*side, frequencies) for side in sides]
    whole = [Ranges(np.array([0]), np.array([len(texts)])) for texts in both]
    found = align_ranges(vectors[0], vectors[1], whole[0], whole[1], settings)
    rows = zip(found.row.tolist(), found.column.tolist(), found.similarity.tolist(), found.move.tolist(), strict=True)
    return [SentencePair(row, column, similarity, MOVES[move].name) for row, column, similarity, move in rows]


def _texts(sentences: Sequence[Words]) -> list[str]:
    if isinstance(sentences, str):
        raise LatticeSimpError("a paragraph is a string; give a list of its sentences")
    return [one if isinstance(one, str) else " ".join(one) for one in sentences]


class Ranges(NamedTuple):
    """Ranges of rows: (ranges,) int64 each."""

    begin: Longs
    end: Longs

    @property
    def sizes(self) -> Longs:
        """How many rows each has."""
        return self.end - self.begin

    def taken(self, numbers: Longs) -> Ranges:
        """Returns some of the ranges, in this order."""
        return Ranges(self.begin[numbers], self.end[numbers])


class Similarities(NamedTuple):
    """The cosines of all rows of one range with all rows of another, for each pair of ranges.

    Attributes:
        pair: (cells,) int64, which pair of ranges.
        row, other: (cells,) int64 rows of the vectors.
        cosine: (cells,) float64.
    """

    pair: Longs
    row: Longs
    other: Longs
    cosine: Floats


def similarities(left: Vectors, right: Vectors, ranges: Ranges, others: Ranges) -> Similarities:
    """Returns the cosines within each pair of ranges, row by row."""
    cells = cells_of(ranges.sizes, others.sizes)
    row, other = ranges.begin[cells.grid] + cells.row, others.begin[cells.grid] + cells.column
    return Similarities(cells.grid, row, other, cosines(left, right, row, other))


def align_ranges(
    left: Vectors, right: Vectors, ranges: Ranges, others: Ranges, settings: CorpusSettings = _DEFAULTS
) -> Alignments:
    """Aligns the sentences of pairs of paragraphs, which are ranges of rows; drops pairs below the threshold.

    Returns:
        Pairs with the rows of the vectors.
    """
    found = similarities(left, right, ranges, others)
    pairs = best_alignments(Grids(ranges.sizes, others.sizes, found.cosine), settings.skip_cost)
    good = pairs.similarity >= settings.sentence_threshold
    grid = pairs.grid[good]
    rows, columns = pairs.row[good] + ranges.begin[grid], pairs.column[good] + others.begin[grid]
    return Alignments(grid, rows, columns, pairs.move[good], pairs.similarity[good])
