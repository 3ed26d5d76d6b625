"""The upper envelope against all paths, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from tune_helpers import empty_lattice, envelope, lattice_of_arcs

from lattice_simp import Lattice, SymbolTable
from lattice_simp.scores.bleu import STATISTICS, References
from lattice_simp.tune.envelope import segments
from lattice_simp.tune.scores import best_hypothesis

SEEDS = range(40)


def exact_lines(paths, weights, direction):
    """Returns (slope, intercept, words) of each path; whole numbers and halves make fractions of any size exact."""

    def dot(left, right):
        return sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(left, right, strict=True)), Fraction(0))

    return [(dot(direction, features), dot(weights, features), words) for words, features in paths]


def crossings(lines):
    """Returns where some two lines that are both the highest there cross."""
    result = set()
    for slope, intercept, _ in lines:
        for other_slope, other_intercept, _ in lines:
            if slope < other_slope:
                gamma = (intercept - other_intercept) / (other_slope - slope)
                if intercept + gamma * slope == max(b + gamma * a for a, b, _ in lines):
                    result.add(gamma)
    return sorted(result)


def case(random_lattice, seed, whole):
    rng = np.random.default_rng(seed)
    lattice = random_lattice(rng, states=1 + seed % 7, whole=whole)
    weights = rng.integers(-2, 3, 3) if whole else rng.normal(size=3)
    direction = rng.integers(-2, 3, 3) if whole else rng.normal(size=3)
    return lattice, weights.astype(float), direction.astype(float)


@pytest.mark.parametrize("whole", [True, False], ids=["whole numbers", "random numbers"])
def test_every_segment_is_the_best_of_all_paths(random_lattice, all_paths, whole):
    """Whole features bring equal slopes, equal lines and duplicates; then any of equal hypotheses may stand."""
    for seed in SEEDS:
        lattice, weights, direction = case(random_lattice, seed, whole)
        lines = exact_lines(all_paths(lattice), weights, direction)
        result = envelope(lattice, weights, direction)
        true = crossings(lines)
        assert (np.diff(result.boundaries) > 0).all(), f"seed {seed}"
        assert all(
            min(abs(float(gamma) - x) for gamma in true) < 1e-6 * (1 + abs(x)) for x in result.boundaries.tolist()
        ), f"seed {seed}"
        points = [true[0] - 1, *((a + b) / 2 for a, b in pairwise(true)), true[-1] + 1] if true else [0]
        for gamma in points:
            segment = int(np.searchsorted(result.boundaries, float(gamma)))
            actual = tuple(result.hypothesis(segment).tolist())
            top = max(b + gamma * a for a, b, _ in lines)
            assert max(b + gamma * a for a, b, words in lines if words == actual) == top, f"seed {seed}"
        hypotheses = [tuple(result.hypothesis(segment).tolist()) for segment in range(len(result.boundaries) + 1)]
        assert all(first != other for first, other in pairwise(hypotheses)), f"seed {seed}"


def test_the_cases_have_many_segments(random_lattice):
    counts = [len(envelope(*case(random_lattice, seed, False)).boundaries) for seed in SEEDS]
    assert max(counts) >= 4
    assert min(counts) == 0


def test_a_limit_cuts_the_envelope(random_lattice):
    for seed in SEEDS:
        lattice, weights, direction = case(random_lattice, seed, False)
        full, cut = envelope(lattice, weights, direction), envelope(lattice, weights, direction, 0.7)
        inside = np.flatnonzero(np.abs(full.boundaries) < 0.7)
        assert cut.boundaries == pytest.approx(full.boundaries[inside]), f"seed {seed}"
        first = int(np.searchsorted(full.boundaries, -0.7))
        for segment in range(len(inside) + 1):
            assert cut.hypothesis(segment).tolist() == full.hypothesis(first + segment).tolist(), f"seed {seed}"


@pytest.mark.parametrize("limit", [np.inf, 0.7])
def test_statistics_are_those_of_the_words(random_lattice, limit):
    for seed in range(15):
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, states=8, arcs_per_state=3.0)
        references = References.of([rng.integers(1, 5, 5), rng.integers(1, 5, 3)])
        weights, directions = rng.normal(size=3), rng.normal(size=(70, 3))
        result = segments(lattice, references, weights, directions, limit)
        assert result.offsets[-1] > 64, f"seed {seed}"  # of many directions
        for number, direction in enumerate(directions):
            actual = slice(result.offsets[number], result.offsets[number + 1])
            alone = envelope(lattice, weights, direction, limit)
            assert result.begins[actual].tolist() == [-limit, *alone.boundaries.tolist()], f"seed {seed}"
            rows = [references.statistics(alone.hypothesis(segment)) for segment in range(len(alone.boundaries) + 1)]
            assert np.cumsum(result.changes[actual], axis=0).tolist() == np.array(rows).tolist(), f"seed {seed}"


def test_hypotheses_of_equal_words_are_one_segment():
    lattice = lattice_of_arcs([0, 0], [5, 5], [1, 1], [[1.0], [-1.0]], [False, True], ["x"])
    result = envelope(lattice, [0.0], [1.0])
    assert result.boundaries.tolist() == []
    assert result.words.tolist() == [5]


def test_a_lattice_without_paths_has_one_segment_without_words():
    dead_end = Lattice.from_arcs([0], [0], [0.0], [1], [np.inf, np.inf], SymbolTable(), features={"x": [1.0]})
    for empty in (empty_lattice(["x"]), dead_end):
        assert empty.empty
        assert envelope(empty, [1.0], [1.0]).offsets.tolist() == [0, 0]
        result = segments(empty, References.of([[1, 2]]), [1.0], [[1.0], [2.0]], 5.0)
        assert result.offsets.tolist() == [0, 1, 2]
        assert result.begins.tolist() == [-5.0, -5.0]
        assert result.changes.tolist() == [[0] * (STATISTICS - 1) + [2]] * 2


def test_states_may_stand_in_any_order():
    features = {"x": [1.0, 2.0, 4.0], "y": [1.0, -2.0, 0.0]}
    symbols = SymbolTable(["a", "b", "c"])
    arcs = ([0, 0, 2], [1, 2, 3], [0.0] * 3, [2, 2, 1], [np.inf, 0.0, np.inf])
    lattice = Lattice.from_arcs(*arcs, symbols, features=features)
    result = envelope(lattice, [1.0, 0.0], [0.0, 1.0])
    assert [result.hypothesis(0).tolist(), result.hypothesis(1).tolist()] == [[2, 3], [1, 3]]
    assert result.boundaries.tolist() == [pytest.approx(1 / 3)]
    words, cost = best_hypothesis(lattice, {"x": 1.0, "y": 0.0})
    assert (words.tolist(), cost) == ([2, 3], -6.0)


def test_many_hypotheses_from_one_state():
    """Tangents of a parabola: every line is on the hull."""
    at = np.arange(-200, 201) / 8.0
    count = len(at)
    arcs = (np.zeros(count, np.int64), np.arange(1, count + 1), np.ones(count, np.int64))
    features = np.column_stack([2 * at, -(at**2)])
    result = envelope(lattice_of_arcs(*arcs, features, [False, True], ["x", "y"]), [0.0, 1.0], [1.0, 0.0])
    assert result.words.tolist() == list(range(1, len(at) + 1))
    assert result.boundaries == pytest.approx((at[1:] + at[:-1]) / 2)
