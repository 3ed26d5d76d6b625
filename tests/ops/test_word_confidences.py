"""The probabilities of words at their places."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import probabilities, random_lattice
from layouts import expected_confidences, forms, layouts

import lattice_simp as ls
from lattice_simp.errors import EmptyLatticeError
from lattice_simp.ops import word_alignment
from lattice_simp.ops.distribution import Distribution
from lattice_simp.ops.word_alignment import EDIT, LIMITS, MOST_ROWS, Pivot
from lattice_simp.ops.word_confidences import probable_tokens


def test_where_places_are_certain_they_are_marginals():
    """Strings of the same length whose words tell their places: brute force over the strings."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        length = int(rng.integers(1, 6))
        strings = {tuple(f"{place}{rng.choice(['a', 'b', 'c'])}" for place in range(length)) for _ in range(8)}
        costs = {string: float(rng.uniform(0, 3)) for string in sorted(strings)}
        scale = float(rng.uniform(0.2, 2))
        lattice = ls.Lattice.from_strings(list(costs.items()))
        shares = {name: math.exp(-scale * cost) for name, cost in costs.items()}
        for tokens in costs:
            actual = ls.word_confidences(lattice, tokens, scale)
            expected = [
                sum(share for other, share in shares.items() if other[place] == tokens[place]) / sum(shares.values())
                for place in range(length)
            ]
            assert actual.tolist() == pytest.approx(expected, abs=1e-6), seed


def optional_words(length):
    """Returns the strings that lack any of 50 words that repeat, each with a probability of 0.01; and all the words."""
    places = np.repeat(np.arange(length), 2)
    is_word = np.tile([True, False], length)
    symbols = ls.SymbolTable([f"w{place % 50}" for place in range(length)])
    labels = np.where(is_word, places % 50 + 1, 0)
    costs = np.where(is_word, -math.log(0.99), -math.log(0.01))
    finals = np.append(np.full(length, np.inf), 0.0)
    strings = Distribution.of(ls.Lattice.from_arcs(places, labels, costs, places + 1, finals, symbols))
    return strings, Pivot.untimed(strings.encode([f"w{place % 50}" for place in range(length)]))


def product_of(strings, pivot, limits):
    """Returns the letters, their table and the product, whatever the number of rows."""
    letters, table = word_alignment._letters(strings, pivot, np.zeros((len(strings.arcs.labels), 2)))
    return letters, table, word_alignment._product(strings.arcs, pivot, letters, table, limits, 1 << 29)


def test_rows_of_improbable_prefixes_are_left_out():
    """Otherwise, the time for long strings would grow with the square of their length."""
    strings, pivot = optional_words(200)
    times, limits = np.zeros((400, 2)), LIMITS[-1]
    nodes, masses = [], []
    for share in (0.0, limits.share):
        letters, table, product = product_of(strings, pivot, limits._replace(share=share))
        parts = (letters, table, limits.surcharge), product, times, len(strings.words) + 1
        entries = word_alignment._entries(strings.arcs, pivot, *parts)
        nodes.append(len(product.nodes))
        masses.append(dict(zip(entries["key"].tolist(), entries["mass"].tolist(), strict=True)))
    assert 3 * nodes[1] < nodes[0]
    assert max(abs(mass - masses[1].get(key, 0.0)) for key, mass in masses[0].items()) < 1e-12


def plain_row(row, word, pivot, limits):
    """Returns the costs of all columns after a word, infinite where they are left out."""
    cells = [row[0] + EDIT]
    for column, other in enumerate(pivot, 1):
        replaced = row[column - 1] + (0 if word == other else EDIT + limits.surcharge)
        cells.append(min(row[column] + EDIT, cells[-1] + EDIT, replaced))
    costs = [cost - min(cells) for cost in cells]
    best, begin = max(column for column, cost in enumerate(costs) if not cost), np.flatnonzero(np.isfinite(row))[0]
    first = max(begin, best - limits.width)
    while first > begin and costs[first] == costs[first - 1] + EDIT:
        first += 1
    return [
        cost if first <= column <= best + limits.width and cost <= limits.slack else math.inf
        for column, cost in enumerate(costs)
    ]


def test_rows_are_those_of_plain_dynamic_programming():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        base = rng.choice([*"abcdef"], rng.integers(1, 30))
        lists = [[str(word) for word in base for _ in range(rng.choice(3, p=[0.1, 0.8, 0.1]))] for _ in range(20)]
        strings = Distribution.of(ls.Lattice.from_strings([(words, 0.0) for words in lists]).connected())
        pivot = Pivot.untimed(strings.encode(base.tolist()))
        for limits in LIMITS:
            nodes, edges, rows, _ = product_of(strings, pivot, limits)[2]
            start = [EDIT * column for column in range(len(base) + 1)]
            plain = {0: [cost if cost <= min(limits.slack, EDIT * limits.width) else math.inf for cost in start]}
            for source, target, arc in edges.tolist():
                row, label = plain[source], strings.arcs.labels[arc]
                plain[target] = plain_row(row, label, pivot.words, limits) if label else row
                first, last, place = rows.bands[nodes["row"][target]].tolist()
                actual = [math.inf] * (len(base) + 1)
                actual[first : last + 1] = rows.costs[place : place + last + 1 - first].tolist()
                assert [cost if cost < 1 << 29 else math.inf for cost in actual] == plain[target], (seed, limits)


def test_rows_take_no_more_room_in_longer_strings():
    """Whole rows would take 64 times the room for strings of 8 times the length."""
    used, room = [], []
    for length in (250, 2000):
        nodes, _, rows, _ = product_of(*optional_words(length), LIMITS[-1])[2]
        used.append(rows.bands[nodes["row"].max() + 1, 2])
        room.append(len(rows.costs))
    assert used[1] < 12 * used[0]
    assert room[1] < 24 * room[0]


def test_words_that_the_lattice_lacks():
    lattice = ls.Lattice.from_strings([("a b c", 0.0), ("a c", 0.0)])
    assert ls.word_confidences(lattice, "a b x c").round(6).tolist() == [1.0, 0.5, 0.0, 1.0]
    assert ls.word_confidences(lattice, "x").round(6).tolist() == [0.0]
    assert ls.word_confidences(lattice, "").tolist() == []


def test_a_word_counts_at_its_place_alone():
    lattice = ls.Lattice.from_strings([("a b c d e a", 0.0), ("x b c d e a", 0.0)])
    assert ls.word_confidences(lattice, "a b c d e a").round(6).tolist() == [0.5, 1, 1, 1, 1, 1]


def test_the_best_path_and_large_lattices():
    lattice = ls.Lattice.from_strings([("a b", 0.0), ("a c", 1.0)])
    assert np.array_equal(ls.word_confidences(lattice), ls.word_confidences(lattice, "a b"))
    assert ls.word_confidences(lattice, "a c", max_arcs=2).round(6).tolist() == [1.0, 0.0]
    with pytest.raises(EmptyLatticeError, match="accepts nothing"):
        ls.word_confidences(ls.Lattice.from_strings([]))


def test_agreement_with_skeletons():
    results = [ls.Hypothesis(("b", "d"), 0.0), ls.Hypothesis(("b", "e"), math.log(3)), ls.Hypothesis(("d", "b"), 0.0)]
    result = ls.skeleton_agreement("a b b d e", results)
    assert result.tolist() == pytest.approx([0.0, 1 / 7, 3 / 7, 3 / 7, 1 / 7])
    assert ls.skeleton_agreement("a b", []).tolist() == [0.0, 0.0]
    assert ls.skeleton_agreement("x y", results).tolist() == [0.0, 0.0]


def test_confidences_are_those_of_each_string_aligned_on_its_own():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 4 + seed % 5, [*"abcd"], seed % 2 == 0, arcs_per_state=2.2)
        shares = probabilities(lattice, 0.7) if not lattice.connected().empty else {}
        others = [tuple(rng.choice([*"abcdx"], rng.integers(0, 7)).tolist()) for _ in range(4)]
        for entry in [*others, *list(shares)[:4]] if shares else []:
            result = ls.word_confidences(lattice, entry, 0.7)
            assert result.tolist() == pytest.approx(expected_confidences(shares, entry), abs=1e-9), (seed, entry)


def test_confidences_do_not_depend_on_the_form_of_the_lattice():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 4 + seed % 5, [*"abcd"], seed % 2 == 0, arcs_per_state=2.0)
        if lattice.connected().empty:
            continue
        actual = tuple(rng.choice([*"abcdx"], 5).tolist())
        expected, of_best = ls.word_confidences(lattice, actual), ls.word_confidences(lattice)
        for name, form in layouts(lattice, rng):
            assert ls.word_confidences(form, actual).tolist() == pytest.approx(expected, abs=1e-9), (seed, name)
            assert ls.word_confidences(form).tolist() == pytest.approx(of_best, abs=1e-9), (seed, name)


def test_what_every_hypothesis_says_is_certain():
    """Lists of variants of one sentence, with a word inserted, deleted or replaced on each side of one that stays."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        left, right = ([f"{side}{number}" for number in range(8)] for side in "lr")
        strings = sorted({(*_edited(left, rng), "law", *_edited(right, rng)[::-1]) for _ in range(50)})
        lattice = ls.Lattice.from_strings([(string, float(rng.uniform(0, 3))) for string in strings])
        for form in (lattice, ls.minimize(lattice, semiring="log")):
            for string in strings[::10]:
                assert ls.word_confidences(form, string)[string.index("law")] == pytest.approx(1.0, abs=1e-9), (
                    seed,
                    string,
                )


def _edited(words, rng):
    place, replaced = rng.integers(0, len(words) - 3), rng.integers(0, 2)
    return (*words[:place], *["other"] * rng.integers(0, 2), *words[place + replaced :])


def test_strings_with_more_different_rows_than_are_kept():
    """The alignments that are left out are those of the strings, not of the states, so no form gives another value."""
    rng = np.random.default_rng(0)
    size = 16
    sources = np.repeat(np.arange(size), 5)
    labels = np.concatenate([[*rng.choice([1, 2, 3, 4], 3), 0, rng.integers(1, 5)] for _ in range(size)])
    nextstates = sources + 1 + (np.arange(5 * size) % 5 == 4) * (sources < size - 1)
    finals = np.append(np.full(size, np.inf), 0.0)
    lattice = ls.Lattice.from_arcs(
        sources, labels, rng.uniform(0, 2, len(sources)), nextstates, finals, ls.SymbolTable(list("abcd"))
    )
    actual = tuple(rng.choice([*"abcd"], 14).tolist())
    strings = Distribution.of(lattice.connected())
    pivot = Pivot.untimed(strings.encode(actual))
    letters, table = word_alignment._letters(strings, pivot, np.zeros((lattice.num_arcs, 2)))
    assert not len(
        word_alignment._product(strings.arcs, pivot, letters, table, word_alignment.LIMITS[0], MOST_ROWS).nodes
    )
    expected = ls.word_confidences(lattice, actual)
    assert (expected > 0).all()
    assert (expected <= 1).all()
    for name, form in forms(lattice, rng):
        assert ls.word_confidences(form, actual).tolist() == pytest.approx(expected, abs=1e-9), name


def test_of_equally_probable_strings_the_shortest_is_taken():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        strings = sorted({tuple(rng.choice([*"abc"], rng.integers(1, 5)).tolist()) for _ in range(6)})
        lattice = ls.Lattice.from_strings([(string, 1.0) for string in strings])
        for name, form in layouts(lattice, rng):
            assert probable_tokens(form) == min(strings, key=lambda value: (len(value), value)), (seed, name)


def test_paths_of_one_string_add_up():
    lattice = ls.Lattice.from_arcs(
        [0, 0, 0], [1, 1, 2], [1.0, 1.0, 0.8], [1, 1, 1], [np.inf, 0.0], ls.SymbolTable(list("ab"))
    )
    assert ls.shortest_path(lattice).text == "b"
    assert probable_tokens(lattice) == ("a",)
    assert ls.word_confidences(lattice).tolist() == pytest.approx([2 / (2 + math.exp(0.2))])
