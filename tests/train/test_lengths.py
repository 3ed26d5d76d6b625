"""Development sentences chosen by the ratio of their lengths."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.train.lengths import balanced, length_ratios


def test_ratios_are_of_tokens_and_of_the_mean_of_references():
    ratios = length_ratios(["a b c", "a", "", "a b"], [["x", "x", "x", ""], ["x x x x x", "x", "x", "x"]])
    assert ratios[:2].tolist() == [1.0, 1.0]
    assert np.isnan(ratios[2:]).all()


@pytest.mark.parametrize("mean", [0.9, 1.0, 1.1, 1.2])
def test_the_chosen_ones_have_the_mean_and_are_spread(mean):
    for seed in range(20):
        ratios = np.exp(np.random.default_rng(seed).normal(0.08, 0.2, 600))
        ratios[::50] = np.nan
        chosen = balanced(ratios, 200, mean)
        assert len(set(chosen.tolist())) == 200
        assert chosen.tolist() == sorted(chosen.tolist())
        assert ratios[chosen].mean() == pytest.approx(mean, abs=0.01), seed
        assert ratios[chosen].std() > 0.08, seed


def test_what_is_out_of_reach_comes_as_near_as_it_can():
    ratios = np.array([1.0, 2.0, 3.0, np.nan])
    assert balanced(ratios, 2, 0.5).tolist() == [0, 1]
    assert balanced(ratios, 2, 9.0).tolist() == [1, 2]
    assert balanced(ratios, 5, 1.0).tolist() == [0, 1, 2]
    assert balanced(np.array([np.nan]), 5, 1.0).tolist() == []
