"""Batch MIRA separates separable lists, keeps fixed weights, and does not depend on the units of features."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp import SymbolTable
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import LatticeSimpError
from lattice_simp.scores.bleu import STATISTICS
from lattice_simp.tune.feature_lattice import nbest_lattice
from lattice_simp.tune.metrics import BLEU
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
        rows = np.array([statistics(entry) for entry in quality.tolist()])
        lists.append(HypothesisList(np.column_stack(columns), rows))
    return lists


def learned(lists, start=(1.0, 1.0, 1.0), **options):
    begin = dict(zip(NAMES, start, strict=True))
    return learn_margins_of_lists(lists, NAMES, begin, MiraOptions(**options))


def vector(weights):
    return np.array([weights[name] for name in NAMES])


def test_weights_are_better_on_other_sentences_too():
    for seed in range(5):
        result = learned(made_lists(seed))
        others = made_lists(100 + seed)
        best = corpus_score(others, np.array([1.0, 0.0, 0.0]), BLEU)
        assert result.score > result.initial_score
        assert corpus_score(others, vector(result.weights), BLEU) > best - 0.02
        assert corpus_score(others, np.ones(3), BLEU) < best - 0.05


def bleu(rows):
    """Returns BLEU of summed statistics: matches of four orders, n-grams of four orders, the reference's length."""
    matches, totals, length = rows[:4], rows[4:8], rows[8]
    if min(matches) <= 0:
        return 0.0
    brevity = min(0.0, 1.0 - length / totals[0])
    return float(np.exp(brevity + np.mean(np.log(np.array(matches) / np.array(totals)))))


def means_by_definition(lists, start, epochs, step, decay, seed):
    """Returns the mean weights after each epoch: hope against fear, by BLEU in the background of what went before."""
    weights, margin = np.array(start), 10.0 / (1.0 - decay)
    deviations = np.sqrt(np.mean([ranked.features.var(axis=0) for ranked in lists], axis=0))
    best = [ranked.statistics[np.argmax(ranked.features @ weights)] for ranked in lists]
    background = np.mean(best, axis=0) / (1.0 - decay)
    rng, history, means = np.random.default_rng(seed), [], []
    for _ in range(epochs):
        for index in rng.permutation(len(lists)).tolist():
            features, statistics = lists[index].features, lists[index].statistics
            model = features @ weights
            values = np.array([margin * bleu(background + row) for row in statistics])
            hope, fear = np.argmax(model + values), np.argmax(model - values)
            difference = (features[hope] - features[fear]) / deviations  # in which the step is bounded
            loss = (values[hope] - values[fear]) - (model[hope] - model[fear])
            if loss > 0 and difference.any():
                weights = weights + min(step, loss / (difference @ difference)) * difference / deviations
            background = decay * background + statistics[np.argmax(model)]
            history.append(weights)
        means.append(np.mean(history, axis=0))
    return means


@pytest.mark.parametrize("decay", [0.5, 0.9, 0.999])
def test_weights_are_those_of_the_definition(decay):
    """The background of the sentences before decides which hypotheses are good: most lack some order of n-grams."""
    for seed in range(3):
        lists, start = made_lists(seed, count=10, size=6), (0.3, 1.0, 0.7)
        means = means_by_definition(lists, start, 7, 0.05, decay, seed=4)
        result = learned(lists, start, epochs=7, decay=decay, seed=4)
        scores = [corpus_score(lists, mean, BLEU) for mean in means]
        assert [entry.score for entry in result.trace] == pytest.approx(scores), f"seed {seed}"
        assert result.score == pytest.approx(max([result.initial_score, *scores])), f"seed {seed}"
        if max(scores) > result.initial_score:
            assert vector(result.weights) == pytest.approx(means[int(np.argmax(scores))]), f"seed {seed}"


def test_the_best_epoch_counts_and_not_the_last():
    """Features that say nothing of the hypotheses make the weights wander."""
    last = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        lists = [
            HypothesisList(rng.normal(size=(8, 3)), ranked.statistics) for ranked in made_lists(seed, count=8, size=8)
        ]
        result = learned(lists, step=1.0, epochs=8, decay=0.9)
        scores = [result.initial_score, *(entry.score for entry in result.trace)]
        assert result.score == max(scores) == corpus_score(lists, vector(result.weights), BLEU), f"seed {seed}"
        assert [entry.round for entry in result.trace] == list(range(8))
        last += scores[-1] == max(scores)
    assert last < 6


def test_features_in_other_units_give_the_same_choices():
    for seed in range(3):
        lists = made_lists(seed)
        units = np.array([1000.0, 0.001, 7.0])
        other = [HypothesisList(ranked.features * units, ranked.statistics) for ranked in lists]
        first, second = learned(lists, epochs=5), learned(other, tuple(1 / units), epochs=5)
        assert vector(first.weights) == pytest.approx(vector(second.weights) * units)


def test_fixed_features_keep_their_weights_and_signs_hold():
    lists = made_lists(0)
    result = learned(lists, (0.0, 2.0, 1.0), fixed=frozenset({"bad"}), epochs=5)
    assert result.weights["bad"] == 2.0
    assert result.weights["good"] > 0
    assert -0.01 < learned(lists, signs={"good": -1}, epochs=5).weights["good"] <= 0.0
    assert learned(lists, signs={"good": 1}, epochs=5).weights["good"] > 0.0


def test_a_start_that_cannot_be_improved_stays():
    rows = np.array([statistics(8), statistics(3)])
    hypotheses = HypothesisList(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), rows)
    result = learned([hypotheses], (50.0, 0.0, 0.0))
    assert result.weights == {"good": 50.0, "bad": 0.0, "noise": 0.0}
    assert (result.initial_score, result.score) == (1.0, 1.0)


def test_constant_features_do_not_move():
    lists = [
        HypothesisList(np.column_stack([ranked.features[:, :2], np.ones(12)]), ranked.statistics)
        for ranked in made_lists(1)
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
    lattice = nbest_lattice(
        [Hypothesis(tuple(first.split()), features=row) for first, row in scored], ("x", "y"), symbols
    )
    start = {"x": 1.0, "y": 0.5}
    result = learn_margins([lattice], [[reference]], start, MiraOptions(step=1.0))
    assert result.score == 1.0 > result.initial_score
    [prepared] = BLEU.prepared([[reference]])
    words = [symbols.encode(first.split()) for first, _ in scored]
    rows = prepared.rows(np.concatenate(words), np.cumsum([0, *map(len, words)]).astype(np.int64))
    hypotheses = HypothesisList(np.array([[row["x"], row["y"]] for _, row in scored]), rows)
    again = learn_margins_of_lists([hypotheses], ("x", "y"), start, MiraOptions(step=1.0))
    assert again.weights == pytest.approx(result.weights)
    assert rows.shape == (3, STATISTICS)


def test_fixed_weights_stay_whatever_their_signs():
    result = learned(made_lists(0), (1.0, 2.0, 1.0), fixed=frozenset({"bad"}), signs={"bad": -1}, epochs=2)
    assert result.weights["bad"] == 2.0


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
