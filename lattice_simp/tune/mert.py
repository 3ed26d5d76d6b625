"""Minimum error rate training on lattices: weights whose best hypotheses have the highest corpus BLEU.

Och (2003) for n-best lists, Macherey et al. (2008) for lattices. A round searches the lines along all axes and along
random directions, exactly, in random order and a few at a time, and moves to the best point of each few; rounds go on
until one gains nothing. Further searches begin beside the best point, since the error surface has many local optima.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.tune.corpus_bleu import References, corpus_bleu
from lattice_simp.tune.directions import axes, feature_units, gamma_bounds, random_directions
from lattice_simp.tune.envelope import Segments, segments
from lattice_simp.tune.line_search import Optimum, search_line
from lattice_simp.tune.scores import best_hypothesis, weight_vector

BATCH = 8
"""Lines that are searched before the best of them is taken.

Single lines end in poorer optima; all lines of a round at once take longer and end in no better ones.
"""

BLOCK = 16
"""Sentences that one thread takes at a time."""


@dataclass(frozen=True)
class MertOptions:
    """How the search goes.

    Gamma, and with it `kick`, `min_width` and `limit`, is in units in which every feature contributes as much to the
    arcs' scores as features do on average under the start weights.

    Attributes:
        seed: of the random directions and restarts; the result depends on nothing else.
        random_directions: random lines in each round beside the axes, half of them along a few features only.
        restarts: how often the search begins anew beside the best point so far.
        kick: how far away a restart begins (the standard deviation of each feature).
        min_gain: BLEU that a move must gain.
        max_rounds: the most rounds of each search.
        min_width: intervals of gamma that are narrower are passed over, see `search_line`.
        limit: the largest size of gamma.
        reach: how far a weight may end from its start, in its unit; None for as far as it goes. Lattices of one
            decoding say nothing about weights that are far from those it was decoded with.
        fixed: features whose weights stay.
        signs: features whose weights stay at or above 0 (+1) or at or below it (-1).
        jobs: threads; the result is the same for any number.
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
    """One move: along which direction, how far, and what it reached.

    `direction` is a feature or `random N`; `search` is 0 or the number of the restart.
    """

    search: int
    round: int
    direction: str
    gamma: float
    bleu: float
    brevity: float


@dataclass(frozen=True)
class MertResult:
    """The best weights found, the corpus BLEU (0 to 1) under them and under the start weights, and all moves."""

    weights: dict[str, float]
    bleu: float
    initial_bleu: float
    trace: tuple[Step, ...]


def minimize_error(
    lattices: Sequence[Lattice],
    references: Sequence[Sequence[npt.ArrayLike]],
    start_weights: Mapping[str, float],
    options: MertOptions | None = None,
) -> MertResult:
    """Finds weights with a high corpus BLEU of the lattices' best hypotheses.

    >>> from lattice_simp.tune.feature_lattice import tuning_lattice
    >>> pair = Lattice.from_strings([("a", 0.0), ("b", 0.0)])
    >>> lattice = tuning_lattice(pair, "xy", [[1.0, 0.0], [0.0, 1.0]])
    >>> minimize_error([lattice], [[[2]]], {"x": 1.0, "y": 0.5}).bleu  # too short for 4-grams
    0.0

    Args:
        lattices: one for each sentence, all with the same features; of several rounds of decoding, their unions.
        references: for each sentence its references, each an array of word ids of the lattices' numbering.
        start_weights: a weight for each feature; hypotheses cost minus the sum of weight times feature.
        options: see `MertOptions`.

    Raises:
        LatticeSimpError: no sentences, other numbers of sentences on both sides, features or weights that differ.
    """
    chosen = MertOptions() if options is None else options
    names = _checked_names(lattices, references, chosen)
    start = weight_vector(names, start_weights)
    counts = [References.of(own) for own in references]
    signs = np.array([chosen.signs.get(name, 0) for name in names])
    free = np.array([name not in chosen.fixed for name in names])
    units = np.where(free, feature_units(lattices, start), 0.0)
    trace: list[Step] = []
    bounds = _bounds(start, units, signs, chosen.reach)
    best = _Point(np.clip(start, *bounds), 0.0)
    with _line_searches(lattices, counts, bounds, chosen) as search:
        for number in range(chosen.restarts + 1):
            rng = np.random.default_rng((chosen.seed, number))
            away = rng.normal(size=len(names)) * units * chosen.kick if number else 0.0
            found = _climb(search, np.clip(best.weights + away, *bounds), names, units, chosen, rng, number, trace)
            if number == 0 or found.bleu > best.bleu:
                best = found
    weights = dict(zip(names, best.weights.tolist(), strict=True))
    return MertResult(
        weights, evaluate(lattices, counts, best.weights), evaluate(lattices, counts, start), tuple(trace)
    )


def evaluate(lattices: Sequence[Lattice], references: Sequence[References], weights: npt.ArrayLike) -> float:
    """Returns the corpus BLEU of the lattices' best hypotheses under `weights`, (features,)."""
    best = [best_hypothesis(lattice, weights)[0] for lattice in lattices]
    return float(corpus_bleu(np.sum([own.statistics(words) for own, words in zip(references, best, strict=True)], 0)))


# ---------------------------------------------------------------- the search

_Search = Callable[[Floats, Floats], list[Optimum]]
"""From weights and directions, (directions, features), to the optimum along each."""


class _Point(NamedTuple):
    weights: Floats
    bleu: float


@contextmanager
def _line_searches(
    lattices: Sequence[Lattice],
    references: Sequence[References],
    bounds: tuple[Floats, Floats],
    options: MertOptions,
) -> Iterator[_Search]:
    """Returns the function that searches many lines at once; sentences are worked on side by side."""
    pairs = list(zip(lattices, references, strict=True))
    blocks = [pairs[begin : begin + BLOCK] for begin in range(0, len(pairs), BLOCK)]
    with ThreadPoolExecutor(max(1, options.jobs)) as threads:

        def search(weights: Floats, directions: Floats) -> list[Optimum]:
            def work(block: list[tuple[Lattice, References]]) -> list[Segments]:
                return [segments(lattice, own, weights, directions, options.limit) for lattice, own in block]

            found = [part for block in threads.map(work, blocks) for part in block]
            optima = []
            for number, direction in enumerate(directions):
                low, high = gamma_bounds(weights, direction, *bounds)
                optima.append(search_line(found, number, low=low, high=high, min_width=options.min_width))
            return optima

        yield search


def _climb(
    search: _Search,
    weights: Floats,
    names: Sequence[str],
    units: Floats,
    options: MertOptions,
    rng: np.random.Generator,
    number: int,
    trace: list[Step],
) -> _Point:
    """Moves along the best line of each batch until a whole round gains nothing; returns the end."""
    single = axes(units)
    labels = [name for name, unit in zip(names, units, strict=True) if unit]
    labels += [f"random {index}" for index in range(options.random_directions)]
    bleu = 0.0
    for round_number in range(options.max_rounds):
        moves = len(trace)
        directions = np.concatenate([single, random_directions(rng, units, options.random_directions)])
        order = rng.permutation(len(directions))
        for batch in (order[first : first + BATCH] for first in range(0, len(order), BATCH)):
            optima = search(weights, directions[batch])
            best = int(np.argmax([optimum.bleu for optimum in optima]))
            optimum, bleu = optima[best], optima[0].here
            if optimum.bleu > bleu + options.min_gain:
                weights, bleu = weights + optimum.gamma * directions[batch[best]], optimum.bleu
                trace.append(Step(number, round_number, labels[batch[best]], optimum.gamma, bleu, optimum.brevity))
        if len(trace) == moves:
            break
    return _Point(weights, bleu)


def _bounds(start: Floats, units: Floats, signs: npt.NDArray[np.int64], reach: float | None) -> tuple[Floats, Floats]:
    """Returns the least and the greatest value of each weight; one that starts with a forbidden sign starts from 0."""
    begin = np.where(start * signs < 0, 0.0, start)
    far = np.inf if reach is None else reach * np.where(units > 0, units, np.inf)
    least = np.where(signs > 0, np.maximum(0.0, begin - far), begin - far)
    greatest = np.where(signs < 0, np.minimum(0.0, begin + far), begin + far)
    return least, greatest


def _checked_names(
    lattices: Sequence[Lattice], references: Sequence[Sequence[npt.ArrayLike]], options: MertOptions
) -> tuple[str, ...]:
    """Returns the features' names."""
    if not lattices or len(lattices) != len(references):
        found = f"{len(lattices)} lattices and references of {len(references)} sentences"
        raise LatticeSimpError(f"tuning needs as many lattices as sentences, not {found}")
    names = lattices[0].features.names
    for sentence, lattice in enumerate(lattices):
        if lattice.features.names != names:
            raise LatticeSimpError(f"the lattice of sentence {sentence} has other features than the first")
    unknown = sorted((options.fixed | set(options.signs)) - set(names))
    if unknown:
        raise LatticeSimpError(f"no feature has the name {unknown[0]!r}; choose from {', '.join(names)}")
    return names
