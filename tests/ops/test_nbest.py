"""The n shortest paths and strings against enumeration by brute force."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pynini
import pytest
from helpers import arc_paths, best_by_string, paths, random_lattice, varied_lattice

from lattice_simp import Lattice, SymbolTable, nbest, shortest_path
from lattice_simp.core.features import Features
from lattice_simp.errors import CyclicLatticeError, EmptyLatticeError

SEEDS = range(30)


def rounded(lattice, digits=0):
    """Returns the lattice with costs that tie often."""
    return replace(lattice, weights=np.round(lattice.weights, digits), finals=np.round(lattice.finals, digits))


@pytest.mark.parametrize("unique", [True, False])
def test_arcs_of_a_path_give_back_its_cost_words_inputs_and_scores(unique):
    for seed in SEEDS:
        lattice = varied_lattice(seed, arcs_per_state=2.5, columns=("x", "y"))
        trim = lattice.connected()
        ends = {tuple(arcs): state for arcs, state in arc_paths(trim)}
        for path in nbest(lattice, 20, unique=unique):
            end = ends[tuple(path.arcs.tolist())]
            assert path.cost == pytest.approx(trim.weights[path.arcs].sum() + trim.finals[end], abs=1e-9), (
                f"seed {seed}"
            )
            assert path.text == " ".join(trim.symbols.decode(trim.olabels[path.arcs])), f"seed {seed}"
            assert path.inputs == tuple(label for label in trim.ilabels[path.arcs].tolist() if label), f"seed {seed}"
            assert path.features == pytest.approx(
                {
                    name: column[path.arcs].sum() + trim.features.final(name)[end]
                    for name, column in trim.features.items()
                }
            ), f"seed {seed}"


@pytest.mark.parametrize("unique", [True, False])
def test_ties_lose_nothing_and_repeat_in_the_same_order(unique):
    for seed in SEEDS:
        lattice = rounded(varied_lattice(seed, arcs_per_state=2.5, columns=("x", "y")))
        expected = (
            best_by_string(lattice) if unique else {labels: cost for labels, *_, cost in _numbered_paths(lattice)}
        )
        hypotheses = nbest(lattice, 1000, unique=unique)
        assert [path.cost for path in hypotheses] == sorted(expected.values()), f"seed {seed}"
        again = nbest(lattice, 1000, unique=unique)
        assert [(path.text, path.cost, path.arcs.tolist()) for path in again] == [
            (path.text, path.cost, path.arcs.tolist()) for path in hypotheses
        ], f"seed {seed}"
        for n in (1, 3):
            fewer = nbest(lattice, n, unique=unique)
            assert [path.arcs.tolist() for path in fewer] == [path.arcs.tolist() for path in hypotheses[:n]], (
                f"seed {seed}"
            )


def _numbered_paths(lattice):
    for arcs, state in arc_paths(lattice):
        yield tuple(arcs), float(lattice.weights[arcs].sum() + lattice.finals[state])


@pytest.mark.parametrize("unique", [True, False])
@pytest.mark.parametrize("costs", [(0.0, 0.0), (0.1, 0.1), (0.1, 0.1 + 1e-17), (0.1, 0.30000000000000004)])
def test_exponentially_many_equal_paths_cost_no_more_than_those_asked_for(costs, unique):
    length = 200
    lattice = Lattice.from_arcs(
        np.repeat(np.arange(length), 2),
        [1, 2] * length,
        costs * length,
        np.repeat(np.arange(1, length + 1), 2),
        [math.inf] * length + [0.0],
        SymbolTable(list("ab")),
    )
    hypotheses = nbest(lattice, 50, unique=unique)
    assert len({path.text for path in hypotheses}) == 50
    assert hypotheses[0].cost == pytest.approx(length * costs[0])


def test_one_string_on_exponentially_many_paths_is_found_once():
    length = 60
    lattice = Lattice.from_arcs(
        np.repeat(np.arange(length), 2),
        [1] * (2 * length),
        [0.5, 0.7] * length,
        np.repeat(np.arange(1, length + 1), 2),
        [math.inf] * length + [0.0],
        SymbolTable("a"),
    )
    assert [(path.text, path.cost) for path in nbest(lattice, 5)] == [
        (" ".join(["a"] * length), pytest.approx(0.5 * length))
    ]


def test_epsilon_chains_are_followed_to_their_ends():
    #  0 -eps(1)-> 1 -eps(-2)-> 2 -a-> 3,  0 -eps(0)-> 2: the longer way is the cheaper one
    lattice = Lattice.from_arcs(
        [0, 0, 1, 2],
        [0, 0, 0, 1],
        [1.0, 0.0, -2.0, 0.0],
        [1, 2, 2, 3],
        [4.0, math.inf, math.inf, 0.0],
        SymbolTable("a"),
    )
    assert [(path.text, path.cost, len(path.arcs)) for path in nbest(lattice, 5)] == [("a", -1.0, 3), ("", 4.0, 0)]


def test_more_than_there_are_is_no_error():
    lattice = Lattice.from_strings([("a", 1.0), ("b", 2.0)])
    assert [path.text for path in nbest(lattice, 10**30)] == ["a", "b"]


def test_the_remedy_for_cycles_works():
    cyclic = Lattice.from_arcs([0, 0], [1, 2], [1.0, 0.5], [0, 1], [np.inf, 0.0], SymbolTable(["a", "b"]))
    with pytest.raises(CyclicLatticeError) as refused:
        nbest(cyclic)
    remedy = str(refused.value).partition("in Python ")[2]
    acyclic = eval(remedy, {"Lattice": Lattice, "pynini": pynini, "lattice": cyclic, "n": 3})
    assert [path.text for path in nbest(acyclic, 9)] == ["b", "a b", "a a b"]


# ---------------------------------------------------------------- shortest_path


def test_the_shortest_path_is_the_cheapest_one():
    for seed in SEEDS:
        lattice = varied_lattice(seed, arcs_per_state=2.5, columns=("x", "y"))
        expected = min(paths(lattice), key=lambda path: path[2], default=None)
        if expected is None:
            with pytest.raises(EmptyLatticeError, match="accepts nothing"):
                shortest_path(lattice)
            continue
        actual = shortest_path(lattice)
        assert actual.cost == pytest.approx(expected[2]), f"seed {seed}"
        assert actual.tokens == expected[0], f"seed {seed}"
        assert actual == nbest(lattice)[0], f"seed {seed}"


def test_nothing_has_no_shortest_path():
    with pytest.raises(EmptyLatticeError, match="the lattice accepts nothing, so it has no shortest path"):
        shortest_path(Lattice.from_strings([]))
    with pytest.raises(CyclicLatticeError):
        shortest_path(Lattice.from_arcs([0], [1], [1.0], [0], [0.0], SymbolTable("a")))


def test_of_equally_cheap_paths_of_a_string_the_first_counts():
    """The lowest final state, then, from the end on, the first arc: of several sources that is the lowest state."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 7, [*"ab"]).connected()
        weights, finals = rng.integers(0, 2, lattice.num_arcs) * 1.0, np.where(np.isfinite(lattice.finals), 1.0, np.inf)
        lattice = replace(lattice, weights=weights, finals=finals)
        first = {}
        for arcs, end in arc_paths(lattice):
            words = tuple(lattice.symbols.decode(lattice.olabels[arcs]))
            key = (lattice.weights[arcs].sum(), end, arcs[::-1])
            first[words] = min(key, first.get(words, key))
        for path in nbest(lattice, 1000):
            assert path.arcs.tolist() == first[path.tokens][2][::-1], f"seed {seed}: {path.text}"


def test_equally_cheap_strings_of_one_length_come_in_the_order_of_their_labels_and_paths_in_that_of_their_arcs():
    lattice = Lattice.from_strings([("b c", 1.0), ("a d", 1.0), ("c a", 1.0), ("a c", 1.0), ("b a", 1.0)])
    assert [path.text for path in nbest(lattice, 9)] == ["b c", "b a", "c a", "a c", "a d"]
    assert [path.text for path in nbest(lattice, 9, unique=False)] == ["b c", "b a", "a d", "a c", "c a"]
    assert shortest_path(lattice).text == "b c"


def test_features_of_single_precision_are_summed_in_double_precision():
    scores = np.array([1.0, *[2.0**-25] * 64], dtype=np.float32)
    chain = Lattice.from_arcs(range(65), [1] * 65, [0.0] * 65, range(1, 66), [math.inf] * 65 + [0.0], SymbolTable("a"))
    features = Features(("x",), scores[None], np.zeros((1, 66), dtype=np.float32))
    assert shortest_path(replace(chain, features=features)).features == {"x": 1.0 + 64 * 2.0**-25}


def test_costs_are_summed_in_double_precision():
    weights = np.array([1.0, *[2.0**-30] * 64])
    chain = Lattice.from_arcs(range(65), [1] * 65, weights, range(1, 66), [math.inf] * 65 + [0.0], SymbolTable("a"))
    assert chain.weights.dtype == chain.finals.dtype == np.float64
    assert shortest_path(chain).cost == 1.0 + 64 * 2.0**-30
