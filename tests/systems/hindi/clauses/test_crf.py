"""The scores of a conditional random field: sums of its weights."""

from __future__ import annotations

import numpy as np

from lattice_simp.systems.hindi.clauses.crf import LinearChain


def test_scores_are_the_sums_of_the_weights_of_known_features_in_double_precision():
    weights = np.array([[1.0, 0.5], *([2.0**-25, 0.0],) * 64], dtype=np.float32)
    chain = LinearChain(("A", "B"), {f"f{row}": row for row in range(65)}, weights, np.zeros((2, 2)))
    every = [f"f{row}" for row in range(65)]
    result = chain.scores([every, ["f0", "unknown"], ["unknown"], []])
    assert result.dtype == np.float64
    assert result.tolist() == [[1.0 + 64 * 2.0**-25, 0.5], [1.0, 0.5], [0.0, 0.0], [0.0, 0.0]]
