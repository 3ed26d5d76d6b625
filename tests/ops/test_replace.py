"""Replacing words by lattices against substitution in every string."""

from __future__ import annotations

import dataclasses
from collections import Counter
from itertools import product

import numpy as np
import pytest
from helpers import arc_paths, assert_canonical, best_by_string, keep_least, paths, random_lattice

from lattice_simp import Lattice, SymbolTable
from lattice_simp.core.features import Features
from lattice_simp.errors import CyclicLatticeError
from lattice_simp.ops.replace import replace

WORDS = ("a", "b", "G", "H")
PART_WORDS = ("x", "a", "y", "G")  # a part may hold words of the lattice, even replaced ones
SEEDS = range(25)


def random_lattice_with_paths(rng, states, words, **options):
    while True:
        lattice = random_lattice(rng, states, words, arcs_per_state=2.0, **options)
        if next(paths(lattice), None):
            return lattice


def make(seed, **options):
    """Returns a lattice and parts for its words `G` and `H`: several finals, epsilons, sorted or not."""
    rng = np.random.default_rng(seed)
    common = {"epsilon": seed % 2 == 0, "shuffled": seed % 3 == 0, **options}
    lattice = random_lattice_with_paths(rng, 6, WORDS, finals=1 + seed % 3, **common)
    parts = {
        word: random_lattice_with_paths(rng, 4, PART_WORDS, finals=1 + (seed + index) % 3, **common)
        for index, word in enumerate(("G", "H"))
    }
    return lattice, parts


def expected_strings(lattice, parts):
    """Returns {string: least cost} after every replaced word has become each of its part's strings."""
    choices = {word: list(best_by_string(part).items()) for word, part in parts.items()}
    table = {}
    for words, _, cost in paths(lattice):
        options = [choices.get(word, [((word,), 0.0)]) for word in words]
        for chosen in product(*options):
            string = tuple(word for part_words, _ in chosen for word in part_words)
            keep_least(table, iter([(string, cost + sum(part_cost for _, part_cost in chosen))]))
    return table


def labelled_paths(lattice):
    """Returns each path as (words, input labels by name, rounded cost), epsilons left out."""
    rows = []
    for arcs, state in arc_paths(lattice):
        names = tuple(lattice.isymbols[label] for label in lattice.ilabels[arcs].tolist() if label)
        words = tuple(lattice.symbols.decode(lattice.olabels[arcs]))
        rows.append((words, names, round(float(lattice.weights[arcs].sum() + lattice.finals[state]), 6)))
    return rows


def strings(lattice):
    return {" ".join(words): pytest.approx(cost) for words, cost in best_by_string(lattice).items()}


# ---------------------------------------------------------------- against brute force


def test_strings_and_least_costs_are_those_of_substitution():
    for seed in SEEDS:
        lattice, parts = make(seed)
        replaced = replace(lattice, parts)
        assert_canonical(replaced, f"seed {seed}")
        assert best_by_string(replaced) == pytest.approx(expected_strings(lattice, parts)), f"seed {seed}"


def test_every_path_is_a_path_with_a_path_for_each_replaced_word():
    for seed in SEEDS:
        lattice, parts = make(seed)
        counter = Counter((words, round(cost, 6)) for words, _, cost in paths(replace(lattice, parts)))
        inner = {word: [(words, cost) for words, _, cost in paths(part)] for word, part in parts.items()}
        expected = Counter()
        for words, _, cost in paths(lattice):
            for chosen in product(*(inner.get(word, [((word,), 0.0)]) for word in words)):
                string = tuple(word for first, _ in chosen for word in first)
                expected[string, round(cost + sum(second for _, second in chosen), 6)] += 1
        assert sum(counter.values()) == sum(expected.values()), f"seed {seed}"
        assert {words for words, _ in counter} == {words for words, _ in expected}, f"seed {seed}"
        assert sorted(cost for (_, cost), count in counter.items() for _ in range(count)) == pytest.approx(
            sorted(cost for (_, cost), count in expected.items() for _ in range(count)), abs=1e-5
        ), f"seed {seed}"


PRICES = {"p": 2.0, "q": -1.0}


def priced(lattice):
    """Returns the lattice with costs that are a linear function of its features."""
    arc_cost = sum(price * lattice.features[name] for name, price in PRICES.items())
    end_cost = sum(price * lattice.features.final(name) for name, price in PRICES.items())
    finals = np.where(np.isfinite(lattice.finals), end_cost, np.inf)
    return dataclasses.replace(lattice, weights=arc_cost, finals=finals)


def test_the_features_of_a_path_are_the_sums_of_both_sides():
    for seed in SEEDS:
        # The features tell every path apart; a linear cost of them must give the path's cost.
        lattice, parts = make(seed, columns=("p", "q"))
        replaced = replace(priced(lattice), {word: priced(part) for word, part in parts.items()})
        assert_canonical(replaced, f"seed {seed}")
        for arcs, state in arc_paths(replaced):
            totals = replaced.features.of_path(arcs, state)
            cost = replaced.weights[arcs].sum() + replaced.finals[state]
            assert cost == pytest.approx(sum(PRICES[name] * totals[name] for name in PRICES)), f"seed {seed}"


def test_input_labels_stand_in_order_with_the_replaced_arcs_own_before_its_parts():
    for seed in SEEDS:
        lattice, parts = make(seed, numbered=True)
        names = {id(part): word for word, part in parts.items()}
        parts = {word: rename_labels(part, f"{names[id(part)]}:") for word, part in parts.items()}
        actual = labelled_paths(replace(lattice, parts))
        inner = {word: labelled_paths(part) for word, part in parts.items()}
        expected = []
        for arcs, state in arc_paths(lattice):
            cost = float(lattice.weights[arcs].sum() + lattice.finals[state])
            steps = []
            for arc in arcs:
                words = tuple(lattice.symbols.decode(lattice.olabels[[arc]]))
                result = lattice.isymbols[int(lattice.ilabels[arc])]
                if words and words[0] in inner:
                    steps.append([(string, (result, *labels), more) for string, labels, more in inner[words[0]]])
                else:
                    steps.append([(words, (result,), 0.0)])
            for chosen in product(*steps):
                string = tuple(word for words, _, _ in chosen for word in words)
                labels = tuple(label for _, second, _ in chosen for label in second)
                expected.append((string, labels, cost + sum(more for _, _, more in chosen)))
        by_labels = {labels: (words, cost) for words, labels, cost in actual}
        assert len(by_labels) == len(actual) == len(expected), f"seed {seed}"
        for words, labels, cost in expected:
            assert by_labels[labels][0] == words, f"seed {seed}"
            assert by_labels[labels][1] == pytest.approx(cost, abs=1e-5), f"seed {seed}"


def rename_labels(lattice, prefix):
    """Returns the lattice with other names for its input labels."""
    table = SymbolTable(prefix + word for word in lattice.isymbols.words[1:])
    return Lattice.from_arcs(
        lattice.sources,
        lattice.olabels,
        lattice.weights,
        lattice.nextstates,
        lattice.finals,
        lattice.symbols,
        inputs=(lattice.ilabels, table),
    )


# ---------------------------------------------------------------- single laws


def test_every_occurrence_is_replaced_also_twice_in_a_string():
    part = Lattice.from_strings([("x", 0.5), ("y z", 1.0)])
    assert strings(replace(Lattice.from_strings([("G a G", 0.25)]), {"G": part})) == {
        "x a x": 1.25,
        "x a y z": 1.75,
        "y z a x": 1.75,
        "y z a y z": 2.25,
    }


def test_a_part_may_hold_the_empty_string():
    part = Lattice.from_strings([("", 0.5), ("x", 1.0)])
    assert strings(replace(Lattice.from_strings([("a G", 1.0), ("G", 2.0)]), {"G": part})) == {
        "a": 1.5,
        "a x": 2.0,
        "": 2.5,
        "x": 3.0,
    }


def test_a_part_of_the_empty_string_alone_deletes_the_word():
    assert strings(replace(Lattice.from_strings([("a G b", 1.0)]), {"G": Lattice.from_strings([("", 0.25)])})) == {
        "a b": 1.25
    }


def test_a_part_that_accepts_nothing_takes_its_strings_away():
    nothing = Lattice.from_arcs([], [], [], [], [], SymbolTable())
    lattice = Lattice.from_strings([("a G", 1.0), ("b", 2.0)])
    assert strings(replace(lattice, {"G": nothing})) == {"b": 2.0}
    dead_end = Lattice.from_arcs([0], [1], [1.0], [1], [np.inf, np.inf], SymbolTable(["x"]))
    assert strings(replace(lattice, {"G": dead_end})) == {"b": 2.0}
    assert replace(Lattice.from_strings([("G", 0.0)]), {"G": nothing}).num_states == 0


def test_a_word_that_no_arc_carries_changes_nothing():
    lattice = Lattice.from_strings([("a b", 1.0), ("c", 2.0)])
    part = Lattice.from_strings([("x", 0.0)])
    replaced = replace(lattice, {"missing": part})
    assert strings(replaced) == strings(lattice)
    table = SymbolTable(["a", "G"])
    unused = Lattice.from_arcs([0], [1], [1.0], [1], [np.inf, 0.0], table)
    assert strings(replace(unused, {"G": part})) == {"a": 1.0}


def test_no_parts_change_nothing():
    lattice, _ = make(1)
    assert best_by_string(replace(lattice, {})) == pytest.approx(best_by_string(lattice))


def test_parts_are_not_searched_for_further_words():
    parts = {"G": Lattice.from_strings([("G H", 1.0)]), "H": Lattice.from_strings([("x", 1.0)])}
    assert strings(replace(Lattice.from_strings([("G H", 0.0)]), parts)) == {"G H x": 2.0}


def test_words_of_a_part_join_the_table_of_the_lattice():
    lattice = Lattice.from_strings([("a G", 0.0)])
    part = Lattice.from_strings([("new a", 0.0)], SymbolTable(["other", "new", "a"]))
    replaced = replace(lattice, {"G": part})
    assert strings(replaced) == {"a new a": 0.0}
    assert list(replaced.symbols) == [*lattice.symbols, "new"]  # of the words, those in use


def test_features_that_one_side_lacks_are_0_there():
    table = SymbolTable(["a", "G"])
    outer = Lattice.from_arcs(
        [0, 1],
        [1, 2],
        [0.0, 0.0],
        [1, 2],
        [np.inf, np.inf, 0.0],
        table,
        features=Features.from_columns({"p": [1.0, 2.0]}, {"p": [0.0, 0.0, 4.0]}, 2, 3),
    )
    inner = Lattice.from_arcs(
        [0],
        [1],
        [0.0],
        [1],
        [np.inf, 0.0],
        SymbolTable(["x"]),
        features=Features.from_columns({"q": [8.0]}, {"q": [0.0, 16.0]}, 1, 2),
    )
    replaced = replace(outer, {"G": inner})
    ((arcs, state),) = arc_paths(replaced)
    sums = {
        name: column[arcs].sum() + replaced.features.final(name)[state] for name, column in replaced.features.items()
    }
    assert sums == {"p": 7.0, "q": 24.0}


def test_acceptors_give_an_acceptor():
    lattice, parts = make(4)
    assert replace(lattice, parts).is_acceptor


@pytest.mark.parametrize("outer", [True, False])
def test_input_labels_may_be_on_one_side_alone(outer):
    lattice, parts = make(5)
    if outer:
        lattice, _ = make(5, numbered=True)
    else:
        _, parts = make(5, numbered=True)
    replaced = replace(lattice, parts)
    replaced.validate()
    assert not replaced.is_acceptor
    assert best_by_string(replaced) == pytest.approx(expected_strings(lattice, parts))
    result = set(SymbolTable(word for word in lattice.isymbols.words[1:])) if outer else None
    for _, names, _ in labelled_paths(replaced):
        assert result is None or set(names) <= result


def test_the_arguments_are_not_changed():
    lattice, parts = make(3, numbered=True, columns=("p",))
    everything = [lattice, *parts.values()]
    before = [
        (entry.weights.copy(), entry.finals.copy(), entry.nextstates.copy(), entry.ilabels.copy())
        for entry in everything
    ]
    sizes = [len(entry.isymbols) for entry in everything]
    replace(lattice, parts)
    for first, (weights, finals, nextstates, ilabels) in zip(everything, before, strict=True):
        np.testing.assert_array_equal(first.weights, weights)
        np.testing.assert_array_equal(first.finals, finals)
        np.testing.assert_array_equal(first.nextstates, nextstates)
        np.testing.assert_array_equal(first.ilabels, ilabels)
    assert [len(entry.isymbols) for entry in everything] == sizes


def cyclic(word):
    table = SymbolTable([word])
    return Lattice.from_arcs([0, 1, 1], [1, 1, 1], [0.0] * 3, [1, 0, 2], [np.inf, np.inf, 0.0], table)


def test_cycles_are_refused():
    with pytest.raises(CyclicLatticeError):
        replace(Lattice.from_strings([("a G", 0.0)]), {"G": cyclic("x")})
    with pytest.raises(CyclicLatticeError):
        replace(cyclic("G"), {"G": Lattice.from_strings([("x", 0.0)])})
