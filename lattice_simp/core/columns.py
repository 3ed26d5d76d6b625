"""Checks columns of numbers from callers before a conversion could hide their errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Bools, Floats, Longs
from lattice_simp.errors import InvalidLatticeError

LARGEST = int(np.iinfo(np.int32).max)
"""The largest state or label; kernels number both with 32 bits."""

LARGEST_COST = 1e100
"""The largest cost or score; sums of many and products of two stay far below the largest float."""

LARGEST_SUM = 1e200
"""The largest cost or score in the results of operations: sums of `LARGEST_COST` exceed it."""


def finite_up_to(largest: float) -> str:
    """Describes costs and scores in messages.

    >>> finite_up_to(1e100)
    'finite numbers up to 1e100'
    """
    return f"finite numbers up to {largest:.0e}".replace("+", "")


FINITE = finite_up_to(LARGEST_COST)


def whole_numbers(values: npt.ArrayLike, what: str) -> Longs:
    """Returns a column of states or labels, int64.

    >>> whole_numbers([1, 2.5], "labels")
    Traceback (most recent call last):
    lattice_simp.errors.InvalidLatticeError: labels must be whole numbers, not float64

    Raises:
        InvalidLatticeError: the values are not whole numbers, need more than 32 bits, or are not a column.
    """
    column = _column(values, what)
    if not column.size:
        return np.zeros(0, dtype=np.int64)
    if column.dtype.kind not in "iu":
        raise InvalidLatticeError(f"{what} must be whole numbers, not {column.dtype}")
    least, most = int(column.min()), int(column.max())
    if max(most, -least) > LARGEST:
        beyond = most if most > LARGEST else least
        raise InvalidLatticeError(f"a state or label of {beyond}: numbers go up to {LARGEST}")
    return column.astype(np.int64)


def real_numbers(values: npt.ArrayLike, what: str) -> Floats:
    """Returns a new column of costs or scores, float64.

    Raises:
        InvalidLatticeError: the values are not numbers, or not a column.
    """
    column = _column(values, what)
    if column.size and column.dtype.kind not in "biuf":
        raise InvalidLatticeError(f"{what} must be numbers, not {column.dtype}")
    return column.astype(np.float64)


def is_cost(number: Any) -> bool:
    """Returns whether a Python or numpy number may be a cost or a score: a finite one, up to 1e100.

    >>> is_cost(2.5), is_cost(1e308), is_cost(10**400), is_cost(float("nan"))
    (True, False, False, False)

    Raises:
        TypeError: the value is not a number.
    """
    try:
        return abs(float(number)) <= LARGEST_COST
    except OverflowError:
        return False


def are_costs(values: Floats, largest: float = LARGEST_COST) -> Bools:
    """Returns which numbers may be costs or scores; see `is_cost`."""
    result: Bools = np.abs(values) <= np.float64(largest)  # a float would become infinite in single precision
    return result


def _column(values: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    try:
        column = np.asarray(values)
    except (ValueError, OverflowError) as error:  # rows of several lengths, for example
        raise InvalidLatticeError(f"{what} must be one list of numbers") from error
    if column.ndim != 1:
        raise InvalidLatticeError(f"{what} must be one list of numbers, not an array of shape {column.shape}")
    return column


UNKNOWN_LOG = 200.0
"""The number that stands for the log of an unknown probability; formats that store probabilities can hold it."""


def log_probabilities(probabilities: npt.ArrayLike) -> Floats:
    """Returns natural logs of probabilities; that of 0 is the log of the smallest normal number, about -708.

    >>> log_probabilities([1.0, 0.5, 0.0, np.nan]).round(3).tolist()
    [0.0, -0.693, -708.396, 200.0]

    An unknown probability (NaN) becomes `UNKNOWN_LOG`.
    """
    logs = np.log(np.maximum(probabilities, np.finfo(np.float64).tiny))
    return np.where(np.isnan(logs), UNKNOWN_LOG, logs)


def probabilities_of(logs: Floats) -> Floats:
    """Returns the probabilities whose natural logs are given; NaN for `UNKNOWN_LOG`.

    >>> probabilities_of(log_probabilities([0.5, np.nan])).tolist()
    [0.5, nan]
    """
    return np.where(are_unknown(logs), np.nan, np.exp(np.minimum(logs, 0.0)))


def are_unknown(logs: Floats) -> Bools:
    """Returns which logs stand for unknown probabilities, up to rounding."""
    return logs > UNKNOWN_LOG - 1.0
