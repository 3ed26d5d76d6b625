"""Edit-tolerant gappy composition against alignment by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gappy_reference import (
    alignment_cost,
    expected_sigma,
    first_letter,
    least_by_string,
    path_rows,
    random_full,
    random_hypotheses,
)
from helpers import assert_canonical, best_by_string, keep_least, paths

from lattice_simp import EditCosts, Lattice, compose_gappy, gappy_acceptor
from lattice_simp.errors import LatticeSimpError

SEEDS = range(8)
EDITS = {
    "all": EditCosts(2.0, 1.5, 0.5, first_letter),
    "stem dearer than substitution": EditCosts(2.0, 0.5, 1.5, first_letter),
    "stem as dear as substitution": EditCosts(2.0, 1.0, 1.0, first_letter),
    "deletions alone": EditCosts(1.2, math.inf, math.inf),
    "substitutions alone": EditCosts(math.inf, 0.7, math.inf),
    "stems alone": EditCosts(math.inf, math.inf, 0.3, first_letter),
    "free deletions": EditCosts(0.0, math.inf, math.inf),
}
by_edits = pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS.keys())


@by_edits
def test_every_string_costs_its_best_alignment(edits):
    for seed in SEEDS:
        rng = np.random.default_rng([1, seed])
        full = random_full(rng, states=6, finals=1 + seed % 3)
        pairs = random_hypotheses(rng, 1 + seed % 3, longest=3, shortest=seed % 2)
        joint = compose_gappy(full, gappy_acceptor(pairs), weight=0.6, edits=edits)
        assert best_by_string(joint) == pytest.approx(expected_sigma(full, pairs, 0.6, None, edits), abs=1e-9), (
            f"seed {seed}"
        )
        assert_canonical(joint, f"seed {seed}")


@by_edits
def test_every_string_costs_its_best_alignment_with_gaps_at_positions_only(edits):
    for seed in SEEDS:
        rng = np.random.default_rng([2, seed])
        full = random_full(rng, states=6)
        pairs = random_hypotheses(rng, 2, longest=2)
        positions = [{index for index in range(len(words.split()) + 1) if rng.random() < 0.5} for words, _ in pairs]
        joint = compose_gappy(full, gappy_acceptor(pairs, positions=positions), edits=edits)
        assert best_by_string(joint) == pytest.approx(expected_sigma(full, pairs, 1.0, positions, edits), abs=1e-9), (
            f"seed {seed}"
        )


@by_edits
def test_rho_skips_only_words_that_no_arc_carries(edits):
    for seed in SEEDS:
        rng = np.random.default_rng([3, seed])
        full = random_full(rng, states=6)
        skeleton = gappy_acceptor(random_hypotheses(rng, 3, longest=2), loops="rho", symbols=full.symbols)
        expected = {}
        for words, _, cost in paths(full):
            rest = walk(skeleton, words, edits)
            keep_least(expected, iter([(words, cost + rest)] if rest < math.inf else []))
        assert best_by_string(compose_gappy(full, skeleton, edits=edits)) == pytest.approx(expected, abs=1e-9), (
            f"seed {seed}"
        )


def walk(skeleton, words, edits):
    """Returns the least cost of a string, with one best cost for each acceptor state after each word."""
    acceptor, decode = skeleton.acceptor, skeleton.acceptor.symbols
    arcs = [
        (source, decode[label], cost, target)
        for source, label, cost, target in zip(
            acceptor.sources.tolist(),
            acceptor.olabels.tolist(),
            acceptor.weights.tolist(),
            acceptor.nextstates.tolist(),
            strict=True,
        )
    ]

    def delete(costs):
        for source, _, cost, target in arcs:
            costs[target] = min(costs[target], costs[source] + cost + edits.deletion)
        return costs

    now = delete([0.0] + [math.inf] * (acceptor.num_states - 1))
    for word in words:
        following = [
            now[state]
            if skeleton.has_loop[state] and not any(arc[0] == state and arc[1] == word for arc in arcs)
            else math.inf
            for state in range(acceptor.num_states)
        ]
        for source, second, cost, target in arcs:
            same_stem = edits.stem_of(second) == edits.stem_of(word)
            price = 0.0 if second == word else min(edits.substitution, edits.stem if same_stem else math.inf)
            following[target] = min(following[target], now[source] + cost + price)
        now = delete(following)
    return min(cost + final for cost, final in zip(now, acceptor.finals.tolist(), strict=True))


@pytest.mark.parametrize("loops", ["sigma", "rho"])
def test_with_deletions_no_string_is_lost(loops):
    for seed in SEEDS:
        rng = np.random.default_rng([4, seed])
        full = random_full(rng)
        pairs = random_hypotheses(rng, 3, words=("p", "q"))
        joint = compose_gappy(full, gappy_acceptor(pairs, loops=loops), edits=EditCosts(substitution=math.inf))
        assert best_by_string(joint).keys() == best_by_string(full).keys(), f"seed {seed}"


@pytest.mark.parametrize("beam", [None, 1.0])
def test_with_deletions_even_the_empty_string_is_found(beam):
    full = Lattice.from_strings([("", 1.0)])
    joint = compose_gappy(full, gappy_acceptor([("a b", 0.5), ("c", 1.0)]), edits=EditCosts(deletion=2.0), beam=beam)
    assert best_by_string(joint) == {(): 4.0}


@by_edits
def test_every_path_splits_into_full_skeleton_and_edit_costs(edits):
    for seed in SEEDS:
        rng = np.random.default_rng([5, seed])
        full, weight = random_full(rng, states=6), 1.7
        pairs = random_hypotheses(rng, 2, longest=2)
        hypotheses = least_by_string(pairs)
        originals = {labels: (cost, sums) for labels, cost, sums in path_rows(full)}
        strings = {labels: words for words, labels, _ in paths(full)}
        for labels, cost, sums in path_rows(compose_gappy(full, gappy_acceptor(pairs), weight=weight, edits=edits)):
            full_cost, full_sums = originals[labels]
            assert cost == pytest.approx(full_cost - weight * sums["Skeleton"] - sums["Edits"]), f"seed {seed}"
            assert {name: sums[name] for name in full_sums} == pytest.approx(full_sums), f"seed {seed}"
            assert any(
                hypothesis == pytest.approx(-sums["Skeleton"])
                and sums["matched"] <= len(key)
                and alignment_cost(strings[labels], key, None, edits) <= -sums["Edits"] + 1e-9
                for key, hypothesis in hypotheses.items()
            ), f"seed {seed}"


@by_edits
def test_beam_keeps_every_path_within(edits):
    for seed in SEEDS:
        rng = np.random.default_rng([6, seed])
        full, skeleton = random_full(rng, states=6), gappy_acceptor(random_hypotheses(rng, 2, longest=2))
        everything = sorted(cost for _, cost, _ in path_rows(compose_gappy(full, skeleton, edits=edits)))
        kept = sorted(cost for _, cost, _ in path_rows(compose_gappy(full, skeleton, edits=edits, beam=0.8)))
        limit = everything[0] + 0.8 if everything else 0.0
        assert [cost for cost in kept if cost <= limit] == pytest.approx(
            [cost for cost in everything if cost <= limit]
        ), f"seed {seed}"


def test_a_stem_match_costs_no_more_than_a_substitution():
    full = Lattice.from_strings([("unterstützen", 0.0)])
    skeleton = gappy_acceptor([("unterstützt", 0.0)])
    for edits, expected in [(EditCosts(9, 6, 1), 1), (EditCosts(9, 2, 3), 2), (EditCosts(4, math.inf, 5), 4)]:
        assert best_by_string(compose_gappy(full, skeleton, edits=edits)) == {("unterstützen",): expected}


def test_infinite_costs_forbid_edits():
    full = Lattice.from_strings([("a", 0.0)])
    joint = compose_gappy(full, gappy_acceptor([("b", 0.0)]), edits=EditCosts(math.inf, math.inf, math.inf))
    assert joint.empty
    assert "Edits" in joint.features


@pytest.mark.parametrize(("cost", "message"), [(-1.0, "is -1.0; give a number from 0 up"), (math.nan, "is nan; give")])
@pytest.mark.parametrize("name", ["deletion", "substitution", "stem"])
def test_undefined_edit_costs_are_refused(name, cost, message):
    with pytest.raises(LatticeSimpError, match=f"the {name} cost {message}"):
        EditCosts(**{name: cost})
