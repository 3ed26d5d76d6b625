"""The bounded search behind exact language-model application, coarse to fine.

1. Backward passes with the optimistic orders 1, 2, ... of the model (`language_model/optimistic.py`), each bounded by
   the estimates of the one before, give an admissible estimate of the cost from every (state, history) to the end.
2. A narrow beam search, guided by the estimates, finds a good path; its cost bounds the best one.
3. The exact product is built only where cost so far + estimate stays within that bound (+ the beam).

Nothing within the beam can be lost: estimates never exceed the true cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints, Longs
from lattice_simp.lm.optimistic import OptimisticCosts, OrderView, optimistic_costs, order_view, settle
from lattice_simp.lm.restrict import RestrictedModel
from lattice_simp.ops import lm_nodes, lm_product, lm_relaxed

ROUNDING = 1e-9
"""A bound is compared with sums taken in another order: this relative slack keeps rounding from losing a path."""

BEAM_WIDTH = 8
"""Histories kept for each lattice state while looking for a bound; more cost time, fewer give looser bounds."""

BEAM_MARGIN = 12.0
"""The beam search looks only at arcs whose best coarse path is at most so many nats from the best one."""


TableArguments = tuple[Ints, Floats, Longs, Floats]
"""Where a state settles in a coarser order, what that costs, and that order's table of estimates (keys, values)."""


@dataclass(frozen=True)
class LatticeArrays:
    """A lattice as the kernels take it; words are unigrams of a restricted model, -1 for none."""

    offsets: Ints
    words: Ints
    weights: Floats
    nextstates: Ints
    finals: Floats

    def keep(self, kept: Bools) -> tuple[LatticeArrays, Ints]:
        """Drops arcs; gives the arrays of the others and their old numbers."""
        old = np.flatnonzero(kept).astype(np.int32)
        offsets = np.concatenate(([0], np.cumsum(kept)))[self.offsets].astype(np.int32)
        return LatticeArrays(offsets, self.words[old], self.weights[old], self.nextstates[old], self.finals), old

    def unpack(self) -> tuple[Ints, Ints, Floats, Ints, Floats]:
        return self.offsets, self.words, self.weights, self.nextstates, self.finals


@dataclass(frozen=True)
class ScoredEdges:
    """The result of a search: edges between new states, each of an old arc, with the model's weighted cost."""

    states: Ints
    sources: Ints
    targets: Ints
    arcs: Ints
    model_cost: Floats
    end_model_cost: Floats
    best: float

    def scaled(self, factor: float) -> tuple[Floats, Floats]:
        """Returns the model's costs of the edges and of the ends times a factor."""
        return factor * self.model_cost, factor * self.end_model_cost


@dataclass(frozen=True)
class _Estimates:
    """Backward costs of a coarse pass: hashed by (lattice state, state of the order's automaton)."""

    order: int
    keys: Longs
    values: Floats

    def for_view(self, model: RestrictedModel, costs: OptimisticCosts, weight: float) -> TableArguments:
        """The kernels' arguments: where a finer state settles in this order, what that costs, and the table."""
        backoff = weight * np.where(model.level == self.order - 1, costs.best_backoff, model.backoff)
        coarse, coarse_cost = settle(model.level, backoff, model.suffix, model.children, self.order)
        return coarse, coarse_cost, self.keys, self.values


def search(arrays: LatticeArrays, model: RestrictedModel, weight: float, beam: float | None) -> ScoredEdges:
    """Finds every path within `beam` of the best one under lattice + model; see the module's text."""
    costs = optimistic_costs(model)
    full = order_view(model, costs, model.order, weight)
    first = order_view(model, costs, 1, weight)
    numbers = np.arange(len(arrays.words), dtype=np.int32)
    estimates = _Estimates(
        1, np.zeros(0, dtype=np.int64), lm_relaxed.lattice_backward(*arrays.unpack(), first.match_cost, first.end)
    )
    bound = np.inf
    if beam is not None:
        for order in range(2, model.order):
            estimates, through = _coarse_pass(arrays, model, costs, order, weight, estimates, bound)
            near, _ = arrays.keep(through <= float(through.min(initial=np.inf)) + BEAM_MARGIN)
            cost = lm_product.beam_cost(
                *near.unpack(), *_exact_arguments(full), *estimates.for_view(model, costs, weight), BEAM_WIDTH
            )
            bound = min(bound, _with_slack(cost + beam))
            arrays, old = arrays.keep(through <= bound)
            numbers = numbers[old]
    edges = _exact_pass(arrays, full, estimates.for_view(model, costs, weight), bound, beam)
    # Where nothing extends `<s>`, every path pays its backoff: a constant, which the search leaves out.
    begin = full.settle_cost[model.start_word]
    return replace(
        edges,
        arcs=numbers[edges.arcs],
        end_model_cost=edges.end_model_cost + begin,
        best=edges.best + begin,
    )


def _coarse_pass(
    arrays: LatticeArrays,
    model: RestrictedModel,
    costs: OptimisticCosts,
    order: int,
    weight: float,
    estimates: _Estimates,
    bound: float,
) -> tuple[_Estimates, Floats]:
    """Returns the estimates of the next order, and the cost of the best coarse path through each arc."""
    view = order_view(model, costs, order, weight)
    state, context, forward, offsets, arc, target, edge_cost, end_cost = lm_relaxed.relaxed_product(
        *arrays.unpack(),
        view.children,
        view.word,
        view.level,
        model.num_words,
        order,
        view.match_cost,
        view.next_state,
        view.suffix,
        view.backoff,
        view.fallback,
        view.fallback_cost,
        view.start,
        view.end,
        *estimates.for_view(model, costs, weight),
        bound,
    )
    backward, through = lm_relaxed.relaxed_backward(
        offsets, arc, target, edge_cost, end_cost, forward, len(arrays.words)
    )
    table = lm_nodes.estimate_table(state, context, forward, backward, bound, len(view.level))
    return _Estimates(order, *table), through


def _exact_arguments(view: OrderView) -> tuple[Ints, Ints, Ints, Floats, Floats, Ints, int, int]:
    return (
        view.children,
        view.word,
        view.suffix,
        view.backoff,
        view.match_cost,
        view.next_state,
        view.start,
        view.end,
    )


def _exact_pass(
    arrays: LatticeArrays,
    view: OrderView,
    estimates: TableArguments,
    bound: float,
    beam: float | None,
) -> ScoredEdges:
    states, forward, offsets, arc, target, model_cost, end_cost, end_model_cost = lm_product.exact_product(
        *arrays.unpack(), *_exact_arguments(view), *estimates, bound
    )
    backward = lm_product.product_backward(offsets, arc, target, model_cost, end_cost, arrays.weights)
    best = float(backward[0])
    limit = np.inf if beam is None else _with_slack(best + beam)
    kept = lm_product.edges_within(offsets, arc, target, model_cost, forward, backward, arrays.weights, limit)
    sources = np.repeat(np.arange(len(states), dtype=np.int32), np.diff(offsets))
    beyond = forward + end_cost > limit
    return ScoredEdges(
        states=states,
        sources=sources[kept],
        targets=target[kept],
        arcs=arc[kept],
        model_cost=model_cost[kept],
        end_model_cost=np.where(beyond, np.inf, end_model_cost),
        best=best,
    )


def _with_slack(bound: float) -> float:
    return bound + ROUNDING * max(1.0, abs(bound))
