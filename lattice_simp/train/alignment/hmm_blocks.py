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

from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.train.alignment.hmm_kernels import Shard
from lattice_simp.train.alignment.hmm_table import (
    Block,
    Occurrences,
    PairTable,
    Part,
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


def all_pairs(corpus: Corpus, rare_word: int) -> PairTable:
    """Returns the table of the pairs of words that are in one sentence pair, all equally likely.

    Args:
        rare_word: a pair that is seen once is left out if both words are seen at least this often.
    """
    conditioning, generated = corpus.conditioning, corpus.generated
    occurrences = find_occurrences(conditioning.words, conditioning.offsets, conditioning.vocabulary_size)
    frequencies = np.bincount(generated.words, minlength=generated.vocabulary_size)
    shared = occurrences, generated.words, generated.offsets, frequencies, rare_word
    parts = corpus.parts(occurrences)
    sizes, nothing = np.zeros(len(occurrences.starts), dtype=np.int64), np.empty(0, dtype=np.int32)
    corpus.run(lambda part: write_rows(*shared, part, sizes, nothing), parts)
    starts = np.cumsum(sizes)
    words = np.empty(starts[-1], dtype=np.int32)
    corpus.run(lambda part: write_rows(*shared, part, starts, words), parts)
    return PairTable(starts, words, np.full(len(words), 1.0 / max(1, generated.vocabulary_size)))


def filled_blocks(corpus: Corpus, table: PairTable, floor: float) -> Iterator[tuple[Block, list[Shard]]]:
    """Returns the corpus in blocks whose cells hold t(f|e), at least `floor`, and views of the cells for threads.

    A block is void when the next comes.
    """
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
        own, other = conditioning.offsets[first : last + 1], generated.offsets[first : last + 1]
        occurrences = find_occurrences(conditioning.words, own, conditioning.vocabulary_size)
        block = Block(occurrences, generated.words, other, generated.vocabulary_size, starts, cells)
        corpus.run(partial(fill_cells, table, block, floor), corpus.parts(occurrences))
        yield block, shards


def collect(corpus: Corpus, table: PairTable, block: Block, counts: Floats) -> None:
    """Adds the posteriors in the cells of a block to the expected counts of the pairs of the table."""
    corpus.run(partial(collect_counts, table, block, counts), corpus.parts(block.occurrences))


def _cuts(ends: Longs, first: int, last: int, limit: int) -> Iterator[tuple[int, int]]:
    """Cuts the sentences `first`..`last` - 1 into ranges of at most `limit` cells, but at least one sentence."""
    while first < last:
        end = int(np.searchsorted(ends, ends[first] + limit, side="right")) - 1
        end = min(max(end, first + 1), last)
        yield first, end
        first = end
