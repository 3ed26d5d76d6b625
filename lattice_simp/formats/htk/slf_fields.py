"""The fields of HTK's Standard Lattice Format (SLF): their features, their scales, and the costs of links."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lattice_simp.core.kernel import Floats, Ints
from lattice_simp.core.symbols import EPSILON

NULL_WORD = "!NULL"
"""The word of links without one."""

X_FIELDS = tuple(f"x{rank}" for rank in range(1, 10))
"""The fields of further scores; lattices of Moses have more of them, with two digits."""

X_READ = (*X_FIELDS, *(f"x{rank}" for rank in range(10, 100)))
COLUMNS = {"a": "acoustic", "n": "ngram", "l": "lm", "r": "pronunciation", "ds": "duration"} | dict(
    zip(X_READ, X_READ, strict=True)
)
"""The fields of log scores, with their features."""

SCALES = {"a": "acscale", "n": "ngscale", "l": "lmscale", "r": "prscale", "ds": "duscale"} | {
    name: f"{name}scale" for name in X_READ
}
"""The fields of the header with the scales of scores."""

DEFAULT_SCALES = dict.fromkeys(SCALES, 0.0) | {"a": 1.0, "n": 1.0, "l": 1.0, "r": 1.0}


def link_costs(labels: Ints, columns: Mapping[str, Floats], scales: Mapping[str, float], penalty: float) -> Floats:
    """Returns the costs of links, summed in SRILM's order: the penalty comes before the scores `x1` to `x9`."""
    weights = np.zeros(len(labels))
    with np.errstate(over="ignore", invalid="ignore"):  # the lattice's checks report costs that are not finite
        for names in (COLUMNS.keys() - set(X_READ), X_READ):
            for name in COLUMNS:
                if name in names and name in columns and scales[name]:
                    weights = weights + scales[name] * columns[name]
            if names is not X_READ:
                weights = weights + np.where(labels == EPSILON, 0.0, penalty)
    return weights
