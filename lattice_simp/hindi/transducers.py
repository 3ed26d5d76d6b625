"""Small pieces of transducers over Hindi text, and their costs in tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pynini

from lattice_simp.errors import FormatError


def acceptor(text: str) -> Any:
    """Returns the acceptor of one string; brackets in it mean nothing special.

    >>> acceptor("[घर]").string("utf8")
    '[घर]'
    """
    return pynini.accep(pynini.escape(text), token_type="utf8")


def any_of(texts: Iterable[str]) -> Any:
    """Returns the acceptor of one string out of several."""
    return pynini.union(*map(acceptor, texts))


def cross(one: str, other: str) -> Any:
    """Returns the transducer of a string to another one."""
    return pynini.cross(acceptor(one), acceptor(other))


def cost_of(cell: str, path: Path, line: int) -> float:
    """Reads a table's cost, in nats; an empty cell is 0.

    >>> cost_of("1.5", Path("a.tsv"), 3), cost_of("", Path("a.tsv"), 4)
    (1.5, 0.0)

    Raises:
        FormatError: it is no finite number from 0 on: with costs below 0, a cycle would have no cheapest path.
    """
    try:
        cost = float(cell or 0)
    except ValueError:
        cost = math.nan
    if not 0 <= cost < math.inf:
        raise FormatError(f"no cost: {cell!r}", path=path, line=line, remedy="write a decimal number from 0 on")
    return cost
