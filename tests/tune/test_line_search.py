"""The line search against decoding at points of all intervals."""

from __future__ import annotations

import numpy as np
import pytest
from tune_helpers import best_of_line

from lattice_simp.scores.bleu import References
from lattice_simp.tune.envelope import Segments, segments
from lattice_simp.tune.line_search import search_line
from lattice_simp.tune.mert import evaluate

SEEDS = range(25)


def corpus(random_lattice, seed, sentences=5):
    """Words are few and references two, so that most BLEU values are above zero."""
    rng = np.random.default_rng(seed)
    lattices = [random_lattice(rng, states=12, words=2, arcs_per_state=2.5) for _ in range(sentences)]
    references = [References.of([rng.integers(1, 3, 7), rng.integers(1, 3, 9)]) for _ in lattices]
    return lattices, references, rng.normal(size=3), rng.normal(size=3)


def test_no_point_of_the_line_is_better(random_lattice):
    optima = [best_of_line(*corpus(random_lattice, seed)) for seed in SEEDS]
    assert sum(optimum.score - optimum.here > 0.01 for optimum in optima) > 10  # no plateaus


def test_bounds_are_obeyed(random_lattice):
    for seed in SEEDS:
        lattices, references, weights, direction = corpus(random_lattice, seed)
        results = [segments(*pair, weights, [direction]) for pair in zip(lattices, references, strict=True)]
        optimum = search_line(results, low=-0.3, high=0.2)
        points = np.linspace(-0.3, 0.2, 200)[1:-1].tolist()
        assert -0.3 <= optimum.low <= optimum.gamma <= optimum.high <= 0.2, f"seed {seed}"
        assert all(evaluate(lattices, references, weights + g * direction) <= optimum.score + 1e-12 for g in points), (
            f"seed {seed}"
        )
        assert evaluate(lattices, references, weights + optimum.gamma * direction) == pytest.approx(optimum.score), (
            f"seed {seed}"
        )


def line(*pieces):
    """Returns one sentence's segments: (begin, matches of each order) of hypotheses and a reference of ten words."""
    rows = np.array([[*[matches] * 4, 10, 9, 8, 7, 10] for _, matches in pieces])
    changes = np.diff(rows, axis=0, prepend=0).astype(np.int32)
    begins = np.array([begin for begin, _ in pieces], dtype=float)
    return [Segments(np.array([0, len(rows)]), begins, changes, np.inf)]


def test_of_equal_intervals_that_of_zero_stays():
    optimum = search_line(line((-np.inf, 5), (-3, 1), (-1, 5), (1, 2), (2, 5)))
    assert (optimum.low, optimum.high, optimum.gamma) == (-1.0, 1.0, 0.0)


def test_of_other_equal_intervals_the_nearest_is_taken():
    assert search_line(line((-np.inf, 5), (-3, 1), (1, 5), (2, 1), (9, 5))).gamma == 1.5
    assert search_line(line((-np.inf, 1), (-4, 5), (-2, 1), (3, 5), (4, 1))).gamma == -3.0


def test_outer_intervals_end_near_their_boundary():
    assert search_line(line((-np.inf, 1), (20, 5))).gamma == 22.0
    assert search_line(line((-np.inf, 5), (-0.5, 1))).gamma == -0.6
    assert search_line(line((-np.inf, 1), (20, 5)), high=20.5).gamma == 20.25


def test_narrow_intervals_are_passed_over():
    pieces = line((-np.inf, 1), (1, 5), (1.001, 3), (4, 1))
    assert search_line(pieces).gamma == pytest.approx(1.0005)
    assert search_line(pieces, min_width=0.01).gamma == pytest.approx(2.5005)


def test_intervals_without_width_do_not_count():
    assert search_line(line((-np.inf, 1), (1, 5), (1, 2), (2, 1))).score < 0.5 * search_line(line((-np.inf, 5))).score
