"""Measures of confidence against what is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lattice_simp.core.kernel import Bools, Floats

FLOOR = 0.01
"""Confidence is taken for at least this and at most 1 minus this where its logarithm counts."""


def area_under_curve(confidence: Floats, right: Bools) -> float:
    """Returns the share of pairs of a right and a wrong word in which the right one has the greater confidence.

    >>> area_under_curve(np.array([0.9, 0.5, 0.5]), np.array([True, True, False]))
    0.75
    """
    low, high = np.sort(confidence[~right]), confidence[right]
    below, not_above = np.searchsorted(low, high), np.searchsorted(low, high, side="right")
    return float((below + not_above).sum() / 2 / (len(low) * len(high)))


def cross_entropy(confidence: Floats, right: Bools) -> float:
    """Returns the mean negative log probability of what is, in nats."""
    clipped = np.clip(confidence, FLOOR, 1.0 - FLOOR)
    return float(-np.log(np.where(right, clipped, 1.0 - clipped)).mean())


def measured(confidence: Floats, right: Bools) -> Mapping[str, Any]:
    """Returns all measures of one kind of confidence."""
    return {
        "auc": round(area_under_curve(confidence, right), 4),
        "correlation": round(float(np.corrcoef(confidence, right)[0, 1]), 4),
        "cross_entropy": round(cross_entropy(confidence, right), 4),
        "mean": round(float(confidence.mean()), 4),
    }


def bins(confidence: Floats, right: Bools, count: int = 5) -> list[dict[str, Any]]:
    """Returns, from the least confidence to the greatest, equal shares of the words and how many are right."""
    order = np.array_split(np.argsort(confidence, kind="stable"), count)
    return [
        {
            "words": len(own),
            "confidence": round(float(confidence[own].mean()), 3),
            "right": round(float(right[own].mean()), 3),
        }
        for own in order
    ]
