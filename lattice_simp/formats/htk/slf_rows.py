r"""Reads the usual lines of SLF files in columns: all nodes, then all links, with values without quotes and escapes.

>>> header, nodes, links = plain_rows("N=2 L=1\nI=0 t=0\nI=1 t=0.5\nJ=0 S=0 E=1 W=cat a=-3\n", {"a"})
>>> nodes.numbers.tolist(), nodes.columns["t"].tolist()
([[0], [1]], [0.0, 0.5])
>>> links.numbers.tolist(), links.words, links.columns["a"].tolist(), links.lines.tolist(), header
([[0, 1]], ['cat'], [-3.0], [4], ['N=2 L=1'])
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lattice_simp.core.columns import are_costs
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.support.groups import grouped

LONG_NAMES = {"START": "S", "END": "E", "WORD": "W", "NODES": "N", "LINKS": "L"} | {
    "acoustic": "a",
    "ngram": "n",
    "language": "l",
    "posterior": "p",
    "time": "t",
    "var": "v",
    "div": "d",
}
"""The short names of fields by their long names."""

NODE, LINK = ("I",), ("S", "E")
"""The fields of a line whose values are numbers of nodes."""

_BODY = re.compile(r"(?P<nodes>(?:^I=[^\n]*\n)+)(?P<links>(?:J=[^\n]*(?:\n|\Z))*)", re.MULTILINE)
_END = re.compile(r"\s*(?:\.\s*)?\Z")
_VALUE = re.compile(r"=[^ \t\r\n]*[ \t\r]*")
_BLANKS = r"[ \t]+"
_MOST_SHAPES = 16

_PATTERNS = {
    "number": "([-+.0-9eE]+)",
    "node": "([0-9]{1,18})",
    "word": r"""((?:[^\s"'\\][^\s\\]*)?)""",
    "other": r"""[^\s"'\\]*""",
}


@dataclass(frozen=True)
class Rows:
    """Nodes or links.

    Attributes:
        lines: (rows,) int64, the numbers of their lines in the file, from 1.
        numbers: (rows, 1 or 2) int64: the node, or the source and the target of the link.
        words: the word of each row; None if it has none.
        columns: the numbers in other fields, (rows,) float64; NaN where a row has no such field.
        unread_fields: the names of unread fields.
    """

    lines: Longs
    numbers: Longs
    words: Sequence[str | None]
    columns: dict[str, Floats]
    unread_fields: frozenset[str] = frozenset()


class _Shape(NamedTuple):
    """Lines with the same fields in the same order: a pattern, and the names of its groups and of the other fields."""

    pattern: re.Pattern[str]
    names: tuple[str, ...]
    unread_fields: frozenset[str]


_Group = tuple[Sequence[int], _Shape | None, list[tuple[str, ...]]]


def plain_rows(text: str, scores: Collection[str]) -> tuple[list[str], Rows, Rows] | None:
    """Returns the lines before the nodes, the nodes, and the links; None for text that must be read line by line.

    Args:
        text: the text of a file.
        scores: the fields of nodes and links that hold numbers, apart from the times of nodes.
    """
    body = _BODY.search(text)
    if body is None or _END.match(text, body.end()) is None:
        return None
    header = text[: body.start()].split("\n")[:-1]
    nodes = _rows(body["nodes"], len(header) + 1, NODE, frozenset({*scores, "t"}))
    if nodes is None:
        return None
    links = _rows(body["links"], len(header) + 1 + len(nodes.lines), LINK, frozenset(scores))
    return None if links is None else (header, nodes, links)


def _rows(text: str, first: int, ids: tuple[str, ...], scores: frozenset[str]) -> Rows | None:
    lines = text.removesuffix("\n").split("\n") if text else []
    numbers, columns = np.empty((len(lines), len(ids)), dtype=np.int64), dict[str, Floats]()
    words: list[str | None] = [None] * len(lines)
    unread_fields = frozenset[str]()
    for places, shape, matches in _groups(lines, ids, scores):
        if shape is None or len(matches) != len(places):
            return None
        unread_fields |= shape.unread_fields
        for name, values in zip(shape.names, zip(*matches, strict=True), strict=False):
            if name == "W":
                for place, word in zip(places, values, strict=True):
                    words[place] = word
            elif name in ids:
                numbers[places, ids.index(name)] = list(map(int, values))
            elif not _add_numbers(columns.setdefault(name, np.full(len(lines), np.nan)), places, values):
                return None
    return Rows(np.arange(first, first + len(lines)), numbers, words, columns, unread_fields)


def _add_numbers(column: Floats, places: Sequence[int], values: Sequence[str]) -> bool:
    """Writes numbers into a column; returns whether all are finite."""
    try:
        numbers = np.array(list(map(float, values)))
    except ValueError:
        return False
    column[places] = numbers
    return bool(are_costs(numbers).all())


def _groups(lines: list[str], ids: tuple[str, ...], scores: frozenset[str]) -> Iterator[_Group]:
    """Yields the indices of lines with the same fields, their shape, and the matches of its pattern."""
    if not lines:
        return
    text, shape = "\n".join(lines), _shape(_names(lines[0]), ids, scores)
    matches = [] if shape is None else shape.pattern.findall(text)
    if len(matches) == len(lines):
        yield range(len(lines)), shape, matches
        return
    groups = grouped((signature, place) for place, signature in enumerate(_VALUE.sub("=", text).split("\n")))
    if len(groups) > _MOST_SHAPES:
        yield (), None, []
        return
    for places in groups.values():
        shape = _shape(_names(lines[places[0]]), ids, scores)
        chosen = "\n".join([lines[place] for place in places])
        yield places, shape, [] if shape is None else shape.pattern.findall(chosen)


def _names(line: str) -> tuple[str, ...]:
    return tuple(field.partition("=")[0] for field in line.split())


@lru_cache(maxsize=256)
def _shape(names: tuple[str, ...], ids: tuple[str, ...], scores: frozenset[str]) -> _Shape | None:
    """Returns the shape of lines with these fields; None if a plain node or link cannot have them."""
    short = [LONG_NAMES.get(name, name) for name in names]
    if not all(names) or len(set(short)) < len(short) or not set(ids) <= set(short):
        return None
    if not {"L", "SUBLAT"}.isdisjoint(short) if ids == NODE else "I" in short:
        return None
    kinds = {**dict.fromkeys(scores, "number"), **dict.fromkeys(ids, "node"), "W": "word"}
    parts = [f"{re.escape(name)}={_PATTERNS[kinds.get(key, 'other')]}" for name, key in zip(names, short, strict=True)]
    captured = tuple(key for key in short if key in kinds)
    pattern = re.compile(rf"^{_BLANKS.join(parts)}()[ \t]*\r?$", re.MULTILINE)
    return _Shape(pattern, captured, frozenset(short) - set(captured))
