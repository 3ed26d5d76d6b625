"""The language model as the search sees it: costs that no longer history can undercut, and potentials that cancel out.

The automaton of order k remembers k - 1 words, and each word costs the least that any longer history ending in these
could make it cost. At the model's own order that is the model. Unlike `lm/optimistic.py`, no backoff is paid before it
is due, so that costs of different orders can be compared word by word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints, inlined, jit
from lattice_simp.lm.optimistic import optimistic_costs
from lattice_simp.lm.restrict import RestrictedModel, find_child


class Automaton(NamedTuple):
    """The language model's automaton of one order, whose costs are the least that any longer history can make them.

    A state is the longest n-gram of the model, up to order - 1 words, that ends the history; no backoff is paid in
    advance. A *context* is `2 * n`, or `2 * n + 1` if the n-gram n may be the end of a longer one (it is open).
    The n-grams that can occur are `living`; `tree` lists them such that those that end in n, itself first, are
    `tree[tree_begins[n]:tree_ends[n]]`.

    States of the order `reach` have potentials: added when one is entered, taken away when it is left; longer n-grams
    have the potential of their states. An open context costs what the best of these states costs that it may stand for.
    Of each n-gram, `backoffs` is what it costs to back off from it to no words at all, `leaving` the same from a state
    of the order `reach`, less its potential (infinity if it is none), and `least` the best of all that end in it.
    """

    order: int
    children: Ints
    word: Ints
    level: Ints
    suffix: Ints
    parent: Ints
    cost: Floats
    backoff: Floats
    best_cost: Floats
    best_backoff: Floats
    living: Ints
    tree: Ints
    tree_begins: Ints
    tree_ends: Ints
    potential: Floats
    reach: int
    backoffs: Floats
    leaving: Floats
    least: Ints
    start_word: int
    end: int
    final: int


def automaton(model: RestrictedModel) -> Automaton:
    """Returns the automaton of the first order; its word `final` (the number of words) is the sentence's end."""
    costs = optimistic_costs(model)
    living = np.arange(len(model.level) - 1, dtype=np.int32)
    tree, begins, ends = _suffix_tree(model.suffix, living)
    own = Automaton(
        order=1,
        children=model.children,
        word=model.word,
        level=model.level,
        suffix=model.suffix,
        parent=model.parent,
        cost=model.cost,
        backoff=model.backoff,
        best_cost=costs.best_cost,
        best_backoff=costs.best_backoff,
        living=living,
        tree=tree,
        tree_begins=begins,
        tree_ends=ends,
        potential=np.zeros(len(model.level)),
        reach=1,
        backoffs=_backoffs(model.backoff, model.suffix),
        leaving=np.zeros(0),
        least=np.zeros(0, dtype=np.int32),
        start_word=model.start_word,
        end=model.end_word,
        final=model.num_words,
    )
    return with_potential(own, own.potential, own.reach)


def without_pairs(model: Automaton, living: Bools) -> Automaton:
    """Returns the automaton without the n-grams that have a pair of words side by side that cannot be.

    Args:
        model: the automaton.
        living: (words, words + 1) bool, which words, and the sentence's end, may be behind each other one.
    """
    own = np.append(_living_ngrams(model, living), False)
    chosen = np.flatnonzero(own).astype(np.int32)
    tree, begins, ends = _suffix_tree(model.suffix, chosen)
    return with_potential(
        model._replace(living=chosen, tree=tree, tree_begins=begins, tree_ends=ends), model.potential, model.reach
    )


@jit
def _living_ngrams(model: Automaton, living: Bools) -> Bools:
    found = np.ones(len(model.level) - 1, dtype=np.bool_)
    for node in range(len(found)):
        if model.level[node] > 1:
            before, word = model.word[model.parent[node]], model.word[node]
            pair = living[before, word] or (word == model.end and living[before, model.final])
            found[node] = found[model.parent[node]] and pair
    return found


def with_potential(model: Automaton, potential: Floats, reach: int, feasible: Bools | None = None) -> Automaton:
    """Returns the automaton with potentials of the states of an order.

    Args:
        model: the automaton.
        potential: (n-grams,) float64, those of states count.
        reach: the order.
        feasible: (n-grams,) bool, the states that an open context may stand for; None for all.
    """
    potential, leaving = _spread(model, potential, reach)
    if feasible is not None:
        leaving[~feasible] = np.inf
    return model._replace(
        potential=potential, reach=reach, leaving=leaving, least=_least(leaving, model.suffix, model.living)
    )


@jit
def _spread(model: Automaton, potential: Floats, reach: int) -> tuple[Floats, Floats]:
    """Returns the potentials of all n-grams, and what it costs to back off from states to no words."""
    spread, leaving = potential.copy(), np.full(len(potential), np.inf)
    for node in model.living:  # suffixes come first
        if model.level[node] >= reach:
            spread[node] = spread[model.suffix[node]]
        elif model.level[node] == reach - 1:
            leaving[node] = model.best_backoff[node] + model.backoffs[model.suffix[node]] - potential[node]
        else:
            leaving[node] = model.backoffs[node] - potential[node]
    return spread, leaving


@jit
def _backoffs(backoff: Floats, suffix: Ints) -> Floats:
    found = np.zeros(len(suffix))
    for node in range(len(suffix) - 1):  # suffixes have lower numbers
        found[node] = backoff[node] + found[suffix[node]]
    return found


@jit
def _least(leaving: Floats, suffix: Ints, living: Ints) -> Ints:
    least = np.arange(len(suffix)).astype(np.int32)
    for node in living[::-1]:
        if leaving[least[node]] < leaving[least[suffix[node]]]:
            least[suffix[node]] = least[node]
    return least


@jit
def _suffix_tree(suffix: Ints, living: Ints) -> tuple[Ints, Ints, Ints]:
    """Returns living n-grams, each before those that end in it, and where these begin and end."""
    root = len(suffix) - 1
    size = np.zeros(root + 1, dtype=np.int32)
    size[root] = 1
    for node in living[::-1]:  # suffixes come first
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
    """Returns what a word costs at least after a context, with potentials."""
    return best_choice(model, context, word)[0]


@jit
def best_choice(model: Automaton, context: int, word: int) -> tuple[float, int, int]:
    """Returns what a word costs at least after a context, with potentials, and the n-grams that are left and entered.

    An open context may stand for any state that ends in it. Of these, those that the word has never been seen after
    back off at a cost of their own, so that the same one is best for most words. That a word has been seen after an
    n-gram, it has been after all shorter ones: so the others are found by the n-grams that end in context and word.
    """
    state, seen = context >> 1, model.end if word == model.final else word
    if context & 1 == 0 or model.level[state] >= model.reach - 1:
        matched, cost = read(model, context, seen)
        return cost - model.potential[state] + _entering(model, matched, word), state, matched
    matched, cost = read(model, 2 * state, seen)
    left = model.least[state]
    if model.level[matched] > model.level[state]:
        left = _cheapest_unseen(model, state, seen)
    best = cost + model.leaving[left] - model.backoffs[state] + _entering(model, matched, word)
    if model.level[matched] <= model.level[state]:  # nor has any that ends in it seen the word
        return best, left, matched
    entered = matched
    for place in range(model.tree_begins[matched] + 1, model.tree_ends[matched]):
        longer = model.tree[place]
        before = model.parent[longer]
        if model.level[before] >= model.reach:
            continue
        own = before
        if model.level[before] == model.reach - 1:
            cost = model.best_cost[longer] - model.potential[before]
            if not model.leaving[before] < np.inf:
                continue
        else:
            own = _cheapest_unseen(model, before, seen)
            cost = model.cost[longer] + model.leaving[own] - model.backoffs[before]
        cost += _entering(model, longer, word)
        if cost < best:
            best, left, entered = cost, own, longer
    return best, left, entered


@inlined
def _entering(model: Automaton, matched: int, word: int) -> float:
    return 0.0 if word == model.final else model.potential[matched]


@inlined
def _cheapest_unseen(model: Automaton, anchor: int, word: int) -> int:
    """Returns the state that backs off to an n-gram at the least cost if the word follows: none between has seen it."""
    state = model.least[anchor]
    at = state
    while at != anchor and find_child(model.children, model.word, at, word) < 0:
        at = model.suffix[at]
    return state if at == anchor else _next_unseen(model, anchor, word)


@jit
def _next_unseen(model: Automaton, anchor: int, word: int) -> int:
    """Returns what `_cheapest_unseen` does, where the word has been seen after the cheapest state."""
    found, best = anchor, model.leaving[anchor]
    place = model.tree_begins[anchor] + 1
    while place < model.tree_ends[anchor]:
        own = model.tree[place]
        if not model.leaving[model.least[own]] < best or find_child(model.children, model.word, own, word) >= 0:
            place = model.tree_ends[own]
            continue
        if model.leaving[own] < best:
            found, best = own, model.leaving[own]
        place += 1
    return found


@jit
def open_context(model: Automaton, state: int, words: int) -> int:
    """Returns the context of a state that stands for a number of words."""
    return 2 * state + (1 if model.level[state] == words else 0)


@jit
def lower_state(model: Automaton, state: int, order: int) -> int:
    """Returns the state of the automaton of an order that an n-gram ends in."""
    while model.level[state] > order - 1:
        state = model.suffix[state]
    return state
