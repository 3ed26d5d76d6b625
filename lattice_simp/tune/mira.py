"""Batch MIRA: weights that rank good hypotheses above bad ones, averaged over all steps (Cherry and Foster 2012).

Minimum error rate training finds the best corpus score, and with twenty features it overfits. Here each sentence moves
the weights by a bounded step, so that its "hope" (good, and liked by the model) lies ahead of its "fear" (bad, and
liked by the model) by as much as their scores differ; the mean of all intermediate weights generalises.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.features import Scores
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.nbest import nbest
from lattice_simp.tune.mert import MertResult, Step, checked_names, require_features
from lattice_simp.tune.metric import Prepared, References, TunedMetric
from lattice_simp.tune.metrics import BLEU, tuned_metric
from lattice_simp.tune.scores import lattice_under, weight_vector

MARGIN = 10.0
"""Nats by which a hypothesis of score 1 should lie ahead of one of score 0."""

LEAST_DEVIATION = 1e-9
"""A feature whose standard deviation within lists is below this is constant up to rounding."""


@dataclass(frozen=True)
class MiraOptions:
    """The settings of the updates.

    Attributes:
        seed: the seed of the order of the sentences.
        epochs: the number of passes over all sentences; the result is the mean weights after the best epoch.
        step: the largest step of one sentence (C), in units in which features have a standard deviation of 1 nat within
            a list.
        decay: the decay of earlier sentences in the background with which a hypothesis is scored.
        hypotheses: the number of best hypotheses of each lattice, under the initial weights, to use.
        fixed: features whose weights stay.
        signs: features whose weights stay at or above 0 (+1) or at or below it (-1).
    """

    seed: int = 1
    epochs: int = 40
    step: float = 0.05
    decay: float = 0.999
    hypotheses: int = 1000
    fixed: frozenset[str] = frozenset()
    signs: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        least = {"epochs": 1, "hypotheses": 1}
        wrong = [name for name, bound in least.items() if getattr(self, name) < bound]
        wrong += [] if 0 < self.step < math.inf else ["step"]
        wrong += [] if 0 <= self.decay < 1 else ["decay"]
        if wrong:
            raise LatticeSimpError(f"{wrong[0]} is {getattr(self, wrong[0])}, which is out of range")


@dataclass(frozen=True, eq=False)
class HypothesisList:
    """The hypotheses of a sentence: their (hypotheses, features) scores, and (hypotheses, columns) statistics."""

    features: Floats
    statistics: Longs


def learn_margins(
    lattices: Sequence[Lattice],
    references: Sequence[References],
    start_weights: Mapping[str, float],
    options: MiraOptions | None = None,
    *,
    metric: str | TunedMetric = "bleu",
    sources: Sequence[npt.ArrayLike] | None = None,
) -> MertResult:
    """Finds weights with a high corpus score of the lattices' best hypotheses, as `minimize_error` does.

    >>> from lattice_simp.tune.feature_lattice import tuning_lattice
    >>> pair = Lattice.from_strings([("a b c d", 0.0), ("a b c e", 0.0)])
    >>> scores = np.zeros((2, pair.num_arcs))
    >>> scores[:, pair.olabels == 4], scores[:, pair.olabels == 5] = [[1.0], [0.0]], [[0.0], [1.0]]
    >>> lattice, start = tuning_lattice(pair, "xy", scores), {"x": 0.1, "y": 1.0}
    >>> result = learn_margins([lattice], [[[1, 2, 3, 4]]], start, MiraOptions(step=1.0))
    >>> result.initial_score, result.score
    (0.0, 1.0)

    Args:
        lattices, references, start_weights, metric, sources: as for `minimize_error`.
        options: see `MiraOptions`.

    Returns:
        The weights and scores; the trace has one step for each epoch.

    Raises:
        LatticeSimpError: as `minimize_error`.
    """
    chosen = MiraOptions() if options is None else options
    names = checked_names(lattices, references, chosen.fixed | set(chosen.signs))
    start = weight_vector(names, start_weights)
    measure = tuned_metric(metric)
    lists = [
        hypothesis_list(lattice, prepared, start, chosen.hypotheses)
        for lattice, prepared in zip(lattices, measure.prepared(references, sources, lattices[0].symbols), strict=True)
        if not lattice.empty
    ]
    return learn_margins_of_lists(lists, names, start_weights, chosen, measure)


def learn_margins_of_lists(
    lists: Sequence[HypothesisList],
    names: Sequence[str],
    start_weights: Mapping[str, float],
    options: MiraOptions | None = None,
    metric: TunedMetric = BLEU,
) -> MertResult:
    """Finds weights with a high corpus score of the lists' best hypotheses; see `learn_margins`.

    >>> bad, good = [4, 3, 2, 1, 5, 4, 3, 2, 5], [5, 4, 3, 2, 5, 4, 3, 2, 5]
    >>> hypotheses = HypothesisList(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([bad, good]))
    >>> result = learn_margins_of_lists([hypotheses], "xy", {"x": 1.0, "y": 0.1}, MiraOptions(step=1.0))
    >>> round(result.initial_score, 3), result.score
    (0.669, 1.0)

    Raises:
        LatticeSimpError: no hypotheses, weights and features that differ, or an option names an unknown feature.
    """
    chosen = MiraOptions() if options is None else options
    lists = [sentence for sentence in lists if len(sentence.features)]
    if not lists:
        raise LatticeSimpError("there are no hypotheses to learn from")
    require_features(chosen.fixed | set(chosen.signs), names)
    start = weight_vector(tuple(names), start_weights)
    signs = np.array([chosen.signs.get(name, 0) for name in names])
    free = np.array([name not in chosen.fixed for name in names])
    units = np.where(free, _units(lists, len(start)), 0.0)
    begin = np.where(free & (start * signs < 0), 0.0, start)
    initial = corpus_score(lists, start, metric)
    best, score, trace = begin, corpus_score(lists, begin, metric), list[Step]()
    for epoch, weights in enumerate(_epochs(lists, begin, units, signs, chosen, metric)):
        reached = corpus_score(lists, weights, metric)
        trace.append(Step(0, epoch, "mean", 0.0, reached, None))
        if reached > score:
            best, score = weights, reached
    return MertResult(dict(zip(names, best.tolist(), strict=True)), score, initial, tuple(trace))


def hypothesis_list(lattice: Lattice, prepared: Prepared, weights: Floats, count: int) -> HypothesisList:
    """Returns the `count` best hypotheses of a lattice under weights, with their statistics."""
    names = lattice.features.names
    paths = nbest(lattice_under(lattice, weights), count)
    features = np.array([[path.features.get(name, 0.0) for name in names] for path in paths])
    words = [lattice.symbols.lookup(path.tokens) for path in paths]
    offsets = prefix_sums([len(labels) for labels in words])
    flat = np.concatenate([np.zeros(0, dtype=np.int32), *words])
    return HypothesisList(features.reshape(len(paths), len(names)), prepared.rows(flat, offsets))


def _units(lists: Sequence[HypothesisList], features: int) -> Floats:
    """Returns the unit of each feature: the weight with which its standard deviation within a list is 1 nat.

    Features that are constant within each list have the unit 0, so nothing moves them.
    """
    variances = [sentence.features.var(axis=0) for sentence in lists]
    deviations = np.sqrt(np.mean(variances, axis=0)) if variances else np.zeros(features)
    return np.divide(1.0, deviations, out=np.zeros(features), where=deviations > LEAST_DEVIATION)


def corpus_score(lists: Sequence[HypothesisList], weights: Floats, metric: TunedMetric) -> float:
    """Returns the corpus score (0 to 1) of the lists' best hypotheses."""
    rows = [sentence.statistics[int((sentence.features @ weights).argmax())] for sentence in lists]
    return float(metric.score(np.sum(rows, axis=0)))


def _epochs(
    lists: Sequence[HypothesisList],
    start: Floats,
    units: Floats,
    signs: npt.NDArray[np.int64],
    options: MiraOptions,
    metric: TunedMetric,
) -> list[Floats]:
    """Returns the mean of all weights so far after each epoch."""
    rng = np.random.default_rng(options.seed)
    movable = units > 0
    scaled = [HypothesisList(sentence.features[:, movable] * units[movable], sentence.statistics) for sentence in lists]
    constant = [sentence.features[:, ~movable] @ start[~movable] for sentence in lists]
    weights = start[movable] / units[movable]
    total, means = np.zeros(len(weights)), list[Floats]()
    background = _background(scaled, constant, weights, options.decay)
    for epoch in range(options.epochs):
        for index in rng.permutation(len(scaled)).tolist():
            sentence = scaled[index]
            scores = sentence.features @ weights + constant[index]
            values = MARGIN / (1.0 - options.decay) * metric.score(background + sentence.statistics)
            weights = weights + _step(sentence.features, scores, values, options.step)
            weights = np.where(weights * signs[movable] < 0, 0.0, weights)
            background = options.decay * background + sentence.statistics[int(scores.argmax())]
            total += weights
        mean = start.copy()
        mean[movable] = total / ((epoch + 1) * len(scaled)) * units[movable]
        means.append(mean)
    return means


def _background(lists: Sequence[HypothesisList], constant: list[Floats], weights: Floats, decay: float) -> Floats:
    """Returns the statistics of the best hypotheses under the first weights, scaled to 1 / (1 - decay) sentences."""
    rows = [
        sentence.statistics[int((sentence.features @ weights + more).argmax())]
        for sentence, more in zip(lists, constant, strict=True)
    ]
    return np.asarray(np.mean(rows, axis=0) / (1.0 - decay), dtype=np.float64)


def _step(features: Scores | Floats, scores: Floats, values: Floats, largest: float) -> Floats:
    """Returns the update of the weights for one sentence."""
    hope, fear = int((scores + values).argmax()), int((scores - values).argmax())
    difference = features[hope] - features[fear]
    # Never negative, since hope and fear are maxima.
    loss = (values[hope] - values[fear]) - (scores[hope] - scores[fear])
    square = float(difference @ difference)
    if square == 0.0:
        return np.zeros(len(difference))
    return np.asarray(min(largest, loss / square) * difference, dtype=np.float64)
