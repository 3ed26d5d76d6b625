"""The upper envelope of a lattice's hypotheses along a line of weights (Macherey et al. 2008, Algorithms 1 and 2).

Along the line `weights + gamma * direction` the score of a hypothesis is a line in gamma, and the best hypothesis for
every gamma is on the upper hull of all their lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.features import Scores
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.tune.corpus_bleu import STATISTICS, References, hypothesis_statistics
from lattice_simp.tune.hulls import LINE, Lines, hulls
from lattice_simp.tune.scores import weighted

NO_LIMIT = float("inf")


@dataclass(frozen=True, eq=False)
class Envelope:
    """The best hypothesis for every gamma: segment `i` is best between `boundaries[i - 1]` and `boundaries[i]`.

    Attributes:
        boundaries: (segments - 1,) float64, increasing.
        offsets: (segments + 1,) int64, where each segment's words begin.
        words: int32, the words of all segments; neighbouring segments have different ones.
    """

    boundaries: Floats
    offsets: Longs
    words: Ints

    def hypothesis(self, segment: int) -> Ints:
        return self.words[self.offsets[segment] : self.offsets[segment + 1]]


@dataclass(frozen=True, eq=False)
class Segments:
    """What several envelopes of a sentence mean for BLEU.

    Attributes:
        offsets: (directions + 1,) int64, where the segments of each direction begin.
        begins: (segments,) float64, the gamma at which each begins: -limit for the first of a direction.
        changes: (segments, `STATISTICS`) int32, the statistics of the segment's hypothesis less those of the segment
            before it: sums over the segments to the left of a gamma give the statistics there.
        limit: the largest size of gamma.
    """

    offsets: Longs
    begins: Floats
    changes: Ints
    limit: float


def envelope(lattice: Lattice, weights: npt.ArrayLike, direction: npt.ArrayLike, limit: float = NO_LIMIT) -> Envelope:
    """Returns the best hypotheses for gamma in (-limit, limit); a lattice without any gives one segment without words.

    >>> from lattice_simp.tune.feature_lattice import tuning_lattice
    >>> pair = Lattice.from_strings([("a", 0.0), ("b", 0.0)])
    >>> found = envelope(tuning_lattice(pair, "xy", [[1.0, 0.0], [0.0, 1.0]]), [1.0, 0.5], [0.0, 1.0])
    >>> found.boundaries.tolist(), found.words.tolist()
    ([0.5], [1, 2])

    Args:
        lattice: acyclic; its features make the scores.
        weights: (features,), where gamma is 0.
        direction: (features,), what gamma multiplies.
        limit: the largest size of gamma.
    """
    start, along = np.asarray(weights, dtype=np.float64), np.asarray(direction, dtype=np.float64)
    lattice = lattice.topsorted()
    return Envelope(*_envelope(lattice.arcs, lattice.features.arcs, lattice.features.finals, start, along, limit))


def segments(
    lattice: Lattice,
    references: References,
    weights: npt.ArrayLike,
    directions: npt.ArrayLike,
    limit: float = NO_LIMIT,
) -> Segments:
    """Returns the envelopes along each of `directions`, (directions, features), as BLEU statistics."""
    start, along = np.asarray(weights, dtype=np.float64), np.asarray(directions, dtype=np.float64)
    lattice = lattice.topsorted()
    arrays = (lattice.arcs, lattice.features.arcs, lattice.features.finals)
    offsets, begins, changes = _segments(*arrays, references, start, along, limit)
    return Segments(offsets, begins, changes, limit)


# ---------------------------------------------------------------- kernels


@jit
def _read_off(pool: Lines, line: int, words: Ints, out: Ints) -> int:
    """Writes the words of a line's hypothesis; returns their number."""
    length = 0
    while pool[line].arc >= 0:
        word = words[pool[line].arc]
        if word != 0:
            out[length] = word
            length += 1
        line = pool[line].rest
    return length


@jit
def _differ(one: Ints, length: int, other: Ints, other_length: int) -> bool:
    if length != other_length:
        return True
    same = True
    for index in range(length):
        same = same and one[index] == other[index]
    return not same


@jit
def _envelope(
    arcs: Arcs, features: Scores, final_features: Scores, weights: Floats, direction: Floats, limit: float
) -> tuple[Floats, Longs, Ints]:
    """Returns the boundaries, the words' offsets, and the words of the segments."""
    lines, end_lines = np.empty((2, len(arcs.labels))), np.empty((2, len(arcs.finals)))
    lines[0], end_lines[0] = weighted(features, direction), weighted(final_features, direction)
    lines[1], end_lines[1] = weighted(features, weights), weighted(final_features, weights)
    pool, begin, end = hulls(arcs, lines, end_lines, limit, np.empty(1024, dtype=LINE))
    found = np.empty((end - begin, len(arcs.finals)), dtype=np.int32)
    lengths = np.empty(end - begin, dtype=np.int64)
    boundaries = np.empty(end - begin, dtype=np.float64)
    count = 0
    for line in range(begin, end):
        lengths[count] = _read_off(pool, line, arcs.labels, found[count])
        boundaries[count] = pool[line].left
        if count == 0 or _differ(found[count], lengths[count], found[count - 1], lengths[count - 1]):
            count += 1
    word_offsets = np.zeros(count + 1, dtype=np.int64)
    word_offsets[1:] = np.cumsum(lengths[:count])
    flat = np.empty(word_offsets[count], dtype=np.int32)
    for segment in range(count):
        flat[word_offsets[segment] : word_offsets[segment + 1]] = found[segment, : lengths[segment]]
    return boundaries[1:count].copy(), word_offsets, flat


@jit
def _segments(
    arcs: Arcs,
    features: Scores,
    final_features: Scores,
    references: References,
    weights: Floats,
    directions: Floats,
    limit: float,
) -> tuple[Longs, Floats, Ints]:
    """Returns where the segments of each direction begin, the gamma where each begins, and what changes there."""
    num_states = len(arcs.finals)
    lines, end_lines = np.empty((2, len(arcs.labels))), np.empty((2, num_states))
    lines[1], end_lines[1] = weighted(features, weights), weighted(final_features, weights)
    pool = np.empty(1024, dtype=LINE)
    hypothesis, previous = np.empty(num_states, dtype=np.int32), np.empty(num_states, dtype=np.int32)
    used = np.zeros(len(references.limits), dtype=np.int32)
    row, row_before = np.empty(STATISTICS, dtype=np.int64), np.empty(STATISTICS, dtype=np.int64)
    begins, changes = np.empty(64), np.empty((64, STATISTICS), dtype=np.int32)
    counts = np.zeros(len(directions) + 1, dtype=np.int64)
    count = 0
    for number in range(len(directions)):
        lines[0] = weighted(features, directions[number])
        end_lines[0] = weighted(final_features, directions[number])
        pool, begin, end = hulls(arcs, lines, end_lines, limit, pool)
        previous_length = -1
        row_before[:] = 0
        for line in range(begin, end):
            length = _read_off(pool, line, arcs.labels, hypothesis)
            if not _differ(hypothesis, length, previous, previous_length):
                continue
            if count == len(begins):
                longer, more = np.empty(2 * count), np.empty((2 * count, STATISTICS), dtype=np.int32)
                longer[:count], more[:count] = begins, changes
                begins, changes = longer, more
            hypothesis_statistics(hypothesis, length, references, used, row)
            begins[count] = pool[line].left
            for column in range(STATISTICS):
                changes[count, column] = row[column] - row_before[column]
            count += 1
            hypothesis, previous, previous_length = previous, hypothesis, length
            row, row_before = row_before, row
        counts[number + 1] = count
    return counts, begins[:count].copy(), changes[:count].copy()
