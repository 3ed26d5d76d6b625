"""Pooled lists: probabilities of the mixture, and decisions over it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lattice_simp import Hypothesis, LatticeSimpError, mbr_nbest, pool_nbest

WORDS = "abcd"


def random_list(rng, size):
    return [
        Hypothesis(tuple(rng.choice(list(WORDS), 3).tolist()), float(rng.uniform(-50, 900)), {"f": float(number)})
        for number in range(size)
    ]


def shares_of(entries, scale):
    costs = np.array([scale * entry.cost for entry in entries])
    weights = np.exp(costs.min() - costs)
    return weights / weights.sum()


def test_probabilities_are_those_of_the_mixture():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        lists, weights = [random_list(rng, size) for size in (4, 0, 1, 6)], rng.uniform(0.1, 3, 4)
        scale = float(rng.uniform(0.01, 2))
        expected = sorted(
            (weight / weights[[0, 2, 3]].sum() * share, entry.tokens, entry.features["f"])
            for entries, weight in zip(lists, weights, strict=True)
            if entries
            for entry, share in zip(entries, shares_of(entries, scale), strict=True)
        )
        pooled = pool_nbest(lists, weights.tolist(), scale=scale)
        rows = sorted((math.exp(-entry.cost), entry.tokens, entry.features["f"]) for entry in pooled)
        assert sum(share for share, *_ in rows) == pytest.approx(1.0), seed
        assert [share for share, *_ in rows] == pytest.approx([share for share, *_ in expected], abs=1e-12), seed
        assert [entry.cost for entry in pooled] == sorted(entry.cost for entry in pooled), seed


def test_the_decision_is_that_of_the_mixture():
    """Expected utilities of a pool are the weighted means of those under each system alone."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        lists, weights = [random_list(rng, 5) for _ in range(3)], [0.5, 0.3, 0.2]
        candidates = [entry for entries in lists for entry in entries]
        each = [mbr_nbest(candidates, "wer", evidence=entries) for entries in lists]
        means = {
            entry.tokens: sum(
                weight * next(other.cost for other in gains if other.tokens == entry.tokens)
                for weight, gains in zip(weights, each, strict=True)
            )
            for entry in candidates
        }
        for entry in mbr_nbest(pool_nbest(lists, weights), "wer"):
            assert entry.cost == pytest.approx(means[entry.tokens]), seed


def test_what_cannot_be_pooled_is_refused():
    lists = [[Hypothesis(("a",), 0.0)], []]
    for shares in ([1.0], [1.0, 0.0], [1.0, math.nan]):
        with pytest.raises(LatticeSimpError, match="share"):
            pool_nbest(lists, shares)
    assert pool_nbest([[], []]) == pool_nbest([]) == []
