"""The order of small whole numbers."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.sorting import counting_order


def test_the_order_is_numpys():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(1, 9))
        keys = rng.integers(0, size, size=rng.integers(0, 40)).astype(np.int32)
        assert counting_order(keys, size).tolist() == np.argsort(keys, kind="stable").tolist(), seed
