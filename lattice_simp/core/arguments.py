"""Checks arguments of operations: numbers and mappings."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from typing import Any

from lattice_simp.core.columns import is_cost
from lattice_simp.errors import LatticeSimpError


def real(value: Any, name: str) -> float:
    """Converts an argument to a float, which may be infinite.

    >>> real(10**400, "the beam")
    Traceback (most recent call last):
    lattice_simp.errors.LatticeSimpError: the beam is too large for a floating-point number

    Raises:
        LatticeSimpError: the number is NaN, or too large for a float.
        TypeError: the value is not a number.
    """
    try:
        number = 0.0 + value
    except TypeError:
        raise TypeError(f"{name} must be a number, not {value!r:.80}") from None
    except OverflowError:
        raise LatticeSimpError(f"{name} is too large for a floating-point number") from None
    if math.isnan(number):
        raise LatticeSimpError(f"{name} is nan; give a number")
    return float(number)


def finite_real(value: Any, name: str) -> float:
    """Converts an argument to a finite float, up to 1e100; see `real`."""
    number = real(value, name)
    if not is_cost(number):
        raise LatticeSimpError(f"{name} is {number}; give a finite number up to 1e100")
    return number


def scale_of_costs(value: Any) -> float:
    """Converts an argument to a scale above 0 and up to 1e100."""
    scale = finite_real(value, "the scale of the costs")
    if scale <= 0:
        raise LatticeSimpError(f"the scale of the costs is {scale}; give a number above 0")
    return scale


def beam_of(value: Any) -> float:
    """Converts an argument to a beam in nats, which may be infinite."""
    beam = math.inf if value is None else real(value, "the beam")
    if beam < 0:
        raise LatticeSimpError(f"the beam is {beam}; give a number of nats from 0 up")
    return beam


def whole(value: Any, name: str, least: float = -math.inf) -> int:
    """Converts an argument to a whole number of at least `least`.

    >>> whole(2.5, "n", 1)
    Traceback (most recent call last):
    TypeError: n must be a whole number, not 2.5

    Raises:
        LatticeSimpError: the number is below `least`.
        TypeError: the value is not a whole number.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    number = operator.index(value)
    if number < least:
        raise LatticeSimpError(f"{name} is {number}; give a number from {least} up")
    return number


def one_or_more(value: Any, name: str) -> tuple[int, ...]:
    """Converts an argument, a whole number or several, to their tuple.

    >>> one_or_more(2, "the end"), one_or_more([2, 3], "the end")
    ((2,), (2, 3))

    Raises:
        LatticeSimpError: there are none, or one is negative.
        TypeError: one is not a whole number.
    """
    numbers = tuple(whole(number, name, 0) for number in (value if isinstance(value, Iterable) else [value]))
    if not numbers:
        raise LatticeSimpError(f"{name} is {value!r}; give a number, or several")
    return numbers


def mapping(value: Any, name: str) -> Mapping[Any, Any]:
    """Returns the argument if it is a mapping, and raises a TypeError otherwise."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a mapping, not {type(value).__name__}")
    return value
