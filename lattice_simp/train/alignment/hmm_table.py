"""The sparse table t(generated word | conditioning word) of a word aligner, and how sentences read and update it.

All work is word by word: the row of one conditioning word is spread over the generated vocabulary, and then read for
all occurrences of the word in a block of sentences. So a pair of words is looked up in one step, in cache, and each row
has its own sums, which do not depend on how threads share the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.growing import copy_into
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.core.sorting import sort_first
from lattice_simp.errors import LatticeSimpError


@dataclass(frozen=True)
class Side:
    """One side of a parallel corpus: sentence k is `words[offsets[k]:offsets[k + 1]]`, ids below `vocabulary_size`.

    >>> len(Side(np.array([0, 1, 0], np.int32), np.array([0, 2, 3]), 2))
    2

    Raises:
        LatticeSimpError: offsets that do not span the words, or ids outside the vocabulary.
    """

    words: Ints
    offsets: Longs
    vocabulary_size: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", np.ascontiguousarray(self.words, dtype=np.int32))
        object.__setattr__(self, "offsets", np.ascontiguousarray(self.offsets, dtype=np.int64))
        ends = (self.offsets[0], self.offsets[-1]) if len(self.offsets) else None
        if ends != (0, len(self.words)) or np.any(np.diff(self.offsets) < 0):
            raise LatticeSimpError("the offsets of a corpus must rise from 0 to its number of words")
        if len(self.words) and not (self.words.min() >= 0 and self.words.max() < self.vocabulary_size):
            raise LatticeSimpError(f"word ids must be in 0..{self.vocabulary_size - 1}")

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Occurrences(NamedTuple):
    """Where the words of some sentences are: word w at `starts[w]:starts[w + 1]` of `sentences` and `positions`.

    NULL is the word after the last one, and comes after the last word of every sentence.
    """

    starts: Longs
    sentences: Ints
    positions: Ints


class PairTable(NamedTuple):
    """The pairs of conditioning word w are `starts[w]:starts[w + 1]`, sorted by generated word; NULL is the last w."""

    starts: Longs
    words: Ints
    probabilities: Floats


class Block(NamedTuple):
    """Sentences in progress.

    Attributes:
        occurrences: where the conditioning words are.
        words, offsets: the generated words, and where the sentences begin in these.
        vocabulary_size: the number of distinct generated words.
        starts: where the cells of each sentence begin; position i of the conditioning side (NULL is the last) and
            position j of the generated side, of length J, meet in cell i * J + j.
        cells: probabilities of pairs of words, then posteriors of links.
    """

    occurrences: Occurrences
    words: Ints
    offsets: Longs
    vocabulary_size: int
    starts: Longs
    cells: Floats


Part = tuple[int, int]
"""A range of conditioning words: the first, and the one after the last."""


@jit
def find_occurrences(words: Ints, offsets: Longs, vocabulary_size: int) -> Occurrences:
    """Sorts the words of sentences, and their NULLs, by word, then by position."""
    starts = np.zeros(vocabulary_size + 2, dtype=np.int64)
    for word in words[offsets[0] : offsets[-1]]:
        starts[word + 1] += 1
    starts[vocabulary_size + 1] = len(offsets) - 1
    starts = np.cumsum(starts)
    free = starts.copy()
    sentences = np.empty(starts[-1], dtype=np.int32)
    positions = np.empty(starts[-1], dtype=np.int32)
    for sentence in range(len(offsets) - 1):
        length = offsets[sentence + 1] - offsets[sentence]
        for position in range(length + 1):
            word = words[offsets[sentence] + position] if position < length else vocabulary_size
            sentences[free[word]] = sentence
            positions[free[word]] = position
            free[word] += 1
    return Occurrences(starts, sentences, positions)


@jit
def write_rows(
    occurrences: Occurrences,
    words: Ints,
    offsets: Longs,
    frequencies: Longs,
    rare_word: int,
    part: Part,
    row_starts: Longs,
    row_words: Ints,
) -> None:
    """Finds the pairs of the conditioning words of a part with the generated words of their sentence pairs.

    Args:
        occurrences: where the conditioning words are.
        words, offsets: the generated words, and where the sentences begin in these.
        frequencies: how often each generated word occurs.
        rare_word: a pair that is seen once is left out if both words are seen at least this often.
        part: the first conditioning word of the part, and the one after its last.
        row_starts: where the pairs of each word begin in `row_words`.
        row_words: the generated words of the pairs, to write; if empty, their number is written to `row_starts[w + 1]`.
    """
    null = len(occurrences.starts) - 2
    together = np.zeros(len(frequencies), dtype=np.int32)
    touched = np.empty(len(frequencies), dtype=np.int32)
    for word in range(part[0], part[1]):
        num_touched = 0
        for position in range(occurrences.starts[word], occurrences.starts[word + 1]):
            sentence = occurrences.sentences[position]
            for partner in words[offsets[sentence] : offsets[sentence + 1]]:
                if together[partner] == 0:
                    touched[num_touched] = partner
                    num_touched += 1
                together[partner] += 1
        rare = word == null or occurrences.starts[word + 1] - occurrences.starts[word] < rare_word
        kept = 0
        for index in range(num_touched):
            partner = touched[index]
            if rare or together[partner] > 1 or frequencies[partner] < rare_word:
                touched[kept] = partner
                kept += 1
            together[partner] = 0
        if len(row_words) == 0:
            row_starts[word + 1] = kept
        else:
            sort_first(touched, kept)
            copy_into(row_words, row_starts[word], touched[:kept])


@jit
def fill_cells(table: PairTable, block: Block, floor: float, part: Part) -> None:
    """Writes t(f|e), at least `floor`, to the cells of the conditioning words e of a part."""
    occurrences, words, offsets, vocabulary_size, cell_starts, cells = block
    row = np.full(vocabulary_size, floor)
    for word in range(part[0], part[1]):
        if occurrences.starts[word] == occurrences.starts[word + 1]:
            continue
        pairs = range(table.starts[word], table.starts[word + 1])
        for pair in pairs:
            row[table.words[pair]] = max(table.probabilities[pair], floor)
        for index in range(occurrences.starts[word], occurrences.starts[word + 1]):
            sentence = occurrences.sentences[index]
            begin = offsets[sentence]
            length = offsets[sentence + 1] - begin
            cell = cell_starts[sentence] + occurrences.positions[index] * length
            for position in range(length):
                cells[cell + position] = row[words[begin + position]]
        for pair in pairs:
            row[table.words[pair]] = floor


@jit
def collect_counts(table: PairTable, block: Block, counts: Floats, part: Part) -> None:
    """Adds the link posteriors in the cells of the conditioning words of a part to the expected counts of the pairs."""
    occurrences, words, offsets, vocabulary_size, cell_starts, cells = block
    row = np.zeros(vocabulary_size)
    for word in range(part[0], part[1]):
        if occurrences.starts[word] == occurrences.starts[word + 1]:
            continue
        pairs = range(table.starts[word], table.starts[word + 1])
        for index in range(occurrences.starts[word], occurrences.starts[word + 1]):
            sentence = occurrences.sentences[index]
            begin = offsets[sentence]
            length = offsets[sentence + 1] - begin
            cell = cell_starts[sentence] + occurrences.positions[index] * length
            for position in range(length):
                row[words[begin + position]] += cells[cell + position]
        for pair in pairs:
            counts[pair] += row[table.words[pair]]
        # Words whose pairs are not in the table are cleared too.
        for index in range(occurrences.starts[word], occurrences.starts[word + 1]):
            sentence = occurrences.sentences[index]
            for partner in words[offsets[sentence] : offsets[sentence + 1]]:
                row[partner] = 0.0


@jit
def normalise_rows(starts: Longs, counts: Floats, probabilities: Floats) -> None:
    """Turns expected counts into probabilities; a row without counts stays as it is."""
    for row in range(len(starts) - 1):
        total = 0.0
        for pair in range(starts[row], starts[row + 1]):
            total += counts[pair]
        if total > 0.0:
            for pair in range(starts[row], starts[row + 1]):
                probabilities[pair] = counts[pair] / total


def kept_pairs(table: PairTable, counts: Floats, minimum_count: float) -> PairTable:
    """Returns the table without the pairs whose expected count is below `minimum_count`; rows are not renormalised."""
    kept = counts >= minimum_count
    starts = prefix_sums(kept)[table.starts]
    return PairTable(starts, table.words[kept], table.probabilities[kept])
