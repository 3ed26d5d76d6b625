"""Minimum error rate training on lattices: weights whose best hypotheses have the highest corpus score.

Och (2003) for n-best lists, Macherey et al. (2008) for lattices; by BLEU, or another metric of `TUNED_METRICS`. A round
searches the lines along all axes and along random directions exactly, in random order and in small batches, and moves
to the best point of each batch; rounds go on until one gains nothing. Further searches begin near the best point, since
the error surface has many local optima.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.plurals import counted
from lattice_simp.support.threads import map_in_threads
from lattice_simp.tune.envelope import Segments, segments
from lattice_simp.tune.line_search import Optimum, search_line
from lattice_simp.tune.metric import Prepared, References, TunedMetric
from lattice_simp.tune.metrics import BLEU, tuned_metric
from lattice_simp.tune.scores import best_hypothesis, weight_vector

BATCH = 8
"""How many lines are searched before each move: fewer end in poorer optima, more take longer without better ones."""

SPARSE = 3
"""The most features that a sparse random direction moves."""

BLOCK = 16
"""How many sentences a thread takes at a time."""


@dataclass(frozen=True)
class MertOptions:
    """The settings of the search.

    Gamma, and with it `kick`, `min_width` and `limit`, is in units in which every feature contributes as much to the
    arcs' scores as features do on average under the start weights.

    Attributes:
        seed: the seed of the random directions and restarts; nothing else in the search is random.
        random_directions: the number of random lines in each round besides the axes, half of them along a few features.
        restarts: how often the search restarts near the best point so far.
        kick: how far away a restart begins (the standard deviation of each feature).
        min_gain: the score (0 to 1) that a move must gain.
        max_rounds: the most rounds of each search.
        min_width: narrower intervals of gamma are skipped; see `search_line`.
        limit: the largest absolute value of gamma.
        reach: how far a weight may end from its start, in its unit; None for no limit. The lattices of one decoding are
            no guide to weights far from those of the decoding.
        fixed: features whose weights stay.
        signs: features whose weights stay at or above 0 (+1) or at or below it (-1).
        jobs: the number of threads, which does not change the result.
    """

    seed: int = 1
    random_directions: int = 16
    restarts: int = 3
    kick: float = 0.5
    min_gain: float = 1e-6
    max_rounds: int = 50
    min_width: float = 1e-6
    limit: float = 1000.0
    reach: float | None = None
    fixed: frozenset[str] = frozenset()
    signs: Mapping[str, int] = field(default_factory=dict)
    jobs: int = 1


@dataclass(frozen=True)
class Step:
    """One move: its direction, its length, and the score that it reached.

    `direction` is a feature or `random N`; `search` is 0 or the number of the restart; for `detail` see `Optimum`.
    """

    search: int
    round: int
    direction: str
    gamma: float
    score: float
    detail: float | None


@dataclass(frozen=True)
class MertResult:
    """The best weights, the corpus score (at most 1) under them and under the start weights, and all moves."""

    weights: dict[str, float]
    score: float
    initial_score: float
    trace: tuple[Step, ...]


def minimize_error(
    lattices: Sequence[Lattice],
    references: Sequence[References],
    start_weights: Mapping[str, float],
    options: MertOptions | None = None,
    *,
    metric: str | TunedMetric = "bleu",
    sources: Sequence[npt.ArrayLike] | None = None,
) -> MertResult:
    """Finds weights with a high corpus score of the lattices' best hypotheses.

    >>> from lattice_simp.tune.feature_lattice import tuning_lattice
    >>> pair = Lattice.from_strings([("a", 0.0), ("b", 0.0)])
    >>> lattice = tuning_lattice(pair, "xy", [[1.0, 0.0], [0.0, 1.0]])
    >>> minimize_error([lattice], [[[2]]], {"x": 1.0, "y": 0.5}).score  # too short for 4-grams
    0.0
    >>> minimize_error([lattice], [[[2]]], {"x": 1.0, "y": 0.5}, metric="sari", sources=[[1]]).score.__round__(4)
    0.1667

    Args:
        lattices: one for each sentence, all with the same features; after several rounds of decoding, their unions.
        references: for each sentence its references, each an array of word ids of the lattices' numbering.
        start_weights: a weight for each feature; hypotheses cost minus the sum of weight times feature.
        options: see `MertOptions`.
        metric: a name of `TUNED_METRICS`, or a metric.
        sources: for each sentence its source, word ids of the lattices' numbering, for metrics that compare with it.

    Raises:
        LatticeSimpError: no sentences, other numbers of sentences on both sides, features or weights that differ, no
            sources for a metric that needs them.
    """
    chosen = MertOptions() if options is None else options
    names = checked_names(lattices, references, chosen.fixed | set(chosen.signs))
    start = weight_vector(names, start_weights)
    measure = tuned_metric(metric)
    prepared = measure.prepared(references, sources, lattices[0].symbols)
    signs = np.array([chosen.signs.get(name, 0) for name in names])
    free = np.array([name not in chosen.fixed for name in names])
    units = np.where(free, feature_units(lattices, start), 0.0)
    bounds = _bounds(start, units, signs, chosen.reach)
    pairs = list(zip(lattices, prepared, strict=True))
    labels = [name for name, unit in zip(names, units, strict=True) if unit]
    labels += [f"random {index}" for index in range(chosen.random_directions)]
    best, score = np.clip(start, *bounds), 0.0
    search = _Search(chosen, measure, pairs, bounds, units, labels)
    for number in range(chosen.restarts + 1):
        rng = np.random.default_rng((chosen.seed, number))
        kick = rng.normal(size=len(names)) * units * chosen.kick if number else 0.0
        optimum, reached = search.climb(np.clip(best + kick, *bounds), rng, number)
        if number == 0 or reached > score:
            best, score = optimum, reached
    weights = dict(zip(names, best.tolist(), strict=True))
    initial, reached = (evaluate(lattices, prepared, values, measure) for values in (start, best))
    return MertResult(weights, reached, initial, tuple(search.trace))


def evaluate(
    lattices: Sequence[Lattice], prepared: Sequence[Prepared], weights: npt.ArrayLike, metric: TunedMetric = BLEU
) -> float:
    """Returns the corpus score of the lattices' best hypotheses under `weights`, (features,), in the order of the
    features.

    The references of each sentence are prepared for the metric (`TunedMetric.prepared`).
    """
    best = [best_hypothesis(lattice, weights)[0] for lattice in lattices]
    rows = [counts.rows(words, np.array([0, len(words)]))[0] for counts, words in zip(prepared, best, strict=True)]
    return float(metric.score(np.sum(rows, axis=0)))


# ---------------------------------------------------------------- directions


def feature_units(lattices: Sequence[Lattice], weights: Floats) -> Floats:
    """Returns the unit of each feature: the weight with which it contributes as much to arcs as features on average.

    Features that are 0 everywhere have the unit 0, so no direction moves them.
    """
    squares = sum(np.square(lattice.features.arcs, dtype=np.float64).sum(axis=1) for lattice in lattices)
    squares = squares + sum(np.square(lattice.features.finals, dtype=np.float64).sum(axis=1) for lattice in lattices)
    sizes = np.sqrt(squares / max(1, sum(lattice.num_arcs for lattice in lattices)))
    contribution = float((np.abs(weights) * sizes).mean()) or 1.0
    return np.divide(contribution, sizes, out=np.zeros(len(weights)), where=sizes > 0)


def axes(units: Floats) -> Floats:
    """Returns the directions along single features, (movable features, features).

    >>> axes(np.array([2.0, 0.0, 1.0])).tolist()
    [[2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return np.diag(units)[units != 0]


def random_directions(rng: np.random.Generator, units: Floats, count: int) -> Floats:
    """Returns normally distributed directions, (count, features); every other one moves only a few features."""
    directions = rng.normal(size=(count, len(units))) * units
    movable = np.flatnonzero(units)
    for row in directions[1::2] if len(movable) > SPARSE else ():
        moved = rng.choice(movable, int(rng.integers(2, SPARSE + 1)), replace=False)
        row[np.setdiff1d(movable, moved)] = 0.0
    return directions[directions.any(axis=1)]


def gamma_bounds(weights: Floats, direction: Floats, least: Floats, greatest: Floats) -> tuple[float, float]:
    """Returns the least and the greatest gamma at which every weight stays in its bounds (as they do at 0).

    >>> bounds = np.array([0.0, -np.inf]), np.array([np.inf, 5.0])
    >>> gamma_bounds(np.array([1.0, 2.0]), np.array([1.0, 1.0]), *bounds)
    (-1.0, 3.0)
    """
    forward = direction > 0
    moves = direction != 0
    below = np.where(forward, least, greatest)[moves] - weights[moves]
    above = np.where(forward, greatest, least)[moves] - weights[moves]
    low, high = (below / direction[moves]).max(initial=-np.inf), (above / direction[moves]).min(initial=np.inf)
    return min(0.0, float(low)), max(0.0, float(high))


# ---------------------------------------------------------------- the search


@dataclass(frozen=True)
class _Search:
    """The fixed data of a search, and its moves so far."""

    options: MertOptions
    metric: TunedMetric
    pairs: list[tuple[Lattice, Prepared]]
    bounds: tuple[Floats, Floats]
    units: Floats
    labels: list[str]
    trace: list[Step] = field(default_factory=list)

    def lines(self, weights: Floats, directions: Floats) -> list[Optimum]:
        """Returns the optimum along each direction, (directions, features); threads share the sentences."""

        def work(begin: int) -> list[Segments]:
            block = self.pairs[begin : begin + BLOCK]
            return [segments(lattice, counts, weights, directions, self.options.limit) for lattice, counts in block]

        blocks = map_in_threads(work, range(0, len(self.pairs), BLOCK), self.options.jobs)
        lines = list(chain.from_iterable(blocks))
        optima = []
        for number, direction in enumerate(directions):
            low, high = gamma_bounds(weights, direction, *self.bounds)
            width = self.options.min_width
            optima.append(search_line(lines, number, low=low, high=high, min_width=width, metric=self.metric))
        return optima

    def climb(self, weights: Floats, rng: np.random.Generator, number: int) -> tuple[Floats, float]:
        """Moves along the best line of each batch until a whole round gains nothing; returns the end and its score."""
        single, score = axes(self.units), 0.0
        for round_number in range(self.options.max_rounds):
            moves = len(self.trace)
            directions = random_directions(rng, self.units, self.options.random_directions)
            directions = np.concatenate([single, directions])
            order = rng.permutation(len(directions))
            for batch in (order[first : first + BATCH] for first in range(0, len(order), BATCH)):
                optima = self.lines(weights, directions[batch])
                best = int(np.argmax([optimum.score for optimum in optima]))
                optimum, score = optima[best], optima[0].here
                if optimum.score > score + self.options.min_gain:
                    weights, score = weights + optimum.gamma * directions[batch[best]], optimum.score
                    label = self.labels[batch[best]]
                    self.trace.append(Step(number, round_number, label, optimum.gamma, score, optimum.detail))
            if len(self.trace) == moves:
                break
        return weights, score


def _bounds(start: Floats, units: Floats, signs: npt.NDArray[np.int64], reach: float | None) -> tuple[Floats, Floats]:
    """Returns the least and the greatest value of each weight; a weight of a forbidden sign starts from 0."""
    begin = np.where(start * signs < 0, 0.0, start)
    far = np.inf if reach is None else reach * np.where(units > 0, units, np.inf)
    least = np.where(signs > 0, np.maximum(0.0, begin - far), begin - far)
    greatest = np.where(signs < 0, np.minimum(0.0, begin + far), begin + far)
    return least, greatest


def checked_names(
    lattices: Sequence[Lattice], references: Sequence[References], mentioned: Collection[str]
) -> tuple[str, ...]:
    """Returns the features' names.

    Raises:
        LatticeSimpError: no sentences, other numbers of sentences on both sides, features that differ, or an
            optimiser's options mention an unknown feature.
    """
    if not lattices or len(lattices) != len(references):
        counts = f"{counted(len(lattices), 'lattice')} and references of {counted(len(references), 'sentence')}"
        raise LatticeSimpError(f"tuning needs as many lattices as sentences, not {counts}")
    names = lattices[0].features.names
    for sentence, lattice in enumerate(lattices):
        if lattice.features.names != names:
            raise LatticeSimpError(f"the lattice of sentence {sentence} has other features than the first")
    require_features(mentioned, names)
    return names


def require_features(mentioned: Collection[str], names: Sequence[str]) -> None:
    """Raises a LatticeSimpError if an optimiser's options mention a feature that there is not."""
    if unknown := sorted(set(mentioned) - set(names)):
        raise LatticeSimpError(f"no feature has the name {unknown[0]!r}; choose from {', '.join(names)}")
