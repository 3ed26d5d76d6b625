"""Intersection with deterministic acceptors, cyclic ones too, against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import paths, random_lattice

from lattice_simp import InvalidLatticeError, Lattice, SymbolTable, difference, intersect


def random_acceptor(rng, states, words):
    """Returns a deterministic acceptor with cycles."""
    pairs = [(state, label) for state in range(states) for label in range(1, len(words) + 1) if rng.random() < 0.7]
    ends = np.where(rng.random(states) < 0.6, rng.uniform(0, 1, states), math.inf)
    goals = rng.integers(0, states, len(pairs))
    sources, labels = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return Lattice.from_arcs(sources, labels, rng.uniform(0, 1, len(pairs)), goals, ends, SymbolTable(list(words)))


def cost_of(acceptor, words):
    state, total = 0, 0.0
    for word in words:
        arcs = [
            arc
            for arc in range(acceptor.offsets[state], acceptor.offsets[state + 1])
            if acceptor.symbols[acceptor.olabels[arc]] == word
        ]
        if not arcs:
            return math.inf
        total += acceptor.weights[arcs[0]]
        state = acceptor.nextstates[arcs[0]]
    return total + acceptor.finals[state]


def test_all_common_paths_and_no_others():
    kept = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 7, "abc", epsilon=True, numbered=True, columns=("LM",), shuffled=True)
        acceptor = random_acceptor(rng, 3, "cbd" if seed % 3 else "cba")
        expected = {
            arcs: cost + extra
            for words, arcs, cost in paths(lattice)
            if math.isfinite(extra := cost_of(acceptor, words))
        }
        actual = intersect(lattice, acceptor)
        result = {arcs: cost for _, arcs, cost in paths(actual)}
        assert result.keys() == expected.keys(), f"seed {seed}"
        assert all(result[key] == pytest.approx(expected[key]) for key in result), f"seed {seed}"
        assert list(actual.features) == ["LM"]
        kept += len(result)
    assert kept > 30


def test_the_difference_holds_the_other_paths():
    kept = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 7, "abc", epsilon=True, numbered=True, columns=("LM",), shuffled=True)
        acceptor = random_acceptor(rng, 3, "cbd" if seed % 3 else "cba")
        expected = {arcs: cost for words, arcs, cost in paths(lattice) if math.isinf(cost_of(acceptor, words))}
        actual = difference(lattice, acceptor)
        result = {arcs: cost for _, arcs, cost in paths(actual)}
        assert result == pytest.approx(expected), f"seed {seed}"
        assert list(actual.features) == ["LM"]
        kept += len(result)
    assert kept > 30
    lattice = Lattice.from_strings([("a b", 1.0), ("", 0.5)])
    assert [text for text, _, _ in paths(difference(lattice, Lattice.from_strings([])))] == [(), ("a", "b")]
    assert [text for text, _, _ in paths(difference(lattice, Lattice.from_strings([""])))] == [("a", "b")]


def test_states_come_in_the_order_of_the_pairs_and_arcs_in_that_of_the_lattice():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 60, "abcde", arcs_per_state=20.0, numbered=True, finals=60).connected()
        acceptor = random_acceptor(rng, 40, "edcba")
        result = intersect(lattice, acceptor)  # more pairs than the first pool has room for
        assert result.num_states > 1100, f"seed {seed}"
        assert result.is_topsorted, f"seed {seed}"
        numbers = result.ilabels.tolist()
        assert all(
            numbers[begin:end] == sorted(numbers[begin:end])
            for begin, end in zip(result.offsets, result.offsets[1:], strict=False)
        ), f"seed {seed}"


def test_only_pairs_that_are_reached_take_room():
    """A table of 20,000 states times 20,000 words would take gigabytes."""
    text = " ".join(f"w{number}" for number in range(20_000))
    result = intersect(Lattice.from_strings([(text, 1.0)]), Lattice.from_strings([(text, 2.0)]))
    assert (result.num_arcs, result.weights.sum()) == (20_000, 3.0)


def test_words_of_the_acceptor_alone_stay_out_of_the_lattices_table():
    lattice = Lattice.from_strings([("a b", 1.0)])
    symbols = lattice.symbols.copy()
    assert intersect(lattice, Lattice.from_strings([("x y", 0.0), ("z y", 0.0), ("a b", 0.0)])).num_arcs == 2
    assert lattice.symbols == symbols


def test_nothing_in_common():
    lattice = Lattice.from_strings([("a b", 1.0)])
    assert intersect(lattice, Lattice.from_strings([("c", 1.0)])).empty
    assert intersect(lattice, Lattice.empty_like(lattice)).empty
    assert intersect(Lattice.empty_like(lattice), lattice).empty


def test_acceptors_that_are_not_deterministic_are_refused():
    lattice = Lattice.from_strings([("a", 1.0)])
    ends = [math.inf, 0.0, 0.0]
    with pytest.raises(InvalidLatticeError, match="two arcs of one word"):
        intersect(lattice, Lattice.from_arcs([0, 0], [1, 1], [0.0, 0.0], [1, 2], ends, SymbolTable("a")))
    with pytest.raises(InvalidLatticeError, match="epsilons"):
        intersect(lattice, Lattice.from_arcs([0, 1], [0, 1], [0.0, 0.0], [1, 2], ends, SymbolTable("a")))
    double = Lattice.from_arcs([0], [1], [0.0], [1], [math.inf, 0.0], SymbolTable("a"), inputs=([1], SymbolTable("b")))
    with pytest.raises(InvalidLatticeError, match="transducer"):
        intersect(lattice, double)
    with pytest.raises(InvalidLatticeError, match="transducer"):
        difference(lattice, double)
