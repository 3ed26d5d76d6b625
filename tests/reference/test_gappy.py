"""Gappy acceptors and their composition: both engines against each other and against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gappy_reference import (
    WORDS,
    expected_sigma,
    first_letter,
    least_by_string,
    random_full,
    random_hypotheses,
    rho_cost,
)
from helpers import assert_canonical, beams_between, best_by_string, keep_least, paths

from lattice_simp import EditCosts, Lattice, SymbolTable, compose_gappy, gappy_acceptor, reference
from lattice_simp.engines import ENGINES
from lattice_simp.errors import CyclicLatticeError, EmptyLatticeError, LatticeSimpError

SEEDS = range(25)
CLOSE = {"arrays": 1e-9, "openfst": 1e-4}
"""How closely each engine's costs must be those by brute force."""

BOTH = CLOSE["openfst"]
LOOPS = ("sigma", "rho")
FULL = Lattice.from_strings([("a b d", 1.0), ("a x c", 2.0)])


def composed(name, full, hypotheses, *, loops="sigma", positions=None, **options):
    """Returns {string: least cost} of an engine's composition; that of the arrays must be canonical."""
    engine = ENGINES[name]
    acceptor = engine.gappy_acceptor(hypotheses, loops=loops, positions=positions, symbols=full.symbols)
    joint = engine.compose_gappy(full, acceptor, **options)
    if name == "arrays":
        assert_canonical(joint)
    return best_by_string(joint)


def random_positions(rng, pairs, share):
    return [{index for index in range(len(words.split()) + 1) if rng.random() < share} for words, _ in pairs]


def without_loops(acceptor, mark):
    """Returns the acceptor without its loops."""
    kept = acceptor.olabels != acceptor.symbols.find(mark)
    return Lattice.from_arcs(
        acceptor.sources[kept],
        acceptor.olabels[kept],
        acceptor.weights[kept],
        acceptor.nextstates[kept],
        acceptor.finals,
        acceptor.symbols,
    )


def test_acceptors_hold_the_hypotheses_and_a_loop_at_each_state():
    for seed in SEEDS:
        pairs = random_hypotheses(np.random.default_rng(seed), 1 + seed, shortest=0)
        for loops in LOOPS:
            for hypotheses in (pairs, Lattice.from_strings(pairs)):
                acceptor = reference.gappy_acceptor(hypotheses, loops=loops)
                looping = acceptor.sources[acceptor.olabels == acceptor.symbols.find(f"<{loops}>")]
                assert sorted(looping) == list(range(acceptor.num_states)), seed
                strings = best_by_string(without_loops(acceptor, f"<{loops}>"))
                assert strings == pytest.approx(least_by_string(pairs), abs=BOTH), seed


def test_sigma_is_the_subsequence_relation_at_least_costs():
    for seed in SEEDS:
        rng = np.random.default_rng([1, seed])
        full = random_full(rng, finals=1 + seed % 3, shuffled=seed % 3 == 0)
        pairs = random_hypotheses(rng, 1 + seed % 5, longest=1 + seed % 4, shortest=seed % 2)
        weight = (1.0, 0.0, 2.5)[seed % 3]
        expected = expected_sigma(full, pairs, weight)
        for name in ENGINES:
            assert composed(name, full, pairs, weight=weight) == pytest.approx(expected, abs=CLOSE[name]), (seed, name)


def test_rho_is_the_deterministic_matcher():
    for seed in SEEDS:
        rng = np.random.default_rng([2, seed])
        full = random_full(rng, states=8, finals=1 + seed % 3, shuffled=seed % 3 == 0)
        pairs = random_hypotheses(rng, 2 + seed % 5, longest=3)
        weight = (1.0, 0.0, 2.5)[seed % 3]
        moves = {words: rho_cost(words, least_by_string(pairs)) for words in best_by_string(full)}
        expected = {w: cost + weight * moves[w] for w, cost in best_by_string(full).items() if moves[w] < math.inf}
        for name in ENGINES:
            actual = composed(name, full, pairs, loops="rho", weight=weight)
            assert actual == pytest.approx(expected, abs=CLOSE[name]), (seed, name)


def test_rho_rejects_and_sigma_accepts_where_the_acceptor_branches():
    pairs = [("a c", 0.25), ("b d", 0.5)]
    for name in ENGINES:
        assert composed(name, FULL, pairs) == {("a", "b", "d"): 1.5, ("a", "x", "c"): 2.25}
        assert composed(name, FULL, pairs, loops="rho") == {("a", "x", "c"): 2.25}


def test_words_are_skipped_at_each_hypothesis_own_positions_only():
    for seed in SEEDS:
        rng = np.random.default_rng([4, seed])
        full, pairs = random_full(rng), random_hypotheses(rng, 1 + seed % 4, longest=2, shortest=seed % 2)
        positions = random_positions(rng, pairs, (0.3, 0.6, 0.9)[seed % 3])
        expected = expected_sigma(full, pairs, 1.0, positions)
        for name in ENGINES:
            assert composed(name, full, pairs, positions=positions) == pytest.approx(expected, abs=CLOSE[name]), (
                seed,
                name,
            )


def test_both_engines_give_the_same_with_rho_at_positions():
    strings = 0
    for seed in range(60):
        rng = np.random.default_rng([5, seed])
        full, pairs = random_full(rng, states=8), random_hypotheses(rng, 2 + seed % 4, longest=2)
        positions = random_positions(rng, pairs, (0.4, 0.7)[seed % 2])
        results = [composed(name, full, pairs, loops="rho", positions=positions) for name in ENGINES]
        assert results[0] == pytest.approx(results[1], abs=BOTH), seed
        strings += len(results[0])
    assert strings > 100


def test_edits_cost_what_the_best_alignment_costs():
    kinds = [
        EditCosts(2.0, 1.5, 0.5, first_letter),
        EditCosts(2.0, 0.5, 1.5, first_letter),
        EditCosts(math.inf, math.inf, 0.3, first_letter),
        EditCosts(0.0, math.inf, math.inf),
    ]
    for seed in SEEDS:
        rng = np.random.default_rng([6, seed])
        full, pairs = random_full(rng, states=6), random_hypotheses(rng, 1 + seed % 3, longest=3, shortest=seed % 2)
        edits, positions = kinds[seed // 2 % len(kinds)], random_positions(rng, pairs, 0.6) if seed % 2 else None
        expected = expected_sigma(full, pairs, 0.6, positions, edits)
        for name in ENGINES:
            actual = composed(name, full, pairs, positions=positions, weight=0.6, edits=edits)
            assert actual == pytest.approx(expected, abs=CLOSE[name]), (seed, name)


def test_the_cheapest_edit_of_a_word_counts():
    full = Lattice.from_strings([("ca", 0.0)])
    for edits, cost in [((9.0, 6.0, 1.0), 1.0), ((9.0, 2.0, 3.0), 2.0), ((4.0, math.inf, 5.0), 4.0)]:
        for name in ENGINES:
            assert composed(name, full, [("c", 0.0)], edits=EditCosts(*edits, first_letter)) == {("ca",): cost}


def test_both_engines_give_the_same_with_rho_and_edits():
    for seed in SEEDS:
        rng = np.random.default_rng([7, seed])
        full, pairs = random_full(rng, states=6), random_hypotheses(rng, 3, longest=2)
        edits = EditCosts(2.0, 1.5, 0.5, first_letter)
        results = [composed(name, full, pairs, loops="rho", edits=edits) for name in ENGINES]
        assert results[0] == pytest.approx(results[1], abs=BOTH), seed
        assert len(results[0]) == len(best_by_string(full)), seed


def test_every_full_path_keeps_its_input_labels():
    for seed in SEEDS:
        rng = np.random.default_rng([8, seed])
        full, pairs = random_full(rng), random_hypotheses(rng, 3, longest=3)
        tables = []
        for engine in ENGINES.values():
            table = {}
            joint = engine.compose_gappy(full, engine.gappy_acceptor(pairs))
            keep_least(table, ((tuple(filter(None, labels)), cost) for _, labels, cost in paths(joint)))
            tables.append(table)
            assert joint.isymbols is full.isymbols
        assert tables[0] == pytest.approx(tables[1], abs=BOTH), seed


def test_an_acceptor_of_the_arrays_means_the_same_to_openfst():
    for seed in SEEDS:
        rng = np.random.default_rng([9, seed])
        full, pairs = random_full(rng), [*random_hypotheses(rng, 4, words=(*WORDS, "new"), longest=3), ("c", 0.0)]
        for loops in LOOPS:
            skeleton = gappy_acceptor(pairs, loops=loops, symbols=SymbolTable(["new", "x", "c", "b"]))
            expected = best_by_string(compose_gappy(full, skeleton))
            words = len(full.symbols)
            actual = best_by_string(reference.compose_gappy(full, skeleton.as_lattice()))
            assert actual == pytest.approx(expected, abs=BOTH), (seed, loops)
            assert len(full.symbols) == words, "the loops' labels are not words of the full lattice"


def test_a_beam_keeps_the_same_strings():
    for seed in SEEDS:
        rng = np.random.default_rng([10, seed])
        full, pairs = random_full(rng, states=8), random_hypotheses(rng, 4, longest=2)
        expected = expected_sigma(full, pairs)
        for beam in beams_between(expected.values())[:3]:
            limit = min(expected.values()) + beam
            within = {words: cost for words, cost in expected.items() if cost < limit}
            for name in ENGINES:
                actual = composed(name, full, pairs, beam=beam)
                assert actual.keys() <= expected.keys(), (seed, name)
                assert {w: c for w, c in actual.items() if c < limit} == pytest.approx(within, abs=CLOSE[name]), (
                    seed,
                    name,
                )


def test_what_does_not_fit_is_empty():
    for name, engine in ENGINES.items():
        for loops in LOOPS:
            acceptor = engine.gappy_acceptor([("q", 0.0)], loops=loops)
            for full in (FULL, Lattice.from_strings([])):
                for beam in (None, 1.0):
                    assert engine.compose_gappy(full, acceptor, beam=beam).num_states == 0, name


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize(
    ("hypotheses", "options", "error"),
    [
        ([], {}, EmptyLatticeError),
        ([], {"positions": []}, EmptyLatticeError),
        (Lattice.from_strings([]), {}, EmptyLatticeError),
        ([("a", math.nan)], {}, LatticeSimpError),
        ([("a", math.inf)], {}, LatticeSimpError),
        ([("a", 0.0)], {"positions": []}, LatticeSimpError),
        ([("a", 0.0)], {"positions": [{2}]}, LatticeSimpError),
        ([("a", 0.0)], {"positions": [{-1}]}, LatticeSimpError),
        ([("a", 0.0)], {"loops": "phi"}, LatticeSimpError),
        (Lattice.from_strings([("a", 0.0)]), {"positions": [{0}]}, LatticeSimpError),
    ],
)
def test_unusable_hypotheses_are_refused(name, hypotheses, options, error):
    with pytest.raises(error):
        ENGINES[name].gappy_acceptor(hypotheses, **options)


@pytest.mark.parametrize("name", ENGINES)
def test_unusable_lattices_and_weights_are_refused(name):
    engine = ENGINES[name]
    acceptor = engine.gappy_acceptor([("a", 0.0)])
    cyclic = Lattice.from_arcs([0, 0], [1, 1], [1.0, 1.0], [0, 1], [math.inf, 0.0], SymbolTable("a"))
    with pytest.raises(CyclicLatticeError):
        engine.compose_gappy(cyclic, acceptor)
    for options in ({"weight": -1.0}, {"weight": math.nan}, {"weight": math.inf}, {"beam": -1.0}, {"beam": math.nan}):
        with pytest.raises(LatticeSimpError):
            engine.compose_gappy(FULL, acceptor, **options)
