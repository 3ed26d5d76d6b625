"""Declares settings that are also options of the command line, once, at the field, and reads them from mappings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields, is_dataclass, replace
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from lattice_simp.errors import LatticeSimpError

Settings = TypeVar("Settings")


def option(default: Any, flag: str, help: str, *, least: int | None = None) -> Any:
    """Returns a dataclass field that the commands offer as `--flag`.

    Args:
        default: the field's default.
        flag: the option's name without its dashes; a field of nested settings that may be None becomes a switch.
        help: the help text.
        least: the smallest number that the commands accept.
    """
    return field(default=default, metadata={"flag": flag, "help": help, "least": least})


def kinds_of_field(kind: Any) -> tuple[Any, ...]:
    """Returns the types that a field's annotation allows.

    >>> kinds_of_field(int | None)
    (<class 'int'>, <class 'NoneType'>)
    """
    return get_args(kind) if isinstance(kind, UnionType) else (kind,)


def nested_kind(kind: Any) -> Any:
    """Returns the class of the settings that a field holds (possibly optional), or None for a plain value."""
    return next((part for part in kinds_of_field(kind) if is_dataclass(part)), None)


def updated(settings: Settings, values: Any, section: str = "") -> Settings:
    """Returns settings with the values replaced that nested mappings name; lists become tuples.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Beam:
    ...     width: int = 10
    >>> updated(Beam(), {"width": 4}).width
    4

    Args:
        settings: a frozen dataclass.
        values: the new values by the names of fields.
        section: begins the names in errors, for example `skeleton.`.

    Raises:
        LatticeSimpError: an unknown name, a value of another type, or one out of range; names the field.
    """
    if not isinstance(values, Mapping):
        raise LatticeSimpError(f"{section.rstrip('.') or 'the settings'}: names with values are needed, not {values!r}")
    names = [entry.name for entry in fields(settings)]  # type: ignore[arg-type]
    unknown = sorted(f"{section}{name}" for name in set(values) - set(names))
    if unknown:
        raise LatticeSimpError(f"unknown settings {', '.join(unknown)}; known are {', '.join(sorted(names))}")
    kinds = get_type_hints(type(settings))
    changed: dict[str, Any] = {}
    for name, value in values.items():
        kind, kinds_of_value = nested_kind(kinds[name]), kinds_of_field(kinds[name])
        if kind is not None and not (value is None and NoneType in kinds_of_value):
            value = updated(getattr(settings, name) or kind(), value, f"{section}{name}.")
        elif not any(_is_of(value, allowed) for allowed in kinds_of_value):
            expected = " or ".join(_NEEDED.get(allowed, "") or _choices(allowed) for allowed in kinds_of_value)
            raise LatticeSimpError(f"{section}{name} is {value!r}; give {expected}")
        changed[name] = tuple(value) if isinstance(value, list) else value
    try:
        return replace(settings, **changed)  # type: ignore[type-var]
    except LatticeSimpError as error:
        raise LatticeSimpError(f"{section.rstrip('.')}: {error}" if section else str(error)) from None


_NEEDED = {
    int: "a whole number",
    float: "a number",
    str: "a string",
    bool: "true or false",
    NoneType: "null",
    tuple[str, ...]: "a list of strings",
    dict[str, str]: "an object of strings",
}
"""The names of types in messages."""


def _is_of(value: Any, kind: Any) -> bool:
    """Returns whether a value fits a field's type: whole numbers are numbers, Booleans are not."""
    origin = get_origin(kind)
    if origin is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if origin is Callable:
        return callable(value)
    if origin in (tuple, dict):
        entries = value.values() if isinstance(value, dict) else value
        return isinstance(value, list if origin is tuple else dict) and all(isinstance(entry, str) for entry in entries)
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    return isinstance(value, {int: Integral, float: Real}.get(kind, kind))


def _choices(kind: Any) -> str:
    return " or ".join(map(repr, get_args(kind))) if get_origin(kind) is Literal else "a function"
