"""Which words of a translation are right, and measures of confidence against this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sacrebleu.metrics import lib_ter

from lattice_simp.core.kernel import Bools, Floats


class _Placed(str):
    """A word that keeps its position in the translation through shifts."""

    place: int


def right_words(hypothesis: Sequence[str], reference: Sequence[str]) -> Bools:
    """Returns for each word whether tercom's alignment matches it with an equal word of the reference, (words,).

    >>> right_words("b a c x".split(), "a b c y".split()).tolist()
    [True, True, True, False]
    """
    right = np.zeros(len(hypothesis), dtype=np.bool_)
    if not reference:
        return right
    words: list[Any] = [_Placed(word) for word in hypothesis]
    for place, word in enumerate(words):
        word.place = place
    words = _shifted(words, list(reference))
    _, trace = lib_ter.BeamEditDistance(list(reference))(words)
    place = 0
    for step in trace:
        if step == lib_ter._OP_NOP:
            right[words[place].place] = True
        place += step != lib_ter._OP_INS
    return right


def _shifted(words: list[Any], reference: list[str]) -> list[Any]:
    """Returns the words after the shifts of `lib_ter.translation_edit_rate`, which does not return them."""
    distance, checked = lib_ter.BeamEditDistance(reference), 0
    while True:
        gain, after, checked = lib_ter._shift(words, reference, distance, checked)
        if checked >= lib_ter._MAX_SHIFT_CANDIDATES or gain <= 0:
            return words
        words = after


FLOOR = 0.01
"""The bound of confidences for logarithms: at least this and at most 1 minus this."""


def area_under_curve(confidence: Floats, right: Bools) -> float:
    """Returns the share of pairs of a right and a wrong word in which the right one has the greater confidence.

    >>> area_under_curve(np.array([0.9, 0.5, 0.5]), np.array([True, True, False]))
    0.75
    """
    low, high = np.sort(confidence[~right]), confidence[right]
    below, not_above = np.searchsorted(low, high), np.searchsorted(low, high, side="right")
    return float((below + not_above).sum() / 2 / (len(low) * len(high)))


def cross_entropy(confidence: Floats, right: Bools) -> float:
    """Returns the mean negative log probability of the true labels, in nats."""
    clipped = np.clip(confidence, FLOOR, 1.0 - FLOOR)
    return float(-np.log(np.where(right, clipped, 1.0 - clipped)).mean())


def calibration(confidence: Floats, right: Bools, steps: int = 30) -> tuple[float, float]:
    """Returns the offset and the slope of Platt scaling (1999), which turns the log odds of confidences into
    probabilities. They minimise the cross-entropy of a logistic regression, by Newton's method.
    """
    rows = np.stack((np.ones(len(confidence)), _log_odds(confidence)))
    weights = np.zeros(2)
    for _ in range(steps):
        probabilities = 1.0 / (1.0 + np.exp(-weights @ rows))
        weights = weights + np.linalg.solve(
            (rows * (probabilities * (1.0 - probabilities))) @ rows.T, rows @ (right - probabilities)
        )
    return float(weights[0]), float(weights[1])


def calibrated(confidence: Floats, offset: float, slope: float) -> Floats:
    """Returns the calibrated probabilities of confidences."""
    return np.asarray(1.0 / (1.0 + np.exp(-(offset + slope * _log_odds(confidence)))))


def _log_odds(confidence: Floats) -> Floats:
    clipped = np.clip(confidence, FLOOR, 1.0 - FLOOR)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def measured(confidence: Floats, right: Bools) -> Mapping[str, Any]:
    """Returns all measures of a kind of confidence."""
    return {
        "auc": round(area_under_curve(confidence, right), 4),
        "correlation": round(float(np.corrcoef(confidence, right)[0, 1]), 4),
        "cross_entropy": round(cross_entropy(confidence, right), 4),
        "mean": round(float(confidence.mean()), 4),
    }


def bins(confidence: Floats, right: Bools, count: int = 5) -> list[dict[str, Any]]:
    """Returns bins of equally many words, by ascending confidence, with the share of right words."""
    order = np.array_split(np.argsort(confidence, kind="stable"), count)
    return [
        {
            "words": len(members),
            "confidence": round(float(confidence[members].mean()), 3),
            "right": round(float(right[members].mean()), 3),
        }
        for members in order
    ]
