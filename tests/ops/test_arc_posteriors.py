"""Arc posteriors and path counts against enumeration by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import arc_paths, random_lattice

from lattice_simp import Lattice, SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.arc_posteriors import arc_posteriors
from lattice_simp.ops.normalise import normalise
from lattice_simp.ops.sample import sample

SEEDS = range(20)


def make(seed):
    """Returns a lattice with dead ends and unreachable states."""
    rng = np.random.default_rng(seed)
    return random_lattice(rng, 4 + seed % 6, "abc", seed % 2 == 0, arcs_per_state=2.4, finals=1 + seed % 3)


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.5])
def test_posteriors_are_the_shares_of_the_paths_through_an_arc(scale):
    for seed in SEEDS:
        lattice = make(seed)
        expected, total = np.zeros(lattice.num_arcs), 0.0
        for arcs, state in arc_paths(lattice):
            share = math.exp(-scale * float(lattice.weights[arcs].sum() + lattice.finals[state]))
            expected[arcs] += share
            total += share
        actual = arc_posteriors(lattice, scale)
        np.testing.assert_allclose(actual, expected / (total or 1.0), atol=1e-9, err_msg=f"seed {seed}")


def test_neither_long_paths_nor_steep_costs_underflow():
    length = 3000
    sources = np.repeat(np.arange(length), 2)
    finals = [np.inf] * length + [0.0]
    costs = np.tile([700.0, 701.0], length)
    lattice = Lattice.from_arcs(sources, np.tile([1, 2], length), costs, sources + 1, finals, SymbolTable(list("ab")))
    choice = 1 / (1 + math.exp(-1))
    np.testing.assert_allclose(arc_posteriors(lattice), np.tile([choice, 1 - choice], length))


def test_a_lattice_without_paths_has_no_probability():
    nothing = Lattice.empty_like(make(0))
    assert arc_posteriors(nothing).shape == (0,)
    dead = Lattice.from_arcs([0], [1], [1.0], [1], [math.inf, math.inf], SymbolTable("a"))
    assert arc_posteriors(dead).tolist() == [0.0]


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan])
def test_scales_that_are_none_are_refused(scale):
    with pytest.raises(LatticeSimpError, match="the scale of the costs is"):
        arc_posteriors(make(1), scale)


def test_unsorted_states_are_refused():
    unsorted = Lattice.from_arcs([0, 2], [1, 1], [0.0] * 2, [2, 1], [math.inf, 0.0, math.inf], SymbolTable("a"))
    with pytest.raises(LatticeSimpError, match="not sorted topologically"):
        arc_posteriors(unsorted)


@pytest.mark.parametrize("end", [1000.0, -1000.0])
def test_costs_lost_by_rounding_leave_probabilities(end):
    """1e20 + 1000 is 1e20, so that differences of such costs are neither of the two."""
    arcs = [0, 0, 1], [1] * 3, [1e20, 1e20, 0.0], [1, 1, 2]
    lattice = Lattice.from_arcs(*arcs, [np.inf, np.inf, end], SymbolTable(["a"]))
    assert arc_posteriors(lattice) == pytest.approx([0.5, 0.5, 1.0])
    assert np.isfinite(normalise(lattice).finals[2])
    assert {path.arcs[0] for path in sample(lattice, 20)} == {0, 1}
