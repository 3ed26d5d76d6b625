"""Scores of arcs under given weights, and the path that has the highest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints, jit
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.feature_lattice import FeatureMatrix


def weight_vector(feature_names: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """Returns the weights in the order of the features, float64.

    Raises:
        LatticeSimpError: a weight is missing, or one is named that no feature has.
    """
    if set(weights) != set(feature_names):
        wrong = sorted(set(weights) ^ set(feature_names))
        raise LatticeSimpError(f"weights and features differ in {', '.join(wrong)}; give each feature one weight")
    return np.array([weights[name] for name in feature_names], dtype=np.float64)


@jit
def weighted(columns: FeatureMatrix, weights: Floats) -> Floats:
    """Returns the sums of weight times column, float64; columns of weight 0 cost nothing and add nothing."""
    sums = np.zeros(columns.shape[1])
    for number in range(len(columns)):
        weight = weights[number]
        if weight != 0.0:
            for place in range(len(sums)):
                sums[place] += weight * columns[number, place]
    return sums


@jit
def best_path(
    offsets: Ints, words: Ints, nextstates: Ints, scores: Floats, final: Bools, final_scores: Floats
) -> tuple[Ints, float]:
    """Returns the words and the score of the best path; of equal ones the shorter, then that of the first arcs."""
    num_states = len(final)
    if num_states == 0:
        return np.zeros(0, dtype=np.int32), -np.inf
    rest = np.where(final, final_scores, -np.inf)
    choice = np.full(num_states, -1, dtype=np.int32)
    for state in range(num_states - 1, -1, -1):
        for arc in range(offsets[state], offsets[state + 1]):
            score = scores[arc] + rest[nextstates[arc]]
            if score > rest[state]:
                rest[state], choice[state] = score, arc
    best = np.empty(num_states, dtype=np.int32)
    length = 0
    state = 0
    while choice[state] >= 0:
        if words[choice[state]] != 0:
            best[length] = words[choice[state]]
            length += 1
        state = nextstates[choice[state]]
    return best[:length].copy(), rest[0]
