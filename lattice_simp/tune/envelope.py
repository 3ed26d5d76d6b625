"""The upper envelope of a lattice's hypotheses along a line of weights (Macherey et al. 2008, Algorithms 1 and 2).

Along the line `weights + gamma * direction` the score of a hypothesis is a line in gamma, and the best hypothesis for
every gamma is on the upper hull of all their lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.growing import copy_into
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
    lines, end_lines = np.empty((2, lattice.num_arcs)), np.empty((2, lattice.num_states))
    lines[1], end_lines[1] = weighted(features, start), weighted(final_features, start)
    pool, envelopes = np.empty(1024, dtype=LINE), []
    for direction in along:
        lines[0], end_lines[0] = weighted(features, direction), weighted(final_features, direction)
        pool, first, last = hulls(lattice.arcs, lines, end_lines, limit, pool)
        envelopes.append(hypotheses(lattice.arcs, pool, first, last))
    offsets = prefix_sums([len(begins) for begins, _, _ in envelopes])
    word_offsets = prefix_sums(np.concatenate([np.empty(0), *(np.diff(words_of) for _, words_of, _ in envelopes)]))
    begins = np.concatenate([np.empty(0), *(begins for begins, _, _ in envelopes)])
    words = np.concatenate([np.empty(0, dtype=np.int32), *(words for _, _, words in envelopes)])
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
        if count == 0 or not _is_same(rows[count], length, rows[count - 1], before):
            begins[count], offsets[count + 1], before = pool[first].left, offsets[count] + length, length
            count += 1
    words = np.empty(offsets[count], dtype=np.int32)
    for segment in range(count):
        copy_into(words, offsets[segment], rows[segment, : offsets[segment + 1] - offsets[segment]])
    return begins[:count], offsets[: count + 1], words


@jit
def _is_same(first: Ints, first_length: int, second: Ints, second_length: int) -> bool:
    place = 0
    while place < min(first_length, second_length) and first[place] == second[place]:
        place += 1
    return first_length == second_length == place
