"""Bounds of the second order without its forest: matrices, with multipliers learned on parts of that forest.

A part is everything that the current bounds leave within a lower limit. The gain of multipliers there carries over to
the whole, as the next matrices show; whatever these show to be beyond the limit is left out of later matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.core.records import Table, num_records
from lattice_simp.translate.search.chart import Chart
from lattice_simp.translate.search.exact.border_words import everything_kept
from lattice_simp.translate.search.exact.bounds import SLACK, Bounds, bounds_of, dense_bounds_of
from lattice_simp.translate.search.exact.context_model import ContextModel, without_pairs
from lattice_simp.translate.search.exact.dense_bounds import DenseBounds, dense_bounds
from lattice_simp.translate.search.exact.junctions import with_words
from lattice_simp.translate.search.exact.multipliers import AscentOptions, Tightened, tighten
from lattice_simp.translate.search.exact.refine import refined_forest

SAMPLES, SAMPLE_EDGES, SAMPLE_PAIRS = 8, 400_000, 30_000
"""How often multipliers are learned on a part of the second order's forest, the most edges of a part, and its
approximate number of pairs of words at states."""

SHARE, GAIN = 0.5, 0.03
"""The greatest reach of a part, as a share of the way between the bounds, and the least gain for which it goes on."""

BEYOND = 0.7
"""How far the bound of a part is raised beyond its reach, as a share of the way to the limit; a higher bound would only
exploit what the part lacks."""

CLOSE, FEW = 0.5, 20_000
"""Below this difference of the bounds (nats), or this number of pairs of words at states, another part does not pay,
since the third order is small."""


@dataclass(frozen=True, eq=False)
class SecondOrder:
    """The bounds of the second order.

    Attributes:
        bounds: the bounds from matrices.
        model: the automaton with the potentials behind them.
        prefixes: the prefixes of one word.
        lower: no derivation costs less.
        upper: the least cost of a known derivation.
    """

    bounds: Bounds
    model: ContextModel
    prefixes: Table
    lower: float
    upper: float


def second_order(
    chart: Chart, first: Tightened, order: int, upper: float, beam: float, has_time: Callable[[], bool], *, last: bool
) -> SecondOrder | None:
    """Bounds the second order.

    Args:
        chart: the chart of the sentence.
        first: the forest of the first order.
        order: the order of the language model.
        upper: the cost of a known derivation.
        beam: no derivation that costs at most this much more is lost.
        has_time: whether there is time to go on.
        last: whether no third order follows, which would finish a small remainder more quickly.

    Returns:
        The bounds; None if the matrices are too large, or cannot be made.
    """
    model = first.model._replace(order=2)
    coarse = bounds_of(first.forest, first.outside)
    charges = first_charges(coarse, model)
    prefixes = with_words(first.forest.pools.prefixes, charges)

    def matrices(model: ContextModel, previous: DenseBounds | None) -> DenseBounds | None:
        kept = everything_kept(chart, charges, coarse.least[: chart.num_states]) if previous is None else previous.kept
        living = None if previous is None else previous.living
        return dense_bounds(chart, model, charges, kept, upper + beam + SLACK, living)

    def learned(model: ContextModel, previous: DenseBounds) -> Tightened | None:
        missing = upper - previous.lower
        is_near = missing < SLACK if last else missing < CLOSE or previous.num_pairs < FEW
        if is_near or not has_time():
            return None
        limit, bounds = upper + beam + SLACK, dense_bounds_of(previous.dense)
        within = min(previous.lower + SHARE * missing, previous.limit_of(SAMPLE_PAIRS))
        sampled = refined_forest(
            chart, model, bounds, within, prefixes, SAMPLE_EDGES, lambda edges: edges <= SAMPLE_EDGES and has_time()
        )
        if sampled is None:
            return None
        goal = within + BEYOND * (limit - within)
        return tighten(sampled, model, chart, order, goal, has_time, AscentOptions(sample=True))

    best = matrices(model, None)
    if best is None:
        return None
    for _ in range(SAMPLES if order > 2 else 0):
        missing = upper - best.lower
        if (tightened := learned(without_pairs(model, best.living), best)) is None:
            break
        upper = min(upper, tightened.upper)
        tighter = matrices(tightened.model, best)
        if tighter is None or tighter.lower <= best.lower:
            break
        gain, best, model = tighter.lower - best.lower, tighter, tightened.model
        if gain < GAIN * missing:
            break
    return SecondOrder(dense_bounds_of(best.dense), model, prefixes, best.lower, upper)


def first_charges(bounds: Bounds, model: ContextModel) -> Floats:
    """Returns the charge of each word as the first one of a cell, infinity if no derivation begins a cell with it."""
    transitions = bounds.transitions.rows
    count = num_records(bounds.transitions)
    first = transitions[:count][transitions["context"][:count] == 2 * (len(model.level) - 1) + 1]
    first = first[first["word"] < model.final]
    charges = np.full(model.final, np.inf)
    charges[first["word"]] = first["cost"]
    return charges
