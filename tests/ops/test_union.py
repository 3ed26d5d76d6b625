"""The union of lattices against the union of their strings."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from helpers import best_by_string, paths, probabilities, random_lattice

from lattice_simp import (
    CyclicLatticeError,
    Hypothesis,
    Lattice,
    LatticeSimpError,
    SymbolTable,
    concat,
    nbest,
    normalise,
    union,
)
from lattice_simp.core.features import Features

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
        assert best_by_string(union(*lattices, costs=costs)) == pytest.approx(expected), f"seed {seed}"


def test_words_features_and_costs_come_along():
    lattice = Lattice.from_arcs([0], [1], [1.0], [1], [np.inf, 0.5], SymbolTable(["a"]), features={"x": [2.0]})
    other = Lattice.from_arcs([0], [1], [4.0], [1], [np.inf, 0.0], SymbolTable(["b"]), features={"y": [3.0]})
    first, second = nbest(union(lattice, other), 2)
    assert (first.text, first.cost, dict(first.features)) == ("a", 1.5, {"x": 2.0, "y": 0.0})
    assert (second.text, second.cost, dict(second.features)) == ("b", 4.0, {"x": 0.0, "y": 3.0})


def test_words_keep_their_times_wherever_their_lattices_begin():
    first = [Hypothesis(("a", "b"), 1.0, times=((5.0, 5.5), (5.5, 6.5))), Hypothesis(("a",), 2.0, times=((5.0, 6.0),))]
    second = [Hypothesis(("c",), 0.5, times=((3.25, 4.0),))]
    lattices = list(map(Lattice.from_nbest, (first, second)))
    named = [replace(lattice, header=replace(lattice.header, name="u-1")) for lattice in lattices]
    for joined in (union(*lattices), union(*reversed(lattices)), union(*named, shares=[1, 2])):
        assert {path.tokens: path.times for path in nbest(joined, 9)} == {
            hypothesis.tokens: hypothesis.times for hypothesis in (*first, *second)
        }
        assert joined.header.start == 3.25
    assert union(*named).header.name == concat(*named).header.name == "u-1"
    assert nbest(concat(*lattices), 1)[0].times == ((5.0, 5.5), (5.5, 6.5), (6.5, 7.25))


def test_lattices_that_accept_nothing_add_nothing():
    lattice = Lattice.from_strings([("a", 1.0)])
    assert list(best_by_string(union(Lattice.empty_like(lattice), lattice))) == [("a",)]
    assert union(Lattice.empty_like(lattice)).empty


def test_what_cannot_be_joined_is_refused():
    lattice = Lattice.from_strings([("a", 1.0)])
    for operation in (union, concat):
        with pytest.raises(TypeError, match=r"takes lattices, not a list; unpack it: \w+\(\*lattices\)"):
            operation([lattice, lattice])
        with pytest.raises(TypeError, match=r"takes a lattice, not a float$"):
            operation(lattice, 1.0)
    with pytest.raises(LatticeSimpError, match="at least one lattice"):
        union()
    with pytest.raises(LatticeSimpError, match="one cost or share for each"):
        union(lattice, costs=[1.0, 2.0])
    with pytest.raises(LatticeSimpError, match="one cost or share for each"):
        union(lattice, shares=[1.0, 2.0])
    with pytest.raises(LatticeSimpError, match="not both"):
        union(lattice, costs=[1.0], shares=[2.0])
    for share in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(LatticeSimpError, match=r"(the share of a lattice|each of the shares of the lattices) is"):
            union(lattice, lattice, shares=[1.0, share])


@pytest.mark.parametrize("scale", [0.4, 1.0, 3.0])
def test_normalised_probabilities_sum_to_one(scale):
    for seed in SEEDS:
        lattice = random_lattice(np.random.default_rng(seed), 7, [*"abc"], seed % 2 == 0, columns=("x",))
        expected = probabilities(lattice, scale)
        counter = Counter()
        for words, _, cost in paths(normalise(lattice, scale)):
            counter[words] += math.exp(-cost)
        assert counter == pytest.approx(expected), f"seed {seed}"
        features = sorted(path.features["x"] for path in nbest(lattice, 100, unique=False))
        kept = sorted(path.features["x"] for path in nbest(normalise(lattice, scale), 100, unique=False))
        assert kept == pytest.approx(features), f"seed {seed}"


def test_a_mixture_adds_up_the_shares_of_the_posteriors():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattices = [random_lattice(rng, 7, [*"abc"], numbered=False) for _ in range(3)]
        lattices = [lattice for lattice in lattices if not lattice.connected().empty]
        shares = rng.uniform(0.1, 5.0, len(lattices))
        if not lattices:
            continue
        expected = Counter()
        for lattice, share in zip(lattices, shares / shares.sum(), strict=True):
            for words, probability in probabilities(lattice).items():
                expected[words] += share * probability
        counter = Counter()
        for words, _, cost in paths(union(*lattices, shares=shares, normalised=True)):
            counter[words] += math.exp(-cost)
        assert counter == pytest.approx(expected), f"seed {seed}"


def test_what_cannot_be_normalised():
    lattice = Lattice.from_strings([("a", 1.0)])
    assert normalise(Lattice.empty_like(lattice)).empty
    for scale in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(LatticeSimpError, match="the scale of the costs is"):
            normalise(lattice, scale)
    with pytest.raises(CyclicLatticeError):
        normalise(Lattice.from_arcs([0], [1], [1.0], [0], [0.0], SymbolTable("a")))


@pytest.mark.parametrize("kinds", [("f4", "f4"), ("f8", "f8"), ("f4", "f8"), ("f8", "f4")])
def test_costs_are_of_double_precision_and_features_of_the_highest_that_there_is(kinds):
    """Lattices of a tuner hold single precision, to save memory; no others lose digits."""
    third, lattices = 1.0 / 3.0, []
    for name, kind in zip("ab", kinds, strict=True):
        lattice = Lattice.from_arcs([0], [1], [third], [1], [np.inf, third], SymbolTable(name))
        features = Features(("x",), np.array([[third]], kind), np.array([[0.0, third]], kind))
        lattices.append(replace(lattice, features=features))
    result = union(*lattices, costs=[third, 0.0])
    assert result.weights.dtype == result.finals.dtype == np.float64
    assert result.features.arcs.dtype == result.features.finals.dtype == np.dtype(max(kinds))
    assert sorted(path.cost for path in nbest(result, 2)) == [2 * third, third + third + third]
    values = {path.text: path.features["x"] for path in nbest(result, 2)}
    assert values == {name: 2 * float(np.array(third, kind)) for name, kind in zip("ab", kinds, strict=True)}


def test_lattices_without_features_have_a_union_without():
    result = union(*[Lattice.from_strings([("a", 1.0)])] * 2)
    assert list(result.features) == []
