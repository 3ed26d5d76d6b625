"""Optimistic lower orders: never above the true cost, and the model itself at its own order."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers import PlainModel, random_arpa

from lattice_simp.lm import LanguageModel
from lattice_simp.lm.optimistic import advance, optimistic_costs, order_view, own_view

VOCABULARY = ("a", "b", "c")
SEEDS = range(6)


def make_model(seed, order, pruned=0.0):
    rng = np.random.default_rng([seed, order])
    density = (0.15, 0.5, 0.9)[seed % 3]
    text = random_arpa(rng, [*VOCABULARY, "d"], order, density=density, pruned=pruned)
    return LanguageModel.from_bytes(text.encode()), PlainModel(text)


def views(model):
    restricted = model.restrict(VOCABULARY)
    costs = optimistic_costs(restricted)
    return restricted, {order: order_view(restricted, costs, order) for order in range(1, model.order + 1)}


def follow(view, state, words):
    """Returns (state, cost) after `words`."""
    cost = 0.0
    for word in words:
        node, paid = advance(view, state, word)
        cost += paid + view.match_cost[node]
        state = view.next_state[node]
    return state, cost


def sentences(restricted, longest):
    for length in range(longest + 1):
        yield from product(restricted.word_ids.tolist(), repeat=length)


@pytest.mark.parametrize("pruned", [0.0, 0.3])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_models_own_order_is_the_model(order, pruned):
    for seed in SEEDS:
        model, reference = make_model(seed, order, pruned)
        restricted, by_order = views(model)
        view = by_order[order]
        names = dict(zip(restricted.word_ids.tolist(), VOCABULARY, strict=True))
        for sentence in sentences(restricted, 4):
            _, cost = follow(view, view.start, [*sentence, view.end])
            cost += view.settle_cost[restricted.start_word]
            assert cost == pytest.approx(reference.cost([names[word] for word in sentence]), rel=1e-6, abs=1e-4), seed


@pytest.mark.parametrize("pruned", [0.0, 0.3])
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_no_rest_after_any_history_costs_less_than_its_estimate(order, pruned):
    for seed in SEEDS:
        model, _ = make_model(seed, order, pruned)
        restricted, by_order = views(model)
        exact = by_order[order]
        states = {follow(exact, exact.start, history)[0] for history in sentences(restricted, order - 1)}
        for state in states:
            for rest in sentences(restricted, 3):
                _, true_cost = follow(exact, state, [*rest, exact.end])
                for view in by_order.values():
                    _, estimate = follow(view, view.next_state[state], [*rest, view.end])
                    assert view.settle_cost[state] + estimate <= true_cost + 1e-9, seed


def test_the_least_cost_of_a_word_is_below_its_cost_after_any_history():
    for seed in SEEDS:
        model, reference = make_model(seed, 3)
        restricted = model.restrict(VOCABULARY)
        best = optimistic_costs(restricted).best_cost
        histories = list(product([*VOCABULARY, "<s>"], repeat=2))
        for word, number in zip(VOCABULARY, restricted.word_ids.tolist(), strict=True):
            costs = [-reference.log10(history, word) * np.log(10) for history in histories]
            assert best[number] <= min(costs) + 1e-4, seed


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_the_own_orders_view_needs_no_minimum_over_histories(order):
    for seed in SEEDS:
        model, _ = make_model(seed, order, 0.3)
        restricted, by_order = views(model)
        for field, given in own_view(restricted)._asdict().items():
            np.testing.assert_array_equal(given, getattr(by_order[order], field), f"{field}, {seed}")


@pytest.mark.parametrize("weight", [0.0, 0.3, 2.0])
def test_costs_scale_with_the_weight(weight):
    model, _ = make_model(1, 3)
    restricted = model.restrict(VOCABULARY)
    costs = optimistic_costs(restricted)
    for order in (1, 2, 3):
        plain, scaled = order_view(restricted, costs, order), order_view(restricted, costs, order, weight)
        for field in ("match_cost", "backoff", "fallback_cost", "settle_cost"):
            np.testing.assert_allclose(getattr(scaled, field), weight * getattr(plain, field), rtol=1e-12, atol=1e-12)
