"""Determinization and minimization against enumeration by brute force."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest
from helpers import best_by_string, paths, random_lattice

from lattice_simp import Lattice, SymbolTable, determinize, minimize
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
        found = operation(lattice, semiring=semiring)
        assert is_deterministic(found), seed
        assert found.symbols is lattice.symbols
        assert best_by_string(found) == pytest.approx(expected(lattice), rel=1e-5, abs=1e-5), seed
        assert len(list(paths(found))) == len(expected(lattice)), seed


def test_a_minimal_lattice_has_a_state_for_each_rest():
    """Of states whose completions differ by a constant cost one is left."""
    for seed in SEEDS:
        strings = best_by_string(make(seed))
        rests = set()
        for prefix in {words[:length] for words in strings for length in range(len(words) + 1)}:
            own = {words[len(prefix) :]: cost for words, cost in strings.items() if words[: len(prefix)] == prefix}
            rests.add(frozenset((words, cost - min(own.values())) for words, cost in own.items()))
        assert minimize(make(seed)).num_states == len(rests), seed


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
    return Lattice.from_arcs(sources, words, np.arange(len(rows)) / 7, targets, finals, SymbolTable("ab"))


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
        with pytest.raises(LatticeSimpError, match=f"more than {every.num_states - 1:,} states"):
            determinize(make(seed), max_states=every.num_states - 1)


def test_what_is_refused():
    cyclic = Lattice.from_arcs([0], [1], [1.0], [0], [0.0], SymbolTable(["a"]))
    transducer = Lattice.from_arcs([0], [1], [1.0], [1], [np.inf, 0.0], SymbolTable(["a", "b"]), ilabels=[2])
    for operation in (determinize, minimize):
        with pytest.raises(CyclicLatticeError):
            operation(cyclic)
        with pytest.raises(InvalidLatticeError, match="project_output"):
            operation(transducer)
        with pytest.raises(InvalidLatticeError, match="semiring 'real'"):
            operation(Lattice.from_strings([("a", 1.0)]), semiring="real")
        assert operation(Lattice.from_strings([])).empty
