"""Krippendorff's alpha of all levels: a published example, and its definition pair by pair."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np
import pytest
from helpers import needs

from lattice_simp.metrics import krippendorff_alpha

needs("annotation", "nltk")

OBSERVERS = (
    "1 2 3 3 2 1 4 1 2 - - -",
    "1 2 3 3 2 2 4 1 2 5 - 3",
    "- 3 3 3 2 3 4 2 2 5 1 -",
    "1 2 3 3 2 4 4 1 2 5 1 -",
)
"""Values of twelve units (Krippendorff 2011, section C)."""


def distance_between(level, values):
    """The squared difference of two values; for ranks, from the counts of the values between them."""
    if level == "nominal":
        return lambda first, second: float(first != second)
    if level == "interval":
        return lambda first, second: float((first - second) ** 2)

    def ordinal(first, second):
        low, high = sorted((first, second))
        between = sum(low <= value <= high for value in values)
        return (between - (values.count(low) + values.count(high)) / 2) ** 2 if low < high else 0.0

    return ordinal


def alpha_by_pairs(units, level):
    units = [values for values in units if len(values) > 1]
    together = [value for values in units for value in values]
    distance = distance_between(level, together)
    observed = sum(distance(*pair) / (len(values) - 1) for values in units for pair in permutations(values, 2))
    expected = sum(distance(*pair) for pair in permutations(together, 2)) / (len(together) - 1)
    return 1 - observed / expected


@pytest.mark.parametrize(("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_a_published_example(level, expected):
    cells = [(unit, int(text)) for row in OBSERVERS for unit, text in enumerate(row.split()) if text != "-"]
    unit, value = np.array(cells, np.int64).T
    assert krippendorff_alpha(unit, value, level) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_against_all_pairs(level):
    for seed in range(60):
        rng = random.Random(seed)
        units = [[rng.randint(1, 5) for _ in range(rng.randrange(5))] for _ in range(rng.randrange(2, 9))]
        unit = np.array([number for number, values in enumerate(units) for _ in values], np.int64)
        value = np.array([entry for values in units for entry in values], np.int64)
        pairable = {entry for values in units if len(values) > 1 for entry in values}
        actual = krippendorff_alpha(unit, value, level)
        expected = pytest.approx(alpha_by_pairs(units, level)) if len(pairable) > 1 else None
        assert actual == expected, f"seed {seed}"
