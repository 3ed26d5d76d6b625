"""Chains against enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lattice_simp.skeleton.automatic.chain import Chain


def random_chain(seed, length):
    rng = np.random.default_rng(seed)
    return Chain(rng.normal(0, 2, length), rng.normal(0, 1, (2, 2)))


def scores(chain):
    """Returns the score of every mask."""
    table = {}
    for mask in itertools.product((False, True), repeat=len(chain.keep)):
        result = sum(score for score, kept in zip(chain.keep, mask, strict=True) if kept)
        moves = sum(chain.transitions[int(a), int(b)] for a, b in itertools.pairwise(mask))
        table[mask] = float(result + moves)
    return table


def test_marginals_and_best_masks():
    for seed in range(20):
        chain = random_chain(seed, 1 + seed % 8)
        table = scores(chain)
        odds = {mask: np.exp(score) for mask, score in table.items()}
        total = sum(odds.values())
        expected = [sum(odds[mask] for mask in odds if mask[position]) / total for position in range(len(chain.keep))]
        np.testing.assert_allclose(chain.marginals(), expected, rtol=1e-9, err_msg=str(seed))
        ranked = sorted(table, key=lambda mask: -table[mask])
        assert chain.best_masks(9) == ranked[:9], seed
        assert chain.best_mask() == ranked[0], seed


@pytest.mark.parametrize("rate", [0.1, 0.4, 0.75, 1.0])
def test_a_rate_is_met_as_nearly_as_any_shift_meets_it(rate):
    for seed in range(10):
        chain = random_chain(seed, 10)
        reachable = {sum(chain.shifted(shift).best_mask()) / 10 for shift in np.arange(-16, 16, 0.01)} - {0.0}
        met = sum(chain.at_rate(rate).best_mask()) / 10
        assert abs(met - rate) <= min(abs(other - rate) for other in reachable) + 1e-9
