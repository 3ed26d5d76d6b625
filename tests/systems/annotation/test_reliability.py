"""Crowd-kit's estimates against expectation maximisation written out, and Bayes' rule against enumeration."""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import pytest

from lattice_simp.errors import MissingExtraError
from lattice_simp.systems.annotation.aggregation import judgement_weights
from lattice_simp.systems.annotation.decisions import Decisions
from lattice_simp.systems.annotation.reliability import ROUNDS, AnnotatorModel
from tests.systems.annotation.judged import simulate, verdicts_of

NEEDS = {"reason": "crowd-kit is not installed (the extra 'annotation')"}


def written_out(decisions, rounds):
    """Returns the parameters, where all decisions count for 1, with three certain tokens a class as the prior."""
    keep = np.bincount(decisions.token, decisions.keep) / np.bincount(decisions.token)
    for number in range(rounds + 1):
        errors = np.array([[[2.0, 1.0], [1.0, 2.0]]] * len(decisions.annotators))
        for token, annotator, said in zip(decisions.token, decisions.annotator, decisions.keep, strict=True):
            errors[annotator, :, int(said)] += 1 - keep[token], keep[token]
        errors /= errors.sum(axis=2, keepdims=True)
        classes = np.array([3 + (1 - keep).sum(), 3 + keep.sum()]) / (6 + len(keep))
        if number < rounds:
            joint = np.tile(classes, (len(keep), 1))
            for token, annotator, said in zip(decisions.token, decisions.annotator, decisions.keep, strict=True):
                joint[token] *= errors[annotator, :, int(said)]
            keep = joint[:, 1] / joint.sum(axis=1)
    return classes, errors


@pytest.mark.slow
def test_the_estimate_against_expectation_maximisation_written_out():
    pytest.importorskip("crowdkit", **NEEDS)
    for seed, reliabilities in enumerate([(0.8,), (0.9, 0.9, 0.3, 0.5)]):
        _, second = simulate(np.random.default_rng(seed), 6, reliabilities)
        rng = np.random.default_rng(seed)
        for judgements in (
            second,
            [entry for entry in second if rng.random() < 0.7],
        ):  # not everybody judged everything
            decisions = Decisions.of(judgements)
            model = AnnotatorModel.of(decisions)
            classes, annotators = written_out(decisions, ROUNDS)
            assert model.classes == pytest.approx(classes, abs=1e-6), f"seed {seed}"
            assert model.annotators == pytest.approx(annotators, abs=1e-6), f"seed {seed}"


@pytest.mark.slow
def test_bad_judgements_tell_nothing_of_reliability():
    pytest.importorskip("crowdkit", **NEEDS)
    rng = np.random.default_rng(0)
    _, actual = simulate(rng, 10, (0.9, 0.8, 0.6))
    bad = rng.random(len(actual)) < 0.3
    weights = judgement_weights(actual, verdicts_of(actual, bad, bad))
    assert set(weights) == {1 / 3, 1.0}
    alone = Decisions.of([first for first, weight in zip(actual, weights, strict=True) if weight == 1])
    model, expected = AnnotatorModel.of(Decisions.of(actual, weights)), AnnotatorModel.of(alone)
    assert model.annotators == pytest.approx(expected.annotators)
    assert model.classes == pytest.approx(expected.classes)
    nothing = AnnotatorModel.of(Decisions.of(actual, [0.25] * len(actual)))
    assert nothing.annotators == pytest.approx(np.array([[[2 / 3, 1 / 3], [1 / 3, 2 / 3]]] * 3))


def test_probabilities_of_tokens_against_all_truths():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        _, second = simulate(rng, 2, [0.9, 0.7, 0.6], length=4)
        decisions = Decisions.of(second, rng.uniform(0.25, 1, len(second)))
        model = AnnotatorModel(rng.dirichlet([2, 2]), rng.dirichlet([2, 2], size=(3, 2)))
        assert model.keep(decisions) == pytest.approx(by_enumeration(decisions, model)), f"seed {seed}"


def by_enumeration(decisions, model):
    """The probability that each token stays, from the probabilities of the true classes of all tokens together."""
    kept, total = np.zeros(decisions.size), 0.0
    for truth in product((0, 1), repeat=decisions.size):
        first = np.prod(model.classes[list(truth)])
        for token, annotator, keep, weight in zip(
            decisions.token, decisions.annotator, decisions.keep, decisions.weight, strict=True
        ):
            first *= model.annotators[annotator, truth[token], int(keep)] ** weight
        kept += first * np.array(truth)
        total += first
    return kept / total


def test_without_crowd_kit_the_extra_is_named(monkeypatch):
    for name in ("crowdkit.aggregation", "pandas"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, name, None)
            with pytest.raises(MissingExtraError, match=r"lattice-simp\[annotation\]"):
                AnnotatorModel.of(Decisions.of(simulate(np.random.default_rng(0), 1, [0.9])[1]))
