"""Making the lattices of a tuner, their best hypotheses and unions."""

from __future__ import annotations

import numpy as np
import pytest
from tune_helpers import empty_lattice, lattice_of_arcs

from lattice_simp import Lattice, SymbolTable, nbest, union
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.shortest_distance import best_cost
from lattice_simp.errors import CyclicLatticeError, InvalidLatticeError, LatticeSimpError
from lattice_simp.tune.feature_lattice import nbest_lattice, same_features, tuning_lattice
from lattice_simp.tune.mert import feature_units
from lattice_simp.tune.scores import best_hypothesis, lattice_under, weighted

SEEDS = range(20)


def sorted_paths(paths):
    return sorted((words, features.tolist()) for words, features in paths)


def test_the_best_hypothesis_is_the_best_of_all_paths(random_lattice, all_paths):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice, weights = random_lattice(rng, states=2 + seed % 8), rng.normal(size=3)
        words, cost = best_hypothesis(lattice, weights)
        costs = [(-float(weights @ features), first) for first, features in all_paths(lattice)]
        assert cost == pytest.approx(min(costs)[0]), f"seed {seed}"
        assert tuple(words.tolist()) == min(costs)[1], f"seed {seed}"
        named = dict(zip(lattice.features, weights.tolist(), strict=True))
        assert best_hypothesis(lattice, named)[1] == cost, f"seed {seed}"


def test_states_in_any_order_give_the_same_paths(random_lattice, all_paths):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice = random_lattice(rng, states=7)
        names = np.concatenate(([0], 1 + rng.permutation(lattice.num_states - 1)))
        order = rng.permutation(lattice.num_arcs)
        result = lattice.features
        final, final_features = np.empty(lattice.num_states, dtype=bool), np.empty_like(result.finals.T)
        final[names], final_features[names] = np.isfinite(lattice.finals), result.finals.T
        other = lattice_of_arcs(
            names[lattice.sources][order],
            lattice.olabels[order],
            names[lattice.nextstates][order],
            result.arcs.T[order],
            final,
            result.names,
            final_features,
        )
        assert (other.nextstates > other.sources).all(), f"seed {seed}"
        assert other.num_states == lattice.num_states, f"seed {seed}"
        for (words, features), (own_words, result) in zip(
            sorted_paths(all_paths(other)), sorted_paths(all_paths(lattice)), strict=True
        ):
            assert words == own_words, f"seed {seed}"
            assert features == pytest.approx(result), f"seed {seed}"


def test_useless_states_are_left_out(all_paths):
    arcs = ([0, 0, 2, 3], [1, 2, 3, 4], [1, 4, 1, 1], [[1.0]] * 4, [False, True, False, False, False])
    lattice = lattice_of_arcs(*arcs, ["x"])
    assert (lattice.num_states, lattice.num_arcs) == (2, 1)
    assert [words for words, _ in all_paths(lattice)] == [(1,)]


def test_a_lattice_lends_its_paths():
    lattice = Lattice.from_strings([("a b", 1.0), ("a c", 0.5), ("d", 2.0)])
    result = tuning_lattice(lattice, ["model", "arcs"], [-lattice.weights, np.ones(lattice.num_arcs)])
    words, cost = best_hypothesis(result, [1.0, 0.0])
    assert lattice.symbols.decode(words) == ["a", "c"]
    assert cost == best_cost(lattice)
    assert lattice.symbols.decode(best_hypothesis(result, [1.0, -9.0])[0]) == ["d"]


def test_an_nbest_list_is_one_path_for_each_hypothesis(all_paths):
    entries = [
        Hypothesis(("a", "b", "a"), features={"LM": -1.0, "TM_0": 0.5, "TM_1": 2.0}),
        Hypothesis((), features={"LM": -3.0}),
        Hypothesis(("b",), features={"TM_0": 1.0, "TM_1": 4.0}),
        Hypothesis(("b",), features={"TM_0": 1.0, "TM_1": 5.0}),
    ]
    symbols = SymbolTable()
    lattice = nbest_lattice(entries, ["TM_0", "TM_1", "LM"], symbols)
    assert sorted_paths(all_paths(lattice)) == sorted(
        [((1, 2, 1), [0.5, 2.0, -1.0]), ((), [0.0, 0.0, -3.0]), ((2,), [1.0, 4.0, 0.0]), ((2,), [1.0, 5.0, 0.0])]
    )
    assert nbest_lattice([], ["LM"], symbols).empty
    with pytest.raises(LatticeSimpError, match="TM_0"):
        nbest_lattice(entries, ["LM"], symbols)


def test_a_union_holds_all_paths(random_lattice, all_paths):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattices = [random_lattice(rng, states=states) for states in (5, 1, 4)]
        joined = union(lattices[0], empty_lattice(lattices[0].features), *lattices[1:])
        expected = [path for lattice in lattices for path in all_paths(lattice)]
        assert sorted_paths(all_paths(joined)) == sorted_paths(expected), f"seed {seed}"
        assert joined.features.arcs.dtype == joined.features.finals.dtype == np.float32, f"seed {seed}"


def test_features_that_a_lattice_lacks_are_zero_there(random_lattice, all_paths):
    rng = np.random.default_rng(3)
    lattices = [random_lattice(rng, features=2), random_lattice(rng, features=3)]
    first, second = same_features(lattices)
    assert first.features.names == second.features.names == ("f0", "f1", "f2")
    expected = [(words, [*features, 0.0]) for words, features in sorted_paths(all_paths(lattices[0]))]
    assert sorted_paths(all_paths(first)) == expected
    assert sorted_paths(all_paths(second)) == sorted_paths(all_paths(lattices[1]))


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
        lattice_of_arcs(*arcs, ["x"])


@pytest.mark.parametrize("weights", [{"x": 1.0}, {"x": 1.0, "y": 1.0, "z": 1.0}])
def test_weights_and_features_must_agree(weights):
    lattice = lattice_of_arcs([0], [1], [1], [[1.0, 2.0]], [False, True], ["x", "y"])
    with pytest.raises(LatticeSimpError, match=r"y|z"):
        best_hypothesis(lattice, weights)


def test_a_lattice_under_weights_costs_what_its_features_say(random_lattice, all_paths):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        lattice, weights = random_lattice(rng, states=6), rng.normal(size=3)
        under = lattice_under(lattice, {"f0": weights[0], "f2": weights[2]})
        expected = sorted(-float(weights[[0, 2]] @ features[[0, 2]]) for _, features in all_paths(lattice))
        hypotheses = nbest(under, len(expected), unique=False)
        assert [path.cost for path in hypotheses] == pytest.approx(expected), f"seed {seed}"
        assert under.features is lattice.features, f"seed {seed}"


def test_single_precision_is_for_memory_alone_and_sums_are_in_double():
    small = 2.0**-25  # in single precision, 1 + small is 1
    scores = np.array([[1.0, small], [small, 1.0], [small, small]], dtype=np.float32)
    assert weighted(scores, np.array([1.0, 1.0, 1.0])).tolist() == [1.0 + 2 * small, 1.0 + 2 * small]
    pair = Lattice.from_strings([("a", 0.0), ("b", 0.0)])
    under = lattice_under(tuning_lattice(pair, "xyz", scores), {"x": 1.0, "y": 1.0, "z": 1.0})
    assert under.weights.dtype == under.finals.dtype == np.float64
    assert under.weights.tolist() == [-1.0 - 2 * small] * 2
    third = np.float32(1.0 / 3.0)
    lattice = tuning_lattice(pair, "x", [[third, third]])
    assert feature_units([lattice], np.array([2.0])).tolist() == [2.0]
    single = tuning_lattice(pair, "xy", [[1e-30, 1e-30], [1.0, 1.0]])  # the square of 1e-30 is 0 in single precision
    units = feature_units([single], np.array([0.0, 1.0]))
    assert units[0] / units[1] == pytest.approx(1e30)
