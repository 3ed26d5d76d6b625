"""Pruning, trimming, sorting and distances against enumeration by brute force."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers import arc_paths, paths, random_lattice

from lattice_simp import Lattice, SymbolTable, prune
from lattice_simp.core.connect import topological_order
from lattice_simp.core.shortest_distance import backward_costs, best_cost, forward_costs
from lattice_simp.errors import CyclicLatticeError, LatticeSimpError

WORDS = ("a", "b", "c")
SEEDS = range(20)
SLACK = 1e-6


def make(seed):
    rng = np.random.default_rng(seed)
    return random_lattice(
        rng,
        3 + seed % 7,
        WORDS,
        epsilon=seed % 2 == 0,
        arcs_per_state=2.4,
        finals=1 + seed % 3,
        columns=("x",),
        numbered=True,
        shuffled=seed % 3 == 0,
    )


def rows(lattice):
    """Returns {input labels: (words, cost, column sum)} of the paths; the input labels number the arcs."""
    table = {}
    for arcs, state in arc_paths(lattice):
        cost = float(lattice.weights[arcs].sum() + lattice.finals[state])
        column = float(lattice.features["x"][arcs].sum() + lattice.features.final("x")[state])
        key = tuple(lattice.ilabels[arcs].tolist())
        assert key not in table
        table[key] = (tuple(lattice.symbols.decode(lattice.olabels[arcs])), cost, column)
    return table


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
        lattice = make(seed)
        before, after = rows(lattice), rows(prune(lattice, beam))
        limit = min((cost for _, cost, _ in before.values()), default=0.0) + (math.inf if beam is None else beam)
        assert after.keys() >= {key for key, (_, cost, _) in before.items() if cost <= limit}, f"seed {seed}"
        for key, row in after.items():
            assert row[0] == before[key][0], f"seed {seed}"
            assert row[1:] == pytest.approx(before[key][1:]), f"seed {seed}"


@pytest.mark.parametrize("beam", [0.0, 0.5, 2.0])
def test_every_arc_and_final_state_that_stays_lies_on_a_path_within_the_beam(beam):
    for seed in SEEDS:
        lattice = make(seed)
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
        lattice = make(seed)
        lattice = replace(lattice, weights=np.round(lattice.weights, digits), finals=np.round(lattice.finals, digits))
        pruned = prune(lattice, max_arcs=max_arcs)
        before, after = rows(lattice), rows(pruned)
        best = min((cost for _, cost, _ in before.values()), default=math.inf)
        assert min((cost for _, cost, _ in after.values()), default=math.inf) == pytest.approx(best), f"seed {seed}"
        assert pruned.num_arcs <= max_arcs or len(after) == 1, f"seed {seed}"
        assert after.keys() <= before.keys(), f"seed {seed}"


@pytest.mark.parametrize("options", [{"beam": 0.0}, {"beam": 0.5}, {"max_arcs": 1}])
def test_states_that_are_no_longer_final_have_no_final_features(options):
    for seed in SEEDS:
        pruned = prune(make(seed), **options)
        assert not pruned.features.final("x")[np.isinf(pruned.finals)].any(), f"seed {seed}"


@pytest.mark.parametrize("beam", [0.0, 0.7, 3.0])
def test_pruning_twice_is_pruning_once(beam):
    for seed in SEEDS:
        once = prune(make(seed), beam)
        twice = prune(once, beam)
        assert rows(twice) == rows(once), f"seed {seed}"
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
    chain = Lattice.from_arcs(range(3), [1, 2, 1], weights, range(1, 4), [math.inf] * 3 + [0.1], SymbolTable("ab"))
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


# ---------------------------------------------------------------- connect, topsort, keep_arcs


def test_connected_keeps_the_paths_and_only_what_lies_on_one():
    for seed in SEEDS:
        lattice = make(seed)
        trim = lattice.connected()
        trim.validate()
        assert rows(trim) == rows(lattice), f"seed {seed}"
        assert trim.is_topsorted, f"seed {seed}"
        on_paths = {(arc, state) for arcs, state in arc_paths(trim) for arc in arcs}
        assert {arc for arc, _ in on_paths} == set(range(trim.num_arcs)), f"seed {seed}"
        visited = {0} if trim.num_states else set()
        assert visited | set(trim.nextstates.tolist()) == set(range(trim.num_states)), f"seed {seed}"
        assert trim.connected() is trim, f"seed {seed}"


def test_topsorted_keeps_the_paths_and_every_arc_leads_up():
    for seed in SEEDS:
        lattice = make(seed)
        ordered = lattice.topsorted()
        ordered.validate()
        assert rows(ordered) == rows(lattice), f"seed {seed}"
        assert (ordered.nextstates > ordered.sources).all(), f"seed {seed}"
        assert ordered.topsorted() is ordered, f"seed {seed}"


def test_cycles_are_found_and_named():
    cyclic = Lattice.from_arcs([0, 1, 2], [1, 1, 1], [0.0] * 3, [1, 2, 1], [math.inf, math.inf, 0.0], SymbolTable("a"))
    assert not cyclic.is_acyclic
    assert topological_order(cyclic.offsets, cyclic.nextstates) is None
    for operation in (cyclic.topsorted, cyclic.connected, lambda: prune(cyclic, 1.0), lambda: best_cost(cyclic)):
        with pytest.raises(CyclicLatticeError, match="cycle, so it holds infinitely many strings"):
            operation()


def test_a_self_loop_is_a_cycle():
    assert not Lattice.from_arcs([0], [1], [0.0], [0], [0.0], SymbolTable("a")).is_acyclic


def test_a_cycle_that_the_start_does_not_reach_is_none():
    lattice = Lattice.from_arcs([0, 1, 2], [1, 1, 1], [0.5] * 3, [3, 2, 1], [math.inf] * 3 + [0.0], SymbolTable("a"))
    assert lattice.is_acyclic
    assert [(words, cost) for words, _, cost in paths(lattice.connected())] == [(("a",), 0.5)]


def test_keep_arcs_keeps_the_paths_of_those_arcs():
    for seed in SEEDS:
        lattice = make(seed)
        kept = np.random.default_rng(seed).random(lattice.num_arcs) < 0.7
        names = set(lattice.ilabels[kept].tolist())
        rest = lattice.keep_arcs(kept)
        rest.validate()
        assert rows(rest) == {key: row for key, row in rows(lattice).items() if set(key) <= names}, f"seed {seed}"


# ---------------------------------------------------------------- distances


def test_distances_are_the_least_costs_of_the_ways():
    for seed in SEEDS:
        lattice = make(seed).topsorted()
        forward = np.full(lattice.num_states, math.inf)
        backward = np.full(lattice.num_states, math.inf)
        pending = [(0, 0.0)]
        while pending:
            state, cost = pending.pop()
            forward[state] = min(forward[state], cost)
            for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
                pending.append((int(lattice.nextstates[arc]), cost + lattice.weights[arc]))
        for start in range(lattice.num_states):
            pending = [(start, 0.0)]
            while pending:
                state, cost = pending.pop()
                backward[start] = min(backward[start], cost + lattice.finals[state])
                for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
                    pending.append((int(lattice.nextstates[arc]), cost + lattice.weights[arc]))
        np.testing.assert_allclose(forward_costs(lattice), forward, atol=1e-12)
        np.testing.assert_allclose(backward_costs(lattice), backward, atol=1e-12)


def test_best_cost_is_the_best_paths_cost():
    for seed in SEEDS:
        lattice = make(seed)
        assert best_cost(lattice) == pytest.approx(min((cost for *_, cost in paths(lattice)), default=math.inf)), (
            f"seed {seed}"
        )


def test_best_cost_of_nothing_is_infinite():
    assert best_cost(Lattice.from_strings([])) == math.inf
    assert best_cost(Lattice.empty_like(Lattice.from_strings([("a", 0.0)]))) == math.inf
