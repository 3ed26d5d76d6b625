"""Trimming, sorting and dropping arcs against enumeration by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import arc_paths, numbered_lattice, paths, paths_by_inputs

from lattice_simp import Lattice, SymbolTable, prune
from lattice_simp.core.connect import topological_order
from lattice_simp.core.shortest_distance import best_cost
from lattice_simp.errors import CyclicLatticeError

SEEDS = range(20)


def test_connected_keeps_the_paths_and_only_what_lies_on_one():
    for seed in SEEDS:
        lattice = numbered_lattice(seed)
        trim = lattice.connected()
        trim.validate()
        assert paths_by_inputs(trim) == paths_by_inputs(lattice), f"seed {seed}"
        assert trim.is_topsorted, f"seed {seed}"
        on_paths = {(arc, state) for arcs, state in arc_paths(trim) for arc in arcs}
        assert {arc for arc, _ in on_paths} == set(range(trim.num_arcs)), f"seed {seed}"
        visited = {0} if trim.num_states else set()
        assert visited | set(trim.nextstates.tolist()) == set(range(trim.num_states)), f"seed {seed}"
        assert trim.connected() is trim, f"seed {seed}"


def test_topsorted_keeps_the_paths_and_every_arc_leads_up():
    for seed in SEEDS:
        lattice = numbered_lattice(seed)
        ordered = lattice.topsorted()
        ordered.validate()
        assert paths_by_inputs(ordered) == paths_by_inputs(lattice), f"seed {seed}"
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
        lattice = numbered_lattice(seed)
        kept = np.random.default_rng(seed).random(lattice.num_arcs) < 0.7
        names = set(lattice.ilabels[kept].tolist())
        rest = lattice.keep_arcs(kept)
        rest.validate()
        assert paths_by_inputs(rest) == {
            key: row for key, row in paths_by_inputs(lattice).items() if set(key) <= names
        }, f"seed {seed}"


def test_keep_arcs_takes_lists():
    for count in (0, 2):
        lattice = Lattice.from_strings([(str(number), number) for number in range(count)])
        assert lattice.keep_arcs([cost < 1 for cost in lattice.weights.tolist()]).num_arcs == min(count, 1)


def test_keep_arcs_ends_only_where_it_may():
    for seed in SEEDS:
        lattice = numbered_lattice(seed)
        final = np.random.default_rng(seed).random(lattice.num_states) < 0.5
        rest = lattice.keep_arcs(np.ones(lattice.num_arcs, dtype=bool), final)
        ends = {tuple(lattice.ilabels[arcs].tolist()): state for arcs, state in arc_paths(lattice)}
        assert paths_by_inputs(rest) == {
            key: row for key, row in paths_by_inputs(lattice).items() if final[ends[key]]
        }, f"seed {seed}"
        assert not rest.features.final("x")[~final].any(), f"seed {seed}"
