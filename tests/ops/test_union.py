"""The union of lattices against the union of their strings."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import best_by_string, random_lattice

from lattice_simp import Lattice, LatticeSimpError, SymbolTable, nbest, union

SEEDS = range(40)


def test_the_union_holds_the_strings_of_all_at_their_least_costs():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattices = [random_lattice(rng, 7, [*"abc"], numbered=False) for _ in range(rng.integers(1, 4))]
        costs = rng.normal(size=len(lattices)).tolist()
        expected = {}
        for lattice, added in zip(lattices, costs, strict=True):
            for words, cost in best_by_string(lattice).items():
                expected[words] = min(cost + added, expected.get(words, np.inf))
        assert best_by_string(union(lattices, costs)) == pytest.approx(expected), f"seed {seed}"


def test_words_features_and_costs_come_along():
    one = Lattice.from_arcs([0], [1], [1.0], [1], [np.inf, 0.5], SymbolTable(["a"]), features={"x": [2.0]})
    two = Lattice.from_arcs([0], [1], [4.0], [1], [np.inf, 0.0], SymbolTable(["b"]), features={"y": [3.0]})
    first, second = nbest(union([one, two]), 2)
    assert (first.text, first.cost, dict(first.features)) == ("a", 1.5, {"x": 2.0, "y": 0.0})
    assert (second.text, second.cost, dict(second.features)) == ("b", 4.0, {"x": 0.0, "y": 3.0})


def test_lattices_that_accept_nothing_add_nothing():
    one = Lattice.from_strings([("a", 1.0)])
    assert list(best_by_string(union([Lattice.empty_like(one), one]))) == [("a",)]
    assert union([Lattice.empty_like(one)]).empty


def test_what_cannot_be_joined_is_refused():
    one = Lattice.from_strings([("a", 1.0)])
    with pytest.raises(LatticeSimpError, match="at least one lattice"):
        union([])
    with pytest.raises(LatticeSimpError, match="one cost for each"):
        union([one], [1.0, 2.0])
