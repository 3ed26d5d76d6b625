"""Splits at a given rate: odds for greedy search, a weight for joint search."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from simplifier_model import OPERATIONS, write_model
from simplify_cases import SOURCES

from lattice_simp.systems.simplify.analysis import analyse
from lattice_simp.systems.simplify.calibration import (
    calibrated,
    calibrated_odds,
    calibrated_weight,
    split_rate,
    threshold,
)
from lattice_simp.systems.simplify.operations import split_feature
from lattice_simp.systems.simplify.simplifier import Simplifier

COUNT = 20


@pytest.fixture(scope="module")
def simplifier(tmp_path_factory):
    return replace(Simplifier.load(write_model(tmp_path_factory.mktemp("model"))), mode="bold", stages=("split",))


@pytest.fixture(scope="module")
def analyses(parsed):
    """Sentences of which more than half can be split."""
    analyses = [analyse(parsed(sentence)) for sentence in SOURCES[:COUNT]]
    assert sum(bool(analysis.splits) for analysis in analyses) > COUNT / 2
    return analyses


def share(simplifier, analyses):
    return np.mean([bool(simplifier.simplify(analysis.parse)[0].splits) for analysis in analyses])


@pytest.mark.slow
def test_joint_search_splits_as_many_sentences_as_it_should(simplifier, analyses):
    for change, rate in ((False, 0.0), (False, 0.3), (True, 0.1)):
        partial = replace(simplifier, change=change, stages=("split", "delete"))
        weight = calibrated_weight(partial, analyses, rate)
        weighted = replace(
            partial, decoder=partial.decoder.with_weights({**partial.decoder.weights, "Input:Splits": weight})
        )
        assert share(weighted, analyses) == pytest.approx(rate), (change, rate)


def test_greedy_search_splits_nearly_as_many(simplifier, analyses):
    """Sentences whose best splits have one feature are split together."""
    for rate in (0.05, 0.25):
        greedy = replace(simplifier, search="greedy", operations=calibrated_odds(OPERATIONS, analyses, rate))
        best = [max((greedy.operations.probability(split_feature(s)) for s in a.splits), default=0) for a in analyses]
        least = min(probability for probability in best if probability > 0.5)
        assert share(greedy, analyses) >= rate
        assert np.mean([probability > least for probability in best]) < rate


def test_other_odds_leave_deletions_alone():
    for shift in (-2.0, 0.5, 9.0):
        shifted = OPERATIONS.with_split_odds(shift)
        for feature, (done, chances) in OPERATIONS.counts.items():
            now, total = shifted.counts[feature]
            expected = shift if feature[0] == "split" else 0.0
            odds = math.log(now / (total - now)) if now < total else math.inf
            assert odds - math.log(done / (chances - done)) == pytest.approx(expected, abs=1e-6), (feature, shift)
            assert (total, 0 < now <= total) == (chances, True)


def test_the_rate_of_references(simplifier, analyses):
    sources = [analysis.tokens for analysis in analyses]
    halves = [
        [source, (*source[:3], ".", *source[3:])] if number < 5 else [source] for number, source in enumerate(sources)
    ]
    rate = split_rate(sources, halves)
    assert rate == pytest.approx(5 / (len(sources) + 5))
    done, reached = calibrated(simplifier, analyses, halves)
    assert reached == rate
    assert share(done, analyses) == pytest.approx(round(rate * len(sources)) / len(sources))


def test_no_sentence_can_be_split():
    assert threshold(np.full(3, np.inf), 0.5) == 0.0
    assert threshold(np.array([1.0, np.inf]), 1.0) == 2.0
