"""Making, checking and changing lattices."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers import best_by_string, paths, random_lattice

from lattice_simp import Lattice, SymbolTable
from lattice_simp.errors import InvalidLatticeError

INF = math.inf
SEEDS = range(10)


def parts(**changes):
    """Returns the arguments of a small valid lattice, with changes."""
    return {
        "sources": [0, 0, 1],
        "labels": [1, 2, 1],
        "weights": [0.5, 1.0, 0.0],
        "nextstates": [1, 2, 2],
        "finals": [INF, INF, 0.0],
        "symbols": SymbolTable("ab"),
    } | changes


# ---------------------------------------------------------------- from_arcs


def test_the_arguments_that_the_next_tests_break_are_valid():
    assert best_by_string(Lattice.from_arcs(**parts())) == {("a", "a"): 0.5, ("b",): 1.0}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": [0.5, math.nan, 0.0]}, "arc 1 has the cost nan"),
        ({"weights": [0.5, 1.0, INF]}, "arc 2 has the cost inf"),
        ({"weights": [-INF, 1.0, 0.0]}, "arc 0 has the cost -inf"),
        ({"finals": [INF, math.nan, 0.0]}, "state 1 has the final cost nan"),
        ({"finals": [INF, INF, -INF]}, "state 2 has the final cost -inf"),
        ({"nextstates": [1, 3, 2]}, "arc 1 leads to the state 3"),
        ({"nextstates": [1, 2, -1]}, "arc 2 leads to the state -1"),
        ({"sources": [0, 0, 3]}, "leaves a state outside 0..2"),
        ({"sources": [0, -1, 1]}, "leaves a state outside 0..2"),
        ({"finals": []}, "leaves a state outside"),
        ({"labels": [1, 3, 1]}, "arc 1 carries the label 3"),
        ({"labels": [1, 2, -1]}, "arc 2 carries the label -1"),
        ({"ilabels": [1, 2, 3]}, "arc 2 carries the input label 3"),
        ({"ilabels": [1, 2, 2], "isymbols": SymbolTable("x")}, "arc 1 carries the input label 2"),
        ({"labels": [1, 2]}, "3 arcs, but an array of shape"),
        ({"weights": [0.5, 1.0, 0.0, 0.0]}, "3 arcs, but an array of shape"),
        ({"nextstates": [[1], [2], [2]]}, "3 arcs, but an array of shape"),
        ({"ilabels": [1]}, "3 arcs, but an array of shape"),
        ({"scores": {"x": [1.0]}}, "3 arcs, but an array of shape"),
        ({"scores": {"x": [1.0] * 3}, "final_scores": {"x": [0.0]}}, "column 'x' does not fit"),
    ],
)
def test_broken_arrays_are_refused_and_named(changes, message):
    with pytest.raises(InvalidLatticeError, match=message):
        Lattice.from_arcs(**parts(**changes))


def test_arcs_may_come_in_any_order_and_keep_their_columns():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 7, "abc", columns=("x",), numbered=True)
        order = rng.permutation(lattice.num_arcs)
        again = Lattice.from_arcs(
            lattice.sources[order],
            lattice.olabels[order],
            lattice.weights[order],
            lattice.nextstates[order],
            lattice.finals,
            lattice.symbols,
            ilabels=lattice.ilabels[order],
            isymbols=lattice.isymbols,
            features={"x": lattice.features["x"][order]},
            final_features=lattice.final_scores,
        )
        assert sorted(paths(again)) == sorted(paths(lattice)), f"seed {seed}"
        assert (np.diff(again.sources) >= 0).all(), f"seed {seed}"
        assert dict(zip(again.ilabels.tolist(), again.features["x"].tolist(), strict=True)) == dict(
            zip(lattice.ilabels.tolist(), lattice.features["x"].tolist(), strict=True)
        ), f"seed {seed}"


def test_arcs_of_a_state_keep_their_order():
    lattice = Lattice.from_arcs(**parts(sources=[1, 0, 0], labels=[2, 2, 1], nextstates=[2, 1, 1]))
    assert lattice.olabels.tolist() == [2, 1, 2]


def test_no_states_at_all_is_a_lattice_that_accepts_nothing():
    lattice = Lattice.from_arcs([], [], [], [], [], SymbolTable())
    assert lattice.empty
    assert lattice.is_acyclic
    assert lattice.is_topsorted
    assert lattice.connected().num_states == 0


@pytest.mark.parametrize(
    ("field", "values", "message"),
    [
        ("weights", [0.5, math.nan, 0.0], "arc 1 has the cost"),
        ("finals", [INF, INF, math.nan], "state 2 has the final cost"),
        ("nextstates", [1, 2, 9], "arc 2 leads to the state 9"),
        ("olabels", [1, 9, 1], "arc 1 carries the label 9"),
        ("ilabels", [9, 1, 1], "arc 0 carries the input label 9"),
    ],
)
def test_validate_finds_what_was_put_in_later(field, values, message):
    lattice = Lattice.from_arcs(**parts())
    broken = replace(lattice, **{field: np.array(values, dtype=getattr(lattice, field).dtype)})
    with pytest.raises(InvalidLatticeError, match=message):
        broken.validate()


# ---------------------------------------------------------------- from_strings


def test_from_strings_holds_each_string_once_at_its_least_cost():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        strings = [(" ".join(rng.choice(list("abc"), rng.integers(0, 4))), float(rng.normal())) for _ in range(12)]
        lattice = Lattice.from_strings(strings)
        expected = {}
        for words, cost in strings:
            key = tuple(words.split())
            expected[key] = min(cost, expected.get(key, INF))
        assert best_by_string(lattice) == pytest.approx(expected), f"seed {seed}"
        assert len(list(paths(lattice))) == len(expected), f"seed {seed}"
        assert lattice.is_topsorted, f"seed {seed}"
        assert lattice.is_acceptor, f"seed {seed}"


def test_from_strings_takes_words_as_sequences_and_a_table_that_grows():
    table = SymbolTable(["b"])
    lattice = Lattice.from_strings([(["b", "a"], 1.0)], table)
    assert lattice.symbols is table
    assert lattice.olabels.tolist() == [1, 2]


def test_from_strings_of_the_empty_string_makes_the_start_final():
    assert best_by_string(Lattice.from_strings([("", 2.0), ("", 1.0)])) == {(): 1.0}


def test_from_strings_of_nothing_accepts_nothing():
    lattice = Lattice.from_strings([])
    assert best_by_string(lattice) == {}
    assert lattice.connected().empty


@pytest.mark.parametrize("cost", [math.nan, INF, -INF])
def test_from_strings_refuses_costs_that_are_no_numbers(cost):
    with pytest.raises(InvalidLatticeError, match="costs are finite"):
        Lattice.from_strings([("a", cost)])


# ---------------------------------------------------------------- changes and properties


@pytest.mark.parametrize("numbered", [False, True])
def test_with_symbols_keeps_the_words_and_the_input_side(numbered):
    for seed in SEEDS:
        lattice = random_lattice(np.random.default_rng(seed), 6, "abc", epsilon=True, numbered=numbered)
        table = SymbolTable(["new", "c", "other", "a"])
        renamed = lattice.with_symbols(table)
        renamed.validate()
        assert renamed.symbols is table, f"seed {seed}"
        assert table.words[:5] == ["<epsilon>", "new", "c", "other", "a"], f"seed {seed}"
        assert best_by_string(renamed) == best_by_string(lattice), f"seed {seed}"
        assert renamed.is_acceptor is lattice.is_acceptor, f"seed {seed}"
        if numbered:
            assert renamed.ilabels.tolist() == lattice.ilabels.tolist(), f"seed {seed}"
            assert renamed.isymbols is lattice.isymbols, f"seed {seed}"


def test_with_symbols_renames_both_sides_of_a_transducer_with_one_table():
    lattice = Lattice.from_arcs(**parts(ilabels=[2, 1, 2]))
    renamed = lattice.with_symbols(SymbolTable("ba"))
    assert renamed.symbols.decode(renamed.ilabels) == ["b", "a", "b"]
    assert renamed.symbols.decode(renamed.olabels) == ["a", "b", "a"]
    assert lattice.with_symbols(lattice.symbols) is lattice


def test_projections_give_the_acceptor_of_one_side():
    lattice = Lattice.from_arcs(**parts(ilabels=[1, 2, 2], isymbols=SymbolTable("xy"), features={"s": [1.0, 2.0, 3.0]}))
    assert not lattice.is_acceptor
    output, inputs = lattice.project_output(), lattice.project_input()
    for acceptor in (output, inputs):
        acceptor.validate()
        assert acceptor.is_acceptor
        assert acceptor.features["s"].tolist() == [1.0, 2.0, 3.0]
    assert best_by_string(output) == {("a", "a"): 0.5, ("b",): 1.0}
    assert best_by_string(inputs) == {("x", "y"): 0.5, ("y",): 1.0}


def test_project_input_of_one_table_keeps_the_table():
    lattice = Lattice.from_arcs(**parts(ilabels=[2, 1, 2]))
    assert best_by_string(lattice.project_input()) == {("b", "b"): 0.5, ("a",): 1.0}


def test_with_weights_changes_costs_alone():
    lattice = Lattice.from_arcs(**parts())
    changed = lattice.with_weights(2 * lattice.weights, lattice.finals + 1.0)
    assert best_by_string(changed) == {("a", "a"): 2.0, ("b",): 3.0}


def test_empty_like_keeps_tables_and_columns():
    lattice = Lattice.from_arcs(**parts(features={"s": [1.0, 2.0, 3.0]}, final_features={"s": [0.0, 0.0, 1.0]}))
    nothing = Lattice.empty_like(lattice)
    nothing.validate()
    assert nothing.empty
    assert nothing.symbols is lattice.symbols
    assert nothing.features.keys() == nothing.final_scores.keys() == {"s"}


def test_properties_tell_epsilons_and_order():
    assert not Lattice.from_arcs(**parts()).has_epsilons()
    assert Lattice.from_arcs(**parts(labels=[1, 0, 1])).has_epsilons()
    assert not Lattice.from_arcs(**parts(nextstates=[1, 2, 0])).is_topsorted
    assert not Lattice.from_arcs(**parts(nextstates=[1, 2, 0])).is_acyclic
    assert "acceptor, 3 states, 3 arcs" in repr(Lattice.from_arcs(**parts()))
