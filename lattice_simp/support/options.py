"""Declares settings that are also options of the command line, once, at the field."""

from __future__ import annotations

from dataclasses import field, is_dataclass
from types import UnionType
from typing import Any, get_args


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
