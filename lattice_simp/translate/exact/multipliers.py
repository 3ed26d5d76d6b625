"""Multipliers that tighten a relaxation: what a word's context really is, and what the relaxed model takes it for.

The relaxed automaton of order k charges each word at the best state of order k + 1 that its own state may stand for
(the *choice*). A potential of these finer states, added where one is entered and taken away where it is chosen, cancels
out for whole sentences if the choices are the true states, so every bound stays one. The subgradient of the bound is
how often each state was entered less how often it was chosen (Held and Karp 1971; Chang and Collins 2011).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, Records, jit
from lattice_simp.core.records import NONE
from lattice_simp.translate.exact.automaton import Automaton, lower_state, read, relaxed, states_of_order
from lattice_simp.translate.exact.forest import Forest, derivation, inside_costs
from lattice_simp.translate.nested_chart import Chart


class Choices(NamedTuple):
    """The finer states that the state of each transition may stand for.

    Attributes:
        offsets: (transitions + 1,) int64, where each one's choices begin.
        states: the finer states;  costs: what the word costs after them.
        entered: (transitions,) the finer state that the transition leads to, `NONE` at the sentence's end.
    """

    offsets: Longs
    states: Ints
    costs: Floats
    entered: Ints


@jit
def choices(transitions: Records, alive: Bools, model: Automaton, everything: bool) -> Choices:
    """Lists the finer states that the contexts of living transitions may stand for.

    A transition from an open context of order - 1 words has a choice; others know the state. The choice is among all
    states, or, unless `everything`, among those that a living transition enters.
    """
    level, root, finer = model.level, len(model.suffix) - 1, model.order + 1
    entered = np.full(len(transitions), NONE, dtype=np.int32)
    feasible = np.full(root + 1, everything, dtype=np.bool_)
    feasible[model.start_word] = True
    for index in range(len(transitions)):
        if alive[index] and transitions[index].word != model.final:
            entered[index] = lower_state(model, transitions[index].matched, finer)
            feasible[entered[index]] = True
    count = 0
    for index in range(len(transitions)):
        if alive[index]:
            state = transitions[index].context >> 1
            free = transitions[index].context & 1 == 1 and level[state] == finer - 2
            count += 1 + (model.longer_offsets[state + 1] - model.longer_offsets[state] if free else 0)
    offsets = np.zeros(len(transitions) + 1, dtype=np.int64)
    states, costs = np.empty(count, dtype=np.int32), np.empty(count)
    place = 0
    for index in range(len(transitions)):
        if alive[index]:
            context, word = transitions[index].context, transitions[index].word
            state = context >> 1
            if context & 1 == 1 and level[state] == finer - 2:
                if state != root and feasible[state]:
                    states[place], costs[place] = state, relaxed(model, 2 * state, word)
                    place += 1
                for longer in model.longer[model.longer_offsets[state] : model.longer_offsets[state + 1]]:
                    if feasible[longer]:
                        states[place], costs[place] = longer, relaxed(model, 2 * longer + 1, word)
                        place += 1
            else:
                states[place], costs[place] = lower_state(model, state, finer), relaxed(model, context, word)
                place += 1
        offsets[index + 1] = place
    return Choices(offsets, states[:place], costs[:place], entered)


@jit
def relaxed_costs(given: Choices, potential: Floats) -> tuple[Floats, Ints]:
    """Returns each transition's cost and the choice (an index into `states`) that gives it."""
    count = len(given.entered)
    costs, chosen = np.full(count, np.inf), np.full(count, NONE, dtype=np.int32)
    for index in range(count):
        for place in range(given.offsets[index], given.offsets[index + 1]):
            cost = given.costs[place] - potential[given.states[place]]
            if cost < costs[index]:
                costs[index], chosen[index] = cost, place
        if given.entered[index] >= 0:
            costs[index] += potential[given.entered[index]]
    return costs, chosen


@jit
def _set_costs(transitions: Records, junctions: Records, parts: Ints, costs: Floats) -> None:
    """Writes the transitions' costs, and those of the junctions that they make."""
    for index in range(len(transitions)):
        transitions[index].cost = costs[index]
    for index in range(len(junctions)):
        total = junctions[index].fixed
        for part in range(junctions[index].begin, junctions[index].end):
            total += costs[parts[part]]
        junctions[index].cost = total


@jit
def _subgradient(
    path: Longs, edges: Records, junctions: Records, parts: Ints, given: Choices, chosen: Ints, num_states: int
) -> Floats:
    """Returns how often a derivation enters each state, less how often it is chosen."""
    found = np.zeros(num_states)
    for edge in path:
        junction = edges[edge].junction
        if junction < 0:
            continue
        for part in range(junctions[junction].begin, junctions[junction].end):
            transition = parts[part]
            if given.entered[transition] >= 0:
                found[given.entered[transition]] += 1.0
            found[given.states[chosen[transition]]] -= 1.0
    return found


@jit
def string_cost(path: Longs, edges: Records, symbols: Ints, arc_costs: Floats, model: Automaton, order: int) -> float:
    """Returns what a derivation costs with the language model of its full order, without potentials."""
    total, context = 0.0, 2 * model.start_word
    for edge in path:
        arc = edges[edge].arc
        if arc < 0:
            continue
        total += arc_costs[arc]
        symbol = symbols[arc]
        if symbol == model.final:
            total += read(model, context, model.end)[1]
        elif symbol >= 0:
            matched, cost = read(model, context, symbol)
            total += cost
            context = 2 * lower_state(model, matched, order)
    return total


@dataclass(frozen=True, eq=False)
class Tightened:
    """A forest after the multipliers' rounds.

    Attributes:
        forest: what is left of it within the limit;  outside: (nodes,) what is missing to a whole derivation.
        model: the automaton with the potentials.
        lower: the bound of the best derivation.
        upper: the least cost of a derivation that was met on the way, at full order; infinity for none.
    """

    forest: Forest
    outside: Floats
    model: Automaton
    lower: float
    upper: float


ROUNDS, BLOCK = 90, 15
"""Rounds at most, and after how many everything beyond the limit is dropped again."""

PATIENCE, SHRINK, SMALLEST_SHARE, LONGEST_STEP = 4, 0.7, 0.08, 2.0
"""Rounds without gain after which the steps become shorter, by which factor, until which share of the difference of the
bounds they aim at, and the longest step (nats)."""

CLOSE, ENOUGH = 1e-6, 0.005
"""Nats between the bounds where there is nothing left to gain, and what share of their difference counts as gain."""


def tighten(
    forest: Forest,
    model: Automaton,
    chart: Chart,
    full_order: int,
    limit: float,
    goes_on: Callable[[], bool],
    *,
    rounds: int | None = None,
    sample: bool = False,
) -> Tightened:
    """Tightens a relaxation by multipliers, and drops what is beyond a limit.

    Args:
        forest: of an order below the full one.
        model: its automaton.
        chart: of the sentence.
        full_order: the language model's.
        limit: no derivation is lost that costs at most so much.
        goes_on: whether there is time for another round.
        rounds: how many at most; None for `ROUNDS`.
        sample: the forest holds only some derivations: nothing is dropped, every state may be chosen, and the bound is
            one of these derivations alone.
    """
    ascent = _Ascent(forest, model, limit, sample)
    upper, stale, share = np.inf, 0, 1.0
    for number in range(ROUNDS if rounds is None else rounds):
        if number % BLOCK == 0 and not ascent.prune():
            break
        path, lower, gradient = ascent.evaluate()
        upper = min(upper, string_cost(path, ascent.forest.edges, chart.symbols, forest.arc_costs, model, full_order))
        goal = min(upper, limit)
        stale = 0 if lower > ascent.lower + ENOUGH * (goal - ascent.lower) else stale + 1
        ascent.keep_if_better(lower)
        size = float(np.square(gradient).sum())  # a product of vectors would start the threads of BLAS
        if size == 0.0 or goal - ascent.lower < CLOSE or share < SMALLEST_SHARE or not goes_on():
            break
        if stale >= PATIENCE:
            ascent.back()
            share, stale = SHRINK * share, 0
            _, lower, gradient = ascent.evaluate()
            size = max(float(np.square(gradient).sum()), 1.0)
        ascent.potential = ascent.potential + min(LONGEST_STEP, share * max(goal - lower, 0.0) / size) * gradient
    ascent.prune()
    return Tightened(ascent.forest, ascent.outside, ascent.final_model(), ascent.lower, upper)


class _Ascent:
    """The state of a subgradient ascent; potentials are those of the order above the forest's."""

    def __init__(self, forest: Forest, model: Automaton, limit: float, sample: bool) -> None:
        self.forest, self.model, self.limit, self.sample = forest, model, limit, sample
        self.lower = -np.inf
        self.outside = np.zeros(len(forest.places))
        self.potential = self._best = np.zeros(len(model.level))
        self._choices = choices(forest.transitions, np.ones(len(forest.transitions), dtype=np.bool_), model, sample)

    def _relax(self) -> Ints:
        """Sets all costs by the potentials; returns the choices."""
        forest = self.forest
        costs, chosen = relaxed_costs(self._choices, self.potential)
        _set_costs(forest.transitions, forest.junctions, forest.parts, costs)
        start = self.model.start_word
        forest.axioms[forest.first] = self.model.potential[start] + self.potential[start]
        return chosen

    def evaluate(self) -> tuple[Longs, float, Floats]:
        """Returns the best derivation's edges, its cost, and the subgradient."""
        chosen, forest = self._relax(), self.forest
        inside, last = inside_costs(forest.edges, forest.edge_costs(), forest.axioms)
        path = derivation(forest.edges, last, forest.goal)
        gradient = _subgradient(
            path, forest.edges, forest.junctions, forest.parts, self._choices, chosen, len(self.potential)
        )
        return path, float(inside[forest.goal]), gradient

    def keep_if_better(self, lower: float) -> None:
        """Keeps the present potentials if they give a better bound."""
        if lower > self.lower:
            self.lower, self._best = lower, self.potential

    def back(self) -> None:
        """Returns to the best potentials."""
        self.potential = self._best

    def prune(self) -> bool:
        """Drops what is beyond the limit with the best potentials; returns whether anything is left."""
        if self.sample:
            return True
        self.back()
        self._relax()
        if self.lower > self.limit:
            return False
        pruned, outside, used = self.forest.within(self.limit)
        if not len(pruned.places):
            self.lower = float(np.nextafter(self.limit, np.inf))
            return False
        self.forest, self.outside = pruned, outside
        transitions = self.forest.transitions
        transitions["cost"][~used] = np.inf
        self._choices = choices(transitions, used, self.model, False)
        return True

    def final_model(self) -> Automaton:
        """Returns the automaton with the best potentials added to those it had."""
        order = self.model.order + 1
        states = states_of_order(self.model, order)
        potential = self.model.potential + self._best[states]
        return self.model._replace(potential=potential, reach=max(self.model.reach, order))
