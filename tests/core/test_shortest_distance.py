"""Distances in both semirings against enumeration by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import paths, random_lattice

from lattice_simp import Lattice, SymbolTable
from lattice_simp.core.shortest_distance import backward_costs, best_cost, forward_costs, shortest_distance
from lattice_simp.errors import LatticeSimpError

SEEDS = range(20)


def make(seed):
    rng = np.random.default_rng(seed)
    return random_lattice(
        rng, 3 + seed % 7, "abc", seed % 2 == 0, arcs_per_state=2.4, finals=1 + seed % 3, shuffled=seed % 3 == 0
    ).topsorted()


def test_the_tropical_halves_are_the_public_function():
    for seed in SEEDS:
        lattice = make(seed)
        assert forward_costs(lattice).tolist() == shortest_distance(lattice).tolist(), f"seed {seed}"
        assert backward_costs(lattice).tolist() == shortest_distance(lattice, reverse=True).tolist(), f"seed {seed}"


def test_sums_of_probabilities_far_from_one_neither_overflow_nor_vanish():
    for shift in (-5000.0, 5000.0):
        lattice = Lattice.from_strings([("a", shift), ("b", shift + 1.0), ("c", shift + 800.0)])
        total = float(shortest_distance(lattice, semiring="log", reverse=True)[0])
        assert total == pytest.approx(shift - math.log1p(math.exp(-1.0)))


def test_a_lattice_without_states_has_no_distances():
    nothing = Lattice.empty_like(Lattice.from_strings([("a", 0.0)]))
    for semiring in ("tropical", "log"):
        for reverse in (False, True):
            assert shortest_distance(nothing, semiring=semiring, reverse=reverse).shape == (0,)


def test_unsorted_states_and_unknown_semirings_are_refused():
    unsorted = Lattice.from_arcs([0, 2], [1, 1], [0.0] * 2, [2, 1], [math.inf, 0.0, math.inf], SymbolTable("a"))
    with pytest.raises(LatticeSimpError, match=r"not sorted topologically; call topsorted\(\) first"):
        shortest_distance(unsorted)
    assert shortest_distance(unsorted.topsorted()).tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(LatticeSimpError, match="unknown semiring 'real'; known are tropical, log"):
        shortest_distance(Lattice.from_strings([("a", 0.0)]), semiring="real")


def test_best_cost_is_the_best_paths_cost():
    for seed in SEEDS:
        lattice = make(seed)
        expected = min((cost for *_, cost in paths(lattice)), default=math.inf)
        assert best_cost(lattice) == pytest.approx(expected), f"seed {seed}"


def test_best_cost_of_nothing_is_infinite():
    assert best_cost(Lattice.from_strings([])) == math.inf
    assert best_cost(Lattice.empty_like(Lattice.from_strings([("a", 0.0)]))) == math.inf
