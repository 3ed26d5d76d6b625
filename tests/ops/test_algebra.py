"""Composition, concatenation, reversal, inversion, pushing, reweighting, equivalence: against all pairs of paths."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from helpers import arc_paths, best_by_string, random_lattice

import lattice_simp as ls
from lattice_simp import CyclicLatticeError, InvalidLatticeError, Lattice, LatticeSimpError, SymbolTable
from lattice_simp.core.header import Header
from lattice_simp.core.shortest_distance import shortest_distance
from lattice_simp.formats.htk.slf import parse_slf

SEEDS = range(40)


def transducer(rng, inputs, outputs, states=5, epsilon=True):
    """Makes a random transducer with features; some arcs have no input, no output, or neither."""
    lattice = random_lattice(rng, states, outputs, epsilon, columns=("x", "y")[: int(rng.integers(0, 3))])
    table = SymbolTable(["unused", *inputs])
    ilabels = rng.integers(0 if epsilon else 2, len(table), lattice.num_arcs)
    return replace(lattice, ilabels=ilabels.astype(np.int32), isymbols=table)


def relation(lattice):
    """Returns all paths as (input, output, cost, features), rounded, with their numbers of occurrences."""
    inputs = lattice.isymbols or lattice.symbols
    rows = Counter()
    for arcs, end in arc_paths(lattice):
        cost = lattice.weights[arcs].sum() + lattice.finals[end]
        features = lattice.features.of_path(np.array(arcs, dtype=np.int32), end)
        rows[
            tuple(inputs.decode(lattice.ilabels[arcs])),
            tuple(lattice.symbols.decode(lattice.olabels[arcs])),
            round(float(cost), 6) + 0.0,
            tuple(sorted((name, round(value, 6) + 0.0) for name, value in features.items())),
        ] += 1
    return rows


def joined(left, right, keep):
    """Returns the rows of pairs of rows, with their costs and features added."""
    rows = Counter()
    for (inputs, middle, cost, features), times in left.items():
        for (others, outputs, more, further), count in right.items():
            if words := keep(inputs, middle, others, outputs):
                sums = Counter(dict(features))
                for name, value in further:
                    sums[name] += value
                sums = tuple(sorted((name, round(value, 6) + 0.0) for name, value in sums.items()))
                rows[(*words, round(cost + more, 6) + 0.0, sums)] += times * count
    return rows


def close(rows, others):
    """Returns whether two relations are equal up to rounding in the last digit."""
    if sum(rows.values()) != sum(others.values()):
        return False

    def key(row):
        return row[0], row[1], row[2], row[3]

    for row, other in zip(sorted(rows.elements(), key=key), sorted(others.elements(), key=key), strict=True):
        if row[:2] != other[:2] or abs(row[2] - other[2]) > 5e-6:
            return False
        if [name for name, _ in row[3]] != [name for name, _ in other[3]]:
            return False
        if any(abs(value - number) > 5e-6 for (_, value), (_, number) in zip(row[3], other[3], strict=True)):
            return False
    return True


def through(inputs, middle, others, outputs):
    return (inputs, outputs) if middle == others else None


def test_composition_is_every_pair_of_paths_once():
    some = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        first = transducer(rng, "uvw", "ab") if seed % 3 else random_lattice(rng, 5, "ab", True, columns=("x",))
        second = transducer(rng, "abc", "xy") if seed % 4 else random_lattice(rng, 5, "bca", True, columns=("x", "z"))
        expected = joined(relation(first.connected()), relation(second.connected()), through)
        actual = ls.compose(first, second)
        actual.validate()
        names = {*first.features, *second.features}
        assert set(actual.features) == names, f"seed {seed}"
        rows = relation(actual)
        assert close(rows, expected), f"seed {seed}: {rows} {expected}"
        assert close(relation(first @ second), rows), f"seed {seed}"
        some += len(rows) > 1
    assert some > 10


def test_composition_of_acceptors_is_an_acceptor_of_their_common_strings():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        first, second = random_lattice(rng, 5, "abc", seed % 2 == 0), random_lattice(rng, 5, "cbad", seed % 2 == 0)
        actual = ls.compose(first, second)
        left, right = best_by_string(first), best_by_string(second)
        expected = {words: left[words] + right[words] for words in left.keys() & right.keys()}
        assert best_by_string(actual) == pytest.approx(expected), f"seed {seed}"
        assert actual.is_acceptor, f"seed {seed}"


def test_composition_is_that_of_openfst():
    pynini = pytest.importorskip("pynini")
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        first, second = transducer(rng, "uvw", "ab", 6), transducer(rng, "ab", "xyz", 6)
        inputs = (table := first.symbols.with_words(second.isymbols)).labels_of(second.isymbols, second.ilabels)
        aligned = replace(second, ilabels=inputs.astype(np.int32), isymbols=table)
        fst = pynini.compose(first.to_pynini(), aligned.to_pynini())
        expected = Lattice.from_pynini(fst, second.symbols, first.isymbols).connected()
        actual = ls.compose(first, second)
        assert least(actual) == pytest.approx(least(expected), abs=1e-4), f"seed {seed}"


def test_other_operations_are_those_of_openfst():
    pynini = pytest.importorskip("pynini")
    operations = {
        "concat": (lambda lattice, other: ls.concat(lattice, other), pynini.concat),
        "union": (lambda lattice, other: ls.union(lattice, other), pynini.union),
        "reverse": (lambda lattice, other: ls.reverse(lattice), lambda lattice, other: pynini.reverse(lattice)),
        "invert": (lambda lattice, other: ls.invert(lattice), lambda lattice, other: pynini.invert(lattice.copy())),
        "push": (
            lambda lattice, other: ls.push(lattice),
            lambda lattice, other: pynini.push(lattice, push_weights=True),
        ),
        "shortest_paths": (
            lambda lattice, other: ls.shortest_paths(lattice, 3, unique=False),
            lambda lattice, other: pynini.shortestpath(lattice, nshortest=3),
        ),
        "difference": (
            lambda lattice, other: ls.difference(lattice.project_output(), strings_of(other)),
            lambda lattice, other: pynini.difference(pynini.project(lattice, "output"), other),
        ),
    }
    some = Counter()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        first, second = transducer(rng, "uv", "ab", 6), transducer(rng, "uv", "ab", 6)
        for name, (operation, reference) in operations.items():
            actual = operation(first, second)
            fst = reference(first.to_pynini(), (strings_of(second) if name == "difference" else second).to_pynini())
            expected = Lattice.from_pynini(fst, actual.symbols, actual.isymbols).connected()
            assert least(actual) == pytest.approx(least(expected), abs=1e-4), f"seed {seed}, {name}"
            some[name] += bool(actual.num_arcs)
    assert min(some[name] for name in operations) > 5


def strings_of(lattice):
    """Returns the deterministic acceptor of a lattice's strings, without costs."""
    result = ls.determinize(lattice.project_output())
    finals = np.where(np.isfinite(result.finals), 0.0, np.inf)
    return replace(result, weights=np.zeros(result.num_arcs), finals=finals)


def least(lattice):
    """Returns {(input, output): least cost}."""
    return {row[:2]: row[2] for row in sorted(relation(lattice), key=lambda row: -row[2])}


def test_a_lexicon_with_loops_translates_a_lattice_of_any_length():
    german = SymbolTable(["das", "haus"])
    lexicon = Lattice.from_arcs(
        [0, 0, 0], [1, 2, 2], [0.1, 0.2, 0.7], [0, 0, 0], [0.0], german, inputs=([1, 1, 2], SymbolTable("a b"))
    )
    result = Lattice.from_strings([("a b a", 1.0)]) @ lexicon
    assert best_by_string(result)[("das", "haus", "das")] == pytest.approx(1.0 + 0.1 + 0.7 + 0.1)
    assert ls.count_paths(result) == 4
    with pytest.raises(CyclicLatticeError):
        lexicon @ ls.invert(lexicon)


def test_empty_lattices_compose_to_nothing():
    lattice = Lattice.from_strings([("a", 1.0)])
    for first, second in ((lattice, Lattice.from_strings([])), (Lattice.from_strings([]), lattice)):
        assert (first @ second).empty
    assert (lattice @ Lattice.from_strings("b")).empty
    with pytest.raises(TypeError, match="compose takes a lattice, not a GappyAcceptor; compose_gappy composes it"):
        ls.compose(lattice, ls.gappy_acceptor(["a"]))


def test_concatenation_is_every_sequence_of_paths():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattices = [
            transducer(rng, "uv", "ab", 4) if (seed + number) % 3 else random_lattice(rng, 4, "abc", columns=("y",))
            for number in range(2 + seed % 2)
        ]
        expected = relation(lattices[0].connected())
        for lattice in lattices[1:]:
            expected = joined(expected, relation(lattice.connected()), lambda a, b, c, d: (a + c, b + d))
        actual = ls.concat(*lattices)
        actual.validate()
        assert (actual.isymbols is None) == all(lattice.isymbols is None for lattice in lattices), f"seed {seed}"
        assert set(actual.features) == {name for lattice in lattices for name in lattice.features}, f"seed {seed}"
        assert close(relation(actual), expected), f"seed {seed}"
    with pytest.raises(LatticeSimpError, match="at least one lattice"):
        ls.concat()


def test_union_of_transducers_with_tables_of_their_own():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattices = [transducer(rng, "uv", "ab", 4), random_lattice(rng, 4, "abc"), transducer(rng, "vwu", "b", 4)]
        expected = sum((relation(lattice.connected()) for lattice in lattices), Counter())
        names = tuple(sorted({name for lattice in lattices for name in lattice.features}))
        expected = Counter(
            {
                (*row[:3], tuple((name, dict(row[3]).get(name, 0.0)) for name in names)): times
                for row, times in expected.items()
            }
        )
        assert close(relation(ls.union(*lattices)), expected), f"seed {seed}"


def test_reversal_and_inversion_turn_each_path_round():
    for seed in SEEDS:
        lattice = transducer(np.random.default_rng(seed), "uv", "ab", 6)
        rows = relation(lattice.connected())
        turned = Counter({(row[0][::-1], row[1][::-1], *row[2:]): times for row, times in rows.items()})
        assert close(relation(ls.reverse(lattice)), turned), f"seed {seed}"
        swapped = Counter({(row[1], row[0], *row[2:]): times for row, times in rows.items()})
        assert close(relation(ls.invert(lattice).connected()), swapped), f"seed {seed}"
    acceptor = Lattice.from_strings("a b")
    assert ls.invert(acceptor) is acceptor


@pytest.mark.parametrize("semiring", ["tropical", "log"])
def test_pushing_moves_costs_and_changes_no_path(semiring):
    for seed in SEEDS:
        lattice = random_lattice(np.random.default_rng(seed), 6, "ab", seed % 2 == 0, columns=("x",)).connected()
        for to in ("start", "end"):
            pushed = ls.push(lattice, to, semiring=semiring)
            assert close(relation(pushed), relation(lattice)), f"seed {seed}, {to}"
            rest = shortest_distance(pushed, semiring=semiring, reverse=to == "start")
            moved = rest[1:] if to == "start" else rest
            assert moved == pytest.approx(np.zeros(len(moved)), abs=1e-9), f"seed {seed}, {to}"
    with pytest.raises(LatticeSimpError, match="unknown direction 'middle'; known are start, end"):
        ls.push(lattice, "middle")


def test_equivalence_knows_strings_and_costs():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 6, "ab", True).connected()
        if lattice.empty:
            continue
        other = ls.push(ls.reverse(ls.reverse(ls.minimize(lattice))), "end")
        assert ls.equivalent(lattice, other), f"seed {seed}"
        costs = best_by_string(lattice)
        [*words], cost = max(costs.items(), key=lambda item: item[1])
        cheaper = ls.union(lattice, Lattice.from_strings([(words, cost - 1e-3)]))
        assert not ls.equivalent(lattice, cheaper), f"seed {seed}"
        assert ls.equivalent(lattice, cheaper, tolerance=2e-3), f"seed {seed}"
        dearer = ls.union(lattice, Lattice.from_strings([(words, cost + 1.0)]))
        assert ls.equivalent(lattice, dearer), f"seed {seed}"
        assert not ls.equivalent(lattice, dearer, semiring="log"), f"seed {seed}"
        more = ls.union(lattice, Lattice.from_strings([("a new word", 0.0)]))
        assert not ls.equivalent(lattice, more), f"seed {seed}"
        assert not ls.equivalent(more, lattice), f"seed {seed}"
    nothing, something = Lattice.from_strings([]), Lattice.from_strings("a")
    assert ls.equivalent(nothing, Lattice.empty_like(something))
    assert not ls.equivalent(nothing, something)


def test_equivalence_distinguishes_what_single_precision_does_not():
    def two_ways(gap):
        """Makes a lattice where `x` and `y` lead to the same two states, at costs that differ by about `gap`."""
        costs, ends = [1e4, 1e4 + 5.0, 1e4, 1e4 + 5.0 + gap, 0.0, 0.0], [math.inf, math.inf, math.inf, 0.0]
        table = SymbolTable(["x", "y", "p", "q"])
        return Lattice.from_arcs([0, 0, 0, 0, 1, 2], [1, 1, 2, 2, 3, 4], costs, [1, 2, 1, 2, 3, 3], ends, table)

    tree = Lattice.from_strings([("x p", 1e4), ("x q", 1e4 + 5.0), ("y p", 1e4), ("y q", 1e4 + 5.0 + 4e-4)])
    for semiring in ("tropical", "log"):
        assert ls.equivalent(two_ways(4e-4), tree, semiring=semiring)
        assert not ls.equivalent(two_ways(0.0), tree, semiring=semiring)
        assert ls.equivalent(two_ways(0.0), tree, semiring=semiring, tolerance=5e-4)
    result = best_by_string(ls.determinize(two_ways(4e-4), precision=2.0**-40))
    assert result[("y", "q")] == pytest.approx(1e4 + 5.0004, abs=1e-9)
    assert ls.determinize(two_ways(4e-4)).num_states < ls.determinize(two_ways(4e-4), precision=2.0**-40).num_states
    for precision in (0.0, -1.0, math.nan, 2.0):
        with pytest.raises(LatticeSimpError, match="the precision is"):
            ls.determinize(tree, precision=precision)


def test_reweighted_costs_are_weighted_sums():
    for seed in SEEDS:
        lattice = random_lattice(np.random.default_rng(seed), 6, "ab", columns=("x", "y", "z")).connected()
        actual = relation(ls.reweight(lattice, {"x": 0.5, "y": -2.0}))
        worded = ls.reweight(lattice, {"x": 0.5, "y": -2.0}, word_score=-0.25)
        words = 0.25 * (lattice.olabels != 0)
        assert worded.weights.tolist() == pytest.approx(
            (ls.reweight(lattice, {"x": 0.5, "y": -2.0}).weights + words).tolist()
        )
        assert worded.header.word_score == -0.25
        expected = Counter()
        for (inputs, outputs, _, features), times in relation(lattice).items():
            scores = dict(features)
            expected[inputs, outputs, round(2.0 * scores["y"] - 0.5 * scores["x"], 6) + 0.0, features] += times
        assert close(actual, expected), f"seed {seed}"
    lattice = Lattice.from_strings([("a", 1.0)])
    for name in "xyz":
        lattice = lattice.with_feature(name, [2.0])
    with pytest.raises(InvalidLatticeError, match="no feature 'w' \\(it has: x, y, z\\)"):
        ls.reweight(lattice, {"w": 1.0})
    with pytest.raises(InvalidLatticeError):
        ls.reweight(lattice, {"x": math.inf})


def test_headers_say_what_costs_are_made_of(tmp_path):
    text = "UTTERANCE=one lmscale=10\nN=2 L=2\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=-3 l=-0.5\nJ=1 S=0 E=1 W=b a=-1 l=-2\n"
    lattice = parse_slf(text.encode())
    for result in (ls.reverse(lattice), ls.push(lattice), ls.concat(lattice, lattice), ls.union(lattice, lattice)):
        assert result.header == lattice.header
    plain = Lattice.from_strings("a")
    assert ls.union(lattice, plain).header == ls.concat(plain, lattice).header == plain.header
    other = replace(plain.with_feature("x", [-2.0]), header=plain.header.with_scale("x", 3.0), weights=np.array([6.0]))
    both = lattice @ other
    assert both.header == lattice.header.with_scale("x", 3.0)
    scores = sum(both.header.scales[name] * both.features[name] for name in both.features)
    assert both.weights == pytest.approx(-scores)
    penalised = replace(lattice, header=replace(lattice.header, word_score=-2.0))
    assert ls.reweight(penalised, {"acoustic": 0.1}).header.word_score == -2.0
    assert ls.reweight(penalised, {"acoustic": 0.1}, word_score=0.0).header.word_score == 0.0
    weighted = ls.reweight(lattice, {"acoustic": 0.1})
    assert (weighted.header.scales, weighted.header.name) == ({"acoustic": 0.1, "lm": 0.0}, "one")
    ls.write(weighted, tmp_path / "x.slf")
    assert "x1" not in (tmp_path / "x.slf").read_text()
    assert ls.read(tmp_path / "x.slf").weights == pytest.approx(weighted.weights, abs=1e-12)


def test_composition_keeps_the_scales_that_are_true_of_both_sides():
    def scored(scales, word_score=0.0, features=("lm",)):
        lattice = Lattice.from_nbest([ls.Hypothesis(("a",), 4.0, dict.fromkeys(features, -2.0))], SymbolTable("a"))
        return replace(lattice, header=Header(scales=scales, word_score=word_score))

    assert (scored({"lm": 1.0}) @ scored({"lm": 1.0})).header.scales == {"lm": 1.0}
    assert (scored({"lm": 1.0}) @ scored({"lm": 2.0})).header.scales == {}
    assert (scored({"lm": 1.0}) @ scored({})).header.scales == {}
    assert (scored({}) @ scored({"lm": 1.0})).header.scales == {}
    assert (scored({"lm": 1.0}) @ scored({"x": 2.0}, features=("x",))).header.scales == {"lm": 1.0, "x": 2.0}
    assert (scored({}, 0.5) @ scored({}, 0.25)).header.word_score == 0.75
    relation = replace(scored({}, 0.25), isymbols=SymbolTable("a"))
    assert (scored({}) @ relation).header.word_score == 0.25
    assert (scored({}, 0.5) @ relation).header.word_score == 0.0


def test_shortest_paths_are_the_n_best_ones():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, 6, "abc", seed % 2 == 0, columns=("x",), numbered=seed % 3 == 0)
        for unique in (True, False):
            for n in (1, 3, 50):
                result = ls.shortest_paths(lattice, n, unique=unique)
                result.validate()
                paths = ls.nbest(lattice, n, unique=unique)
                rows = sorted((path.text, round(path.cost, 9), round(path.features["x"], 9)) for path in paths)
                ours = ls.nbest(result, 100, unique=False)
                case = f"seed {seed}, {n} {unique}"
                assert sorted((p.text, round(p.cost, 9), round(p.features["x"], 9)) for p in ours) == rows, case
                assert sorted(path.inputs for path in ours) == sorted(path.inputs for path in paths), case
    assert ls.shortest_paths(Lattice.from_strings([]), 2).empty
    assert ls.nbest(ls.shortest_paths(Lattice.from_strings([("", 2.0), ("a", 1.0)]), 2), 5)[1].cost == 2.0


def test_states_and_arcs_to_look_at():
    lattice = random_lattice(np.random.default_rng(3), 6, "ab", True, columns=("x",), numbered=True)
    assert list(lattice.states()) == list(range(6))
    arcs = [arc for state in lattice.states() for arc in lattice.arcs_of(state)]
    assert [arc.weight for arc in arcs] == lattice.weights.tolist()
    assert [arc.features["x"] for arc in arcs] == lattice.features["x"].tolist()
    assert [arc.word for arc in arcs] == [lattice.symbols[label] for label in lattice.olabels]
    assert [arc.label for arc in arcs] == [lattice.isymbols[label] for label in lattice.ilabels]
    assert [(arc.state, arc.nextstate) for arc in arcs] == list(zip(lattice.sources, lattice.nextstates, strict=True))
    for state in (-1, 6):
        with pytest.raises(InvalidLatticeError, match="no state"):
            lattice.arcs_of(state)
