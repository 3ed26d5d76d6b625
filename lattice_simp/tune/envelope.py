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
from lattice_simp.tune.hulls import LINE, Lines, hulls
from lattice_simp.tune.metric import Prepared
from lattice_simp.tune.scores import weighted


@dataclass(frozen=True, eq=False)
class Segments:
    """The envelopes of a sentence along several directions, as statistics of a metric.

    Attributes:
        offsets: (directions + 1,) int64, where the segments of each direction begin.
        begins: (segments,) float64, the gamma at which each begins: -limit for the first of a direction.
        changes: (segments, columns) int32, the statistics of the segment's hypothesis less those of the segment before:
            sums over the segments to the left of a gamma are the statistics there.
        limit: the largest size of gamma.
    """

    offsets: Longs
    begins: Floats
    changes: Ints
    limit: float


def segments(
    lattice: Lattice,
    sentence: Prepared,
    weights: npt.ArrayLike,
    directions: npt.ArrayLike,
    limit: float = float("inf"),
) -> Segments:
    """Returns the best hypotheses along each of the directions, as a metric's statistics.

    >>> from lattice_simp.scores.bleu import References
    >>> from lattice_simp.tune.feature_lattice import tuning_lattice
    >>> pair = tuning_lattice(Lattice.from_strings([("a", 0.0), ("b", 0.0)]), "xy", [[1.0, 0.0], [0.0, 1.0]])
    >>> segments(pair, References.of([[2]]), [1.0, 0.5], [[0.0, 1.0]]).begins.tolist()  # "a", then "b"
    [-inf, 0.5]

    Args:
        lattice: acyclic; its features are the scores. Without any hypothesis, there is one segment without words.
        sentence: its references, prepared for the metric.
        weights: (features,), the weights at gamma 0.
        directions: (directions, features), the directions that gamma multiplies.
        limit: the largest size of gamma.
    """
    start, along = np.asarray(weights, dtype=np.float64), np.asarray(directions, dtype=np.float64)
    lattice = lattice.topsorted()
    features, final_features = map(np.ascontiguousarray, (lattice.features.arcs, lattice.features.finals))
    offsets, begins, word_offsets, words = _segments(lattice.arcs, features, final_features, start, along, limit)
    rows = sentence.rows(words, word_offsets)
    changes = np.diff(rows, axis=0, prepend=0)
    changes[offsets[:-1]] = rows[offsets[:-1]]
    return Segments(offsets, begins, changes.astype(np.int32), limit)


# ---------------------------------------------------------------- kernels


@jit
def hypotheses(arcs: Arcs, pool: Lines, begin: int, end: int) -> tuple[Floats, Longs, Ints]:
    """Returns the distinct hypotheses of a hull's lines: the gamma where each begins, the words' offsets, the words."""
    rows = np.empty((end - begin, len(arcs.finals)), dtype=np.int32)
    begins, offsets = np.empty(end - begin), np.zeros(end - begin + 1, dtype=np.int64)
    count = before = 0
    for first in range(begin, end):
        length, line = 0, first
        while pool[line].arc >= 0:
            word = arcs.labels[pool[line].arc]
            if word != 0:
                rows[count, length] = word
                length += 1
            line = pool[line].rest
        if count == 0 or not np.array_equal(rows[count, :length], rows[count - 1, :before]):
            begins[count], offsets[count + 1], before = pool[first].left, offsets[count] + length, length
            count += 1
    words = np.empty(offsets[count], dtype=np.int32)
    for segment in range(count):
        words[offsets[segment] : offsets[segment + 1]] = rows[segment, : offsets[segment + 1] - offsets[segment]]
    return begins[:count].copy(), offsets[: count + 1].copy(), words


@jit
def _segments(
    arcs: Arcs, features: Scores, final_features: Scores, weights: Floats, directions: Floats, limit: float
) -> tuple[Longs, Floats, Longs, Ints]:
    """Returns where the segments of each direction begin, the gamma and the words' offset of each, and the words."""
    lines, end_lines = np.empty((2, len(arcs.labels))), np.empty((2, len(arcs.finals)))
    lines[1], end_lines[1] = weighted(features, weights), weighted(final_features, weights)
    pool = np.empty(1024, dtype=LINE)
    begins, offsets, words = np.empty(0), np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)
    counts = np.zeros(len(directions) + 1, dtype=np.int64)
    for number in range(len(directions)):
        lines[0] = weighted(features, directions[number])
        end_lines[0] = weighted(final_features, directions[number])
        pool, begin, end = hulls(arcs, lines, end_lines, limit, pool)
        new_begins, new_offsets, new_words = hypotheses(arcs, pool, begin, end)
        begins = np.concatenate((begins, new_begins))
        offsets = np.concatenate((offsets, new_offsets[1:] + len(words)))
        words = np.concatenate((words, new_words))
        counts[number + 1] = len(begins)
    return counts, begins, offsets, words
