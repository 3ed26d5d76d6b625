"""Aggregation against brute force, and against the majority where annotators differ in reliability."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from lattice_simp.errors import LatticeSimpError
from lattice_simp.skeleton.annotation import Judgement, Sentence, Verdict, aggregate
from lattice_simp.skeleton.annotation.aggregation import (
    ANNOTATOR_COUNTS,
    CLASS_COUNTS,
    AnnotatorModel,
    expect,
    judgement_weights,
)
from lattice_simp.skeleton.annotation.decisions import Decisions


def simulate(rng, sentences, reliabilities, length=8):
    """Returns true masks, and what annotators make of them who decide rightly with the given probabilities."""
    truths, made = [], []
    for number in range(sentences):
        own = Sentence(f"talk.{number}", number, tuple(f"w{position}" for position in range(length)))
        truth = rng.random(length) < 0.6
        truth[0] = True
        truths.append(truth)
        for name, reliability in enumerate(reliabilities):
            mask = np.where(rng.random(length) < reliability, truth, ~truth)
            mask[0] |= not mask.any()
            made.append(Judgement(own, f"annotator {name}", own.skeleton(mask.astype(int).tolist())))
    return np.concatenate(truths), made


def majority(decisions):
    kept = np.bincount(decisions.token, decisions.keep, decisions.size)
    return kept * 2 >= np.bincount(decisions.token, minlength=decisions.size)


def objective(decisions, classes, annotators):
    """The penalised likelihood, by enumerating the true classes of all tokens together."""
    total = 0.0
    for truth in product((0, 1), repeat=decisions.size):
        one = np.prod(classes[list(truth)])
        for token, annotator, keep, weight in zip(
            decisions.token, decisions.annotator, decisions.keep, decisions.weight, strict=True
        ):
            one *= annotators[annotator, truth[token], int(keep)] ** weight
        total += one
    return np.log(total) + (CLASS_COUNTS * np.log(classes)).sum() + (ANNOTATOR_COUNTS * np.log(annotators)).sum()


def test_the_objective_against_all_truths():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        _, made = simulate(rng, 2, [0.9, 0.7, 0.6], length=4)
        decisions = Decisions.of(made, rng.uniform(0.25, 1, len(made)))
        classes = rng.dirichlet([2, 2])
        annotators = rng.dirichlet([2, 2], size=(3, 2))
        keep, found = expect(decisions, AnnotatorModel(classes, annotators))
        assert found == pytest.approx(objective(decisions, classes, annotators)), f"seed {seed}"
        assert ((keep >= 0) & (keep <= 1)).all()


def test_the_objective_never_falls_and_ends_at_a_maximum():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        _, made = simulate(rng, 12, [0.95, 0.8, 0.6])
        verdicts = [Verdict(own.sentence, "checker", own.skeleton, bool(rng.random() < 0.3)) for own in made[::2]]
        found = aggregate(made, verdicts)
        steps = np.diff(found.objectives)
        assert (steps >= -1e-9 * abs(found.objectives[0])).all(), f"seed {seed}"
        best = found.objectives[-1]
        for _ in range(40):  # no step in any direction is better than the first order allows
            near = AnnotatorModel(_nudged(rng, found.model.classes), _nudged(rng, found.model.annotators))
            assert expect(found.decisions, near)[1] <= best + 1e-3, f"seed {seed}"


def _nudged(rng, probabilities):
    own = probabilities * np.exp(rng.normal(scale=0.03, size=probabilities.shape))
    return own / own.sum(axis=-1, keepdims=True)


def test_an_ascent_by_brute_force_finds_nothing_better():
    rng = np.random.default_rng(3)
    _, made = simulate(rng, 6, [0.95, 0.9, 0.7], length=5)
    found = aggregate(made)
    start = np.array([[0.7, 0.3], [0.3, 0.7]])
    model, best = AnnotatorModel(np.array([0.5, 0.5]), np.stack([start] * 3)), -np.inf
    for scale in (0.3, 0.1, 0.03, 0.01, 0.003):
        for _ in range(400):
            near = AnnotatorModel(*(_wandered(rng, own, scale) for own in (model.classes, model.annotators)))
            value = expect(found.decisions, near)[1]
            if value > best:
                model, best = near, value
    assert found.objectives[-1] == pytest.approx(best, abs=0.02)
    assert found.objectives[-1] >= best - 1e-4


def _wandered(rng, probabilities, scale):
    own = probabilities * np.exp(rng.normal(scale=scale, size=probabilities.shape))
    return own / own.sum(axis=-1, keepdims=True)


def test_better_than_the_majority_where_annotators_differ():
    gains = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        reliabilities = [0.95, 0.9, 0.6, 0.55, 0.5]
        truth, made = simulate(rng, 60, reliabilities)
        found = aggregate(made)
        right = np.mean((found.keep >= 0.5) == truth)
        gains.append(right - np.mean(majority(found.decisions) == truth))
        assert list(found.reliability.values()) == pytest.approx(reliabilities, abs=0.12), f"seed {seed}"
    assert min(gains) > 0
    assert np.mean(gains) > 0.05


def test_bad_skeletons_count_less():
    own = Sentence("talk.0", 0, tuple("abcdef"))
    made = [
        Judgement(own, name, own.skeleton(mask))
        for name, mask in zip("ABC", ("110000", "110000", "001111"), strict=True)
    ]
    assert aggregate(made).skeletons()["talk.0"].to_mask() == "110000"
    verdicts = [Verdict(own, name, made[0].skeleton, True) for name in "CDE"]
    assert judgement_weights(made, verdicts) == [0.25, 0.25, 1.0]
    for choice in ("judgement", "tokens"):
        assert aggregate(made, verdicts).skeletons(choice)["talk.0"].to_mask() == "001111"


def test_a_skeleton_is_never_empty_and_a_judgement_is_somebody_s():
    own = Sentence("talk.0", 0, tuple("abc"))
    made = [Judgement(own, name, own.skeleton(mask)) for name, mask in zip("ABC", ("100", "010", "001"), strict=True)]
    found = aggregate(made)
    assert any(found.skeletons("tokens")["talk.0"].mask)
    assert found.skeletons("judgement")["talk.0"] in [one.skeleton for one in made]
    with pytest.raises(LatticeSimpError, match="no judgements"):
        aggregate([])


def test_one_annotator_is_believed():
    _, made = simulate(np.random.default_rng(0), 5, [0.8])
    found = aggregate(made)
    for choice in ("judgement", "tokens"):
        assert list(found.skeletons(choice).values()) == [own.skeleton for own in made]
