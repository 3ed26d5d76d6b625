"""Making, checking and changing lattices."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from helpers import best_by_string, paths, random_lattice

from lattice_simp import Lattice, SymbolTable, nbest
from lattice_simp.core.arcs import start_first
from lattice_simp.core.features import Features
from lattice_simp.core.header import Header
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import _plain, read_only
from lattice_simp.core.lattice import share_symbols
from lattice_simp.errors import InvalidLatticeError

INF = math.inf
SEEDS = range(10)
WORDS = ("a", "b")


AB = SymbolTable(list("ab"))


def parts(**changes):
    """Returns the arguments of a small valid lattice, with changes."""
    return {
        "sources": [0, 0, 1],
        "labels": [1, 2, 1],
        "weights": [0.5, 1.0, 0.0],
        "nextstates": [1, 2, 2],
        "finals": [INF, INF, 0.0],
        "symbols": SymbolTable(list("ab")),
    } | changes


# ---------------------------------------------------------------- arrays


def test_nothing_that_lattices_share_can_be_written_to():
    """Operations share arrays, so a write would change the original lattice."""
    values = np.array([INF, INF, 0.0])
    for seed in SEEDS:
        lattice = random_lattice(np.random.default_rng(seed), 8, WORDS, columns=("x",))
        built = Lattice.from_arcs(**parts(finals=values, features={"x": [1.0, 2.0, 3.0]}))
        result = (
            lattice,
            built,
            lattice.connected(),
            lattice.project_output(),
            lattice.with_feature("y", lattice.weights),
        )
        for each in result:
            arrays = (*each.arcs, each.ilabels, each.sources, *each.features.values(), each.features.final("x"))
            assert not any(array.flags.writeable for array in arrays), seed
            with pytest.raises(ValueError, match="read-only"):
                each.finals[0] = 1.0
        cheaper = replace(lattice, weights=lattice.weights - 1.0)
        assert not cheaper.weights.flags.writeable
    values[0] = 0.0
    assert built.finals[0] == INF


def test_kernels_are_compiled_once_for_arrays_of_both_kinds():
    numbers = np.arange(4.0)
    frozen, records = read_only(numbers), np.zeros(3, dtype=np.dtype([("a", "i1"), ("b", "f8")], align=True))

    class Pair(NamedTuple):
        first: np.ndarray
        second: np.ndarray

    for array in (frozen, read_only(records), frozen[::2]):
        plain = _plain(Pair(array, numbers)).first
        assert plain.flags.writeable
        assert (plain.dtype, plain.tolist()) == (array.dtype, array.tolist())
    assert _plain(numbers) is numbers


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
        ({"inputs": ([1, 2, 3], SymbolTable("a b"))}, "arc 2 carries the input label 3"),
        ({"inputs": ([1, 2, 2], SymbolTable("x"))}, "arc 1 carries the input label 2"),
        ({"labels": [1, 2]}, "3 arcs, but an array of shape"),
        ({"weights": [0.5, 1.0, 0.0, 0.0]}, "3 arcs, but an array of shape"),
        ({"nextstates": [[1], [2], [2]]}, "next states must be one list of numbers, not an array of shape"),
        ({"inputs": ([1], SymbolTable("x"))}, "3 arcs, but an array of shape"),
        ({"features": {"x": [1.0]}}, "the feature .x. does not fit"),
        ({"features": Features(("x",), np.ones((1, 3)), np.zeros((1, 1)))}, "features do not fit"),
        ({"features": Features(("x",), np.ones((1, 2)), np.zeros((1, 3)))}, "features do not fit"),
        ({"features": {"x": [1.0, math.nan, 2.0]}}, "feature 'x' is nan at arc 1"),
        ({"sources": [0, 0, 2**40]}, "numbers go up to 2147483647"),
        ({"nextstates": [1, 2, 2**40]}, "numbers go up to 2147483647"),
        ({"labels": [1, -(2**63), 1]}, "numbers go up to 2147483647"),
        ({"labels": np.array([1, 2**63, 1], dtype=np.uint64)}, "numbers go up to 2147483647"),
        ({"labels": [1, 2**70, 1]}, "labels must be whole numbers, not object"),
        ({"labels": [1.0, 1.9, 1.0]}, "labels must be whole numbers, not float64"),
        ({"labels": [True, True, True]}, "labels must be whole numbers, not bool"),
        ({"labels": ["1", "2", "1"]}, "labels must be whole numbers, not <U1"),
        ({"labels": [1, None, 1]}, "labels must be whole numbers, not object"),
        ({"inputs": ([1.0, 1.0, 1.5], SymbolTable("x"))}, "labels must be whole numbers, not float64"),
        ({"sources": [0, 0.5, 1]}, "source states must be whole numbers, not float64"),
        ({"sources": [[0], [0, 1]]}, "source states must be one list of numbers"),
        ({"nextstates": np.array([1.0, 2.0, 2.5])}, "next states must be whole numbers, not float64"),
        ({"nextstates": np.array([True, True, True])}, "next states must be whole numbers, not bool"),
        ({"weights": ["1", "2", "3"]}, "costs must be numbers, not <U1"),
        ({"weights": [1j, 0, 0]}, "costs must be numbers, not complex128"),
        ({"weights": [10**400, 0, 0]}, "costs must be numbers, not object"),
        ({"finals": ["inf", "inf", "0"]}, "final costs must be numbers"),
        ({"finals": 0.0}, "final costs must be one list of numbers"),
        ({"features": {"x": ["a", "b", "c"]}}, "scores of 'x' must be numbers"),
        ({"features": {"x": [1.0, math.inf, 2.0]}}, "feature 'x' is inf at arc 1"),
        ({"features": {"x": [1.0, 2.0, -math.inf]}}, "feature 'x' is -inf at arc 2"),
        (
            {"features": Features(("x",), np.ones((1, 3)), np.array([[0, 0, math.nan]]))},
            "feature 'x' is nan at state 2",
        ),
        (
            {"features": Features(("x",), np.ones((1, 3)), np.array([[0, math.inf, 0]]))},
            "feature 'x' is inf at state 1",
        ),
    ],
)
def test_broken_arrays_are_refused_and_named(changes, message):
    with pytest.raises(InvalidLatticeError, match=message):
        Lattice.from_arcs(**parts(**changes))


def test_whole_numbers_of_any_width_are_states_and_labels():
    expected = best_by_string(Lattice.from_arcs(**parts()))
    for kind in (np.int8, np.uint8, np.int64, np.uint64):
        arguments = parts(**{name: np.array(parts()[name], dtype=kind) for name in ("sources", "labels", "nextstates")})
        assert best_by_string(Lattice.from_arcs(**arguments)) == expected


def test_any_state_may_become_the_start():
    for seed in SEEDS:
        lattice = random_lattice(np.random.default_rng(seed), 7, "abc")
        for start in range(7):
            sources, nextstates, finals = start_first(start, lattice.sources, lattice.nextstates, lattice.finals)
            built = Lattice.from_arcs(sources, lattice.olabels, lattice.weights, nextstates, finals, lattice.symbols)
            suffixes = replace(lattice, finals=lattice.finals).subset(
                np.array([start, *(state for state in range(7) if state != start)], dtype=np.int32)
            )
            assert sorted(paths(built)) == sorted(paths(suffixes)), f"seed {seed}, {start}"
    for start in (-1, 7):
        with pytest.raises(InvalidLatticeError, match=f"start state {start} does not exist; there are 7 states"):
            start_first(start, lattice.sources, lattice.nextstates, lattice.finals)
    assert start_first(0, *(np.zeros(0),) * 3)[2].size == 0


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
            inputs=(lattice.ilabels[order], lattice.isymbols),
            features=Features(("x",), lattice.features.arcs[:, order], lattice.features.finals),
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
        ("offsets", [0, 2, 3], "differ in their lengths"),
        ("offsets", [0, 2, 3, 4], "differ in their lengths"),
        ("offsets", [0, 5, 2, 3], "offsets do not go up"),
        ("offsets", [1, 2, 3, 3], "offsets do not go up"),
        ("nextstates", [1, 2], "differ in their lengths"),
        ("finals", [INF, 0.0], "differ in their lengths"),
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


@pytest.mark.parametrize(
    ("entry", "error", "message"),
    [
        (("a", math.nan), InvalidLatticeError, "costs are finite"),
        (("a", -math.inf), InvalidLatticeError, "costs are finite"),
        (("a", 10**400), InvalidLatticeError, "costs are finite"),
        (("\ud800", 1.0), InvalidLatticeError, "UTF-8 cannot encode"),
        (("a", 1.0, 2.0), InvalidLatticeError, "not a pair"),
        (("the", "cat"), InvalidLatticeError, "not a pair of words and a cost; join tokens by blanks"),
        (("a", None), TypeError, "."),
        (5, InvalidLatticeError, "5 is not a pair of words and a cost"),
    ],
)
def test_entries_that_are_no_words_with_a_cost_are_refused(entry, error, message):
    with pytest.raises(error, match=message):
        Lattice.from_strings([("x", 0.0), entry])


@pytest.mark.parametrize("score", [math.nan, math.inf, "1", 10**400, None])
def test_scores_of_hypotheses_are_finite_numbers(score):
    for tokens in (("a",), ()):
        with pytest.raises(InvalidLatticeError, match="'LM'"):
            Lattice.from_nbest([Hypothesis(("x",)), Hypothesis(tokens, 1.0, {"LM": score})])
    lattice = Lattice.from_strings([("a", 1.0)])
    for columns in (([score],), ([0.0], [score, 0.0])):
        with pytest.raises(InvalidLatticeError, match="'LM'"):
            lattice.with_feature("LM", *columns)


def test_from_strings_of_nothing_accepts_nothing():
    lattice = Lattice.from_strings([])
    assert best_by_string(lattice) == {}
    assert lattice.connected().empty


@pytest.mark.parametrize("cost", [math.nan, INF, -INF])
def test_from_strings_refuses_costs_that_are_no_numbers(cost):
    with pytest.raises(InvalidLatticeError, match="costs are finite"):
        Lattice.from_strings([("a", cost)])


# ---------------------------------------------------------------- from_nbest


def random_nbest(rng, count=12):
    """Returns hypotheses of few words, so that strings repeat and begin others; some lack a feature."""
    return [
        Hypothesis(
            tuple(rng.choice(list("abc"), rng.integers(0, 4)).tolist()),
            float(rng.normal()),
            {name: float(rng.normal()) for name in ("LM", "TM") if rng.random() < 0.8},
        )
        for _ in range(count)
    ]


def test_from_nbest_holds_each_string_once_with_the_features_of_its_cheapest_hypothesis():
    for seed in SEEDS:
        ranked = random_nbest(np.random.default_rng(seed))
        best = {}
        for hypothesis in ranked:
            if hypothesis.tokens not in best or hypothesis.cost < best[hypothesis.tokens].cost:
                best[hypothesis.tokens] = hypothesis
        names = {name for hypothesis in best.values() for name in hypothesis.features}
        lattice = Lattice.from_nbest(ranked)
        lattice.validate()
        assert lattice.is_topsorted, f"seed {seed}"
        assert lattice.is_acceptor, f"seed {seed}"
        hypotheses = nbest(lattice, 1000, unique=False)
        assert len(hypotheses) == len(best), f"seed {seed}"
        for path in hypotheses:
            result = best[path.tokens]
            assert path.cost == pytest.approx(result.cost), f"seed {seed}"
            assert path.features == pytest.approx(dict.fromkeys(names, 0.0) | result.features), f"seed {seed}"


def test_from_nbest_and_back_gives_the_same_list():
    entries = [
        Hypothesis(("a", "c"), 0.5, {"LM": -1.0}),
        Hypothesis((), 1.0, {"LM": -2.0}),
        Hypothesis(("a",), 2.0, {"LM": 3.0}),
    ]
    table = SymbolTable(["c"])
    lattice = Lattice.from_nbest(iter(entries), table)
    assert lattice.symbols is table
    assert nbest(lattice, 9) == entries
    assert nbest(Lattice.from_nbest(nbest(lattice, 9)), 9) == entries


def test_from_nbest_of_nothing_accepts_nothing():
    assert Lattice.from_nbest([]).connected().empty


@pytest.mark.parametrize("cost", [math.nan, INF, -INF])
def test_from_nbest_refuses_costs_that_are_no_numbers(cost):
    with pytest.raises(InvalidLatticeError, match="costs are finite"):
        Lattice.from_nbest([Hypothesis(("a",), cost)])
    with pytest.raises(InvalidLatticeError, match="not a pair of words and a cost"):
        Lattice.from_nbest([Hypothesis(("a",), str(cost))])


def test_from_strings_takes_hypotheses_but_not_their_features():
    lattice = Lattice.from_strings([Hypothesis(("a", "b"), 1.0, {"LM": -1.0}), ("a", 2.0), (("b",), 3.0)])
    assert best_by_string(lattice) == {("a", "b"): 1.0, ("a",): 2.0, ("b",): 3.0}
    assert not lattice.features


# ---------------------------------------------------------------- arc maps


def test_gather_carries_everything_along_a_map_of_arcs():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 6, "abc", epsilon=True, columns=("x", "y"), numbered=seed % 2 == 0)
        # A chain of randomly chosen arcs; -1 stands for a new arc.
        arcs = rng.integers(-1, lattice.num_arcs, 9)
        states = rng.integers(-1, lattice.num_states, 10)
        result = lattice.gather(
            arcs, np.append(np.arange(10), 9).astype(np.int32), np.arange(1, 10, dtype=np.int32), states
        )
        result.validate()
        assert result.is_acceptor == lattice.is_acceptor, f"seed {seed}"
        assert result.symbols is lattice.symbols, f"seed {seed}"
        for new, old in enumerate(arcs.tolist()):
            actual = (result.ilabels[new], result.olabels[new], result.weights[new], *result.features.arcs[:, new])
            theirs = (lattice.ilabels[old], lattice.olabels[old], lattice.weights[old], *lattice.features.arcs[:, old])
            assert actual == (theirs if old >= 0 else (0, 0, 0.0, 0.0, 0.0)), f"seed {seed}"
        for new, old in enumerate(states.tolist()):
            actual = (result.finals[new], *result.features.finals[:, new])
            theirs = (lattice.finals[old], *lattice.features.finals[:, old])
            assert actual == (theirs if old >= 0 else (INF, 0.0, 0.0)), f"seed {seed}"


def test_gather_takes_other_costs_and_drops_the_features_of_ends_that_vanish():
    lattice = Lattice.from_arcs(
        **parts(
            finals=[1.0, 2.0, 3.0], features=Features(("s",), np.array([[1.0, 2.0, 3.0]]), np.array([[4.0, 5.0, 6.0]]))
        )
    )
    same = (np.arange(3), lattice.offsets, lattice.nextstates, np.arange(3))
    result = lattice.gather(*same, weights=np.array([7.0, 8.0, 9.0]), finals=np.array([INF, 0.5, INF]))
    assert (result.weights.tolist(), result.finals.tolist()) == ([7.0, 8.0, 9.0], [INF, 0.5, INF])
    assert (result.features["s"].tolist(), result.features.final("s").tolist()) == ([1.0, 2.0, 3.0], [0.0, 5.0, 0.0])


def test_with_feature_adds_a_row_and_leaves_the_lattice():
    lattice = Lattice.from_arcs(**parts())
    result = lattice.with_feature("s", [1.0, 2.0, 3.0])
    assert (list(lattice.features), list(result.features)) == ([], ["s"])
    assert result.weights is lattice.weights
    assert "features s" in repr(result)
    with pytest.raises(InvalidLatticeError, match="'s' does not fit"):
        lattice.with_feature("s", [1.0])


# ---------------------------------------------------------------- changes and properties


@pytest.mark.parametrize("numbered", [False, True])
def test_with_symbols_keeps_the_words_and_the_input_side(numbered):
    for seed in SEEDS:
        lattice = random_lattice(np.random.default_rng(seed), 6, "abc", epsilon=True, numbered=numbered)
        table = SymbolTable(["new", "c", "other", "a"])
        renamed = lattice.with_symbols(table)
        renamed.validate()
        assert renamed.symbols.words[:5] == ["<epsilon>", "new", "c", "other", "a"], f"seed {seed}"
        assert table.words == ["<epsilon>", "new", "c", "other", "a"], f"seed {seed}"
        assert best_by_string(renamed) == best_by_string(lattice), f"seed {seed}"
        assert renamed.is_acceptor is lattice.is_acceptor, f"seed {seed}"
        if numbered:
            assert renamed.ilabels.tolist() == lattice.ilabels.tolist(), f"seed {seed}"
            assert renamed.isymbols is lattice.isymbols, f"seed {seed}"


def test_with_symbols_leaves_inputs_of_another_table_that_share_their_numbers():
    lattice = replace(Lattice.from_arcs(**parts()), isymbols=SymbolTable(["x", "y"]))
    assert lattice.ilabels is lattice.olabels
    renamed = lattice.with_symbols(SymbolTable(list("ba")))
    assert [renamed.isymbols[label] for label in renamed.ilabels] == ["x", "y", "x"]
    assert [renamed.symbols[label] for label in renamed.olabels] == ["a", "b", "a"]


def test_with_symbols_renames_both_sides_of_a_transducer_with_one_table():
    lattice = Lattice.from_arcs(**parts(inputs=([2, 1, 2], AB), symbols=AB))
    renamed = lattice.with_symbols(SymbolTable(list("ba")))
    assert renamed.symbols.decode(renamed.ilabels) == ["b", "a", "b"]
    assert renamed.symbols.decode(renamed.olabels) == ["a", "b", "a"]
    assert lattice.with_symbols(lattice.symbols) is lattice


def test_projections_give_the_acceptor_of_one_side():
    lattice = Lattice.from_arcs(**parts(inputs=([1, 2, 2], SymbolTable(list("xy"))), features={"s": [1.0, 2.0, 3.0]}))
    assert not lattice.is_acceptor
    output, inputs = lattice.project_output(), lattice.project_input()
    for acceptor in (output, inputs):
        acceptor.validate()
        assert acceptor.is_acceptor
        assert acceptor.features["s"].tolist() == [1.0, 2.0, 3.0]
    assert best_by_string(output) == {("a", "a"): 0.5, ("b",): 1.0}
    assert best_by_string(inputs) == {("x", "y"): 0.5, ("y",): 1.0}


def test_project_input_of_one_table_keeps_the_table():
    lattice = Lattice.from_arcs(**parts(inputs=([2, 1, 2], AB), symbols=AB))
    assert best_by_string(lattice.project_input()) == {("b", "b"): 0.5, ("a",): 1.0}


def test_empty_like_keeps_tables_and_columns():
    lattice = Lattice.from_arcs(
        **parts(features=Features(("s",), np.array([[1.0, 2.0, 3.0]]), np.array([[0.0, 0.0, 1.0]])))
    )
    nothing = Lattice.empty_like(lattice)
    nothing.validate()
    assert nothing.empty
    assert nothing.symbols is lattice.symbols
    assert list(nothing.features) == ["s"]
    assert nothing.features["s"].shape == nothing.features.final("s").shape == (0,)


def test_properties_tell_epsilons_and_order():
    assert not Lattice.from_arcs(**parts()).has_epsilons()
    assert Lattice.from_arcs(**parts(labels=[1, 0, 1])).has_epsilons()
    assert not Lattice.from_arcs(**parts(nextstates=[1, 2, 0])).is_topsorted
    assert not Lattice.from_arcs(**parts(nextstates=[1, 2, 0])).is_acyclic
    assert "acceptor, 3 states, 3 arcs" in repr(Lattice.from_arcs(**parts()))


def test_copies_are_as_read_only_as_the_lattice():
    lattice = Lattice.from_strings([("a b", 1.0)]).with_feature("LM", [1.0, 2.0])
    for made in (pickle.loads(pickle.dumps(lattice)), copy.deepcopy(lattice), copy.copy(lattice)):
        assert made.ilabels is made.olabels
        assert made.features["LM"].tolist() == [1.0, 2.0]
        arrays = (made.offsets, made.olabels, made.weights, made.nextstates, made.finals, made.features["LM"])
        assert not any(array.flags.writeable for array in arrays)


def test_only_words_of_arcs_go_into_another_table():
    large = SymbolTable([f"w{number}" for number in range(1000)])
    lattice = Lattice.from_strings([("w7 w900", 1.0)], large)
    moved = lattice.with_symbols(SymbolTable(["w900"]))
    assert list(moved.symbols) == ["<epsilon>", "w900", "w7"]
    assert best_by_string(moved) == {("w7", "w900"): 1.0}
    first, second = share_symbols([Lattice.from_strings("x"), lattice])
    assert first.symbols is second.symbols
    assert list(first.symbols) == ["<epsilon>", "x", "w7", "w900"]


def test_a_lattice_composes_with_lattices_alone():
    with pytest.raises(TypeError, match="unsupported operand"):
        Lattice.from_strings("a") @ "a"


def test_a_feature_goes_with_its_scale():
    lattice = Lattice.from_strings([("a", 3.0)]).with_feature("LM", [-2.0]).with_feature("x", [1.0])
    scaled = replace(lattice, header=Header(scales={"LM": 0.5}))
    assert scaled.without_feature("LM").weights.tolist() == [2.0]
    assert lattice.without_feature("LM").weights.tolist() == [3.0]
    assert scaled.without_feature("LM", 0.0).weights.tolist() == [3.0]
    assert scaled.without_features("LM").header.scales == {}
    assert list(scaled.without_features("LM").features) == ["x"]
    assert not scaled.without_features().features
