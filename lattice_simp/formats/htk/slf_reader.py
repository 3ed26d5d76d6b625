"""Reads the lines of SLF files: the fields of the header, nodes, and links, whose scores become costs in nats."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import numpy as np

from lattice_simp.core.header import Header
from lattice_simp.core.kernel import Floats
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import beyond, finite, natural, shown
from lattice_simp.formats.htk.slf_fields import COLUMNS, SCALES
from lattice_simp.formats.htk.slf_rows import LONG_NAMES, Rows

_FIELD = re.compile(
    r"""[ \t]*([^\s=]+)=("(?:[^"\\]|\\.)*"(?![^ \t])|'(?:[^'\\]|\\.)*'(?![^ \t])|(?:[^ \t\\]|\\.)*(?![^ \t]))"""
)
_SKIPPED = re.compile(r"[ \t]*[^ \t]*")
_OCTAL = re.compile(rb"\\(0[1-3][0-7]{2}|[0-7]{3}|.)", re.DOTALL)
_NO_FACTS = {"VERSION", "UTTERANCE", "N", "L", "start", "end", "dir", "wdpenalty", *SCALES.values()}
TIME_SCALE = "tscale"
_SPHINX, _SPHINX_BASE = "Sphinx", 1.0001
"""The name in comments of CMU Sphinx's files, and the base of its logs."""

NODE_LINES = "write a line I= for each node and J= for each link"
_SUBLATTICES = ("sublattices cannot be read", "expand the lattice first, for example with HTK's HBuild")


@dataclass
class _Link:
    line: int
    source: int
    target: int
    word: str | None
    scores: dict[str, float]


@dataclass
class Reader:
    """Collects header fields, nodes and links, with scores converted to costs in nats."""

    path: str | Path | None
    header: dict[str, tuple[str, int]] = field(default_factory=dict)  # the values and their lines
    nodes: dict[int, tuple[str | None, dict[str, float]]] = field(default_factory=dict)
    times: dict[int, float] = field(default_factory=dict)  # the times of nodes, in seconds
    links: list[_Link] = field(default_factory=list)
    base: float | None = None
    unread: set[str] = field(default_factory=set)
    is_sphinx: bool = False  # whether a comment says so

    def fail(self, line: int | None, message: str, remedy: str) -> NoReturn:
        raise FormatError(message, path=self.path, line=line, remedy=remedy)

    def read(self, lines: Iterable[str]) -> bool:
        """Reads lines, from the first of the file on; returns whether the lattice continues."""
        continues = True
        for number, line in enumerate(lines, 1):
            line = line.removesuffix("\r").strip(" \t")
            if not line or line[0] == "#":
                self.is_sphinx |= _SPHINX in line
                continue
            if not continues:
                self.fail(number, "another lattice begins", "write each lattice to a separate file")
            continues = self.line(number, line)
        return continues

    def take(self, nodes: Rows, links: Rows) -> bool:
        """Turns the scores of plain rows into costs; returns False if they must be read line by line.

        That is the case if nodes occur twice, or scores are probabilities.
        """
        if len(np.unique(nodes.numbers)) < len(nodes.numbers):
            return False
        for rows in (nodes, links):
            for name in COLUMNS.keys() & rows.columns.keys():
                if self.base is None:
                    self.base = self.log_of_base()
                if not self.base:
                    return False
                rows.columns[name] = 0.0 - rows.columns[name] * self.base
        return True

    def rows(self) -> tuple[Rows, Rows]:
        """Returns the nodes and the links; without lines for nodes, as in lattices of Moses, those that have links."""
        if self.links and not self.nodes:
            self.add_nodes_of_links()
        nodes = [
            {**scores, **({"t": self.times[name]} if name in self.times else {})}
            for name, (_, scores) in self.nodes.items()
        ]
        numbers = np.array([[name] for name in self.nodes], dtype=np.int64).reshape(-1, 1)
        words = [word for word, _ in self.nodes.values()]
        ends = np.array([(link.source, link.target) for link in self.links], dtype=np.int64).reshape(-1, 2)
        lines = np.array([link.line for link in self.links], dtype=np.int64)
        of_links = [link.scores for link in self.links]
        return (
            Rows(np.zeros(len(nodes), dtype=np.int64), numbers, words, _columns(nodes), frozenset(self.unread)),
            Rows(lines, ends, [link.word for link in self.links], _columns(of_links)),
        )

    def add_nodes_of_links(self) -> None:
        """Adds the nodes that have links; the first is the start and the last the end, unless the header says more."""
        names = sorted({name for link in self.links for name in (link.source, link.target)})
        count, line = self.header.pop("N", (str(names[-1] + 1), None))
        if natural(count) is None or int(count) <= names[-1]:
            self.fail(line, f"the header announces {count[:40]} nodes, but a link names {names[-1]}", NODE_LINES)
        self.nodes = dict.fromkeys(names, (None, {}))
        self.header = {"start": (str(names[0]), 1), "end": (str(names[-1]), 1), **self.header}

    def line(self, number: int, line: str) -> bool:
        """Reads a line; returns whether the lattice continues."""
        if line == ".":
            return False
        match = _FIELD.match(line)
        if match is None:
            self.fail(number, f"not an SLF line: {shown(line)}", "write name=value fields separated by blanks")
        if match[1] not in ("I", "J"):
            fields = self.fields(number, line, strict=False)
            fields |= {"UTTERANCE": fields.pop("U")} if "U" in fields else {}
            if "SUBLAT" in fields:
                self.fail(number, *_SUBLATTICES)
            self.header.update((name, (text, number)) for name, text in fields.items())
            return True
        fields = self.fields(number, line, strict=True)
        if "I" in fields:
            self.node(number, fields)
        else:
            self.link(number, fields)
        return True

    def fields(self, number: int, line: str, *, strict: bool) -> dict[str, str]:
        """Returns the fields of a line; without `strict`, skips text that is not a field."""
        fields, position = {}, 0
        while position < len(line):
            match = _FIELD.match(line, position)
            if match is not None:
                try:
                    fields[LONG_NAMES.get(match[1], match[1])] = unquoted(match[2])
                except UnicodeDecodeError:
                    self.fail(number, f"bytes that are not UTF-8 in {shown(match[0])}", "convert the lattice to UTF-8")
            elif strict:
                self.fail(number, f"not an SLF field: {shown(line[position:])}", "write name=value; quote odd words")
            else:
                match = _SKIPPED.match(line, position)
                assert match is not None
            position = match.end()
        return fields

    def node(self, number: int, fields: dict[str, str]) -> None:
        name = self.node_number(number, fields, "I")
        if name in self.nodes:
            self.fail(number, f"the node {name} occurs twice", "give each node a different number")
        if "L" in fields or "SUBLAT" in fields:
            self.fail(number, *_SUBLATTICES)
        self.nodes[name] = (fields.get("W"), self.scores(number, fields))
        if "t" in fields:
            self.times[name] = self.number(number, fields["t"], "t")

    def link(self, number: int, fields: dict[str, str]) -> None:
        source, target = self.node_number(number, fields, "S"), self.node_number(number, fields, "E")
        self.links.append(_Link(number, source, target, fields.get("W"), self.scores(number, fields)))

    def node_number(self, number: int, fields: Mapping[str, str], name: str) -> int:
        value = natural(fields.get(name, ""))
        if value is None:
            shown_field = f"{name}={fields[name][:40]}" if name in fields else f"no field {name}="
            self.fail(number, f"not a node number: {shown_field}", "write node numbers from 0 up")
        return value

    def scores(self, number: int, fields: dict[str, str]) -> dict[str, float]:
        scores = {name: self.cost(number, text, name) for name, text in fields.items() if name in COLUMNS}
        if "p" in fields:
            scores["p"] = self.number(number, fields["p"], "p")
        self.unread |= fields.keys()
        return scores

    def number(self, number: int | None, text: str, name: str) -> float:
        value = finite(text)
        if value is None:
            message = f"{name}={text[:40]} is not a finite number{beyond(text)}"
            self.fail(number, message, "write scores as decimal numbers")
        return value

    def cost(self, number: int | None, text: str, name: str) -> float:
        value = self.number(number, text, name)
        if self.base is None:
            self.base = self.log_of_base()
        if self.base:
            return 0.0 - value * self.base
        if value <= 0:
            self.fail(
                number, f"{name}={text[:40]} is not a probability", "leave the link out, or write logs with base="
            )
        return 0.0 - math.log(value)

    def log_of_base(self) -> float:
        """Returns the natural log of the base of the scores, or 0 for probabilities."""
        text, line = self.header.get("base", ("", None))
        base = self.number(line, text, "base") if text else math.e
        if base < 0 or base == 1:
            self.fail(line, f"base={text} is not a base of logs", "write base=2.718281828459045, base=10 or base=0")
        return math.log(base) if base else 0.0

    @property
    def words_begin_at_nodes(self) -> bool:
        """Whether the time of a node is the begin of its word, as in lattices of CMU Sphinx, and not its end."""
        return self.is_sphinx or self.header_number("base", math.e) == _SPHINX_BASE

    def time_unit(self) -> float:
        """Returns the number of seconds that the unit of times has."""
        unit = self.header_number(TIME_SCALE, 1.0)
        if unit <= 0:
            text, line = self.header[TIME_SCALE]
            self.fail(line, f"{TIME_SCALE}={text[:40]} is not a unit of times", "write its length in seconds")
        return unit

    def word_penalty(self) -> float:
        """Returns the cost of each word."""
        text, line = self.header.get("wdpenalty", ("", None))
        nothing = not text or (self.log_of_base() == 0 and finite(text) == 0)  # wdpenalty=0 among probabilities
        return 0.0 if nothing else self.cost(line, text, "wdpenalty")

    def lattice_header(
        self, scales: Mapping[str, float], word_score: float, start: float, unread: Collection[str]
    ) -> Header:
        """Returns the lattice's header, with the scales of the scores that occur."""
        header_scales = {name: self.header_number(key, 0.0) for name, key in SCALES.items() if key in self.header}
        return Header(
            name=self.header["UTTERANCE"][0] if "UTTERANCE" in self.header else None,
            scales={COLUMNS[name]: scale for name, scale in {**header_scales, **scales}.items()},
            word_score=word_score,
            start=start,
            fields={
                name: "1.0" if name == TIME_SCALE else text  # times of lattices are seconds
                for name, (text, _) in self.header.items()
                if name not in _NO_FACTS
            },
            unread=tuple(sorted(unread)),
        )

    def header_number(self, name: str, default: float) -> float:
        return self.number(self.header[name][1], self.header[name][0], name) if name in self.header else default


def _columns(rows: Sequence[Mapping[str, float]]) -> dict[str, Floats]:
    """Returns the numbers of each field, NaN where a row has none."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: np.array([row.get(name, np.nan) for row in rows]) for name in names}


def unquoted(value: str) -> str:
    r"""Returns a value of HTK without its quotes and escapes.

    >>> unquoted(r'"l\'eau"'), unquoted(r"caf\303\251")
    ("l'eau", 'café')
    """
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if "\\" not in value:
        return value
    return _OCTAL.sub(_character, value.encode("utf-8")).decode("utf-8")


def _character(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 255]) if len(code) > 1 else code
