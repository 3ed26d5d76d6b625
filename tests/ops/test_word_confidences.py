"""The probability of words at their places."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp.errors import EmptyLatticeError


def test_where_places_are_certain_they_are_marginals():
    """Strings of the same length whose words tell their places: brute force over the strings."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        length = int(rng.integers(1, 6))
        strings = {tuple(f"{place}{rng.choice(['a', 'b', 'c'])}" for place in range(length)) for _ in range(8)}
        costs = {own: float(rng.uniform(0, 3)) for own in sorted(strings)}
        scale = float(rng.uniform(0.2, 2))
        lattice = ls.Lattice.from_strings(list(costs.items()))
        shares = {own: math.exp(-scale * cost) for own, cost in costs.items()}
        for own in costs:
            found = ls.word_confidences(lattice, own, scale)
            expected = [
                sum(share for other, share in shares.items() if other[place] == own[place]) / sum(shares.values())
                for place in range(length)
            ]
            assert found.tolist() == pytest.approx(expected, abs=1e-6), seed


def test_words_that_the_lattice_lacks():
    lattice = ls.Lattice.from_strings([("a b c", 0.0), ("a c", 0.0)])
    assert ls.word_confidences(lattice, "a b x c").round(6).tolist() == [1.0, 0.5, 0.0, 1.0]
    assert ls.word_confidences(lattice, "x").round(6).tolist() == [0.0]
    assert ls.word_confidences(lattice, "").tolist() == []


def test_a_word_counts_at_its_place_alone():
    lattice = ls.Lattice.from_strings([("a b c d e a", 0.0), ("x b c d e a", 0.0)])
    assert ls.word_confidences(lattice, "a b c d e a").round(6).tolist() == [0.5, 1, 1, 1, 1, 1]


def test_the_best_path_and_large_lattices():
    lattice = ls.Lattice.from_strings([("a b", 0.0), ("a c", 1.0)])
    assert np.array_equal(ls.word_confidences(lattice), ls.word_confidences(lattice, "a b"))
    assert ls.word_confidences(lattice, "a c", max_arcs=2).round(6).tolist() == [1.0, 0.0]
    with pytest.raises(EmptyLatticeError, match="accepts nothing"):
        ls.word_confidences(ls.Lattice.from_strings([]))


def test_agreement_with_skeletons():
    own = [ls.Hypothesis(("b", "d"), 0.0), ls.Hypothesis(("b", "e"), math.log(3)), ls.Hypothesis(("d", "b"), 0.0)]
    found = ls.skeleton_agreement("a b b d e", own)
    assert found.tolist() == pytest.approx([0.0, 1 / 7, 3 / 7, 3 / 7, 1 / 7])
    assert ls.skeleton_agreement("a b", []).tolist() == [0.0, 0.0]
    assert ls.skeleton_agreement("x y", own).tolist() == [0.0, 0.0]
