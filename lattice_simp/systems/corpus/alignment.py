"""Aligns the sentences of one pair of paragraphs, or of many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from lattice_simp.core.arguments import instance
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.core.symbols import as_sentences, as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.corpus.grid import MOVES, Alignments, Grids, best_alignments, cells_of
from lattice_simp.systems.corpus.sentences import Splitter
from lattice_simp.systems.corpus.settings import CorpusSettings
from lattice_simp.systems.corpus.tfidf import Frequencies, Vectors, cosines, count_words

MAX_CELLS = 4_000_000
"""The most pairs of parts of two texts, which bounds memory."""

Words: TypeAlias = str | Sequence[str]
"""A sentence: a string, or its tokens."""

_DEFAULTS = CorpusSettings()


@dataclass(frozen=True)
class SentencePair:
    """Two sentences with the same meaning.

    Attributes:
        complex, simple: their numbers, from 0.
        similarity: the cosine of their TF-IDF vectors.
        kind: the move that paired them: `1-1`, `1-2`, `2-1` (each makes one or two pairs) or `crossed`.
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

    The result is the alignment with the greatest sum of similarities among all sequences of six moves (skip a sentence
    of either side, 1-1, 1-2, 2-1, and two crossed sentences), without pairs below the threshold. See `corpus/grid.py`
    for ties.

    Args:
        complex_sentences, simple_sentences: strings or lists of tokens.
        frequencies: the number of sentences of a collection with each word; by default those of these sentences.
        settings: the settings; only `sentence_threshold`, `skip_cost` and `language` apply.

    Returns:
        The pairs, in the order of the moves.

    Raises:
        LatticeSimpError: a paragraph is a string, the language is unknown, or there are more than `MAX_CELLS` pairs.
        MissingExtraError: spaCy, which splits words, is not installed.
    """
    instance(settings, CorpusSettings, "the settings", "CorpusSettings()")
    paragraphs = [_texts(sentences) for sentences in (complex_sentences, simple_sentences)]
    if len(paragraphs[0]) * len(paragraphs[1]) > MAX_CELLS:
        raise LatticeSimpError(
            f"the paragraphs have {len(paragraphs[0])} and {len(paragraphs[1])} sentences; align shorter ones"
        )
    splitter = Splitter(settings.language)
    sides = [splitter.words(texts) for texts in paragraphs]
    if frequencies is None:
        offsets = np.concatenate([sides[0][0], sides[0][0][-1] + sides[1][0][1:]])
        table = count_words(offsets, np.concatenate([sides[0][1], sides[1][1]]))
        frequencies = Frequencies.of(*table, len(offsets) - 1)
    vectors = [Vectors.of(*side, frequencies) for side in sides]
    whole = [Ranges(np.array([0]), np.array([len(texts)])) for texts in paragraphs]
    aligned = align_ranges(vectors[0], vectors[1], whole[0], whole[1], settings)
    rows = zip(
        aligned.row.tolist(), aligned.column.tolist(), aligned.similarity.tolist(), aligned.move.tolist(), strict=True
    )
    return [SentencePair(row, column, similarity, MOVES[move].name) for row, column, similarity, move in rows]


def _texts(sentences: Sequence[Words]) -> list[str]:
    if isinstance(sentences, str):
        raise LatticeSimpError("the paragraph is a string; give a list of sentences")
    texts = as_sentences(sentences)
    return [str(words) if isinstance(words, str) else " ".join(as_tokens(words)) for words in texts]


class Ranges(NamedTuple):
    """Ranges of rows: (ranges,) int64 each."""

    begin: Longs
    end: Longs

    @property
    def sizes(self) -> Longs:
        """The number of rows of each range."""
        return self.end - self.begin

    def taken(self, numbers: Longs) -> Ranges:
        """Returns the ranges with these numbers, in this order."""
        return Ranges(self.begin[numbers], self.end[numbers])


class Similarities(NamedTuple):
    """The cosines of all rows of one range with all rows of another, for each pair of ranges.

    Attributes:
        pair: (cells,) int64, the pair of ranges.
        left, right: (cells,) int64, rows of the left and right vectors.
        cosine: (cells,) float64.
    """

    pair: Longs
    left: Longs
    right: Longs
    cosine: Floats


def similarities(left: Vectors, right: Vectors, left_ranges: Ranges, right_ranges: Ranges) -> Similarities:
    """Returns the cosines within each pair of ranges, row by row."""
    cells = cells_of(left_ranges.sizes, right_ranges.sizes)
    left_rows, right_rows = left_ranges.begin[cells.grid] + cells.row, right_ranges.begin[cells.grid] + cells.column
    return Similarities(cells.grid, left_rows, right_rows, cosines(left, right, left_rows, right_rows))


def align_ranges(
    left: Vectors, right: Vectors, left_ranges: Ranges, right_ranges: Ranges, settings: CorpusSettings = _DEFAULTS
) -> Alignments:
    """Returns the pairs of sentences of pairs of paragraphs (ranges of rows) that reach the threshold, as rows."""
    cells_of_ranges = similarities(left, right, left_ranges, right_ranges)
    pairs = best_alignments(Grids(left_ranges.sizes, right_ranges.sizes, cells_of_ranges.cosine), settings.skip_cost)
    good = pairs.similarity >= settings.sentence_threshold
    grid = pairs.grid[good]
    rows, columns = pairs.row[good] + left_ranges.begin[grid], pairs.column[good] + right_ranges.begin[grid]
    return Alignments(grid, rows, columns, pairs.move[good], pairs.similarity[good])
