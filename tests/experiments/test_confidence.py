"""The measures of confidence, and TER's alignments."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sacrebleu.metrics import lib_ter

from experiments.confidence.measure import area_under_curve, bins, calibrated, calibration, cross_entropy, right_words


def test_as_many_words_are_right_as_ter_leaves_unedited():
    """With the number of shifts, the alignment explains all TER edits of translations that add no words."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        reference = [f"w{integer}" for integer in rng.integers(0, 12, size=rng.integers(1, 12))]
        hypothesis = [entry for entry in reference if rng.random() < 0.8]  # only deletions of words of the reference
        right = right_words(hypothesis, reference)
        edits, length = lib_ter.translation_edit_rate(hypothesis, reference)
        assert right.all(), seed
        assert length - right.sum() == edits, seed
        other = [*hypothesis, "x", "y"]
        assert right_words(other, reference).tolist()[-2:] == [False, False], seed


def test_area_is_the_share_of_pairs():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        confidence, right = rng.integers(0, 4, size=12) / 4, rng.random(12) < 0.5
        right[:2] = True, False
        pairs = itertools.product(confidence[right], confidence[~right])
        wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs]
        assert area_under_curve(confidence, right) == pytest.approx(np.mean(wins)), seed


def test_entropy_and_bins():
    assert cross_entropy(np.array([0.5, 0.5]), np.array([True, False])) == pytest.approx(np.log(2))
    result = bins(np.array([0.1, 0.9, 0.2, 0.8]), np.array([False, True, True, True]), 2)
    assert [entry["right"] for entry in result] == [0.5, 1.0]


def test_calibration_finds_the_odds_that_labels_were_drawn_with():
    rng = np.random.default_rng(1)
    confidence = rng.uniform(0.02, 0.98, size=20_000)
    truth = calibrated(confidence, -0.5, 0.4)
    offset, slope = calibration(confidence, rng.random(len(truth)) < truth)
    assert (offset, slope) == (pytest.approx(-0.5, abs=0.06), pytest.approx(0.4, abs=0.06))
