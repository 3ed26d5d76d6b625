"""The bounded search of exact language-model application, coarse to fine.

1. Backward passes with the optimistic orders 1, 3, ... of the model (`lm/relax.py`; 1 and 2 of a trigram model, 1 of
   shorter ones), each bounded by the estimates of the pass before, give an admissible estimate of the cost from every
   (state, history) to the end.
2. A narrow beam search, guided by the estimates, finds a good path; its cost bounds the best one.
3. The exact product is built only where cost so far + estimate stays within that bound (+ the beam).

Nothing within the beam can be lost: estimates never exceed the true cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lattice_simp.core.arcs import Arcs, kept_offsets
from lattice_simp.core.kernel import Floats, Ints, jit
from lattice_simp.lm.automaton import NgramAutomaton, Settled, follow, settle
from lattice_simp.lm.relax import least_costs, relax
from lattice_simp.ops.lm_product import (
    Estimates,
    edges_within,
    estimate_table,
    exact_product,
    product_backward,
    relaxed_product,
    rest_of,
    unigram_backward,
)

ROUNDING = 1e-9
"""Relative slack of bounds: they are compared with sums in another order, and rounding must not lose a path."""

FIRST_ORDER = 3
"""The first order above 1 that has a pass, if the model has longer n-grams. A pass of order 2 does not pay: it saves
the pass of order 3 a quarter of its edges on lattices of 30 news sentences, and as many as it has itself on those of 20
captions."""

BEAM_WIDTH = 8
"""Histories kept for each lattice state in the beam search; more take time, fewer give looser bounds."""

BEAM_MARGIN = 12.0
"""The beam search follows only arcs whose best coarse path is at most this many nats from the best one."""


@dataclass(frozen=True)
class SplitLattice:
    """The result of a search: the lattice split by the model's states, as an arc map with the model's weighted costs.

    Attributes:
        states: (nodes,) int32, the lattice state of each new one.
        offsets: (nodes + 1,) int32, where each new state's arcs begin.
        arcs: (edges,) int32, the lattice arc of each new one.
        nextstates: (edges,) int32.
        costs: (edges,) float64, the model's share.
        end_costs: (nodes,) float64, the model's share of ending there; infinity beyond the beam.
    """

    states: Ints
    offsets: Ints
    arcs: Ints
    nextstates: Ints
    costs: Floats
    end_costs: Floats


def search(arcs: Arcs, model: NgramAutomaton, weight: float, beam: float | None) -> SplitLattice:
    """Finds every path within `beam` of the best one under lattice + model; see the module docstring.

    Args:
        arcs: the lattice; labels are unigrams of the model, `lm_product.NO_WORD` for none.
        model: the model, restricted to the lattice's words.
        weight: the factor of its costs, above 0.
        beam: nats; None keeps every path.
    """
    full, least = model.scaled(weight), least_costs(model)
    settled, first = settle(full), relax(model, 1, least).scaled(weight)
    numbers = np.arange(len(arcs.labels), dtype=np.int32)
    bounds = Estimates(settle(first), np.zeros(0, dtype=np.int64), unigram_backward(arcs, first.cost, first.end))
    limit = np.inf
    if beam is not None:
        orders = range(max(2, min(FIRST_ORDER, model.order - 1)), model.order)
        if not orders:  # up to bigrams, the pass of order 1 is the only coarse one
            limit = _with_slack(_beam_cost(arcs, full, settled, bounds, BEAM_WIDTH) + beam)
        for order in orders:
            bounds, through = _finer(arcs, relax(model, order, least).scaled(weight), bounds, limit)
            near, _ = arcs.keep(through <= float(through.min(initial=np.inf)) + BEAM_MARGIN)
            limit = min(limit, _with_slack(_beam_cost(near, full, settled, bounds, BEAM_WIDTH) + beam))
            arcs, old = arcs.keep(through <= limit)
            numbers = numbers[old]
    return _exact(arcs, numbers, full, settled, bounds, limit, beam)


def _finer(arcs: Arcs, model: NgramAutomaton, bounds: Estimates, limit: float) -> tuple[Estimates, Floats]:
    """Returns estimates by the states of a relaxed model, and the cost of the best coarse path through each arc."""
    settled = settle(model)
    product = relaxed_product(arcs, model, settled, bounds, limit)
    backward, through = product_backward(product, arcs)
    keys, values = estimate_table(product, backward, limit, len(settled.states))
    return Estimates(settled, keys, values), through


def _exact(
    arcs: Arcs,
    numbers: Ints,
    model: NgramAutomaton,
    settled: Settled,
    estimates: Estimates,
    limit: float,
    beam: float | None,
) -> SplitLattice:
    """Builds the exact product and keeps the edges within the beam."""
    product = exact_product(arcs, model, settled, estimates, limit)
    backward, _ = product_backward(product, arcs)
    limit = np.inf if beam is None else _with_slack(float(backward[0]) + beam)
    kept = edges_within(product, arcs, backward, limit)
    end_costs = product.end_costs + arcs.finals[product.states]
    edges = product.edges[kept]
    begin = float(settled.costs[model.start])  # every path pays it, so the search leaves it out
    return SplitLattice(
        states=product.states,
        offsets=kept_offsets(product.offsets, kept),
        arcs=numbers[edges["arc"]],
        nextstates=np.ascontiguousarray(edges["target"]),
        costs=np.ascontiguousarray(edges["cost"]),
        end_costs=np.where(product.forward + end_costs > limit, np.inf, product.end_costs + begin),
    )


def _with_slack(bound: float) -> float:
    return bound + ROUNDING * max(1.0, abs(bound))


@jit
def _beam_cost(arcs: Arcs, model: NgramAutomaton, settled: Settled, estimates: Estimates, width: int) -> float:
    """Returns the cost of a good path, by a beam search that keeps the `width` best histories of each lattice state.

    It is the cost of a real path, hence an upper bound of the least cost.
    """
    offsets, labels, weights, nextstates, finals = arcs  # a named tuple's arrays are slow to fetch in inner loops
    children, words, suffix, backoff = model.children, model.word, model.suffix, model.backoff
    costs, states, num_states = model.cost + settled.costs, settled.states, len(finals)
    (coarse, coarse_cost), rest_keys, rests = estimates
    context = np.empty((num_states, width), dtype=np.int32)
    cost = np.empty((num_states, width), dtype=np.float64)
    promise = np.full((num_states, width), np.inf)
    kept = np.zeros(num_states, dtype=np.int32)
    context[0, 0], cost[0, 0], promise[0, 0], kept[0] = states[model.start], 0.0, 0.0, 1
    best = np.inf
    for state in range(num_states):
        for index in range(kept[state]):
            history, so_far = context[state, index], cost[state, index]
            if finals[state] < np.inf:
                matched, penalty = follow(history, model.end, 0.0, children, words, suffix, backoff)
                best = min(best, so_far + finals[state] + penalty + costs[matched])
            for arc in range(offsets[state], offsets[state + 1]):
                following, total = history, so_far + weights[arc]
                if labels[arc] >= 0:
                    matched, penalty = follow(history, labels[arc], 0.0, children, words, suffix, backoff)
                    following, total = states[matched], total + penalty + costs[matched]
                goal = nextstates[arc]
                rest = rest_of(goal, coarse[following], len(coarse), rest_keys, rests)
                estimated = total + (coarse_cost[following] + rest)
                if not estimated < np.inf:
                    continue
                same, worst = -1, 0
                for entry in range(kept[goal]):
                    if context[goal, entry] == following:
                        same = entry
                    if promise[goal, entry] > promise[goal, worst]:
                        worst = entry
                if same >= 0:
                    if total >= cost[goal, same]:
                        continue
                    worst = same
                elif kept[goal] < width:
                    worst = kept[goal]
                    kept[goal] += 1
                elif estimated >= promise[goal, worst]:
                    continue
                context[goal, worst], cost[goal, worst], promise[goal, worst] = following, total, estimated
    return best
