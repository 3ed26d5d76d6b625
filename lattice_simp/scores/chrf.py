"""chrF (Popović 2015): the formula over counts of character n-grams."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats

BETA = 2
"""How much more recall weighs than precision in chrF2."""


def chrf_score(
    hypothesis: npt.ArrayLike, reference: npt.ArrayLike, matches: npt.ArrayLike, *, scale: float = 1.0
) -> Floats:
    """Returns chrF2 of n-gram counts, (..., orders) each, to (...), from 0 to `scale`.

    >>> float(chrf_score([4, 3], [4, 3], [4, 0]))
    0.5

    Orders that hypothesis or reference are too short for do not count.
    """
    hypothesis, reference, matches = (np.asarray(counts) for counts in (hypothesis, reference, matches))
    effective = (hypothesis > 0) & (reference > 0)
    orders = np.maximum(effective.sum(axis=-1), 1)
    precision = (matches / np.maximum(hypothesis, 1)).sum(axis=-1, where=effective) / orders
    recall = (matches / np.maximum(reference, 1)).sum(axis=-1, where=effective) / orders
    factor = float(BETA**2)
    below = factor * precision + recall
    above = scale * (1.0 + factor) * precision * recall
    return np.asarray(np.divide(above, below, out=np.zeros(np.shape(below)), where=below > 0))
