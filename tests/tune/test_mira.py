"""Batch MIRA: it separates what can be separated, keeps what is fixed, and does not depend on features' units."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp import SymbolTable
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import LatticeSimpError
from lattice_simp.tune.corpus_bleu import BLEU, STATISTICS
from lattice_simp.tune.feature_lattice import nbest_lattice
from lattice_simp.tune.mira import HypothesisList, MiraOptions, corpus_score, learn_margins, learn_margins_of_lists

NAMES = ("good", "bad", "noise")


def statistics(quality: int, length: int = 8) -> list[int]:
    """Returns the row of a hypothesis of which `quality` words are right."""
    matches = [max(0, quality - order) for order in range(4)]
    return [*matches, *(length - order for order in range(4)), length]


def made_lists(seed: int, count: int = 40, size: int = 12) -> list[HypothesisList]:
    """Makes lists whose first feature says how good a hypothesis is, and the second how bad; the third is noise."""
    rng = np.random.default_rng(seed)
    lists = []
    for _ in range(count):
        quality = rng.integers(1, 9, size)
        columns = quality + rng.normal(0, 0.5, size), -quality + rng.normal(0, 2.0, size), rng.normal(0, 3.0, size)
        rows = np.array([statistics(own) for own in quality.tolist()])
        lists.append(HypothesisList(np.column_stack(columns), rows))
    return lists


def learned(lists, start=(1.0, 1.0, 1.0), **options):
    begin = dict(zip(NAMES, start, strict=True))
    return learn_margins_of_lists(lists, NAMES, begin, MiraOptions(**options))


def vector(weights):
    return np.array([weights[name] for name in NAMES])


def test_weights_are_better_on_other_sentences_too():
    for seed in range(5):
        found = learned(made_lists(seed))
        others = made_lists(100 + seed)
        best = corpus_score(others, np.array([1.0, 0.0, 0.0]), BLEU)
        assert found.score > found.initial_score
        assert corpus_score(others, vector(found.weights), BLEU) > best - 0.02
        assert corpus_score(others, np.ones(3), BLEU) < best - 0.05


def test_features_in_other_units_give_the_same_choices():
    for seed in range(3):
        lists = made_lists(seed)
        units = np.array([1000.0, 0.001, 7.0])
        other = [HypothesisList(own.features * units, own.statistics) for own in lists]
        one, two = learned(lists, epochs=5), learned(other, tuple(1 / units), epochs=5)
        assert vector(one.weights) == pytest.approx(vector(two.weights) * units)


def test_fixed_features_keep_their_weights_and_signs_hold():
    lists = made_lists(0)
    found = learned(lists, (0.0, 2.0, 1.0), fixed=frozenset({"bad"}), epochs=5)
    assert found.weights["bad"] == 2.0
    assert found.weights["good"] > 0
    assert -0.01 < learned(lists, signs={"good": -1}, epochs=5).weights["good"] <= 0.0
    assert learned(lists, signs={"good": 1}, epochs=5).weights["good"] > 0.0


def test_a_start_that_cannot_be_improved_stays():
    rows = np.array([statistics(8), statistics(3)])
    own = HypothesisList(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), rows)
    found = learned([own], (50.0, 0.0, 0.0))
    assert found.weights == {"good": 50.0, "bad": 0.0, "noise": 0.0}
    assert (found.initial_score, found.score) == (1.0, 1.0)


def test_constant_features_do_not_move():
    lists = [
        HypothesisList(np.column_stack([own.features[:, :2], np.ones(12)]), own.statistics) for own in made_lists(1)
    ]
    assert learned(lists, epochs=3).weights["noise"] == 1.0


def test_the_same_seed_gives_the_same_weights():
    lists = made_lists(2)
    assert learned(lists, seed=3, epochs=3) == learned(lists, seed=3, epochs=3)
    traces = {learned(lists, seed=seed, epochs=1).trace[0].score for seed in range(8)}
    assert len(traces) > 1


def test_lattices_give_what_their_lists_give():
    symbols = SymbolTable()
    reference = symbols.encode("a b c d e".split())
    scored = [("a b c d e", {"x": 0.0, "y": 1.0}), ("a b c d f", {"x": 1.0, "y": 0.0}), ("a b", {"x": 0.0, "y": 0.0})]
    lattice = nbest_lattice([Hypothesis(tuple(own.split()), features=row) for own, row in scored], ("x", "y"), symbols)
    start = {"x": 1.0, "y": 0.5}
    found = learn_margins([lattice], [[reference]], start, MiraOptions(step=1.0))
    assert found.score == 1.0 > found.initial_score
    [prepared] = BLEU.prepared([[reference]])
    words = [symbols.encode(own.split()) for own, _ in scored]
    rows = prepared.rows(np.concatenate(words), np.cumsum([0, *map(len, words)]).astype(np.int64))
    own = HypothesisList(np.array([[row["x"], row["y"]] for _, row in scored]), rows)
    again = learn_margins_of_lists([own], ("x", "y"), start, MiraOptions(step=1.0))
    assert again.weights == pytest.approx(found.weights)
    assert rows.shape == (3, STATISTICS)


def test_fixed_weights_stay_whatever_their_signs():
    found = learned(made_lists(0), (1.0, 2.0, 1.0), fixed=frozenset({"bad"}), signs={"bad": -1}, epochs=2)
    assert found.weights["bad"] == 2.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"decay": 1.0}, "decay is 1.0, which is out of range"),
        ({"step": 0.0}, "step is 0.0"),
        ({"epochs": 0}, "epochs is 0"),
        ({"signs": {"nose": 1}}, "no feature has the name 'nose'; choose from good, bad, noise"),
    ],
)
def test_options_that_make_no_sense(change, message):
    with pytest.raises(LatticeSimpError, match=message):
        learned(made_lists(0), **change)


def test_something_is_learned_from_something():
    nothing = HypothesisList(np.zeros((0, 3)), np.zeros((0, STATISTICS), dtype=np.int64))
    for lists in ([], [nothing]):
        with pytest.raises(LatticeSimpError, match="no hypotheses to learn from"):
            learned(lists)


def test_weights_and_features_that_differ_are_refused():
    with pytest.raises(LatticeSimpError, match="weights and features differ in z"):
        learn_margins_of_lists(made_lists(0), NAMES, {**dict.fromkeys(NAMES, 1.0), "z": 1.0})
