"""Word alignment with the HMM model, which gives the same bytes on every run and for every number of threads.

The model is that of Vogel, Ney and Tillmann (1996, HMM-based word alignment in statistical translation) as Och and Ney
(2003, A systematic comparison of various statistical alignment models, section 2.1) describe it: each word of the
generated side comes from one word of the conditioning side or from NULL, and the width of the jump from the last such
word has a probability. The tables are trained with IBM Model 1 first. A link is the one with the highest posterior.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.train.alignment.hmm_blocks import Corpus, all_pairs, collect, filled_blocks
from lattice_simp.train.alignment.hmm_kernels import Shard, best_positions, hmm_posteriors, model1_posteriors
from lattice_simp.train.alignment.hmm_table import Side, kept_pairs, normalise_rows
from lattice_simp.train.alignment.links import Links

__all__ = ["HmmSettings", "Progress", "Side", "align_both", "align_words"]

# Told the passes that are done, all passes, and a log-likelihood; see `align_both`.
Progress = Callable[[int, int, float], None]


@dataclass(frozen=True)
class HmmSettings:
    """How an aligner is trained.

    Attributes:
        model1_iterations: iterations of IBM Model 1.
        hmm_iterations: iterations of the HMM.
        null: the probability of a transition to NULL (0.2 in Och and Ney 2003, section 2.1).
        uniform: the part of the transitions to words that is spread evenly (Och and Ney's alpha; GIZA++'s default).
        maximum_jump: wider jumps share one weight for each direction.
        floor: the least probability of a pair of words, also of those not in the table (GIZA++'s default).
        rare_word: a pair that is seen once is left out of the table if both words are seen at least this often: they
            are not translations, and most pairs are of this kind.
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


def align_both(
    source: Side,
    target: Side,
    settings: HmmSettings | None = None,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[Links, Links]:
    """Aligns the words of both sides in both directions.

    Args:
        jobs: threads; the result does not depend on it. The directions come one after the other, so that only one
            table is in memory.
        progress: is told after each pass over the corpus how many passes are done, how many there are, and the
            log-likelihood (natural) of the generated side before the update.

    Returns:
        The links of p(target | source), at most one for each target word, and those of p(source | target), at most one
        for each source word. Both as (offsets, points): sentence k has `points[offsets[k]:offsets[k + 1]]`, rows of
        (source position, target position), int32.

    Raises:
        LatticeSimpError: the sides differ in their number of sentences, or there is no thread to do the work.
    """
    settings = settings or HmmSettings()
    half = _num_passes(settings)
    report = progress or _silent
    forward = align_words(
        source, target, settings, jobs=jobs, progress=lambda done, _, value: report(done, 2 * half, value)
    )
    backward = align_words(
        target, source, settings, jobs=jobs, progress=lambda done, _, value: report(half + done, 2 * half, value)
    )
    offsets, points = _links(forward, target.offsets)
    turned_offsets, turned = _links(backward, source.offsets)
    return (offsets, points), (turned_offsets, np.ascontiguousarray(turned[:, ::-1]))


def align_words(
    conditioning: Side,
    generated: Side,
    settings: HmmSettings | None = None,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Ints:
    """Aligns each word of the generated side to a word of the conditioning side; see `align_both`.

    >>> one = Side(np.array([0, 1, 0, 1, 1, 0]), np.array([0, 2, 3, 4, 6]), 2)
    >>> two = Side(np.array([2, 1, 2, 1, 1, 2]), np.array([0, 2, 3, 4, 6]), 3)
    >>> align_words(one, two).tolist()
    [0, 1, 0, 0, 0, 1]

    Returns:
        For each word of `generated` the position in its sentence's other side, -1 for NULL.

    Raises:
        LatticeSimpError: the sides differ in their number of sentences, or there is no thread to do the work.
    """
    if len(conditioning) != len(generated):
        raise LatticeSimpError(f"the sides of a corpus have {len(conditioning)} and {len(generated)} sentences")
    if jobs < 1:
        raise LatticeSimpError(f"jobs must be at least 1, not {jobs}")
    with ThreadPoolExecutor(jobs) as pool:
        return _train(Corpus(conditioning, generated, pool, jobs), settings or HmmSettings(), progress or _silent)


# Puts the posteriors into the cells of a shard and returns its log-likelihood and its jumps (see `hmm_posteriors`).
_Model = Callable[[Shard], tuple[float, Floats]]


def _train(corpus: Corpus, settings: HmmSettings, progress: Progress) -> Ints:
    passes = _num_passes(settings)
    table, weights = all_pairs(corpus, settings.rare_word), np.ones(3 * settings.maximum_jump + 2)
    for done in range(1, passes):
        model = _model1 if done <= settings.model1_iterations else _hmm(weights, settings)
        counts = np.zeros(len(table.words))
        likelihood, jumps = 0.0, np.zeros((2, len(weights)))
        for block, shards in filled_blocks(corpus, table, settings.floor):
            for value, part in corpus.pool.map(model, shards):
                likelihood += value
                jumps += part
            collect(corpus, table, block, counts)
        normalise_rows(table.starts, counts, table.probabilities)
        # A bucket that no sentence has room for keeps its weight, as all do under Model 1.
        weights = np.divide(jumps[0], jumps[1], out=weights.copy(), where=jumps[1] > 0.0)
        if done == settings.model1_iterations:
            table = kept_pairs(table, counts, settings.minimum_count)
        progress(done, passes, likelihood)
    positions, likelihood = [np.empty(0, dtype=np.int32)], 0.0
    for _, shards in filled_blocks(corpus, table, settings.floor):
        likelihood += sum(value for value, _ in corpus.pool.map(_hmm(weights, settings), shards))
        positions += corpus.pool.map(best_positions, shards)
    progress(passes, passes, likelihood)
    return np.concatenate(positions)


def _model1(shard: Shard) -> tuple[float, Floats]:
    return model1_posteriors(shard), np.zeros((2, 1))


def _hmm(weights: Floats, settings: HmmSettings) -> _Model:
    return lambda shard: hmm_posteriors(shard, weights, settings.null, settings.uniform)


def _links(positions: Ints, offsets: Longs) -> Links:
    """Returns the links of words to `positions` as (offsets, points), rows of (position, own position)."""
    linked = np.flatnonzero(positions >= 0)
    own = linked - np.repeat(offsets[:-1], np.diff(offsets))[linked]
    points = np.stack([positions[linked], own], axis=1).astype(np.int32)
    return np.searchsorted(linked, offsets), points


def _num_passes(settings: HmmSettings) -> int:
    return settings.model1_iterations + settings.hmm_iterations + 1


def _silent(done: int, total: int, log_likelihood: float) -> None:
    """Reports nothing."""
