"""Gappy acceptors and their composition against enumeration by brute force."""

from __future__ import annotations

import math

import numpy as np
import pynini
import pytest
from gappy_reference import (
    WORDS,
    alignment_cost,
    expected_sigma,
    least_by_string,
    path_rows,
    random_full,
    random_hypotheses,
    rho_cost,
)
from helpers import arc_paths, assert_canonical, best_by_string, paths, random_lattice

from lattice_simp import Lattice, SymbolTable, compose_gappy, gappy_acceptor, nbest
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops import compose_gappy as module

SEEDS = range(12)
SPEC_PAIRS = [("a c", 0.25), ("b d", 0.5)]


# ---------------------------------------------------------------- acceptors


def test_acceptor_holds_the_hypotheses_at_their_least_costs():
    for seed in SEEDS:
        pairs = random_hypotheses(np.random.default_rng(seed), 1 + 2 * seed, shortest=0)
        acceptor = gappy_acceptor(pairs).acceptor
        assert best_by_string(acceptor) == pytest.approx(least_by_string(pairs)), f"seed {seed}"
        assert len(list(paths(acceptor))) == len(least_by_string(pairs)), f"seed {seed}"
        assert_canonical(acceptor, f"seed {seed}")


def test_acceptor_is_deterministic_and_its_arcs_are_sorted_by_word():
    for seed in SEEDS:
        acceptor = gappy_acceptor(random_hypotheses(np.random.default_rng(seed), 20)).acceptor
        for state in range(acceptor.num_states):
            labels = acceptor.olabels[acceptor.offsets[state] : acceptor.offsets[state + 1]]
            assert (np.diff(labels) > 0).all(), f"seed {seed}"


def test_acceptor_is_as_small_as_openfst_makes_it_with_equal_costs():
    for seed in SEEDS:
        pairs = [(words, 1.0) for words, _ in random_hypotheses(np.random.default_rng(seed), 15, longest=6)]
        acceptor = gappy_acceptor(pairs).acceptor
        fst = pynini.determinize(Lattice.from_strings(pairs).to_pynini())
        fst = pynini.push(fst, push_weights=True).minimize()
        assert (acceptor.num_states, acceptor.num_arcs) == (
            fst.num_states(),
            sum(fst.num_arcs(state) for state in fst.states()),
        ), f"seed {seed}"


def test_acceptor_of_a_lattice_holds_its_strings_at_their_least_costs():
    for seed in SEEDS:
        lattice = random_full(np.random.default_rng(seed), shuffled=bool(seed % 2))
        skeleton = gappy_acceptor(lattice)
        assert best_by_string(skeleton.acceptor) == pytest.approx(best_by_string(lattice), abs=1e-5), f"seed {seed}"
        assert skeleton.has_loop.all(), f"seed {seed}"
        assert len(skeleton.has_loop) == skeleton.acceptor.num_states, f"seed {seed}"
        assert_canonical(skeleton.acceptor, f"seed {seed}")


def test_acceptor_uses_the_symbol_table_it_is_given():
    symbols = SymbolTable(["z", "b", "a"])
    assert gappy_acceptor([("a b", 0.0)], symbols=symbols).acceptor.symbols is symbols
    lattice = Lattice.from_strings([("a b", 0.0)])
    from_lattice = gappy_acceptor(lattice, symbols=symbols).acceptor
    assert from_lattice.symbols is symbols
    assert best_by_string(from_lattice) == {("a", "b"): 0.0}


def test_positions_put_loops_where_they_are_allowed_only():
    skeleton = gappy_acceptor([("a b", 0.0)], positions=[{1}])
    assert skeleton.has_loop.tolist() == [False, True, False]


@pytest.mark.parametrize("loops", ["sigma", "rho"])
def test_as_lattice_shows_every_loop_as_one_arc_without_cost(loops):
    skeleton = gappy_acceptor(SPEC_PAIRS, loops=loops, positions=[{1, 2}, {1, 2}])
    shown = skeleton.as_lattice()
    loop = shown.sources == shown.nextstates
    assert shown.sources[loop].tolist() == np.flatnonzero(skeleton.has_loop).tolist()
    assert set(shown.symbols.decode(shown.olabels[loop])) == {f"<{loops}>"}
    assert not shown.weights[loop].any()
    assert shown.num_arcs == skeleton.acceptor.num_arcs + skeleton.has_loop.sum()
    assert f"<{loops}>" not in skeleton.acceptor.symbols


# ---------------------------------------------------------------- the relation


@pytest.mark.parametrize("few_arcs", [module.FEW_ARCS, -1000])
@pytest.mark.parametrize("weight", [1.0, 0.0, 2.5])
def test_rho_is_the_deterministic_matcher(weight, few_arcs, monkeypatch):
    for seed in SEEDS:
        monkeypatch.setattr(module, "FEW_ARCS", few_arcs)  # so few: the costs of all completions are found first
        rng = np.random.default_rng([2, seed])
        full = random_full(rng, states=8, finals=1 + seed % 3, shuffled=seed % 3 == 0)
        pairs = random_hypotheses(rng, 2 + seed % 5, longest=3)
        hypotheses = least_by_string(pairs)
        expected = {
            words: cost + weight * rho_cost(words, hypotheses)
            for words, cost in best_by_string(full).items()
            if rho_cost(words, hypotheses) < math.inf
        }
        joint = compose_gappy(full, gappy_acceptor(pairs, loops="rho"), weight=weight)
        assert best_by_string(joint) == pytest.approx(expected, abs=1e-9), f"seed {seed}"
        assert_canonical(joint, f"seed {seed}")


def test_rho_and_sigma_accept_the_same_with_one_hypothesis():
    for seed in SEEDS:
        rng = np.random.default_rng([3, seed])
        full = random_full(rng)
        pairs = random_hypotheses(rng, 1, longest=3)
        sigma, rho = (
            best_by_string(compose_gappy(full, gappy_acceptor(pairs, loops=loops))) for loops in ("sigma", "rho")
        )
        assert rho == pytest.approx(sigma), f"seed {seed}"


def test_a_gap_at_the_start_of_one_hypothesis_is_none_for_the_others():
    full = Lattice.from_strings([("x a", 0.0), ("x b", 0.0)])
    joint = compose_gappy(full, gappy_acceptor([("a", 0.0), ("b", 0.0)], positions=[{0}, {1}]))
    assert list(best_by_string(joint)) == [("x", "a")]


def test_tables_need_not_agree():
    for seed in SEEDS:
        rng = np.random.default_rng([5, seed])
        full = random_full(rng)
        pairs = [*random_hypotheses(rng, 4, words=(*WORDS, "new"), longest=3), ("c", 0.0)]
        other = gappy_acceptor(pairs, symbols=SymbolTable(["new", "x", "c", "b"]))
        same = gappy_acceptor(pairs, symbols=full.symbols)
        assert best_by_string(compose_gappy(full, other)) == pytest.approx(best_by_string(compose_gappy(full, same))), (
            f"seed {seed}"
        )
        assert best_by_string(compose_gappy(full, other)) == pytest.approx(expected_sigma(full, pairs)), f"seed {seed}"


# ---------------------------------------------------------------- columns, beam, borders


@pytest.mark.parametrize("loops", ["sigma", "rho"])
def test_every_path_gives_back_its_full_path_and_its_skeleton(loops):
    for seed in SEEDS:
        rng = np.random.default_rng([7, seed])
        full, weight = random_full(rng), 0.7
        pairs = random_hypotheses(rng, 4, longest=3)
        hypotheses = least_by_string(pairs)
        originals = {labels: (cost, sums) for labels, cost, sums in path_rows(full)}
        strings = {labels: words for words, labels, _ in paths(full)}
        for labels, cost, sums in path_rows(compose_gappy(full, gappy_acceptor(pairs, loops=loops), weight=weight)):
            full_cost, full_sums = originals[labels]
            assert cost == pytest.approx(full_cost - weight * sums["Skeleton"]), f"seed {seed}"
            assert {name: sums[name] for name in full_sums} == pytest.approx(full_sums), f"seed {seed}"
            assert sums.keys() == full_sums.keys() | {"Skeleton", "matched"}, f"seed {seed}"
            assert any(
                hypothesis == pytest.approx(-sums["Skeleton"])
                and len(key) == sums["matched"]
                and alignment_cost(strings[labels], key) == 0
                for key, hypothesis in hypotheses.items()
            ), f"seed {seed}"


@pytest.mark.parametrize("few_arcs", [module.FEW_ARCS, -1000])
@pytest.mark.parametrize("loops", ["sigma", "rho"])
@pytest.mark.parametrize("beam", [0.0, 0.4, 2.0])
def test_beam_keeps_every_path_within_and_no_arc_beyond(beam, loops, few_arcs, monkeypatch):
    for seed in SEEDS:
        monkeypatch.setattr(module, "FEW_ARCS", few_arcs)
        rng = np.random.default_rng([8, seed])
        full, skeleton = random_full(rng, states=8), gappy_acceptor(random_hypotheses(rng, 4, longest=2), loops=loops)
        everything = sorted(cost for _, cost, _ in path_rows(compose_gappy(full, skeleton)))
        joint = compose_gappy(full, skeleton, beam=beam)
        assert_canonical(joint, f"seed {seed}")
        if not everything:
            assert joint.empty, f"seed {seed}"
            continue
        limit = everything[0] + beam + 1e-6
        kept = [(cost, arcs) for arcs, cost in _costs_with_arcs(joint)]
        assert sorted(cost for cost, _ in kept if cost <= limit) == pytest.approx(
            [c for c in everything if c <= limit]
        ), f"seed {seed}"
        assert min(cost for cost, _ in kept) == pytest.approx(everything[0], abs=1e-12), f"seed {seed}"
        assert {arc for cost, arcs in kept if cost <= limit for arc in arcs} == set(range(joint.num_arcs)), (
            f"seed {seed}"
        )


def _costs_with_arcs(lattice):
    for arcs, state in arc_paths(lattice):
        yield arcs, float(lattice.weights[arcs].sum() + lattice.finals[state])


def test_beam_survives_costs_that_cancel():
    rng = np.random.default_rng(0)
    for _ in range(30):
        weights = rng.uniform(-1e4, 1e4, 40)
        full = Lattice.from_arcs(
            range(40),
            rng.integers(1, 3, 40),
            weights,
            range(1, 41),
            [math.inf] * 40 + [-weights.sum()],
            SymbolTable(list("ab")),
        )
        joint = compose_gappy(full, gappy_acceptor([("a b", 0.5)]), beam=0.0)
        assert not joint.empty
        assert nbest(joint)[0].cost == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("beam", [None, 1.0])
@pytest.mark.parametrize(
    "full", [Lattice.from_strings([("a b", 1.0)]), Lattice.from_strings([])], ids=["no match", "empty"]
)
def test_nothing_in_common_gives_an_empty_lattice_with_the_columns(full, beam):
    joint = compose_gappy(full, gappy_acceptor([("z", 1.0)]), beam=beam)
    assert joint.empty
    assert joint.num_arcs == 0
    assert list(joint.features) == ["Skeleton", "matched"]


def test_the_empty_hypothesis_matches_everything():
    full = Lattice.from_strings([("a b", 1.0), ("", 3.0)])
    assert best_by_string(compose_gappy(full, gappy_acceptor([("", 0.5)]))) == {("a", "b"): 1.5, (): 3.5}


@pytest.mark.parametrize("limit", ["MAX_PAIRS", "MAX_ARCS"])
def test_results_that_are_too_large_are_refused(limit, monkeypatch):
    monkeypatch.setattr(module, limit, 2)
    full = Lattice.from_strings([("a b c a b c", 0.0)])
    with pytest.raises(LatticeSimpError, match="prune the lattice"):
        compose_gappy(full, gappy_acceptor([("a c", 0.0)]))


def test_composition_changes_neither_of_its_arguments():
    for seed in range(4):
        rng = np.random.default_rng([9, seed])
        full, skeleton = random_full(rng), gappy_acceptor(random_hypotheses(rng, 4))
        before = [
            array.copy() for array in (full.weights, full.finals, skeleton.acceptor.weights, skeleton.acceptor.finals)
        ]
        compose_gappy(full, skeleton, weight=0.3, beam=1.0)
        after = [full.weights, full.finals, skeleton.acceptor.weights, skeleton.acceptor.finals]
        for old, new in zip(before, after, strict=True):
            np.testing.assert_array_equal(old, new)


def test_a_lattice_serves_as_skeleton_and_as_full_lattice():
    lattice = random_lattice(np.random.default_rng(3), 6, WORDS, arcs_per_state=2.5)
    joint = compose_gappy(lattice, gappy_acceptor(lattice))
    assert best_by_string(joint).keys() == best_by_string(lattice).keys()
