"""Epsilon removal against enumeration of all paths."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import best_by_string, paths, random_lattice

from lattice_simp import Lattice, SymbolTable, nbest, remove_epsilons
from lattice_simp.errors import CyclicLatticeError, InvalidLatticeError

SEEDS = range(60)


def test_every_string_keeps_its_least_cost_and_its_features():
    """The one feature is minus the cost of the arcs, so that a path's sum must be that of the path which was taken."""
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 3 + seed % 6, ("a", "b"), epsilon=True, arcs_per_state=2.5, shuffled=True)
        ends = np.where(np.isfinite(lattice.finals), lattice.finals, 0.0)
        lattice = lattice.with_feature("score", -lattice.weights, -ends)
        result = remove_epsilons(lattice)
        assert not result.has_epsilons()
        assert best_by_string(result) == pytest.approx(best_by_string(lattice)), seed
        for path in nbest(result, 50):
            assert path.features["score"] == pytest.approx(-path.cost), seed


def test_parallel_epsilons_do_not_multiply_arcs():
    slots = 30
    sources = np.repeat(np.arange(slots), 2)
    table = SymbolTable(["a"])
    labels = np.zeros(2 * slots, dtype=np.int32)
    labels[-1] = 1
    finals = np.append(np.full(slots, np.inf), 0.0)
    lattice = Lattice.from_arcs(sources, labels, np.arange(2.0 * slots), sources + 1, finals, table)
    result = remove_epsilons(lattice)
    assert (result.num_states, result.num_arcs) == (2, 1)
    assert len(list(paths(result))) == 2  # "a", and the empty string


def test_a_lattice_without_epsilons_stays_and_others_are_refused():
    lattice, table = Lattice.from_strings([("a b", 1.0)]), SymbolTable(["a"])
    assert remove_epsilons(lattice) is lattice
    with pytest.raises(InvalidLatticeError, match="transducer"):
        remove_epsilons(Lattice.from_arcs([0], [1], [0.0], [1], [np.inf, 0.0], table, inputs=([0], table)))
    with pytest.raises(CyclicLatticeError):
        remove_epsilons(Lattice.from_arcs([0], [0], [0.0], [0], [0.0], table))
