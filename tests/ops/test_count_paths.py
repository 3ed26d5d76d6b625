"""Numbers of paths of any size."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import paths, random_lattice, sausage

from lattice_simp import CyclicLatticeError, Lattice, LatticeSimpError, SymbolTable, count_paths
from lattice_simp.ops.count_paths import log_count


def test_paths_are_counted():
    for seed in range(40):
        lattice = random_lattice(np.random.default_rng(seed), 7, "ab", epsilon=True)
        assert count_paths(lattice) == len(list(paths(lattice))), f"seed {seed}"
    assert count_paths(Lattice.empty_like(lattice)) == 0
    with pytest.raises(CyclicLatticeError):
        count_paths(Lattice.from_arcs([0], [1], [1.0], [0], [0.0], SymbolTable("a")))


@pytest.mark.parametrize(("slots", "words"), [(31, 2), (32, 2), (33, 2), (64, 2), (65, 2), (400, 10), (3, 2000)])
def test_numbers_of_any_size_are_exact(slots, words):
    assert count_paths(sausage(slots, words)) == words**slots


def test_sums_carry_over_all_digits():
    """2^64 - 1 paths, and one more."""
    chain = sausage(64, 2)
    ends = np.where(np.arange(65) > 0, 0.0, math.inf)
    every = Lattice.from_arcs(chain.sources, chain.olabels, chain.weights, chain.nextstates, ends, chain.symbols)
    assert count_paths(every) == 2**65 - 2


def test_the_logarithm_is_that_of_the_number():
    for seed in range(20):
        lattice = random_lattice(np.random.default_rng(seed), 7, "ab", epsilon=True)
        number = count_paths(lattice)
        expected = math.log(number) if number else -math.inf
        assert log_count(lattice) == pytest.approx(expected, abs=1e-9), f"seed {seed}"


def test_memory_follows_the_states_that_are_due(monkeypatch):
    """A long chain needs two rows of digits, however many states it has."""
    chain = sausage(3000, 3)
    monkeypatch.setattr("lattice_simp.ops.count_paths.MAX_TABLE_BYTES", 8 * 2 * 151)
    assert count_paths(chain) == 3**3000
    with pytest.raises(LatticeSimpError, match="too many paths to count exactly"):
        count_paths(sausage(3100, 3))
