"""The ratio of lengths against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.metrics.length import length_ratio


def line(length):
    return " ".join("w" * length)


def test_each_output_is_compared_with_the_reference_of_the_closest_length():
    """Of two equally close references, the shorter one counts, whatever their order."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        outputs, references = rng.integers(0, 8, 6), rng.integers(0, 8, (3, 6))
        closest = [
            min(column, key=lambda value: (abs(value - output), value))
            for output, column in zip(outputs, references.T, strict=True)
        ]
        expected = outputs.sum() / sum(closest) if sum(closest) else 0.0
        actual = length_ratio(3).corpus_score(list(map(line, outputs)), [list(map(line, row)) for row in references])
        assert actual == pytest.approx(expected), f"seed {seed}"


def test_the_ratio_to_references_without_tokens_is_0():
    assert length_ratio(1).corpus_score(["a b"], [[""]]) == 0.0
    assert length_ratio(2).corpus_score(["a b"], [["a"], ["a b c"]]) == 2.0
