"""Pruning, n-best lists, distances and posteriors: both engines against enumeration by brute force."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from helpers import arc_paths, beams_between, best_by_string, paths, varied_lattice

from lattice_simp import Lattice, SymbolTable
from lattice_simp.engines import ENGINES
from lattice_simp.errors import CyclicLatticeError, LatticeSimpError

SEEDS = range(40)
CLOSE = {"arrays": 1e-9, "openfst": 1e-4}
"""How closely each engine's costs must be those by brute force."""

CYCLIC = Lattice.from_arcs([0, 0], [1, 1], [1.0, 1.0], [0, 1], [math.inf, 0.0], SymbolTable("a"))
DEAD_END = Lattice.from_arcs([0], [1], [0.0], [1], [math.inf] * 2, SymbolTable("a"))
EMPTY = [Lattice.from_strings([]), DEAD_END]


def words_and_costs(lattice):
    """Returns the number of paths for each (words, input labels), and all costs in order."""
    results = list(paths(lattice))
    return Counter((words, tuple(filter(None, labels))) for words, labels, _ in results), sorted(p[2] for p in results)


# ---------------------------------------------------------------- pruning


def test_pruning_keeps_the_arcs_and_ends_of_paths_within_the_beam():
    beams = 0
    for seed in SEEDS:
        lattice = varied_lattice(seed, arcs_per_state=2.2).connected()
        rows = [(arcs, end, lattice.weights[arcs].sum() + lattice.finals[end]) for arcs, end in arc_paths(lattice)]
        through, ending = np.full(lattice.num_arcs, math.inf), np.full(lattice.num_states, math.inf)
        for arcs, end, cost in rows:
            through[arcs] = np.minimum(through[arcs], cost)
            ending[end] = min(ending[end], cost)
        for beam in beams_between([cost for *_, cost in rows])[:10]:
            beams += 1
            limit = ending.min() + beam
            kept = [(arcs, cost) for arcs, end, cost in rows if (through[arcs] < limit).all() and ending[end] < limit]
            labels = [(lattice.olabels[arcs], lattice.ilabels[arcs]) for arcs, _ in kept]
            expected = Counter(
                (tuple(lattice.symbols.decode(olabels)), tuple(ilabels[ilabels > 0].tolist()))
                for olabels, ilabels in labels
            )
            for name, engine in ENGINES.items():
                pruned = engine.prune(lattice, beam)
                actual, costs = words_and_costs(pruned)
                assert actual == expected, (seed, beam, name)
                assert costs == pytest.approx(sorted(cost for _, cost in kept), abs=CLOSE[name]), (seed, beam, name)
                assert pruned.is_topsorted, (seed, beam, name)
    assert beams > 100


def test_without_a_beam_everything_stays():
    for seed in SEEDS:
        lattice = varied_lattice(seed, arcs_per_state=2.2)
        for name, engine in ENGINES.items():
            assert words_and_costs(engine.prune(lattice)) == words_and_costs(lattice), (seed, name)


# ---------------------------------------------------------------- n-best lists


def test_different_strings_at_their_least_costs():
    for seed in SEEDS:
        lattice = varied_lattice(seed, arcs_per_state=2.2)
        if seed % 7 == 0:  # costs that tie often
            lattice = replace(lattice, weights=np.round(lattice.weights), finals=np.round(lattice.finals))
        expected = best_by_string(lattice)
        for name, engine in ENGINES.items():
            for n in (1, 2, 7, 10**30):
                hypotheses = engine.nbest(lattice, n)
                costs, strings = [path.cost for path in hypotheses], [tuple(path.tokens) for path in hypotheses]
                assert costs == sorted(costs), (seed, name, n)
                assert costs == pytest.approx(sorted(expected.values())[:n], abs=CLOSE[name]), (seed, name, n)
                assert costs == pytest.approx([expected[string] for string in strings], abs=CLOSE[name]), (
                    seed,
                    name,
                    n,
                )
                assert len(set(strings)) == len(strings), (seed, name, n)


def test_without_unique_every_path_counts():
    for seed in SEEDS:
        lattice = varied_lattice(seed, arcs_per_state=2.2)
        expected = sorted(cost for *_, cost in paths(lattice))
        for name, engine in ENGINES.items():
            for n in (1, 4, 10**30):
                hypotheses = engine.nbest(lattice, n, unique=False)
                assert [path.cost for path in hypotheses] == pytest.approx(expected[:n], abs=CLOSE[name]), (
                    seed,
                    name,
                    n,
                )
                assert name == "openfst" or len({tuple(path.arcs) for path in hypotheses}) == len(hypotheses), seed
            assert Counter(path.tokens for path in hypotheses) == Counter(w for w, *_ in paths(lattice)), seed


# ---------------------------------------------------------------- distances and posteriors


def log_sum(costs):
    return -math.log(math.fsum(math.exp(-cost) for cost in costs)) if costs else math.inf


def test_distances_are_those_of_all_paths():
    for seed in SEEDS:
        lattice = varied_lattice(seed, arcs_per_state=2.2).topsorted()
        ends = [[] for _ in range(lattice.num_states)]
        starts = [[] for _ in range(lattice.num_states)]
        for state in reversed(range(lattice.num_states)):
            ends[state] = [float(lattice.finals[state])] if np.isfinite(lattice.finals[state]) else []
            for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
                ends[state] += [cost + float(lattice.weights[arc]) for cost in ends[lattice.nextstates[arc]]]
        for state in range(lattice.num_states):
            starts[state] += [0.0] if state == 0 else []
            for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
                starts[lattice.nextstates[arc]] += [cost + float(lattice.weights[arc]) for cost in starts[state]]
        for costs, reverse in ((starts, False), (ends, True)):
            for semiring, total in (("tropical", lambda value: min(value, default=math.inf)), ("log", log_sum)):
                for name, engine in ENGINES.items():
                    actual = engine.shortest_distance(lattice, semiring=semiring, reverse=reverse)
                    expected = [total(cost) for cost in costs]
                    assert actual.tolist() == pytest.approx(expected, abs=CLOSE[name]), (seed, name, semiring, reverse)


def test_arc_posteriors_are_the_shares_of_all_paths():
    for seed in SEEDS:
        lattice = varied_lattice(seed, arcs_per_state=2.2).topsorted()
        expected = np.zeros(lattice.num_arcs)
        total = 0.0
        for arcs, end in arc_paths(lattice):
            probability = math.exp(-(lattice.weights[arcs].sum() + lattice.finals[end]))
            expected[arcs] += probability
            total += probability
        for name, engine in ENGINES.items():
            actual = engine.arc_posteriors(lattice)
            assert actual == pytest.approx(expected / (total or 1.0), abs=CLOSE[name]), (seed, name)


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize("name", ENGINES)
def test_a_cycle_is_refused(name):
    engine = ENGINES[name]
    for operation in (engine.prune, engine.nbest):
        with pytest.raises(CyclicLatticeError):
            operation(CYCLIC)
    for operation in (engine.shortest_distance, engine.arc_posteriors):
        with pytest.raises(LatticeSimpError, match="not sorted topologically"):
            operation(CYCLIC)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("lattice", EMPTY)
def test_an_empty_lattice_stays_empty(name, lattice):
    assert ENGINES[name].nbest(lattice, 3) == ENGINES[name].nbest(lattice, 3, unique=False) == []
    assert ENGINES[name].prune(lattice, 1.0).num_states == 0
    assert ENGINES[name].shortest_distance(lattice, semiring="log", reverse=True)[0] == math.inf
    assert not ENGINES[name].arc_posteriors(lattice).any()


@pytest.mark.parametrize("name", ENGINES)
def test_limits_are_checked(name):
    lattice = Lattice.from_strings([("a", 1.0)])
    for beam in (-1.0, math.nan):
        with pytest.raises(LatticeSimpError, match="the beam is"):
            ENGINES[name].prune(lattice, beam)
    for n in (0, -1):
        with pytest.raises(LatticeSimpError, match=f"n is {n}"):
            ENGINES[name].nbest(lattice, n)
