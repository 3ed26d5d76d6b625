"""Division of counts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats


def ratio(above: npt.ArrayLike, below: npt.ArrayLike) -> Floats:
    """Returns quotients, 0 where the divisor is not positive.

    >>> ratio([1.0, 2.0], [4.0, 0.0]).tolist()
    [0.25, 0.0]
    """
    numerator, divisor = np.broadcast_arrays(np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64))
    return np.divide(numerator, divisor, out=np.zeros(divisor.shape), where=divisor > 0)
