"""The relaxed costs of words in a forest under potentials, and counts of how often states are entered and left.

The potential of a state is added where the state is entered and subtracted where it is left, or assumed to be left (the
*choice* of a relaxed context). In the best derivation, the number of times that a state is entered less the number of
times that it is left is the gradient of the cost of that derivation. Counts over all derivations near the best one,
weighted by their costs, are the gradient of a smooth approximation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, Records, jit
from lattice_simp.core.records import NONE
from lattice_simp.translate.search.exact.context_model import ContextModel, best_choice, lower_state, read
from lattice_simp.translate.search.exact.forest import BorderForest

FARTHEST = 25.0
"""Derivations that cost this many temperatures more than the best one of a node are ignored: a factor of 1e-11."""

RAREST = 1e-9
"""The share of all derivations below which an edge is ignored."""


class Choices(NamedTuple):
    """(transitions,) int32, the state that each one is best assumed to leave, and the one that it enters or `NONE`."""

    left: Ints
    entered: Ints


@jit
def entered_states(transitions: Records, used: Bools, model: ContextModel, finer: int) -> Bools:
    """Returns (n-grams,) which states of an order a used transition may enter."""
    entered = np.zeros(len(model.level), dtype=np.bool_)
    entered[model.start] = True
    for index in range(len(transitions)):
        if used[index] and transitions[index].word != model.final:
            context, matched = transitions[index].context, transitions[index].matched
            entered[lower_state(model, matched, finer)] = True
            if context & 1 == 1 and model.level[matched] > model.level[context >> 1]:
                # The true context may be longer, and then the matched n-gram may be, too.
                for place in range(model.tree_begins[matched], model.tree_ends[matched]):
                    if model.level[model.tree[place]] < finer:
                        entered[model.tree[place]] = True
    return entered


@jit
def relax(transitions: Records, used: Bools, model: ContextModel) -> Choices:
    """Sets the transitions' costs by a model's potentials; returns the choices behind them."""
    left, entered = np.full(len(transitions), NONE, dtype=np.int32), np.full(len(transitions), NONE, dtype=np.int32)
    for index in range(len(transitions)):
        row = transitions[index]
        row.cost = np.inf
        if used[index]:
            row.cost, before, after = best_choice(model, row.context, row.word)
            left[index] = lower_state(model, before, model.reach)
            if row.word != model.final:
                entered[index] = lower_state(model, after, model.reach)
    return Choices(left, entered)


@jit
def set_costs(junctions: Records, parts: Ints, transitions: Records) -> None:
    """Updates the costs of the junctions from their transitions."""
    for index in range(len(junctions)):
        total = junctions[index].fixed
        for part in range(junctions[index].begin, junctions[index].end):
            total += transitions[parts[part]].cost
        junctions[index].cost = total


def expected_counts(
    forest: BorderForest, chosen: Choices, costs: Floats, inside: Floats, temperature: float, num_states: int
) -> Floats:
    """Returns (states,) how often derivations enter each state, less how often they leave it.

    Args:
        forest: the derivations; a derivation with cost x has the weight exp(-x / temperature).
        chosen: the choices of its transitions.
        costs: (edges,) float64, the costs of the edges alone.
        inside: (nodes,) float64, the cost of the best derivation of each node.
        temperature: in nats.
        num_states: the number of states.
    """
    shares = _shares(forest.edges, costs, forest.axioms, inside, forest.goal, temperature)
    return _counts(shares, forest.edges, forest.junctions, forest.parts, chosen, num_states)


@jit
def _shares(edges: Records, costs: Floats, axioms: Floats, inside: Floats, goal: int, temperature: float) -> Floats:
    """Returns (edges,) the share of the derivations that use each edge."""
    weights, edge_shares = np.zeros(len(axioms)), np.zeros(len(edges))  # relative to each node's best derivation
    for node in range(len(axioms)):
        if axioms[node] < np.inf:
            weights[node] = 1.0
    for index in range(len(edges)):
        tail, second, head = edges[index].tail, edges[index].second, edges[index].head
        cost, weight = inside[tail] + costs[index], weights[tail]
        if second >= 0:
            cost += inside[second]
            weight *= weights[second]
        distance = (cost - inside[head]) / temperature
        if distance < FARTHEST:
            edge_shares[index] = np.exp(-distance) * weight
            weights[head] += edge_shares[index]
    shares = np.zeros(len(axioms))
    shares[goal] = 1.0
    for index in range(len(edges) - 1, -1, -1):
        if edge_shares[index] > 0.0:
            edge_shares[index] *= shares[edges[index].head] / weights[edges[index].head]
            shares[edges[index].tail] += edge_shares[index]
            if edges[index].second >= 0:
                shares[edges[index].second] += edge_shares[index]
    return edge_shares


@jit
def _counts(
    shares: Floats, edges: Records, junctions: Records, parts: Ints, chosen: Choices, num_states: int
) -> Floats:
    counts = np.zeros(num_states)
    for index in range(len(edges)):
        junction = edges[index].junction
        if junction < 0 or shares[index] < RAREST:
            continue
        for part in range(junctions[junction].begin, junctions[junction].end):
            transition = parts[part]
            if chosen.entered[transition] >= 0:
                counts[chosen.entered[transition]] += shares[index]
            counts[chosen.left[transition]] -= shares[index]
    return counts


@jit
def string_cost(
    path: Longs, edges: Records, symbols: Ints, arc_costs: Floats, model: ContextModel, order: int
) -> float:
    """Returns the cost of a derivation with the language model of full order, without potentials."""
    total, context = 0.0, 2 * model.start
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
