"""Aggregation against the majority with annotators of different reliability, and the effect of bad verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import needs

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.annotation import Judgement, Sentence, Verdict, aggregate
from lattice_simp.systems.annotation.aggregation import judgement_weights
from tests.systems.annotation.judged import simulate, verdicts_of

needs("annotation", "crowdkit")


def majority(decisions):
    kept = np.bincount(decisions.token, decisions.keep, decisions.size)
    return kept * 2 >= np.bincount(decisions.token, minlength=decisions.size)


@pytest.mark.slow
def test_better_than_the_majority_where_annotators_differ():
    gains = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        reliabilities = [0.95, 0.9, 0.6, 0.55, 0.5]
        truth, second = simulate(rng, 60, reliabilities)
        result = aggregate(second)
        right = np.mean((result.keep >= 0.5) == truth)
        gains.append(right - np.mean(majority(result.decisions) == truth))
        assert list(result.reliability.values()) == pytest.approx(reliabilities, abs=0.1), f"seed {seed}"
    assert min(gains) > 0
    assert np.mean(gains) > 0.05


@pytest.mark.slow
def test_verdicts_on_careless_judgements_help():
    """A third of the judgements is careless, and two checkers see that."""
    gains = []
    for seed in range(2):
        truth, good = simulate(np.random.default_rng(seed), 40, [0.9, 0.8, 0.8])
        same_truth, careless = simulate(np.random.default_rng(seed), 40, [0.5, 0.5, 0.5])
        assert (truth == same_truth).all()
        bad = np.random.default_rng(seed).random(len(good)) < 1 / 3
        results = [other if each else first for first, other, each in zip(good, careless, bad, strict=True)]
        known, unknown = (
            np.mean((aggregate(results, verdicts).keep >= 0.5) == truth)
            for verdicts in (verdicts_of(results, bad, bad), [])
        )
        gains.append(known - unknown)
    assert min(gains) > 0
    assert np.mean(gains) > 0.02


@pytest.mark.slow
def test_bad_skeletons_count_less():
    sentence = Sentence("talk.0", 0, tuple("abcdef"))
    results = [
        Judgement(sentence, name, sentence.skeleton(mask))
        for name, mask in zip("ABC", ("110000", "110000", "001111"), strict=True)
    ]
    assert aggregate(results).skeletons()["talk.0"].to_mask() == "110000"
    verdicts = [Verdict(sentence, name, results[0].skeleton, True) for name in "CDE"]
    assert judgement_weights(results, verdicts) == [0.25, 0.25, 1.0]
    for choice in ("judgement", "tokens"):
        assert aggregate(results, verdicts).skeletons(choice)["talk.0"].to_mask() == "001111"


def test_a_skeleton_is_never_empty_and_a_judgement_is_somebody_s():
    sentence = Sentence("talk.0", 0, tuple("abc"))
    results = [
        Judgement(sentence, name, sentence.skeleton(mask))
        for name, mask in zip("ABC", ("100", "010", "001"), strict=True)
    ]
    result = aggregate(results)
    assert any(result.skeletons("tokens")["talk.0"].mask)
    assert result.skeletons("judgement")["talk.0"] in [entry.skeleton for entry in results]
    with pytest.raises(LatticeSimpError, match="no judgements"):
        aggregate([])


def test_one_annotator_is_believed():
    _, second = simulate(np.random.default_rng(0), 5, [0.8])
    result = aggregate(second)
    for choice in ("judgement", "tokens"):
        assert list(result.skeletons(choice).values()) == [entry.skeleton for entry in second]
