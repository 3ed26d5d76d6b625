"""Settings that are options of the command line, too: declared once, at the field."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def option(default: Any, flag: str, help: str) -> Any:
    """Returns a dataclass field that the commands offer as `--flag`.

    Args:
        default: the field's default.
        flag: the option's name without its dashes; the field of nested settings that may be None becomes a switch.
        help: a line for users.
    """
    return field(default=default, metadata={"flag": flag, "help": help})
