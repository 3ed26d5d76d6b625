"""Composition with plain lattices, repeated composition of a lattice, and forms of skeletons."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gappy_reference import WORDS, expected_sigma, path_rows, random_full, random_hypotheses
from helpers import assert_canonical, best_by_string, paths, random_lattice

from lattice_simp import EditCosts, Lattice, compose_gappy, gappy_acceptor, nbest
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import CyclicLatticeError, LatticeSimpError

SEEDS = range(20)


def arrays(acceptor):
    lattice = acceptor.acceptor
    fields = (lattice.offsets, lattice.olabels, lattice.weights, lattice.nextstates, lattice.finals, acceptor.has_loop)
    return [field.tolist() for field in fields]


# ---------------------------------------------------------------- plain composition


@pytest.mark.parametrize("epsilon", [False, True])
@pytest.mark.parametrize("weight", [1.0, 0.0, 2.5])
def test_a_plain_lattice_keeps_the_strings_that_both_hold(weight, epsilon):
    common = 0
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 1])
        full = random_full(rng, states=8, finals=1 + seed % 3, shuffled=seed % 2 == 0)
        other = random_lattice(rng, 8, (*WORDS, "new"), epsilon, arcs_per_state=7.0, shuffled=seed % 3 == 0)
        held = best_by_string(other)
        expected = {words: cost + weight * held[words] for words, cost in best_by_string(full).items() if words in held}
        joint = compose_gappy(full, other, weight=weight)
        assert best_by_string(joint) == pytest.approx(expected, abs=1e-9), f"seed {seed}"
        assert_canonical(joint, f"seed {seed}")
        common += len(expected)
    assert common > 20


@pytest.mark.parametrize("beam", [0.0, 1.0])
def test_every_path_of_a_plain_composition_is_a_pair_of_paths_within_the_beam(beam):
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 2])
        full = random_full(rng, states=8)
        other = random_lattice(rng, 7, WORDS, arcs_per_state=3.0)
        pairs = sorted(
            (cost + value, labels, -value)
            for words, labels, cost in paths(full)
            for string, _, value in paths(other)
            if string == words
        )
        joint = compose_gappy(full, other, beam=beam)
        results = sorted((cost, labels, sums["Skeleton"]) for labels, cost, sums in path_rows(joint))
        if not pairs:
            assert joint.empty, f"seed {seed}"
            continue
        limit = pairs[0][0] + beam + 1e-9
        within = [cost for cost, _, _ in pairs if cost <= limit]
        assert [cost for cost, _, _ in results if cost <= limit] == pytest.approx(within), f"seed {seed}"
        known = {(tuple(label for label in labels if label), round(score, 9)) for _, labels, score in pairs}
        assert {(labels, round(score, 9)) for _, labels, score in results} <= known, f"seed {seed}"


@pytest.mark.parametrize("beam", [None, 0.7])
def test_silent_moves_of_both_sides_make_one_path(beam):
    """The number of paths counts: posteriors and samples sum over them."""
    several = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, 3])
        full = random_lattice(rng, 6, WORDS, True, arcs_per_state=2.5)
        other = random_lattice(rng, 6, WORDS, True, arcs_per_state=2.5)
        expected = sorted(
            cost + value for words, _, cost in paths(full) for string, _, value in paths(other) if string == words
        )
        if beam is not None:
            expected = [cost for cost in expected if cost <= expected[0] + beam]
        actual = sorted(cost for _, cost, _ in path_rows(compose_gappy(full, other, beam=beam)))
        # A beam prunes arcs, so paths outside of it may remain.
        assert actual[: len(expected)] == pytest.approx(expected), f"seed {seed}"
        assert beam is not None or len(actual) == len(expected), f"seed {seed}"
        several += len(expected) > 1
    assert several > (20 if beam is None else 5)


@pytest.mark.parametrize("skeletons", ["deletions", "positions", "both"])
@pytest.mark.parametrize("seeds", [10, pytest.param(40, marks=pytest.mark.slow)])
def test_each_embedding_in_a_path_with_epsilons_is_one_path(skeletons, seeds):
    for seed in range(seeds):
        rng = np.random.default_rng([seed, 4])
        full = random_lattice(rng, 6, WORDS, True, arcs_per_state=2.5)
        hypotheses = random_hypotheses(rng, 3)
        places = None if skeletons == "deletions" else [{number % 2} for number in range(len(hypotheses))]
        acceptor = gappy_acceptor(hypotheses, positions=places)
        edits = None if skeletons == "positions" else EditCosts(deletion=0.7, substitution=math.inf, stem=math.inf)
        expected = []
        for words, _, cost in paths(full):
            composed = compose_gappy(Lattice.from_strings([(words, cost)]), acceptor, edits=edits)
            expected += [cost_of_row for _, cost_of_row, _ in path_rows(composed)]
        actual = [cost_of_row for _, cost_of_row, _ in path_rows(compose_gappy(full, acceptor, edits=edits))]
        assert sorted(actual) == pytest.approx(sorted(expected)), f"seed {seed}"


def test_a_skeleton_with_a_cycle_is_refused():
    loop = Lattice.from_arcs([0], [1], [0.0], [0], [0.0], Lattice.from_strings([("a", 0.0)]).symbols)
    with pytest.raises(CyclicLatticeError):
        compose_gappy(Lattice.from_strings([("a", 0.0)]), loop)


# ---------------------------------------------------------------- several compositions


@pytest.mark.parametrize("edits", [None, EditCosts(2.0, 1.5, math.inf)], ids=["exact", "edits"])
@pytest.mark.parametrize(("step", "least"), [(6, 4), pytest.param(1, 20, marks=pytest.mark.slow)])
def test_two_compositions_under_two_names_keep_both_scores(edits, step, least):
    added = {"Skeleton", "matched", "Second", "SecondMatched"} | ({"Edits", "SecondEdits"} if edits else set())
    actual = 0
    for seed in SEEDS[::step]:
        rng = np.random.default_rng([seed, 3])
        full = random_full(rng, states=6)
        first, second = (random_hypotheses(rng, 3, longest=2) for _ in range(2))
        joint = compose_gappy(full, gappy_acceptor(first), weight=0.5, edits=edits)
        joint = compose_gappy(joint, gappy_acceptor(second), weight=2.0, edits=edits, name="Second")
        options = {} if edits is None else {"edits": edits}
        result, twos = (
            expected_sigma(full, entry, weight, **options) for entry, weight in ((first, 0.5), (second, 2.0))
        )
        plain = best_by_string(full)
        expected = {words: result[words] + twos[words] - plain[words] for words in result if words in twos}
        assert best_by_string(joint) == pytest.approx(expected, abs=1e-9), f"seed {seed}"
        costs = {labels: cost for labels, cost, _ in path_rows(full)}
        for labels, cost, sums in path_rows(joint):
            actual += 1
            assert sums.keys() == {"x", "y"} | added, f"seed {seed}"
            parts = 0.5 * sums["Skeleton"] + 2.0 * sums["Second"] + sums.get("Edits", 0.0) + sums.get("SecondEdits", 0)
            assert cost == pytest.approx(costs[labels] - parts), f"seed {seed}"
    assert actual > least


def test_a_name_that_exists_is_refused():
    full, skeleton = Lattice.from_strings([("a b", 1.0)]), gappy_acceptor([("a", 0.5)])
    joint = compose_gappy(full, skeleton)
    with pytest.raises(LatticeSimpError, match="'Skeleton' already; give this composition another name"):
        compose_gappy(joint, skeleton)
    assert compose_gappy(joint, skeleton, name="Other").features["Other"].sum() == -0.5


@pytest.mark.parametrize(
    ("name", "options", "taken"),
    [
        ("Skeleton", {}, "matched"),
        ("Skeleton", {"edits": EditCosts()}, "Edits"),
        ("B", {}, "BMatched"),
        ("B", {"edits": EditCosts()}, "BEdits"),
    ],
)
def test_no_feature_of_the_lattice_is_overwritten(name, options, taken):
    full = Lattice.from_strings([("a b", 1.0)]).with_feature(taken, [1.0, 2.0])
    for each in (full, Lattice.empty_like(full)):
        with pytest.raises(LatticeSimpError, match=f"'{taken}' already; give this composition another name"):
            compose_gappy(each, gappy_acceptor([("a", 0.5)]), name=name, **options)


def test_without_edits_their_name_is_free():
    full = Lattice.from_strings([("a b", 1.0)]).with_feature("Edits", [1.0, 2.0])
    assert nbest(compose_gappy(full, gappy_acceptor([("a", 0.5)])))[0].features == {
        "Edits": 3.0,
        "Skeleton": -0.5,
        "matched": 1.0,
    }


# ---------------------------------------------------------------- strings, tokens, hypotheses


@pytest.mark.parametrize("loops", ["sigma", "rho"])
def test_tokens_and_hypotheses_are_taken_like_strings(loops):
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 4])
        strings = random_hypotheses(rng, 5, shortest=0)
        expected = arrays(gappy_acceptor(strings, loops=loops))
        for each in (
            [(tuple(words.split()), cost) for words, cost in strings],
            [(words.split(), cost) for words, cost in strings],
            [Hypothesis(tuple(words.split()), cost) for words, cost in strings],
            iter([Hypothesis(tuple(words.split()), cost) for words, cost in strings]),
        ):
            assert arrays(gappy_acceptor(each, loops=loops)) == expected, f"seed {seed}"


def test_hypotheses_of_a_lattice_are_a_skeleton():
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 5])
        full = random_full(rng, states=6)
        hypotheses = nbest(random_full(rng, states=4), 5)
        joint = compose_gappy(full, gappy_acceptor(hypotheses))
        expected = expected_sigma(full, [(path.text, path.cost) for path in hypotheses])
        assert best_by_string(joint) == pytest.approx(expected, abs=1e-9), f"seed {seed}"


def test_tokens_with_blanks_of_another_kind_stay_whole():
    full = Lattice.from_strings([(("10\u00a0000", "people"), 0.0)])
    joint = compose_gappy(full, gappy_acceptor([(("10\u00a0000",), 0.5)]))
    assert nbest(joint)[0].tokens == ("10\u00a0000", "people")
