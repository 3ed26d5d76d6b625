"""Chooses development sentences by the ratio of their lengths, so that tuned weights do not distort output lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.core.symbols import split_tokens

_ROUNDING = 1e-9


def length_ratios(sources: Sequence[str], references: Sequence[Sequence[str]]) -> Floats:
    """Returns (lines,) float64, the tokens of each source over the mean of its references; nan where a side is empty.

    >>> length_ratios(["a b", "a", ""], [["x y z w", "x", "x"]]).tolist()
    [0.5, 1.0, nan]
    """
    lengths: Floats = np.array([[len(split_tokens(line)) for line in lines] for lines in (sources, *references)], float)
    lengths[lengths == 0] = np.nan
    ratios: Floats = lengths[0] / lengths[1:].mean(axis=0)
    return ratios


def balanced(ratios: Floats, count: int, mean: float) -> Longs:
    """Returns the sorted indices of up to `count` ratios whose mean is about `mean`; nan is left out.

    The largest ratios are left out until the rest has this mean, or the smallest ones if the mean of all is below it;
    of the rest, `count` are taken, evenly spread over the values.

    >>> ratios = np.array([0.8, 1.2, 1.0, 0.9, 1.6, 1.1, 1.0, 1.4])
    >>> balanced(ratios, 4, 1.0).tolist()
    [0, 1, 2, 6]
    """
    numbers = np.flatnonzero(~np.isnan(ratios))
    ordered = numbers[np.argsort(ratios[numbers], kind="stable")]
    means = np.cumsum(ratios[ordered]) / np.arange(1, len(ordered) + 1)
    if len(ordered) and means[-1] <= mean:  # then leave out the smallest instead
        ordered = ordered[::-1]
        means = -np.cumsum(ratios[ordered]) / np.arange(1, len(ordered) + 1)
        mean = -mean
    size = min(count, len(ordered))
    kept = max(size, int(np.sum(means <= mean + _ROUNDING)))
    places: Longs = ordered[(np.arange(size) * kept + kept // 2) // max(size, 1)]
    return np.sort(places)
