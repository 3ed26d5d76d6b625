"""Word alignment with the HMM model, with the same bytes on every run and for any number of threads.

The model is that of Vogel, Ney and Tillmann (1996, HMM-based word alignment in statistical translation) as Och and Ney
(2003, A systematic comparison of various statistical alignment models, section 2.1) describe it: each word of the
generated side comes from one word of the conditioning side or from NULL, and the width of the jump from the last such
word has a probability. The tables are first trained with IBM Model 1. Each word is linked to the position with the
highest posterior.

A cell is a pair of a conditioning position (or NULL) and a generated position in one sentence pair. Threads share the
work of a block of cells by words where tables are read and written, and by shards of sentences in between. Sums over
shards and blocks are added in their order, so the results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.plurals import counted
from lattice_simp.support.threads import map_in_threads
from lattice_simp.train.alignment.hmm_kernels import Shard, best_positions, hmm_posteriors, model1_posteriors
from lattice_simp.train.alignment.hmm_table import (
    Block,
    Occurrences,
    PairTable,
    Part,
    Side,
    collect_counts,
    fill_cells,
    find_occurrences,
    kept_pairs,
    normalise_rows,
    write_rows,
)
from lattice_simp.train.alignment.links import Links

__all__ = ["HmmSettings", "Side", "align_both", "align_words"]

# The cells in memory at once (128 MiB), and those of a shard, the work of one thread at a time. Both determine the
# order in which sums are added, so they do not depend on the machine.
BLOCK_CELLS = 1 << 24
SHARD_CELLS = 1 << 18
# Shares of the vocabulary for each thread: more than one, as some words have far more cells than others.
PARTS_PER_JOB = 4

Progress = Callable[[int, int, float], object]
"""Called after each pass over the corpus with the number of finished passes, the number of all passes, and the
log-likelihood (natural) of the generated side before the update."""


@dataclass(frozen=True)
class HmmSettings:
    """How an aligner is trained.

    Attributes:
        model1_iterations, hmm_iterations: the iterations of IBM Model 1, and of the HMM.
        null: the probability of a transition to NULL (0.2 in Och and Ney 2003, section 2.1).
        uniform: the share of the transitions to words that is uniform (Och and Ney's alpha; GIZA++'s default).
        maximum_jump: wider jumps share one weight for each direction.
        floor: the least probability of a pair of words, also of pairs that are not in the table (GIZA++'s default).
        rare_word: a pair that is seen once is left out of the table if both words are seen at least this often: such
            words are not translations of each other, and most pairs are of this kind.
        minimum_count: pairs whose expected count after Model 1 is lower are dropped.

    Raises:
        LatticeSimpError: a probability that is not between 0 and 1, or a negative number.
    """

    model1_iterations: int = 5
    hmm_iterations: int = 5
    null: float = 0.2
    uniform: float = 0.2
    maximum_jump: int = 10
    floor: float = 1e-7
    rare_word: int = 5
    minimum_count: float = 0.01

    def __post_init__(self) -> None:
        for name in ("null", "uniform", "floor"):
            if not 0.0 < getattr(self, name) < 1.0:
                raise LatticeSimpError(f"HMM aligner: {name} must be between 0 and 1, not {getattr(self, name)}")
        for name in ("model1_iterations", "hmm_iterations", "maximum_jump", "rare_word", "minimum_count"):
            if not getattr(self, name) >= 0:
                raise LatticeSimpError(f"HMM aligner: {name} must not be negative, as {getattr(self, name)} is")

    @property
    def passes(self) -> int:
        """Passes over the corpus: the last one finds the links."""
        return self.model1_iterations + self.hmm_iterations + 1


DEFAULTS = HmmSettings()


def align_both(
    source: Side,
    target: Side,
    settings: HmmSettings = DEFAULTS,
    *,
    jobs: int = 1,
    progress: Progress = lambda done, total, value: None,
) -> tuple[Links, Links]:
    """Aligns the words of both sides in both directions, one after the other, so that only one table is in memory.

    Args:
        source, target: both sides of the same sentence pairs.
        settings: how the aligner is trained.
        jobs: the number of threads, which does not change the result.
        progress: called after each pass over the corpus in either direction.

    Returns:
        The links of p(target | source), at most one for each target word, and those of p(source | target), at most one
        for each source word.

    Raises:
        LatticeSimpError: the sides differ in their number of sentences, or `jobs` is below 1.
    """
    half = settings.passes

    def report(begin: int) -> Progress:
        return lambda done, _, value: progress(begin + done, 2 * half, value)

    forward = align_words(source, target, settings, jobs=jobs, progress=report(0))
    backward = align_words(target, source, settings, jobs=jobs, progress=report(half))
    offsets, points = _links(forward, target.offsets)
    turned_offsets, turned = _links(backward, source.offsets)
    return (offsets, points), (turned_offsets, np.ascontiguousarray(turned[:, ::-1]))


def align_words(
    conditioning: Side,
    generated: Side,
    settings: HmmSettings = DEFAULTS,
    *,
    jobs: int = 1,
    progress: Progress = lambda done, total, value: None,
) -> Ints:
    """Aligns each word of the generated side to a word of the conditioning side; see `align_both`.

    >>> source = Side(np.array([0, 1, 0, 1, 1, 0]), np.array([0, 2, 3, 4, 6]), 2)
    >>> target = Side(np.array([2, 1, 2, 1, 1, 2]), np.array([0, 2, 3, 4, 6]), 3)
    >>> align_words(source, target).tolist()
    [0, 1, 0, 0, 0, 1]

    Returns:
        For each word of `generated` the position in its sentence's other side, -1 for NULL.
    """
    if len(conditioning) != len(generated):
        raise LatticeSimpError(
            f"the sides of a corpus have {len(conditioning)} and {counted(len(generated), 'sentence')}"
        )
    if jobs < 1:
        raise LatticeSimpError(f"jobs must be at least 1, not {jobs}")
    return _train(_Corpus(conditioning, generated, jobs), settings, progress)


# ---------------------------------------------------------------- training


def _train(corpus: _Corpus, settings: HmmSettings, progress: Progress) -> Ints:
    table, weights = _all_pairs(corpus, settings.rare_word), np.ones(3 * settings.maximum_jump + 2)
    for iteration in range(1, settings.passes):
        model = model1_posteriors if iteration <= settings.model1_iterations else _hmm(weights, settings)
        counts = np.zeros(len(table.words))
        likelihood, jumps = 0.0, np.zeros((2, len(weights)))
        for block, shards in _filled_blocks(corpus, table, settings.floor):
            for value, part in map_in_threads(model, shards, corpus.jobs):
                likelihood += value
                jumps += part
            corpus.run(partial(collect_counts, table, block, counts), block.occurrences)
        normalise_rows(table.starts, counts, table.probabilities)
        # A bucket that fits no sentence keeps its weight, as all buckets do under Model 1.
        weights = np.divide(jumps[0], jumps[1], out=weights.copy(), where=jumps[1] > 0.0)
        if iteration == settings.model1_iterations:
            table = kept_pairs(table, counts, settings.minimum_count)
        progress(iteration, settings.passes, likelihood)
    positions, likelihood = [np.empty(0, dtype=np.int32)], 0.0
    for _, shards in _filled_blocks(corpus, table, settings.floor):
        likelihood += sum(value for value, _ in map_in_threads(_hmm(weights, settings), shards, corpus.jobs))
        positions += map_in_threads(best_positions, shards, corpus.jobs)
    progress(settings.passes, settings.passes, likelihood)
    return np.concatenate(positions)


def _hmm(weights: Floats, settings: HmmSettings) -> Callable[[Shard], tuple[float, Floats]]:
    return lambda shard: hmm_posteriors(shard, weights, settings.null, settings.uniform)


def _links(positions: Ints, offsets: Longs) -> Links:
    """Returns the links of words to `positions` as (offsets, points), rows of (position, position in its sentence)."""
    linked = np.flatnonzero(positions >= 0)
    inside = linked - np.repeat(offsets[:-1], np.diff(offsets))[linked]
    points = np.stack([positions[linked], inside], axis=1).astype(np.int32)
    return np.searchsorted(linked, offsets), points


# ---------------------------------------------------------------- blocks


class _Corpus(NamedTuple):
    """Both sides of a parallel corpus and the number of threads that work on it."""

    conditioning: Side
    generated: Side
    jobs: int

    def run(self, task: Callable[[Part], None], occurrences: Occurrences) -> None:
        """Runs a task in threads for ranges of conditioning words with about the same number of occurrences."""
        starts = occurrences.starts
        bounds = np.linspace(0, starts[-1], self.jobs * PARTS_PER_JOB + 1)[1:-1]
        cuts = [0, *np.searchsorted(starts[:-1], bounds).tolist(), len(starts) - 1]
        map_in_threads(task, [(first, last) for first, last in pairwise(cuts) if first < last], self.jobs)


def _all_pairs(corpus: _Corpus, rare_word: int) -> PairTable:
    """Returns the table of the pairs of words that occur in the same sentence pair, all equally likely."""
    conditioning, generated = corpus.conditioning, corpus.generated
    occurrences = find_occurrences(conditioning.words, conditioning.offsets, conditioning.vocabulary_size)
    frequencies = np.bincount(generated.words, minlength=generated.vocabulary_size)
    shared = occurrences, generated.words, generated.offsets, frequencies, rare_word
    sizes, nothing = np.zeros(len(occurrences.starts), dtype=np.int64), np.empty(0, dtype=np.int32)
    corpus.run(lambda part: write_rows(*shared, part, sizes, nothing), occurrences)
    starts = np.cumsum(sizes)
    words = np.empty(starts[-1], dtype=np.int32)
    corpus.run(lambda part: write_rows(*shared, part, starts, words), occurrences)
    return PairTable(starts, words, np.full(len(words), 1.0 / max(1, generated.vocabulary_size)))


def _filled_blocks(corpus: _Corpus, table: PairTable, floor: float) -> Iterator[tuple[Block, list[Shard]]]:
    """Yields blocks of the corpus whose cells hold t(f|e), at least `floor`, and views of the cells for threads.

    The next block overwrites the cells.
    """
    conditioning, generated = corpus.conditioning, corpus.generated
    lengths, generated_lengths = np.diff(conditioning.offsets), np.diff(generated.offsets)
    ends = prefix_sums((lengths + 1) * generated_lengths)
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
        offsets = generated.offsets[first : last + 1]
        block = Block(occurrences, generated.words, offsets, generated.vocabulary_size, starts, cells)
        corpus.run(partial(fill_cells, table, block, floor), occurrences)
        yield block, shards


def _cuts(ends: Longs, first: int, last: int, limit: int) -> Iterator[tuple[int, int]]:
    """Cuts the sentences `first`..`last` - 1 into ranges of at most `limit` cells, but at least one sentence."""
    while first < last:
        end = int(np.searchsorted(ends, ends[first] + limit, side="right")) - 1
        end = min(max(end, first + 1), last)
        yield first, end
        first = end
