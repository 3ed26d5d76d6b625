"""The language model of the search: lower bounds of costs over all longer histories, and potentials that cancel out.

The automaton of order k remembers k - 1 words, and each word costs the least that any longer history ending in these
could make it cost. At the model's own order that is the model. Unlike in `lm/relax.py`, no backoff is paid in advance,
so costs of different orders can be compared word by word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints, inlined, jit
from lattice_simp.lm.automaton import NgramAutomaton, find_child, follow
from lattice_simp.lm.relax import least_costs


class ContextModel(NamedTuple):
    """A language model of one order over contexts, whose costs are the least over all longer histories.

    A state is the longest n-gram of the model, up to order - 1 words, that ends the history; no backoff is paid in
    advance. A *context* is `2 * n`, or `2 * n + 1` if the n-gram n may be the end of a longer one (it is open).
    The n-grams that can occur are `living`; `tree` lists them such that those that end in n, itself first, are
    `tree[tree_begins[n]:tree_ends[n]]`.

    States of the order `reach` have potentials, which are added when a state is entered and subtracted when it is left;
    longer n-grams have the potential of their states. An open context costs as much as the best state that it may stand
    for. For each n-gram, `backoffs` is the cost of backing off to the empty history; `leaving` is the same cost from a
    state of the order `reach`, less its potential (infinity for other n-grams); and `cheapest` is the n-gram with the
    least `leaving` among those that end in it.

    Attributes:
        order: the order of the automaton, from 1 to the model's own.
        children, word, suffix, cost, backoff, start, end: those of the `NgramAutomaton`, restricted to a vocabulary.
            They are not kept as one: kernels take longer to fetch an array of a tuple within a tuple.
        least_cost, least_backoff: (nodes,) float64, its `least_costs`.
        level: (nodes,) int32, the lengths of n-grams.
        parent: (nodes,) int32, each n-gram without its last word.
        living, tree, tree_begins, tree_ends: int32, see above.
        potential: (nodes,) float64.
        reach: the order of the states that have potentials.
        backoffs, leaving: (nodes,) float64, see above.
        cheapest: (nodes,) int32, see above.
        final: the word that stands for the sentence's end, the number of words.
    """

    order: int
    children: Ints
    word: Ints
    suffix: Ints
    cost: Floats
    backoff: Floats
    start: int
    end: int
    least_cost: Floats
    least_backoff: Floats
    level: Ints
    parent: Ints
    living: Ints
    tree: Ints
    tree_begins: Ints
    tree_ends: Ints
    potential: Floats
    reach: int
    backoffs: Floats
    leaving: Floats
    cheapest: Ints
    final: int


def context_model(ngrams: NgramAutomaton) -> ContextModel:
    """Returns the model of the first order, without potentials."""
    living = np.arange(ngrams.root, dtype=np.int32)
    tree, begins, ends = _suffix_tree(ngrams.suffix, living)
    least = least_costs(ngrams)
    model = ContextModel(
        order=1,
        children=ngrams.children,
        word=ngrams.word,
        suffix=ngrams.suffix,
        cost=ngrams.cost,
        backoff=ngrams.backoff,
        start=ngrams.start,
        end=ngrams.end,
        least_cost=least.cost,
        least_backoff=least.backoff,
        level=ngrams.lengths,
        parent=ngrams.parents,
        living=living,
        tree=tree,
        tree_begins=begins,
        tree_ends=ends,
        potential=np.zeros(ngrams.root + 1),
        reach=1,
        backoffs=_backoffs(ngrams.backoff, ngrams.suffix),
        leaving=np.zeros(0),
        cheapest=np.zeros(0, dtype=np.int32),
        final=ngrams.num_words,
    )
    return with_potential(model, model.potential, model.reach)


def without_pairs(model: ContextModel, living: Bools) -> ContextModel:
    """Returns the model without the n-grams that hold an impossible pair of adjacent words.

    Args:
        model: any context model.
        living: (words, words + 1) bool, which words, and the sentence's end, may follow each word.
    """
    chosen = np.flatnonzero(_living_ngrams(model, living)).astype(np.int32)
    tree, begins, ends = _suffix_tree(model.suffix, chosen)
    return with_potential(
        model._replace(living=chosen, tree=tree, tree_begins=begins, tree_ends=ends), model.potential, model.reach
    )


@jit
def _living_ngrams(model: ContextModel, living: Bools) -> Bools:
    lives = np.ones(len(model.level) - 1, dtype=np.bool_)
    words = model.word
    for node in range(len(lives)):
        if model.level[node] > 1:
            before, word = words[model.parent[node]], words[node]
            pair = living[before, word] or (word == model.end and living[before, model.final])
            lives[node] = lives[model.parent[node]] and pair
    return lives


def with_potential(model: ContextModel, potential: Floats, reach: int, feasible: Bools | None = None) -> ContextModel:
    """Returns the model with potentials of the states of the order `reach`.

    Args:
        model: any context model.
        potential: (n-grams,) float64; only the potentials of states count.
        reach: the order of these states.
        feasible: (n-grams,) bool, the states that an open context may stand for; None for all.
    """
    potential, leaving = _spread(model, potential, reach)
    if feasible is not None:
        leaving[~feasible] = np.inf
    return model._replace(
        potential=potential,
        reach=reach,
        leaving=leaving,
        cheapest=_cheapest(leaving, model.suffix, model.living),
    )


@jit
def _spread(model: ContextModel, potential: Floats, reach: int) -> tuple[Floats, Floats]:
    """Returns the potentials of all n-grams, and the cost of backing off from states to the empty history."""
    suffix, backoff = model.suffix, model.least_backoff
    spread, leaving = potential.copy(), np.full(len(potential), np.inf)
    for node in model.living:  # suffixes come first
        if model.level[node] >= reach:
            spread[node] = spread[suffix[node]]
        elif model.level[node] == reach - 1:
            leaving[node] = backoff[node] + model.backoffs[suffix[node]] - potential[node]
        else:
            leaving[node] = model.backoffs[node] - potential[node]
    return spread, leaving


@jit
def _backoffs(backoff: Floats, suffix: Ints) -> Floats:
    backoffs = np.zeros(len(suffix))
    for node in range(len(suffix) - 1):  # suffixes have lower numbers
        backoffs[node] = backoff[node] + backoffs[suffix[node]]
    return backoffs


@jit
def _cheapest(leaving: Floats, suffix: Ints, living: Ints) -> Ints:
    cheapest = np.arange(len(suffix)).astype(np.int32)
    for node in living[::-1]:
        if leaving[cheapest[node]] < leaving[cheapest[suffix[node]]]:
            cheapest[suffix[node]] = cheapest[node]
    return cheapest


@jit
def _suffix_tree(suffix: Ints, living: Ints) -> tuple[Ints, Ints, Ints]:
    """Returns the living n-grams, each before those that end in it, and where the latter begin and end."""
    root = len(suffix) - 1
    size = np.zeros(root + 1, dtype=np.int32)
    size[root] = 1
    for node in living[::-1]:  # in `living`, suffixes come first
        size[node] += 1
        size[suffix[node]] += size[node]
    begins, filled = np.zeros(root + 1, dtype=np.int32), np.ones(root + 1, dtype=np.int32)
    tree = np.full(size[root], root, dtype=np.int32)
    for node in living:
        begins[node] = filled[suffix[node]]
        filled[suffix[node]] += size[node]
        filled[node] = begins[node] + 1
        tree[begins[node]] = node
    return tree, begins, begins + size


@jit
def read(model: ContextModel, context: int, word: int) -> tuple[int, float]:
    """Returns the n-gram that a word matches after a context, and the word's least cost."""
    state, penalty = context >> 1, 0.0
    if context & 1 == 1:  # the first step of an open context takes the least costs
        matched = word
        if state != len(model.suffix) - 1:
            matched = find_child(model.children, model.word, state, word)
        if matched >= 0:
            return matched, model.least_cost[matched]
        state, penalty = model.suffix[state], model.least_backoff[state]
    matched, penalty = follow(state, word, penalty, model.children, model.word, model.suffix, model.backoff)
    return matched, penalty + model.cost[matched]


@jit
def relaxed(model: ContextModel, context: int, word: int) -> float:
    """Returns the least cost of a word after a context, with potentials."""
    return best_choice(model, context, word)[0]


@jit
def best_choice(model: ContextModel, context: int, word: int) -> tuple[float, int, int]:
    """Returns the least cost of a word after a context, with potentials, and the n-grams that are left and entered.

    An open context may stand for any state that ends in it. States after which the word is unseen back off, at a cost
    that does not depend on the word, so the same state is best for most words. A word that is seen after a state is
    also seen after its suffixes, so the other states are found by the n-grams that end in the context and the word.
    """
    state, model_word = context >> 1, model.end if word == model.final else word
    if context & 1 == 0 or model.level[state] >= model.reach - 1:
        matched, cost = read(model, context, model_word)
        return cost - model.potential[state] + _entering(model, matched, word), state, matched
    matched, cost = read(model, 2 * state, model_word)
    left = model.cheapest[state]
    if model.level[matched] > model.level[state]:
        left = _cheapest_unseen(model, state, model_word)
    best = cost + model.leaving[left] - model.backoffs[state] + _entering(model, matched, word)
    if model.level[matched] <= model.level[state]:  # the word is unseen after all states that end in it
        return best, left, matched
    entered = matched
    for place in range(model.tree_begins[matched] + 1, model.tree_ends[matched]):
        longer = model.tree[place]
        before = model.parent[longer]
        if model.level[before] >= model.reach:
            continue
        leaves = before
        if model.level[before] == model.reach - 1:
            cost = model.least_cost[longer] - model.potential[before]
            if not model.leaving[before] < np.inf:
                continue
        else:
            leaves = _cheapest_unseen(model, before, model_word)
            cost = model.cost[longer] + model.leaving[leaves] - model.backoffs[before]
        cost += _entering(model, longer, word)
        if cost < best:
            best, left, entered = cost, leaves, longer
    return best, left, entered


@inlined
def _entering(model: ContextModel, matched: int, word: int) -> float:
    return 0.0 if word == model.final else model.potential[matched]


@inlined
def _cheapest_unseen(model: ContextModel, anchor: int, word: int) -> int:
    """Returns the state that backs off to an n-gram at the least cost; no state in between has seen the word."""
    state = model.cheapest[anchor]
    at = state
    while at != anchor and find_child(model.children, model.word, at, word) < 0:
        at = model.suffix[at]
    return state if at == anchor else _next_unseen(model, anchor, word)


@jit
def _next_unseen(model: ContextModel, anchor: int, word: int) -> int:
    """Does the search of `_cheapest_unseen` if the cheapest state has seen the word."""
    cheapest, best = anchor, model.leaving[anchor]
    place = model.tree_begins[anchor] + 1
    while place < model.tree_ends[anchor]:
        state = model.tree[place]
        is_worse = not model.leaving[model.cheapest[state]] < best
        if is_worse or find_child(model.children, model.word, state, word) >= 0:
            place = model.tree_ends[state]
            continue
        if model.leaving[state] < best:
            cheapest, best = state, model.leaving[state]
        place += 1
    return cheapest


@jit
def open_context(model: ContextModel, state: int, words: int) -> int:
    """Returns the context of a state after a known number of words."""
    return 2 * state + (1 if model.level[state] == words else 0)


@jit
def lower_state(model: ContextModel, state: int, order: int) -> int:
    """Returns the state of the automaton of an order after an n-gram."""
    while model.level[state] > order - 1:
        state = model.suffix[state]
    return state
