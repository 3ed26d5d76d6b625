"""Multipliers that tighten a relaxation: they bring the context that the relaxed model assumes closer to the true one.

The relaxed automaton charges each word at the best state of a higher order, up to the language model's own, that its
state may stand for. Potentials of these finer states cancel out for whole sentences if the choices are the true states,
so every bound remains a bound. They rise where states are entered more often than chosen (Held and Karp 1971; Chang and
Collins 2011). The counts are over all derivations near the best one, since a smooth function has no corners to get
stuck in. Each potential has its own step (AdaGrad: Duchi, Hazan and Singer 2011), along a running mean of the
gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.translate.search.chart import Chart
from lattice_simp.translate.search.exact.context_model import ContextModel, with_potential
from lattice_simp.translate.search.exact.forest import BorderForest
from lattice_simp.translate.search.exact.relaxation import (
    entered_states,
    expected_counts,
    relax,
    set_costs,
    string_cost,
)
from lattice_simp.translate.search.forest import best_derivation, inside_costs


@dataclass(frozen=True, eq=False)
class Tightened:
    """A forest after the multipliers' rounds.

    Attributes:
        forest: the remaining forest within the limit.
        outside: (nodes,) the outside costs.
        model: the automaton with the potentials.
        lower: the bound of the best derivation.
        upper: the least full-order cost of the derivations visited; infinity for none.
    """

    forest: BorderForest
    outside: Floats
    model: ContextModel
    lower: float
    upper: float


ROUNDS, BLOCK = 90, 15
"""The most rounds, and after how many rounds the forest is pruned again."""

FIRST_SHARE, PATIENCE, SHRINK, SMALLEST_SHARE = 0.5, 5, 0.7, 0.05
"""The share of the difference of the bounds that a step aims at, the rounds without gain after which the share shrinks,
the factor of that, and the share at which the ascent ends."""

LONGEST_STEP = 4.0
"""The largest change of a potential in a round (nats)."""

INERTIA = 0.7
"""The weight of earlier gradients in the running mean."""

STILL = 1e-3
"""Added to the sum of squared gradients: below this, a potential hardly moves."""

WARMTH, COLDEST = 0.04, 0.02
"""The temperature of the counts, as a share of the difference of the bounds, and its least value in nats."""

CLOSE, ENOUGH = 1e-6, 0.005
"""The difference of the bounds (nats) at which the ascent ends, and the share of it that counts as a gain."""


@dataclass(frozen=True)
class AscentOptions:
    """How multipliers rise.

    Attributes:
        rounds: the most rounds; None for `ROUNDS`.
        finer: the order of the states that have multipliers; None for the language model's.
        sample: the forest holds only some derivations: nothing is dropped, every state may be chosen, and the bound
            holds for these derivations alone.
    """

    rounds: int | None = None
    finer: int | None = None
    sample: bool = False


FULL_ASCENT = AscentOptions()
"""Rounds as long as the bound rises, with the states of the language model."""


def tighten(
    forest: BorderForest,
    model: ContextModel,
    chart: Chart,
    full_order: int,
    limit: float,
    goes_on: Callable[[], bool],
    options: AscentOptions = FULL_ASCENT,
) -> Tightened:
    """Tightens a relaxation by multipliers, and prunes the forest by a limit.

    Args:
        forest: the forest of an order below the full one.
        model: its automaton.
        chart: the chart of the sentence.
        full_order: the order of the language model.
        limit: no derivation that costs at most this much is lost; for a sample, its bound is raised up to this.
        goes_on: whether there is time for another round.
        options: how the multipliers rise.
    """
    ascent = _Ascent(forest, model, limit, options.finer or full_order, options.sample)
    upper, stale, share = np.inf, 0, FIRST_SHARE
    for number in range(ROUNDS if options.rounds is None else options.rounds):
        if number % BLOCK == 0 and not ascent.prune():
            break
        path, lower = ascent.evaluate()
        upper = min(upper, string_cost(path, ascent.forest.edges, chart.symbols, forest.arc_costs, model, full_order))
        goal = min(upper, limit)
        stale = 0 if lower > ascent.lower + ENOUGH * (goal - ascent.lower) else stale + 1
        ascent.keep_if_better(lower)
        missing = goal - ascent.lower
        if missing < CLOSE or share < SMALLEST_SHARE or not goes_on():
            break
        if stale >= PATIENCE:
            share, stale = SHRINK * share, 0
        ascent.step(share * max(goal - lower, 0.0), max(WARMTH * missing, COLDEST))
    ascent.prune()
    return Tightened(ascent.forest, ascent.outside, ascent.final_model(), ascent.lower, upper)


class _Ascent:
    """An ascent; its potentials are those of states of the order `finer`."""

    def __init__(self, forest: BorderForest, model: ContextModel, limit: float, finer: int, sample: bool) -> None:
        self.forest, self.model, self.limit, self.finer, self.sample = forest, model, limit, finer, sample
        self.lower = -np.inf
        self.outside = np.zeros(len(forest.places))
        self.potential = self._best = model.potential
        self._direction, self._squares = np.zeros(len(model.level)), np.zeros(len(model.level))
        self._choose()

    def _choose(self) -> None:
        """Finds the states that the used transitions may enter: contexts can stand only for these."""
        self._used = self.forest.used()
        transitions = self.forest.transitions
        self._feasible = None if self.sample else entered_states(transitions, self._used, self.model, self.finer)

    def _relax(self) -> None:
        """Updates all costs by the potentials."""
        forest = self.forest
        model = with_potential(self.model, self.potential, self.finer, self._feasible)
        self._chosen = relax(forest.transitions, self._used, model)
        set_costs(forest.junctions, forest.parts, forest.transitions)
        forest.axioms[forest.first] = self.potential[self.model.start]
        packed = forest.packed()
        self._costs = packed.costs
        self._inside, self._last = inside_costs(packed)

    def evaluate(self) -> tuple[Longs, float]:
        """Returns the best derivation's edges, and its cost."""
        self._relax()
        edges, goal = self.forest.edges, self.forest.goal
        return best_derivation(edges, self._last, goal), float(self._inside[goal])

    def step(self, gain: float, temperature: float) -> None:
        """Changes the potentials so that the bound would rise by `gain` if it were linear."""
        gradient = expected_counts(
            self.forest, self._chosen, self._costs, self._inside, temperature, len(self.potential)
        )
        self.potential = _moved(self.model.living, self.potential, self._direction, self._squares, gradient, gain)

    def keep_if_better(self, lower: float) -> None:
        """Remembers the current potentials if they give a better bound."""
        if lower > self.lower:
            self.lower, self._best = lower, self.potential

    def prune(self) -> bool:
        """Prunes the forest by the limit with the best potentials; returns whether anything is left."""
        if self.sample:
            return True
        if self.lower > self.limit:
            return False
        self.potential, present = self._best, self.potential
        self._relax()
        pruned, outside = self.forest.within(self.limit)
        if not len(pruned.places):
            self.lower = float(np.nextafter(self.limit, np.inf))
            return False
        self.forest, self.outside = pruned, outside
        self._choose()
        self.potential = present
        return True

    def final_model(self) -> ContextModel:
        """Returns the automaton with the best potentials."""
        return with_potential(self.model, self._best, self.finer)


@jit
def _moved(
    states: Ints, potential: Floats, direction: Floats, squares: Floats, gradient: Floats, gain: float
) -> Floats:
    """Returns the potentials after a step; updates the running mean and the sums of squares of the gradients."""
    slope, largest = 0.0, 0.0
    for state in states:
        inertia = INERTIA if squares[state] > 0.0 else 0.0
        direction[state] = inertia * direction[state] + (1.0 - inertia) * gradient[state]
        squares[state] += gradient[state] ** 2
        scaled = direction[state] / np.sqrt(squares[state] + STILL)
        slope += scaled * direction[state]
        largest = max(largest, abs(scaled))
    moved = potential.copy()
    if slope > 0.0:
        step = min(LONGEST_STEP / largest, gain / slope)
        for state in states:
            moved[state] += step * direction[state] / np.sqrt(squares[state] + STILL)
    return moved
