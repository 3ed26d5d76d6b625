"""Determinization and minimization against enumeration by brute force."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from helpers import best_by_string, paths, random_lattice

from lattice_simp import Hypothesis, Lattice, SymbolTable, determinize, minimize, nbest
from lattice_simp.errors import CyclicLatticeError, InvalidLatticeError, LatticeSimpError

SEEDS = range(40)


def make(seed):
    """Returns a lattice with epsilons and several paths for a string; costs are quarters, which floats hold exactly."""
    rng = np.random.default_rng(seed)
    lattice = random_lattice(rng, 3 + seed % 5, ("a", "b"), epsilon=seed % 2 == 0, arcs_per_state=2.5, shuffled=True)
    finals = np.round(4 * lattice.finals) / 4
    weights = np.round(4 * lattice.weights) / 4
    return Lattice.from_arcs(lattice.sources, lattice.olabels, weights, lattice.nextstates, finals, lattice.symbols)


def summed(lattice):
    """Returns minus the log of the summed probabilities of each string's paths."""
    masses = defaultdict(float)
    for words, _, cost in paths(lattice):
        masses[words] += math.exp(-cost)
    return {words: -math.log(mass) for words, mass in masses.items()}


def is_deterministic(lattice):
    ways = list(zip(lattice.sources.tolist(), lattice.olabels.tolist(), strict=True))
    return len(set(ways)) == len(ways) and not lattice.has_epsilons()


@pytest.mark.parametrize("operation", [determinize, minimize])
@pytest.mark.parametrize(("semiring", "expected"), [("tropical", best_by_string), ("log", summed)])
def test_every_string_has_one_path_at_its_cost(operation, semiring, expected):
    for seed in SEEDS:
        lattice = make(seed)
        actual = operation(lattice, semiring=semiring)
        assert is_deterministic(actual), seed
        assert actual.symbols is lattice.symbols
        assert best_by_string(actual) == pytest.approx(expected(lattice), rel=1e-5, abs=1e-5), seed
        assert len(list(paths(actual))) == len(expected(lattice)), seed


def test_a_minimal_lattice_has_a_state_for_each_rest():
    """Of states whose completions differ by a constant cost, one remains."""
    for seed in SEEDS:
        strings = best_by_string(make(seed))
        rests = set()
        for prefix in {words[:length] for words in strings for length in range(len(words) + 1)}:
            values = {words[len(prefix) :]: cost for words, cost in strings.items() if words[: len(prefix)] == prefix}
            rests.add(frozenset((words, cost - min(values.values())) for words, cost in values.items()))
        assert minimize(make(seed)).num_states == len(rests), seed


def make_scored(seed):
    """Returns the lattice of `make` with distinct costs of all paths of a string, features, and final scores."""
    lattice, rng = make(seed), np.random.default_rng(seed)
    finals = lattice.finals + rng.normal(size=lattice.num_states)
    scored = replace(lattice, weights=lattice.weights + rng.normal(size=lattice.num_arcs), finals=finals)
    for name in ("acoustic", "time"):
        ends = np.where(np.isfinite(finals), rng.normal(0, 100, lattice.num_states), 0.0)
        scored = scored.with_feature(name, rng.normal(0, 100, lattice.num_arcs), ends)
    return scored


@pytest.mark.parametrize("operation", [determinize, minimize])
def test_each_string_keeps_the_features_of_its_best_path(operation):
    for seed in range(60):
        lattice = make_scored(seed)
        actual = operation(lattice.with_feature("posterior", np.ones(lattice.num_arcs)))
        assert is_deterministic(actual), seed
        assert list(actual.features) == ["acoustic", "time"], seed
        expected = {path.tokens: path for path in nbest(lattice, 10_000)}
        got = {path.tokens: path for path in nbest(actual, 10_000)}
        assert got.keys() == expected.keys() == best_by_string(lattice).keys(), seed
        for tokens, path in expected.items():
            assert got[tokens].cost == pytest.approx(path.cost, abs=1e-5), (seed, tokens)
            assert got[tokens].features == pytest.approx(path.features, abs=1e-3), (seed, tokens)


def test_minimization_keeps_the_times_of_words():
    """Scores move towards the start, times do not; states merge if all their times are equal."""
    spans = {("a", "cat"): ((0.0, 0.5), (0.5, 1.5)), ("the", "cat"): ((0.0, 0.25), (0.25, 1.5))}
    timed = [Hypothesis(words, float(cost), times=times) for cost, (words, times) in enumerate(spans.items())]
    lattice = Lattice.from_nbest([*timed, Hypothesis(("my", "cat"), 2.0, times=spans["a", "cat"])])
    smaller = minimize(lattice)
    times = {path.tokens: path.times for path in nbest(smaller, 9) if path.tokens in spans}
    assert times == spans
    assert smaller.num_arcs < lattice.num_arcs
    for seed in range(30):
        whole = determinize(make_scored(seed))
        expected = {path.tokens: np.array(path.times) for path in nbest(whole, 10_000)}
        for path in nbest(minimize(whole), 10_000):
            np.testing.assert_allclose(np.array(path.times), expected[path.tokens], atol=1e-3, err_msg=str(seed))


def test_summed_probabilities_have_no_features():
    result = determinize(make_scored(3), semiring="log")
    assert not result.features
    assert result.header.scales == {}


def test_features_that_costs_are_made_of_cost_no_states():
    """A feature whose differences are those of the costs tells no states apart that the costs do not."""
    for seed in SEEDS:
        lattice = make(seed)
        scored = lattice.with_feature(
            "total", -2 * lattice.weights, -2 * np.where(np.isfinite(lattice.finals), lattice.finals, 0)
        )
        for operation in (determinize, minimize):
            assert operation(scored).num_states == operation(lattice).num_states, seed


def fan(length, after):
    """Returns a lattice whose deterministic form must remember where the last `after` words were an a."""
    numbers, rows = {}, []

    def state(*name):
        return numbers.setdefault(name, len(numbers))

    state(0, -1)
    for position in range(length):
        for phase in range(-1, after):
            if (position, phase) in numbers:
                source, following = state(position, phase), -1 if phase < 0 else phase + 1
                rows += [(source, word, state(position + 1, following)) for word in (1, 2)]
                rows += [(source, 1, state(position + 1, 0))] if phase < 0 else []
    sources, words, targets = zip(*rows, strict=True)
    finals = [0.0 if phase == after else np.inf for _, phase in numbers]
    return Lattice.from_arcs(sources, words, np.arange(len(rows)) / 7, targets, finals, SymbolTable(list("ab")))


def test_states_are_limited():
    lattice = fan(18, 11)  # it would take 2 ** 11 states for each position
    for operation in (determinize, minimize):
        for semiring in ("tropical", "log"):
            with pytest.raises(LatticeSimpError, match="more than 500 states; prune"):
                operation(lattice, semiring=semiring, max_states=500)
    for seed in SEEDS:
        every = determinize(make(seed))
        if every.empty:
            continue
        assert determinize(make(seed), max_states=every.num_states).num_states == every.num_states, seed
        fewer = every.num_states - 1
        message = f"more than {fewer:,} states" if fewer else "max_states is 0; give a number from 1 up"
        with pytest.raises(LatticeSimpError, match=message):
            determinize(make(seed), max_states=every.num_states - 1)


def test_what_is_refused():
    cyclic = Lattice.from_arcs([0], [1], [1.0], [0], [0.0], SymbolTable(["a"]))
    table = SymbolTable(["a", "b"])
    transducer = Lattice.from_arcs([0], [1], [1.0], [1], [np.inf, 0.0], table, inputs=([2], table))
    for operation in (determinize, minimize):
        with pytest.raises(CyclicLatticeError):
            operation(cyclic)
        with pytest.raises(InvalidLatticeError, match="project_output"):
            operation(transducer)
        with pytest.raises(LatticeSimpError, match="semiring 'real'"):
            operation(Lattice.from_strings([("a", 1.0)]), semiring="real")
        assert operation(Lattice.from_strings([])).empty
