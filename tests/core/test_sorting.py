"""Sorting in kernels, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.core.sorting import counting_order, sort_first, stable_order


def test_the_order_of_small_numbers_is_numpys():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(1, 9))
        keys = rng.integers(0, size, size=rng.integers(0, 40)).astype(np.int32)
        assert counting_order(keys, size).tolist() == np.argsort(keys, kind="stable").tolist(), seed


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.int32])
def test_the_stable_order_is_numpys(kind):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        keys = rng.integers(-5, 50, size=rng.integers(0, 200)).astype(kind)
        assert stable_order(keys).tolist() == np.argsort(keys, kind="stable").tolist(), seed


def test_only_the_first_keys_are_sorted():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        keys = rng.integers(-5, 50, size=rng.integers(1, 200))
        count = int(rng.integers(0, len(keys) + 1))
        expected = [*sorted(keys[:count].tolist()), *keys[count:].tolist()]
        sort_first(keys, count)
        assert keys.tolist() == expected, seed
