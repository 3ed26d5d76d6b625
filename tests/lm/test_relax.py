"""Optimistic lower orders: never above the true cost, and the model itself at its own order."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers import PlainModel, random_arpa

from lattice_simp.lm import LanguageModel
from lattice_simp.lm.automaton import advance, settle, start_state
from lattice_simp.lm.relax import least_costs, relax

VOCABULARY = ("a", "b", "c")
SEEDS = range(6)


def make_model(seed, order, pruned=0.0):
    rng = np.random.default_rng([seed, order])
    density = (0.15, 0.5, 0.9)[seed % 3]
    text = random_arpa(rng, [*VOCABULARY, "d"], order, density=density, pruned=pruned)
    return LanguageModel.from_bytes(text.encode()), PlainModel(text)


def relaxed(model):
    """Returns the restricted model, and its relaxations by order."""
    restricted = model.restrict(VOCABULARY)
    least = least_costs(restricted)
    return restricted, {order: relax(restricted, order, least) for order in range(1, model.order + 1)}


def follow(model, state, words):
    """Returns (state, cost) after `words`."""
    cost = 0.0
    for word in words:
        state, paid = advance(model, state, word)
        cost += paid
    return state, cost


def sentences(restricted, longest):
    for length in range(longest + 1):
        yield from product(restricted.vocabulary.tolist(), repeat=length)


@pytest.mark.parametrize("pruned", [0.0, 0.3])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_models_own_order_is_the_model(order, pruned):
    for seed in SEEDS:
        model, reference = make_model(seed, order, pruned)
        restricted, by_order = relaxed(model)
        automaton = by_order[order]
        names = dict(zip(restricted.vocabulary.tolist(), VOCABULARY, strict=True))
        for sentence in sentences(restricted, 4):
            state, begin = start_state(automaton)
            cost = begin + follow(automaton, state, [*sentence, automaton.end])[1]
            assert cost == pytest.approx(reference.cost([names[word] for word in sentence]), rel=1e-6, abs=1e-4), seed


@pytest.mark.parametrize("pruned", [0.0, 0.3])
@pytest.mark.parametrize("order", [2, 3, *(pytest.param(order, marks=pytest.mark.slow) for order in (4, 5))])
def test_no_rest_after_any_history_costs_less_than_its_estimate(order, pruned):
    for seed in SEEDS:
        model, _ = make_model(seed, order, pruned)
        restricted, by_order = relaxed(model)
        exact = by_order[order]
        states = {follow(exact, start_state(exact)[0], history)[0] for history in sentences(restricted, order - 1)}
        settled = [(automaton, settle(automaton)) for automaton in by_order.values()]
        for state in states:
            for rest in sentences(restricted, 3):
                _, true_cost = follow(exact, state, [*rest, exact.end])
                for automaton, (coarse, costs) in settled:
                    _, estimate = follow(automaton, coarse[state], [*rest, automaton.end])
                    assert costs[state] + estimate <= true_cost + 1e-9, seed


def test_the_least_cost_of_a_word_is_below_its_cost_after_any_history():
    for seed in SEEDS:
        model, reference = make_model(seed, 3)
        restricted = model.restrict(VOCABULARY)
        best = least_costs(restricted).cost
        histories = list(product([*VOCABULARY, "<s>"], repeat=2))
        for word, number in zip(VOCABULARY, restricted.vocabulary.tolist(), strict=True):
            costs = [-reference.log10(history, word) * np.log(10) for history in histories]
            assert best[number] <= min(costs) + 1e-4, seed


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_the_models_own_order_needs_no_minimum_over_histories(order):
    for seed in SEEDS:
        model, _ = make_model(seed, order, 0.3)
        restricted, by_order = relaxed(model)
        for field in ("children", "cost", "suffix"):
            np.testing.assert_array_equal(
                getattr(by_order[order], field), getattr(restricted, field), f"{field}, {seed}"
            )
        for first, again in zip(settle(restricted), settle(by_order[order]), strict=True):
            np.testing.assert_array_equal(first, again, f"{seed}")


def test_paths_settle_where_the_walk_does():
    """`settle` lists the n-grams that `advance` looks up; lower orders drop words at no cost."""
    for seed in SEEDS:
        model, _ = make_model(seed, 4, 0.3 * (seed % 2))
        _, by_order = relaxed(model)
        for order, automaton in by_order.items():
            states, costs = settle(automaton)
            reached = np.flatnonzero(automaton.lengths[:-1])
            assert automaton.lengths[reached].max() <= order
            assert automaton.lengths[states].max(initial=0) < order
            for node in reached.tolist():
                state, cost = start_state(automaton._replace(start=node))
                assert (state, cost) == (states[node], pytest.approx(costs[node])), (seed, order, node)


@pytest.mark.parametrize("weight", [0.0, 0.3, 2.0])
def test_costs_scale_with_the_weight(weight):
    model, _ = make_model(1, 3)
    _, by_order = relaxed(model)
    for plain in by_order.values():
        scaled = plain.scaled(weight)
        for field in ("cost", "backoff"):
            np.testing.assert_allclose(getattr(scaled, field), weight * getattr(plain, field), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(settle(scaled).costs, weight * settle(plain).costs, rtol=1e-12, atol=1e-12)
