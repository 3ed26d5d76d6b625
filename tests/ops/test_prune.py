"""Pruning against enumeration by brute force."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers import arc_paths, numbered_lattice, paths, paths_by_inputs

from lattice_simp import Lattice, SymbolTable, prune
from lattice_simp.errors import LatticeSimpError

SEEDS = range(20)
SLACK = 1e-6


def best_through(lattice):
    """Returns the cost of the best path through each arc."""
    table = {}
    for arcs, state in arc_paths(lattice):
        cost = float(lattice.weights[arcs].sum() + lattice.finals[state])
        for arc in arcs:
            table[arc] = min(cost, table.get(arc, math.inf))
    return table


# ---------------------------------------------------------------- prune


@pytest.mark.parametrize("beam", [0.0, 0.5, 2.0, math.inf, None])
def test_every_path_within_the_beam_stays_and_no_path_changes(beam):
    for seed in SEEDS:
        lattice = numbered_lattice(seed)
        before, after = paths_by_inputs(lattice), paths_by_inputs(prune(lattice, beam))
        limit = min((cost for _, cost, _ in before.values()), default=0.0) + (math.inf if beam is None else beam)
        assert after.keys() >= {key for key, (_, cost, _) in before.items() if cost <= limit}, f"seed {seed}"
        for key, row in after.items():
            assert row[0] == before[key][0], f"seed {seed}"
            assert row[1:] == pytest.approx(before[key][1:]), f"seed {seed}"


@pytest.mark.parametrize("beam", [0.0, 0.5, 2.0])
def test_every_arc_and_final_state_that_stays_lies_on_a_path_within_the_beam(beam):
    for seed in SEEDS:
        lattice = numbered_lattice(seed)
        pruned = prune(lattice, beam)
        limit = min((cost for *_, cost in paths(lattice)), default=0.0) + beam + SLACK
        through = best_through(pruned)
        assert set(through) == set(range(pruned.num_arcs)), f"seed {seed}"
        assert all(cost <= limit for cost in through.values()), f"seed {seed}"
        ends = {
            state for arcs, state in arc_paths(pruned) if pruned.weights[arcs].sum() + pruned.finals[state] <= limit
        }
        assert ends == set(np.flatnonzero(np.isfinite(pruned.finals)).tolist()), f"seed {seed}"


@pytest.mark.parametrize("max_arcs", [1, 3, 6, 1000])
@pytest.mark.parametrize("digits", [12, 0])
def test_max_arcs_is_kept_and_the_best_path_stays(digits, max_arcs):
    for seed in SEEDS:
        lattice = numbered_lattice(seed)
        lattice = replace(lattice, weights=np.round(lattice.weights, digits), finals=np.round(lattice.finals, digits))
        pruned = prune(lattice, max_arcs=max_arcs)
        before, after = paths_by_inputs(lattice), paths_by_inputs(pruned)
        best = min((cost for _, cost, _ in before.values()), default=math.inf)
        assert min((cost for _, cost, _ in after.values()), default=math.inf) == pytest.approx(best), f"seed {seed}"
        assert pruned.num_arcs <= max_arcs or len(after) == 1, f"seed {seed}"
        assert after.keys() <= before.keys(), f"seed {seed}"


@pytest.mark.parametrize("digits", [12, 0])
def test_exactly_as_many_arcs_stay_as_fit(digits):
    """All arcs as good as the last one stay; the next level of costs would exceed the count."""
    for seed in SEEDS:
        lattice = numbered_lattice(seed).connected()
        lattice = replace(lattice, weights=np.round(lattice.weights, digits), finals=np.round(lattice.finals, digits))
        through = best_through(lattice)
        costs = sorted(through.values())
        for max_arcs in range(1, len(costs) + 1):
            below = costs[max_arcs] - SLACK if max_arcs < len(costs) else math.inf
            expected = {int(lattice.ilabels[arc]) for arc, cost in through.items() if cost < below}
            actual = prune(lattice, max_arcs=max_arcs)
            if expected:
                assert set(actual.ilabels.tolist()) == expected, f"seed {seed}, {max_arcs} arcs"
            else:
                assert len(paths_by_inputs(actual)) == 1, f"seed {seed}, {max_arcs} arcs"


@pytest.mark.parametrize("options", [{"beam": 0.0}, {"beam": 0.5}, {"max_arcs": 1}])
def test_states_that_are_no_longer_final_have_no_final_features(options):
    for seed in SEEDS:
        pruned = prune(numbered_lattice(seed), **options)
        assert not pruned.features.final("x")[np.isinf(pruned.finals)].any(), f"seed {seed}"


@pytest.mark.parametrize("beam", [0.0, 0.7, 3.0])
def test_pruning_twice_is_pruning_once(beam):
    for seed in SEEDS:
        once = prune(numbered_lattice(seed), beam)
        twice = prune(once, beam)
        assert paths_by_inputs(twice) == paths_by_inputs(once), f"seed {seed}"
        assert (twice.num_states, twice.num_arcs) == (once.num_states, once.num_arcs), f"seed {seed}"


def test_one_of_many_equal_best_paths_stays_if_there_is_no_room_for_all():
    tied = Lattice.from_strings([("a b", 1.0), ("c d", 1.0), ("e f", 1.0 + 1e-12)])
    assert [words for words, *_ in paths(prune(tied, max_arcs=2))] == [("a", "b")]
    assert prune(tied, max_arcs=6).num_arcs == 6


def test_the_empty_string_may_be_the_best_path():
    lattice = Lattice.from_strings([("", 0.0), ("a", 0.5), ("b", 2.0)])
    assert sorted(words for words, *_ in paths(prune(lattice, 1.0))) == [(), ("a",)]
    assert [words for words, *_ in paths(prune(lattice, 0.0))] == [()]


def test_costs_that_cancel_do_not_lose_the_best_path():
    weights = [1e12 + 0.3, 0.1, -1e12]
    chain = Lattice.from_arcs(
        range(3), [1, 2, 1], weights, range(1, 4), [math.inf] * 3 + [0.1], SymbolTable(list("ab"))
    )
    assert prune(chain, 0.0).num_arcs == 3


@pytest.mark.parametrize("options", [{"beam": -1e-9}, {"beam": math.nan}, {"max_arcs": 0}, {"max_arcs": -3}])
def test_undefined_limits_are_refused(options):
    with pytest.raises(LatticeSimpError):
        prune(Lattice.from_strings([("a", 1.0)]), **options)


@pytest.mark.parametrize("finals", [[], [math.inf, math.inf]])
def test_pruning_an_empty_lattice_gives_an_empty_lattice(finals):
    arcs = ([0], [1], [1.0], [1]) if finals else ([], [], [], [])
    pruned = prune(Lattice.from_arcs(*arcs, finals, SymbolTable("a")), 1.0, max_arcs=1)
    assert pruned.empty
    assert pruned.num_states == pruned.num_arcs == 0
