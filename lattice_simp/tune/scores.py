"""Costs under weights of the features, and the path of lowest cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.features import Scores
from lattice_simp.core.kernel import Floats, Ints, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError


def weight_vector(feature_names: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """Returns the weights in the order of the features, float64.

    Raises:
        LatticeSimpError: a weight is missing, or one is named that no feature has.
    """
    if set(weights) != set(feature_names):
        wrong = sorted(set(weights) ^ set(feature_names))
        raise LatticeSimpError(f"weights and features differ in {', '.join(wrong)}; give each feature one weight")
    return np.array([weights[name] for name in feature_names], dtype=np.float64)


def lattice_under(lattice: Lattice, weights: Mapping[str, float] | npt.ArrayLike) -> Lattice:
    """Sets the costs of a lattice to those of its features under the weights; arcs keep their numbers.

    The weights are by feature, 0 where one is missing, or in the order of the features, (features,).

    >>> from lattice_simp.tune.feature_lattice import tuning_lattice
    >>> pair = Lattice.from_strings([("a", 0.0), ("b", 0.0)])
    >>> lattice_under(tuning_lattice(pair, "xy", [[1.0, 0.5], [0.0, 2.0]]), {"x": 1.0, "y": 3.0}).weights.tolist()
    [-1.0, -6.5]
    """
    features = lattice.features
    if isinstance(weights, Mapping):
        weights = [weights.get(name, 0.0) for name in features]
    vector = np.asarray(weights, dtype=np.float64)
    finals = np.where(np.isfinite(lattice.finals), 0.0 - weighted(features.finals, vector), np.inf)
    return replace(lattice, weights=0.0 - weighted(features.arcs, vector), finals=finals)


def best_hypothesis(lattice: Lattice, weights: Mapping[str, float] | npt.ArrayLike) -> tuple[Ints, float]:
    """Returns the words (int32 ids) of the best path and its cost in nats; infinite if there is none.

    >>> from lattice_simp.tune.feature_lattice import tuning_lattice
    >>> pair = Lattice.from_strings([("a", 0.0), ("b", 0.0)])
    >>> best_hypothesis(tuning_lattice(pair, ["x"], [[1.0, 2.0]]), {"x": 1.0})
    (array([2], dtype=int32), -2.0)

    Raises:
        LatticeSimpError: a weight is missing, or one is named that no feature has.
        CyclicLatticeError: the lattice has a cycle.
    """
    vector = weight_vector(lattice.features.names, weights) if isinstance(weights, Mapping) else weights
    words, cost = _best_path(lattice_under(lattice.topsorted(), vector).arcs)
    return words, float(cost)


@jit
def weighted(features: Scores, weights: Floats) -> Floats:
    """Returns the sums of weight times row, float64; rows of weight 0 cost nothing and add nothing."""
    sums = np.zeros(features.shape[1])
    for number in range(len(features)):
        weight = weights[number]
        if weight != 0.0:
            for index in range(len(sums)):
                sums[index] += weight * features[number, index]
    return sums


@jit
def _best_path(arcs: Arcs) -> tuple[Ints, float]:
    """Returns the words and the cost of the best path; of equal ones the shorter, then that of the first arcs."""
    num_states = len(arcs.finals)
    if num_states == 0:
        return np.zeros(0, dtype=np.int32), np.inf
    rest = arcs.finals.copy()
    choice = np.full(num_states, -1, dtype=np.int32)
    for state in range(num_states - 1, -1, -1):
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            cost = arcs.weights[arc] + rest[arcs.nextstates[arc]]
            if cost < rest[state]:
                rest[state], choice[state] = cost, arc
    best = np.empty(num_states, dtype=np.int32)
    length = 0
    state = 0
    while choice[state] >= 0:
        if arcs.labels[choice[state]] != 0:
            best[length] = arcs.labels[choice[state]]
            length += 1
        state = arcs.nextstates[choice[state]]
    return best[:length].copy(), rest[0]
