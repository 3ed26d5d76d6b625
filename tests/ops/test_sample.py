"""Random paths: their frequencies are their probabilities."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from helpers import paths, random_lattice

from lattice_simp import CyclicLatticeError, Lattice, LatticeSimpError, SymbolTable, sample

CRITICAL = 3.1
"""Standard deviations of a chi-square value above its mean: one of a thousand samples is beyond."""


def assert_distributed(drawn, expected, message):
    """Compares counts with expected ones by the chi-square test (Wilson and Hilferty's approximation)."""
    assert set(drawn) <= set(expected), message
    value = sum((drawn[key] - value) ** 2 / value for key, value in expected.items())
    freedom = len(expected) - 1
    deviation = ((value / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))
    assert deviation < CRITICAL, f"{message}: {deviation}"


@pytest.mark.parametrize("uniform", [False, True])
def test_frequencies_are_probabilities(uniform):
    tested = 0
    for seed in range(12):
        lattice = random_lattice(
            np.random.default_rng(seed), 6, "abc", epsilon=True, numbered=True, costs=(0.0, 1.5), arcs_per_state=3.0
        )
        every = {arcs: math.exp(-cost) for _, arcs, cost in paths(lattice)}
        if len(every) < 2:
            continue
        total = len(every) if uniform else sum(every.values())
        draws = 300 * len(every)
        expected = {arcs: draws * (1 if uniform else entry) / total for arcs, entry in every.items()}
        counter = Counter(path.inputs for path in sample(lattice, draws, seed=seed, uniform=uniform))
        assert_distributed(counter, expected, f"seed {seed}")
        tested += 1
    assert tested > 5


def test_hypotheses_are_those_of_their_paths():
    lattice = random_lattice(np.random.default_rng(3), 8, "abc", columns=("LM",))
    known = {words: cost for words, _, cost in paths(lattice)}
    for path in sample(lattice, 30):
        assert path.tokens in known
        assert path.features["LM"] == pytest.approx(lattice.connected().features["LM"][path.arcs].sum(), abs=5)


def test_a_seed_gives_the_same_and_a_generator_goes_on():
    lattice = Lattice.from_strings([(word, 1.0) for word in "abcd"])
    texts = [path.text for path in sample(lattice, 40, seed=5)]
    assert texts == [path.text for path in sample(lattice, 40, seed=5)]
    generator = np.random.default_rng(5)
    first, second = (sample(lattice, 20, seed=generator) for _ in range(2))
    assert [path.text for path in first] != [path.text for path in second]


def test_what_cannot_be_drawn_from():
    lattice = random_lattice(np.random.default_rng(2), 8, "abc", arcs_per_state=3.0)
    assert sample(Lattice.empty_like(lattice), 3) == []
    assert sample(lattice, 0) == []
    assert [path.tokens for path in sample(Lattice.from_strings([("", 2.0)]), 2)] == [(), ()]
    with pytest.raises(LatticeSimpError, match="n is -1"):
        sample(lattice, -1)
    with pytest.raises(CyclicLatticeError):
        sample(Lattice.from_arcs([0], [1], [1.0], [0], [0.0], SymbolTable("a")))
