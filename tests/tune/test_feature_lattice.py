"""Making feature lattices, their best hypotheses, unions and files."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp import Lattice, SymbolTable
from lattice_simp.core.shortest_distance import best_cost
from lattice_simp.errors import (
    CyclicLatticeError,
    EmptyLatticeError,
    FormatError,
    InvalidLatticeError,
    LatticeSimpError,
)
from lattice_simp.formats.feature_lattice import read_feature_arcs
from lattice_simp.formats.nbest import Hypothesis
from lattice_simp.tune.feature_lattice import FeatureLattice

SEEDS = range(20)


def sorted_paths(paths):
    return sorted((words, features.tolist()) for words, features in paths)


def test_the_best_hypothesis_is_the_best_of_all_paths(random_lattice, all_paths):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice, weights = random_lattice(rng, states=2 + seed % 8), rng.normal(size=3)
        words, cost = lattice.best(weights)
        costs = [(-float(weights @ features), own) for own, features in all_paths(lattice)]
        assert cost == pytest.approx(min(costs)[0]), f"seed {seed}"
        assert tuple(words.tolist()) == min(costs)[1], f"seed {seed}"
        named = dict(zip(lattice.feature_names, weights.tolist(), strict=True))
        assert lattice.best(named)[1] == cost, f"seed {seed}"


def test_states_in_any_order_give_the_same_paths(random_lattice, all_paths):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, states=7)
        names = np.concatenate(([0], 1 + rng.permutation(lattice.num_states - 1)))
        order = rng.permutation(lattice.num_arcs)
        final, final_features = np.empty_like(lattice.final), np.empty_like(lattice.final_features)
        final[names], final_features[names] = lattice.final, lattice.final_features
        other = FeatureLattice.from_arcs(
            names[lattice.sources][order],
            lattice.words[order],
            names[lattice.nextstates][order],
            lattice.features[order],
            final,
            lattice.feature_names,
            final_features,
        )
        assert (other.nextstates > other.sources).all(), f"seed {seed}"
        assert other.num_states == lattice.num_states, f"seed {seed}"
        for (words, features), (own_words, own) in zip(
            sorted_paths(all_paths(other)), sorted_paths(all_paths(lattice)), strict=True
        ):
            assert words == own_words, f"seed {seed}"
            assert features == pytest.approx(own), f"seed {seed}"


def test_useless_states_are_left_out(all_paths):
    arcs = ([0, 0, 2, 3], [1, 2, 3, 4], [1, 4, 1, 1], [[1.0]] * 4, [False, True, False, False, False])
    lattice = FeatureLattice.from_arcs(*arcs, ["x"])
    assert (lattice.num_states, lattice.num_arcs) == (2, 1)
    assert [words for words, _ in all_paths(lattice)] == [(1,)]


def test_a_lattice_lends_its_paths():
    lattice = Lattice.from_strings([("a b", 1.0), ("a c", 0.5), ("d", 2.0)])
    features = np.column_stack([-lattice.weights, np.ones(lattice.num_arcs)])
    made = FeatureLattice.from_lattice(lattice, features, ["model", "arcs"])
    words, cost = made.best([1.0, 0.0])
    assert lattice.symbols.decode(words) == ["a", "c"]
    assert cost == best_cost(lattice)
    assert lattice.symbols.decode(made.best([1.0, -9.0])[0]) == ["d"]


def test_an_nbest_list_is_one_path_for_each_hypothesis(all_paths):
    entries = [
        Hypothesis(0, "a b a", {"LM": (-1.0,), "TM": (0.5, 2.0)}),
        Hypothesis(0, "", {"LM": (-3.0,)}),
        Hypothesis(0, "b", {"TM": (1.0, 4.0)}),
        Hypothesis(0, "b", {"TM": (1.0, 5.0)}),
    ]
    symbols = SymbolTable()
    lattice = FeatureLattice.from_nbest(entries, ["TM_0", "TM_1", "LM"], symbols)
    assert sorted_paths(all_paths(lattice)) == sorted(
        [((1, 2, 1), [0.5, 2.0, -1.0]), ((), [0.0, 0.0, -3.0]), ((2,), [1.0, 4.0, 0.0]), ((2,), [1.0, 5.0, 0.0])]
    )
    assert FeatureLattice.from_nbest([], ["LM"], symbols).num_states == 0
    with pytest.raises(LatticeSimpError, match="TM_0"):
        FeatureLattice.from_nbest(entries, ["LM"], symbols)


def test_a_union_holds_all_paths(random_lattice, all_paths):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattices = [random_lattice(rng, states=states) for states in (5, 1, 4)]
        empty = FeatureLattice.from_arcs([], [], [], [], [False], lattices[0].feature_names)
        joined = FeatureLattice.union([lattices[0], empty, *lattices[1:]])
        expected = [path for lattice in lattices for path in all_paths(lattice)]
        assert sorted_paths(all_paths(joined)) == sorted_paths(expected), f"seed {seed}"
        assert FeatureLattice.union([empty]).num_states == 0, f"seed {seed}"
        with pytest.raises(LatticeSimpError, match="same features"):
            FeatureLattice.union([lattices[0], random_lattice(rng, features=2)])


@pytest.mark.parametrize(
    ("arcs", "error"),
    [
        (([0, 1], [1, 1], [1, 0], [[1.0], [1.0]], [False, True]), CyclicLatticeError),
        (([0], [1], [2], [[1.0]], [False, True]), InvalidLatticeError),
        (([0], [-1], [1], [[1.0]], [False, True]), InvalidLatticeError),
        (([0], [1], [1], [[np.nan]], [False, True]), InvalidLatticeError),
        (([0], [1], [1], [[1.0, 2.0]], [False, True]), InvalidLatticeError),
        (([0], [1, 2], [1], [[1.0]], [False, True]), InvalidLatticeError),
    ],
)
def test_broken_arcs_are_refused(arcs, error):
    with pytest.raises(error):
        FeatureLattice.from_arcs(*arcs, ["x"])


@pytest.mark.parametrize("weights", [{"x": 1.0}, {"x": 1.0, "y": 1.0, "z": 1.0}])
def test_weights_and_features_must_agree(weights):
    lattice = FeatureLattice.from_arcs([0], [1], [1], [[1.0, 2.0]], [False, True], ["x", "y"])
    with pytest.raises(LatticeSimpError, match=r"y|z"):
        lattice.best(weights)


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("named", [False, True], ids=["numbers", "words"])
def test_what_is_written_is_read_back(random_lattice, tmp_path, named):
    for seed in SEEDS:
        symbols = SymbolTable(["a", "b", "it's", "x:1"]) if named else None
        lattice = random_lattice(np.random.default_rng(seed), states=2 + seed % 6)
        path = tmp_path / "lattice.txt.gz"
        lattice.write(path, symbols)
        again = FeatureLattice.read(path, symbols, feature_names=lattice.feature_names)
        for array in ("offsets", "words", "nextstates", "features", "final", "final_features"):
            assert np.array_equal(getattr(again, array), getattr(lattice, array)), array


def test_costs_become_scores_and_sentence_ends_vanish(tmp_path, all_paths):
    path = tmp_path / "lattice.txt"
    path.write_text("0 1 <s> lm:2\n1 2 cat 10:0.5\n2 3 </s>\n3 lm:-1 9:4\n")
    symbols = SymbolTable()
    lattice = FeatureLattice.read(path, symbols)
    assert lattice.feature_names == ("9", "10", "lm")
    ((words, features),) = all_paths(lattice)
    assert symbols.decode(words) == ["cat"]
    assert features.tolist() == [-4.0, -0.5, -1.0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("0 1 5 a:1\n1 2\n2\n", 2),
        ("0 1 5 a:x\n1\n", 1),
        ("0 1 5 a:nan\n1\n", 1),
        ("0 1 5 a:1e99\n1\n", 1),
        ("0 1 5 a:1\n1 a:1 :2\n", 2),
        ("0 1 5 a:1\n\n1 a:1 a:2\n", 3),
        ("0 1 5 a:1\n1 b:2\n", 2),
        ("0 1 5 a:1\nx\n", 2),
        ("0 -1 5 a:1\n1\n", 1),
        ("0 999999999999 5 a:1\n1\n", 1),
        ("0 1 5 a:1\n1\n1\n", 3),
        ("0 1 5 a:1 7\n1\n", 1),
    ],
)
def test_errors_name_the_line(tmp_path, text, line):
    path = tmp_path / "lattice.txt"
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        read_feature_arcs(path, ["a"])
    assert error.value.line == line


def test_an_empty_file_and_words_that_are_no_numbers_are_refused(tmp_path):
    path = tmp_path / "lattice.txt"
    path.write_text("\n")
    with pytest.raises(FormatError, match="empty"):
        FeatureLattice.read(path)
    path.write_text("0 1 cat\n1\n")
    with pytest.raises(InvalidLatticeError, match="cat"):
        FeatureLattice.read(path)
    lattice = FeatureLattice.read(path, SymbolTable())
    with pytest.raises(InvalidLatticeError, match="a b"):
        lattice.write(path, SymbolTable(["a b"]))
    with pytest.raises(EmptyLatticeError):
        FeatureLattice.from_arcs([], [], [], [], [False], ["x"]).write(path)
