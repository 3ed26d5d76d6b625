"""The exact search: relaxations of order 1, 2, ..., each within the bounds of the one before.

After Rush, Chang and Collins (2013) and Aziz, Dymetman and Venkatapathy (2013): a relaxation bounds the cost of every
completion of a partial derivation, and nothing is dropped that may cost less than a known translation. Each order is
tightened by multipliers, which prune most of it, before the next order is built. At the language model's own order, the
best derivation is the optimum; if time or memory run out before, the last relaxation's bound is the certificate.
"""

from __future__ import annotations

from dataclasses import dataclass

from lattice_simp.core.kernel import cpu_seconds
from lattice_simp.translate.search.chart import Chart
from lattice_simp.translate.search.exact.bounds import SLACK, bounds_of, no_bounds
from lattice_simp.translate.search.exact.context_model import ContextModel
from lattice_simp.translate.search.exact.dense_bounds import has_matrices
from lattice_simp.translate.search.exact.forest import BorderForest
from lattice_simp.translate.search.exact.junctions import first_prefixes
from lattice_simp.translate.search.exact.limits import ExactSearch
from lattice_simp.translate.search.exact.multipliers import FULL_ASCENT, AscentOptions, Tightened, tighten
from lattice_simp.translate.search.exact.refine import refined_forest
from lattice_simp.translate.search.exact.second_order import second_order
from lattice_simp.translate.search.forest import inside_costs

QUOTA = 1_000_000
"""The number of edges between checks of the clock."""

FIRST_ROUNDS = 6
"""Rounds of the first order's multipliers if the second order's follow, which replace further rounds."""

EVERYTHING = 1e300
"""The limit of the first order, whose forest is small."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """The result of an exact search.

    Attributes:
        lower: a lower bound: no translation costs less.
        finished: whether the search finished; then the best translation costs `lower`.
        forest: the forest of the full order, with everything within the limit; None if the search did not finish, or if
            nothing is within the limit.
    """

    lower: float
    finished: bool
    forest: BorderForest | None = None


def search(
    chart: Chart, model: ContextModel, order: int, upper: float, limits: ExactSearch, last: int | None = None
) -> Certificate:
    """Searches for the best derivation.

    Args:
        chart: the chart of the sentence.
        model: the language model's automaton of order 1, as `context_model` makes it.
        order: the order of the language model.
        upper: the cost of a known derivation.
        limits: the time and memory limits, and the beam beyond the best derivation.
        last: the order of the last relaxation, after which only the bound is returned; None to search to the end.
    """
    began = cpu_seconds()

    def has_time() -> bool:
        return cpu_seconds() - began < limits.seconds

    def goes_on(edges: int) -> bool:
        return edges <= limits.edges and has_time()

    bounds, prefixes, lower = no_bounds(), first_prefixes(len(model.level) - 1), -float("inf")
    tightened: Tightened | None = None
    for level in range(1, order + 1):
        limit = upper + limits.beam + SLACK
        model = model._replace(order=level)
        second = None
        if level == 2 and tightened is not None:
            second = second_order(chart, tightened, order, upper, limits.beam, has_time, last=last == 2)
        if second is not None:
            lower, upper = max(lower, second.lower), min(upper, second.upper)
            limit = upper + limits.beam + SLACK
            bounds, model, prefixes = second.bounds, second.model, second.prefixes
            if lower > limit:
                return Certificate(upper, finished=True)
            if level == last or not has_time():
                return Certificate(min(lower, upper), finished=False)
            if order > 2:  # the matrices bound the third order as well as a whole forest of the second
                continue
        # The first order's forest is small, and gives a bound whatever the limits are.
        may_go_on = goes_on if level > 1 else _always
        widest = limit if level > 1 else EVERYTHING
        forest = refined_forest(chart, model, bounds, widest, prefixes, min(QUOTA, limits.edges), may_go_on)
        if forest is None:
            return Certificate(min(lower, upper), finished=False)
        prefixes = forest.pools.prefixes
        if level == order:
            inside, _ = inside_costs(forest.packed())
            best = float(inside[forest.goal])
            kept, _ = forest.within(best + limits.beam + SLACK)
            return Certificate(best, finished=True, forest=kept)
        few = level == 1 and last != 1 and has_matrices(chart)
        ascent = AscentOptions(FIRST_ROUNDS if few else None, finer=2) if level == 1 else FULL_ASCENT
        tightened = tighten(forest, model, chart, order, limit, has_time, ascent)
        lower, model = max(lower, tightened.lower), tightened.model
        if lower > limit:  # the known cost was not exact
            return Certificate(upper, finished=True)
        upper = min(upper, tightened.upper)
        bounds = bounds_of(tightened.forest, tightened.outside)
        if level == last or not has_time():
            return Certificate(min(lower, upper), finished=False)
    raise AssertionError("a language model has an order")


def _always(edges: int) -> bool:
    return True
