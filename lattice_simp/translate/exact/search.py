"""The exact search: relaxations of order 1, 2, ..., each within the bounds of the one before.

After Rush, Chang and Collins (2013) and Aziz, Dymetman and Venkatapathy (2013): a relaxation bounds what a partial
derivation can still become, and nothing that may stay below the cost of a known translation is dropped. Each order is
tightened by multipliers before the next one is made, so that most of it is gone by then. At the language model's own
order the best derivation is the optimum; if time or memory end before, the last relaxation's bound is the certificate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.kernel import Floats, cpu_seconds
from lattice_simp.core.records import Table, num_records
from lattice_simp.translate.exact.automaton import Automaton
from lattice_simp.translate.exact.border_words import everything_kept
from lattice_simp.translate.exact.bounds import Bounds, bounds_of, dense_bounds_of, no_bounds
from lattice_simp.translate.exact.dense import dense_bounds, has_matrices
from lattice_simp.translate.exact.forest import Forest, inside_costs
from lattice_simp.translate.exact.junctions import first_prefixes, with_words
from lattice_simp.translate.exact.limits import ExactSearch
from lattice_simp.translate.exact.multipliers import tighten
from lattice_simp.translate.exact.refine import refined_forest
from lattice_simp.translate.nested_chart import Chart

SLACK = 1e-6
"""Nats by which sums in another order may differ: what is kept reaches so far beyond the limit."""

QUOTA = 1_000_000
"""Edges after which the clock is looked at."""

FIRST_ROUNDS = 6
"""Rounds of the multipliers of the first order where those of the second follow: these learn what more would gain."""

EVERYTHING = 1e300
"""The limit of the first order, whose forest is small."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What an exact search proved.

    Attributes:
        lower: no translation costs less.
        finished: whether the search ended; then the best one costs `lower`.
        forest: of the full order, with everything within the limit; None if the search did not end, or if nothing is
            within the limit.
    """

    lower: float
    finished: bool
    forest: Forest | None = None


def search(
    chart: Chart, model: Automaton, order: int, upper: float, limits: ExactSearch, last: int | None = None
) -> Certificate:
    """Searches for the best derivation.

    Args:
        chart: of the sentence.
        model: the language model's automaton of order 1, as `automaton` makes it.
        order: the language model's.
        upper: the cost of a known derivation.
        limits: when to give up, and how much beyond the best derivation is kept.
        last: the order of the last relaxation: after it, the bound alone is returned; None to go on to the end.
    """
    began = cpu_seconds()

    def has_time() -> bool:
        return cpu_seconds() - began < limits.seconds

    def goes_on(edges: int) -> bool:
        return edges <= limits.edges and has_time()

    bounds, prefixes, lower = no_bounds(), first_prefixes(len(model.level) - 1), -float("inf")
    for level in range(1, order + 1):
        limit = upper + limits.beam + SLACK
        model = model._replace(order=level)
        if level == 2:
            second = _second_order(chart, model, order, bounds, prefixes, upper, limits.beam, has_time)
        if level == 2 and second is not None:
            lower, upper = max(lower, second.lower), min(upper, second.upper)
            limit = upper + limits.beam + SLACK
            bounds, model, prefixes = second.bounds, second.model, second.prefixes
            if lower > limit:
                return Certificate(upper, finished=True)
            if level == last:
                return Certificate(min(lower, upper), finished=False)
            if not has_time():
                return Certificate(min(lower, upper), finished=False)
            if order > 2:  # the matrices bound the third order as well as a whole forest of the second
                continue
        # The first order's forest is small, and gives a bound whatever the limits are.
        asked = goes_on if level > 1 else _always
        own_limit = limit if level > 1 else EVERYTHING
        forest = refined_forest(chart, model, bounds, own_limit, prefixes, min(QUOTA, limits.edges), asked)
        if forest is None:
            return Certificate(min(lower, upper), finished=False)
        prefixes = forest.pools.prefixes
        if level == order:
            inside, _ = inside_costs(forest.edges, forest.edge_costs(), forest.axioms)
            best = float(inside[forest.goal])
            kept, _, _ = forest.within(best + limits.beam + SLACK)
            return Certificate(best, finished=True, forest=kept)
        rounds = FIRST_ROUNDS if level == 1 and last != 1 and has_matrices(chart) else None
        tightened = tighten(forest, model, chart, order, limit, has_time, rounds=rounds)
        lower, model = max(lower, tightened.lower), tightened.model
        if lower > limit:  # the known derivation's cost was not quite its own
            return Certificate(upper, finished=True)
        upper = min(upper, tightened.upper)
        bounds = bounds_of(tightened.forest, tightened.outside)
        if level == last or not has_time():
            return Certificate(min(lower, upper), finished=False)
    raise AssertionError("a language model has an order")


@dataclass(frozen=True)
class _SecondOrder:
    """Bounds of order 2 from dense matrices, the automaton whose potentials they are of, and both bounds' costs."""

    bounds: Bounds
    prefixes: Table
    model: Automaton
    lower: float
    upper: float


def _second_order(
    chart: Chart,
    model: Automaton,
    order: int,
    coarse: Bounds,
    prefixes: Table,
    upper: float,
    beam: float,
    has_time: Callable[[], bool],
) -> _SecondOrder | None:
    """Bounds the second order without its forest, and learns multipliers from the best part of that.

    The part is all that the present bounds leave within a lower limit. What the multipliers gain there holds for the
    whole, as the next matrices show; what these show to be beyond the limit is left out of those that follow.

    Returns:
        The bounds; None if the matrices are too large, or cannot be made.
    """
    charges = first_charges(coarse, model)
    kept = everything_kept(chart, charges, coarse.least[: chart.num_states])
    found = dense_bounds(chart, model, charges, kept, upper + beam + SLACK)
    if found is None:
        return None
    prefixes = with_words(prefixes, charges)
    best = found
    for _ in range(SAMPLES if order > 2 else 0):
        missing = upper - best.lower
        if missing < CLOSE or not has_time():
            break
        within = min(best.lower + SHARE * missing, best.limit_of(SAMPLE_PAIRS))
        bounds = dense_bounds_of(best.dense)
        sampled = refined_forest(
            chart, model, bounds, within, prefixes, SAMPLE_EDGES, lambda edges: edges <= SAMPLE_EDGES and has_time()
        )
        if sampled is None:
            break
        tightened = tighten(sampled, model, chart, order, upper + beam + SLACK, has_time, sample=True)
        upper = min(upper, tightened.upper)
        found = dense_bounds(chart, tightened.model, charges, best.kept, upper + beam + SLACK)
        if found is None or found.lower <= best.lower:
            break
        gain, best, model = found.lower - best.lower, found, tightened.model
        if gain < GAIN * missing or best.lower > tightened.lower - NEAR:  # then the part has the best derivation, too
            break
    return _SecondOrder(dense_bounds_of(best.dense), prefixes, model, best.lower, upper)


SAMPLES, SAMPLE_EDGES, SAMPLE_PAIRS = 8, 400_000, 30_000
"""How often multipliers are learned from a part of the second order's forest, its edges at most, and how many pairs of
words at states it has about."""

SHARE, GAIN = 0.5, 0.03
"""How far the part reaches from the lower to the upper bound at most, and the least gain by which it goes on."""

CLOSE, NEAR = 0.5, 0.1
"""Nats between the bounds that are not worth another part, and between those of a part and of the whole."""


def first_charges(bounds: Bounds, model: Automaton) -> Floats:
    """Returns what each word is charged as the first one of a cell, infinity if no derivation begins a cell with it."""
    transitions = bounds.transitions.rows
    count = num_records(bounds.transitions)
    first = transitions[:count][transitions["context"][:count] == 2 * (len(model.level) - 1) + 1]
    first = first[first["word"] < model.final]
    charges = np.full(model.final, np.inf)
    charges[first["word"]] = first["cost"]
    return charges


def _always(edges: int) -> bool:
    return True
