"""Optimistic lower orders of a language model, as automata ready for a search.

The automaton of order k remembers only k - 1 words, and each transition costs the least that any longer history
ending in those words could make it cost (the rest costs of Heafield, Koehn and Lavie 2012, taken over one lattice's
vocabulary). It never overestimates, so its shortest distances are admissible bounds for an exact search; at the
model's own order it is the model itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, inlined, jit
from lattice_simp.lm.restrict import RestrictedModel, find_child


class OrderView(NamedTuple):
    """One order's automaton, as kernels take it: states are nodes of the restricted model, costs weighted nats.

    Attributes:
        order: how many words a transition looks at, the new one included.
        num_words: the words are the unigram nodes `0:num_words`.
        children, word, level, suffix: as in `RestrictedModel`.
        match_cost: (nodes,) cost of matching an n-gram, with the backoff weights that every continuation must pay.
        next_state: (nodes,) the state after it: its longest suffix that some word of the vocabulary extends.
        backoff: (nodes,) cost of giving up a state for its suffix.
        fallback, fallback_cost: (nodes,) the next shorter state, past those that nothing extends, and its cost.
        start: the state after `<s>`;  end: the word `</s>`.
    """

    order: int
    num_words: int
    children: Ints
    word: Ints
    level: Ints
    suffix: Ints
    match_cost: Floats
    next_state: Ints
    settle_cost: Floats
    backoff: Floats
    fallback: Ints
    fallback_cost: Floats
    start: int
    end: int


@dataclass(frozen=True)
class OptimisticCosts:
    """The least cost of each n-gram, and of each backoff, over all longer histories (float64, nats)."""

    best_cost: Floats
    best_backoff: Floats


def optimistic_costs(model: RestrictedModel) -> OptimisticCosts:
    """Minimises over histories, from the longest n-grams down."""
    return OptimisticCosts(*_minimise(model.cost, model.backoff, model.suffix, model.parent, model.root))


def order_view(model: RestrictedModel, costs: OptimisticCosts, order: int, weight: float = 1.0) -> OrderView:
    """Returns the automaton of `order`, from 1 to the model's own."""
    level = model.level
    backoff = weight * np.where(level == order - 1, costs.best_backoff, model.backoff)
    next_state, settle_cost = settle(level, backoff, model.suffix, model.children, order)
    return OrderView(
        order=order,
        num_words=model.num_words,
        children=model.children,
        word=model.word,
        level=level,
        suffix=model.suffix,
        match_cost=weight * np.where(level == order, costs.best_cost, model.cost) + settle_cost,
        next_state=next_state,
        settle_cost=settle_cost,
        backoff=backoff,
        fallback=next_state[model.suffix],
        fallback_cost=backoff + settle_cost[model.suffix],
        start=int(next_state[model.start_word]),
        end=model.end_word,
    )


def own_view(model: RestrictedModel) -> OrderView:
    """Returns the automaton of the model's own order, which no longer history can make cheaper."""
    return order_view(model, OptimisticCosts(model.cost, model.backoff), model.order)


@jit
def _minimise(cost: Floats, backoff: Floats, suffix: Ints, parent: Ints, root: int) -> tuple[Floats, Floats]:
    """Minimises over longer histories: each extends the n-gram (its own entry counts) or backs off to it (and pays)."""
    least_extra = np.zeros(root + 1)  # the least sum of backoff costs from any longer history down to the context
    for node in range(root - 1, -1, -1):
        shorter = suffix[node]
        least_extra[shorter] = min(least_extra[shorter], backoff[node] + least_extra[node])
    best = cost.copy()
    for node in range(root - 1, -1, -1):
        best[node] = min(best[node], cost[node] + least_extra[parent[node]])
        shorter = suffix[node]
        if shorter != root:
            best[shorter] = min(best[shorter], best[node])
    return best, backoff + least_extra


@jit
def settle(level: Ints, backoff: Floats, suffix: Ints, children: Ints, order: int) -> tuple[Ints, Floats]:
    """Returns for each node the state of the order's automaton where its paths settle, and what that costs.

    Words beyond order - 1 are forgotten for free; a state that nothing extends is left for its suffix at once, at
    the backoff cost that every continuation pays anyway.
    """
    root = len(level) - 1
    state = np.full(root + 1, root, dtype=np.int32)
    cost = np.zeros(root + 1)
    for node in range(root):  # suffixes come first: nodes are numbered by length
        shorter = suffix[node]
        if level[node] > order - 1:
            state[node], cost[node] = state[shorter], cost[shorter]
        elif children[node] < children[node + 1]:
            state[node] = node
        else:
            state[node], cost[node] = state[shorter], backoff[node] + cost[shorter]
    return state, cost


@jit
def advance(view: OrderView, state: int, word: int) -> tuple[int, float]:
    """Follows `word` from a state; returns the n-gram node it matches and the backoff costs paid before."""
    return follow(state, word, view.children, view.word, view.suffix, view.backoff)


@inlined
def follow(state: int, word: int, children: Ints, words: Ints, suffix: Ints, backoff: Floats) -> tuple[int, float]:
    """Does what `advance` does, for kernels that have fetched the arrays of their view already."""
    root = len(suffix) - 1
    paid = 0.0
    while state != root:
        child = find_child(children, words, state, word)
        if child >= 0:
            return child, paid
        paid += backoff[state]
        state = suffix[state]
    return word, paid
