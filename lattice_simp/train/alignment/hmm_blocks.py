"""A parallel corpus in blocks whose cells fit in memory, worked on by threads.

A cell is a pair of a conditioning position (or NULL) and a generated position in one sentence pair. Threads share the
work of a block by words where tables are read and written, and by shards of sentences in between. Sums over shards and
blocks are added in their order, so the results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.train.alignment.hmm_table import (
    Occurrences,
    PairTable,
    Side,
    collect_counts,
    fill_cells,
    find_occurrences,
    write_rows,
)

# Cells that are in memory at once (128 MiB), and those of a shard, the work of one thread at a time. Both decide in
# which order sums are added, so they do not depend on the machine.
BLOCK_CELLS = 1 << 24
SHARD_CELLS = 1 << 18
# Shares of the vocabulary for each thread: more than one, as some words have far more cells than others.
PARTS_PER_JOB = 4

Part = tuple[int, int]


class Corpus(NamedTuple):
    """Both sides of a parallel corpus and the threads that work on it."""

    conditioning: Side
    generated: Side
    pool: ThreadPoolExecutor
    jobs: int

    def parts(self, occurrences: Occurrences) -> list[Part]:
        """Cuts the conditioning words into ranges that have about the same number of occurrences."""
        starts = occurrences.starts
        wanted = np.linspace(0, starts[-1], self.jobs * PARTS_PER_JOB + 1)[1:-1]
        cuts = [0, *np.searchsorted(starts[:-1], wanted).tolist(), len(starts) - 1]
        return [(first, last) for first, last in pairwise(cuts) if first < last]

    def run(self, task: Callable[[Part], None], parts: list[Part]) -> None:
        """Does all parts of a task, side by side."""
        for _ in self.pool.map(task, parts):
            pass


class Shard(NamedTuple):
    """The cells of some sentences, the lengths of their two sides, and where the cells of each begin."""

    cells: Floats
    lengths: Longs
    generated_lengths: Longs
    starts: Longs


class Block(NamedTuple):
    """Some sentences while they are worked on.

    Attributes:
        occurrences: where the conditioning words stand.
        generated: the generated words, where the sentences begin in these and in the cells, the size of the vocabulary.
        parts: ranges of conditioning words, for the threads.
        cells: probabilities of pairs of words, then posteriors of links.
        shards: views of the cells, for the threads.
    """

    occurrences: Occurrences
    generated: tuple[Ints, Longs, Longs, int]
    parts: list[Part]
    cells: Floats
    shards: list[Shard]


def all_pairs(corpus: Corpus, rare_word: int) -> PairTable:
    """Returns the table of the pairs of words that stand in one sentence pair, all equally likely.

    Args:
        rare_word: a pair that is seen once is left out if both words are seen at least this often.
    """
    conditioning, generated = corpus.conditioning, corpus.generated
    occurrences = find_occurrences(conditioning.words, conditioning.offsets, conditioning.vocabulary_size)
    frequencies = np.bincount(generated.words, minlength=generated.vocabulary_size)
    shared = occurrences, generated.words, generated.offsets, frequencies, rare_word
    parts = corpus.parts(occurrences)
    sizes = np.zeros(len(occurrences.starts), dtype=np.int64)
    corpus.run(lambda part: write_rows(*shared, *part, sizes, np.empty(0, dtype=np.int32), True), parts)
    starts = np.cumsum(sizes)
    words = np.empty(starts[-1], dtype=np.int32)
    corpus.run(lambda part: write_rows(*shared, *part, starts, words, False), parts)
    return PairTable(starts, words, np.full(len(words), 1.0 / max(1, generated.vocabulary_size)))


def filled_blocks(corpus: Corpus, table: PairTable, floor: float) -> Iterator[Block]:
    """Returns the corpus in blocks whose cells hold t(f|e), at least `floor`; a block is void when the next comes."""
    conditioning, generated = corpus.conditioning, corpus.generated
    lengths, generated_lengths = np.diff(conditioning.offsets), np.diff(generated.offsets)
    ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum((lengths + 1) * generated_lengths)])
    cells = np.empty(0)
    for first, last in _cuts(ends, 0, len(lengths), BLOCK_CELLS):
        starts = ends[first : last + 1] - ends[first]
        if len(cells) < starts[-1]:
            cells = np.empty(starts[-1])
        shards = [
            Shard(
                cells[ends[begin] - ends[first] : ends[end] - ends[first]],
                lengths[begin:end],
                generated_lengths[begin:end],
                ends[begin:end] - ends[begin],
            )
            for begin, end in _cuts(ends, first, last, SHARD_CELLS)
        ]
        occurrences = find_occurrences(
            conditioning.words, conditioning.offsets[first : last + 1], conditioning.vocabulary_size
        )
        place = generated.words, generated.offsets[first : last + 1], starts, generated.vocabulary_size
        block = Block(occurrences, place, corpus.parts(occurrences), cells, shards)
        corpus.run(partial(_fill, table, block, floor), block.parts)
        yield block


def collect(corpus: Corpus, table: PairTable, block: Block, counts: Floats) -> None:
    """Adds the posteriors in the cells of a block to the expected counts of the pairs of the table."""
    corpus.run(partial(_collect, table, block, counts), block.parts)


def _fill(table: PairTable, block: Block, floor: float, part: Part) -> None:
    fill_cells(table, block.occurrences, *block.generated, *part, floor, block.cells)


def _collect(table: PairTable, block: Block, counts: Floats, part: Part) -> None:
    collect_counts(table, block.occurrences, *block.generated, *part, block.cells, counts)


def _cuts(ends: Longs, first: int, last: int, limit: int) -> Iterator[tuple[int, int]]:
    """Cuts the sentences `first`..`last` - 1 into ranges of at most `limit` cells, but at least one sentence."""
    while first < last:
        end = int(np.searchsorted(ends, ends[first] + limit, side="right")) - 1
        end = min(max(end, first + 1), last)
        yield first, end
        first = end
