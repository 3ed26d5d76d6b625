"""Checks arguments of operations: numbers, flags, names, mappings and objects of our classes."""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import numpy as np

from lattice_simp.core.columns import is_cost
from lattice_simp.errors import LatticeSimpError

Kind = TypeVar("Kind")


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
        number = float(0.0 + value)
    except TypeError:
        raise TypeError(f"{name} must be a number, not {value!r:.80}") from None
    except OverflowError:
        raise LatticeSimpError(f"{name} is too large for a floating-point number") from None
    if math.isnan(number):
        raise LatticeSimpError(f"{name} is nan; give a number")
    return number


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
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r:.80}") from None
    if isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not {value}")
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
    numbers = tuple(whole(number, name, 0) for number in (value if np.iterable(value) else [value]))
    if not numbers:
        raise LatticeSimpError(f"{name} is {value!r}; give a number, or several")
    return numbers


def reals(values: Any, name: str) -> list[float]:
    """Converts an argument to a list of floats, which may be infinite.

    >>> reals(np.array([1, 2]), "the shares")
    [1.0, 2.0]

    Raises:
        LatticeSimpError: a number is NaN, or too large for a float.
        TypeError: the value is not a list, or an element is not a number.
    """
    if isinstance(values, str | bytes | Mapping) or not np.iterable(values):
        raise TypeError(f"{name} must be a list of numbers, not {values!r:.80}")
    return [real(value, f"each of {name}") for value in values]


def flag(value: Any, name: str) -> bool:
    """Converts an argument to True or False, and raises a TypeError for anything else.

    >>> flag(np.bool_(True), "unique")
    True
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, not {value!r:.80}")
    return bool(value)


def mapping(value: Any, name: str) -> Mapping[Any, Any]:
    """Returns the argument if it is a mapping, and raises a TypeError otherwise."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a mapping, not {type(value).__name__}")
    return value


def choice(value: Any, known: Collection[str], name: str) -> None:
    """Raises an error unless an argument is one of the known names.

    >>> choice("max", ("sum", "min"), "aggregation")
    Traceback (most recent call last):
    lattice_simp.errors.LatticeSimpError: unknown aggregation 'max'; known are sum, min
    """
    if not isinstance(value, str) or value not in known:
        raise LatticeSimpError(f"unknown {name} {value!r:.80}; known are {', '.join(known)}")


def instance(value: Any, kind: type, name: str, remedy: str = "") -> None:
    """Raises a TypeError unless an argument is of a class; `remedy` says how to make one.

    >>> instance("a cat", dict, "the weights", "dict(pairs)")
    Traceback (most recent call last):
    TypeError: the weights must be a dict, not str; make it: dict(pairs)
    """
    if not isinstance(value, kind):
        ending = f"; make it: {remedy}" if remedy else ""
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise TypeError(f"{name} must be {article} {kind.__name__}, not {type(value).__name__}{ending}")


def methods(value: Any, names: Collection[str], name: str, remedy: str) -> None:
    """Raises a TypeError unless an object has these methods or attributes; `remedy` names a class that has them.

    >>> methods("model", ["reset"], "the model", "a llama_cpp.Llama")
    Traceback (most recent call last):
    TypeError: the model must be a llama_cpp.Llama, not str: it has no 'reset'
    """
    missing = next((attribute for attribute in names if not hasattr(value, attribute)), None)
    if missing is not None:
        raise TypeError(f"{name} must be {remedy}, not {type(value).__name__}: it has no {missing!r}")


def instances(values: Any, kind: type[Kind], name: str, remedy: str = "") -> list[Kind]:
    """Converts an argument to a list of objects of a class; `name` says what each of them is.

    >>> instances([{"a": 1}], dict, "a row")
    [{'a': 1}]

    Raises:
        TypeError: the value is not a list of them.
    """
    if isinstance(values, kind) or not np.iterable(values):
        instance(values, list, f"a list of values, each {name},")
    objects = list(values)
    for value in objects:
        instance(value, kind, name, remedy)
    return objects
