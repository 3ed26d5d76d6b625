"""The language model as the search sees it: costs that no longer history can undercut, and potentials that cancel out.

The automaton of order k remembers k - 1 words, and each word costs the least that any longer history ending in these
could make it cost. At the model's own order that is the model. Unlike `lm/optimistic.py`, no backoff is paid before it
is due, so that costs of different orders can be compared word by word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, jit
from lattice_simp.lm.optimistic import optimistic_costs
from lattice_simp.lm.restrict import RestrictedModel, find_child


class Automaton(NamedTuple):
    """The language model's automaton of one order, whose costs are the least that any longer history can make them.

    A state is the longest n-gram of the model, up to order - 1 words, that ends the history; no backoff is paid in
    advance. A *context* is `2 * n`, or `2 * n + 1` if the n-gram n may be the end of a longer one (it is open).
    `potential` of an n-gram is added when it is matched and taken away when it is left; longer n-grams than states of
    the order `reach` have the potential of their states. `longer` lists the n-grams by their longest proper suffix.
    """

    order: int
    children: Ints
    word: Ints
    level: Ints
    suffix: Ints
    cost: Floats
    backoff: Floats
    best_cost: Floats
    best_backoff: Floats
    longer_offsets: Ints
    longer: Ints
    potential: Floats
    reach: int
    start_word: int
    end: int
    final: int


def automaton(model: RestrictedModel) -> Automaton:
    """Returns the automaton of the first order; its word `final` (the number of words) is the sentence's end."""
    costs = optimistic_costs(model)
    inner = model.suffix[:-1]
    counts = np.bincount(inner, minlength=len(model.level))
    return Automaton(
        order=1,
        children=model.children,
        word=model.word,
        level=model.level,
        suffix=model.suffix,
        cost=model.cost,
        backoff=model.backoff,
        best_cost=costs.best_cost,
        best_backoff=costs.best_backoff,
        longer_offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
        longer=np.argsort(inner, kind="stable").astype(np.int32),
        potential=np.zeros(len(model.level)),
        reach=1,
        start_word=model.start_word,
        end=model.end_word,
        final=model.num_words,
    )


@jit
def read(model: Automaton, context: int, word: int) -> tuple[int, float]:
    """Returns the n-gram that a word matches after a context, and what it costs at least."""
    state, root = context >> 1, len(model.suffix) - 1
    is_open = context & 1 == 1
    paid = 0.0
    while state != root:
        child = find_child(model.children, model.word, state, word)
        if child >= 0:
            return child, paid + (model.best_cost[child] if is_open else model.cost[child])
        paid += model.best_backoff[state] if is_open else model.backoff[state]
        is_open = False
        state = model.suffix[state]
    return word, paid + (model.best_cost[word] if is_open else model.cost[word])


@jit
def relaxed(model: Automaton, context: int, word: int) -> float:
    """Returns what a word costs at least after a context, with potentials; one of reach - 2 words at least."""
    state = context >> 1
    if context & 1 == 0 or model.level[state] >= model.reach - 1:
        return _charged(model, context, word)
    best = _charged(model, context - 1, word) if model.level[state] > 0 else np.inf
    for index in range(model.longer_offsets[state], model.longer_offsets[state + 1]):
        best = min(best, _charged(model, 2 * model.longer[index] + 1, word))
    return best


@jit
def _charged(model: Automaton, context: int, word: int) -> float:
    if word == model.final:
        return read(model, context, model.end)[1] - model.potential[context >> 1]
    matched, cost = read(model, context, word)
    return cost - model.potential[context >> 1] + model.potential[matched]


@jit
def lower_state(model: Automaton, state: int, order: int) -> int:
    """Returns the state of the automaton of an order that an n-gram ends in."""
    while model.level[state] > order - 1:
        state = model.suffix[state]
    return state


def states_of_order(model: Automaton, order: int) -> Ints:
    """Returns (n-grams,) the state of an order that each n-gram ends in."""
    states = np.arange(len(model.level), dtype=np.int32)
    while (longer := model.level[states] > order - 1).any():
        states = np.where(longer, model.suffix[states], states)
    return states
