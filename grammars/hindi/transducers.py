"""Building blocks of transducers over Hindi text, costs from tables, and the strings of transducers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pynini

from lattice_simp.support.tables import Row


def acceptor(text: str) -> Any:
    """Returns the acceptor of a string, in which brackets have no special meaning.

    >>> acceptor("[घर]").string("utf8")
    '[घर]'
    """
    return pynini.accep(pynini.escape(text), token_type="utf8")


def any_of(texts: Iterable[str]) -> Any:
    """Returns the acceptor of several strings."""
    return pynini.union(*map(acceptor, texts))


def cross(source: str, target: str, cost: float = 0.0) -> Any:
    """Returns the transducer from one string to another, at a cost in nats."""
    fst = pynini.cross(acceptor(source), acceptor(target))
    return weighted(fst, cost) if cost else fst


def weighted(fst: Any, cost: float) -> Any:
    """Returns a transducer with a cost, in nats, added to all paths."""
    return fst + pynini.accep("", weight=cost, token_type="utf8")


def strings(fst: Any) -> list[str]:
    """Returns all output strings of an acyclic transducer, the cheapest first."""
    plain = pynini.project(fst, "output").rmepsilon()
    if plain.start() == -1:
        return []
    paths = plain.paths(output_token_type="utf8")
    return [string for _, string in sorted((float(weight), string) for _, string, weight in paths.items())]


def cheapest(fst: Any) -> tuple[str, float] | None:
    """Returns the cheapest output string of a transducer and its cost in nats; None if it accepts nothing."""
    best = pynini.shortestpath(fst)
    if best.start() == -1:
        return None
    cost = float(pynini.shortestdistance(best, reverse=True)[best.start()])
    return best.project("output").rmepsilon().string("utf8"), cost


def cost_of(row: Row) -> float:
    """Reads the cell `cost` of a row, in nats, at least 0 (so that cycles have a cheapest path); an empty cell is 0."""
    try:
        cost = float(row["cost"] or 0)
    except ValueError:
        cost = math.nan
    if not 0 <= cost < math.inf:
        raise row.error(f"not a cost: {row['cost']!r}", "write a decimal number from 0 on")
    return cost
