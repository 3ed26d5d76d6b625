"""The lines of an HTK SLF file: header fields, nodes and links, with their scores as costs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from lattice_simp.errors import FormatError
from lattice_simp.formats.common import finite, natural, shown

X_FIELDS = tuple(f"x{rank}" for rank in range(1, 10))
COLUMNS = {"a": "acoustic", "n": "ngram", "l": "lm", "r": "pronunciation", "ds": "duration"} | dict(
    zip(X_FIELDS, X_FIELDS, strict=True)
)
"""The fields of log scores and the columns they become."""

_LONG_NAMES = {"START": "S", "END": "E", "WORD": "W", "NODES": "N", "LINKS": "L"} | {
    "acoustic": "a",
    "ngram": "n",
    "language": "l",
}
_FIELD = re.compile(
    r"""[ \t]*([^\s=]+)=("(?:[^"\\]|\\.)*"(?![^ \t])|'(?:[^'\\]|\\.)*'(?![^ \t])|(?:[^ \t\\]|\\.)*(?![^ \t]))"""
)
_SKIPPED = re.compile(r"[ \t]*[^ \t]*")
_OCTAL = re.compile(rb"\\(0[1-3][0-7]{2}|[0-7]{3}|.)", re.DOTALL)


@dataclass
class Link:
    line: int
    source: int
    target: int
    word: str | None
    scores: dict[str, float]


@dataclass
class SlfReader:
    """Collects header fields, nodes and links; costs are natural already."""

    path: str | Path | None
    header: dict[str, tuple[str, int]] = field(default_factory=dict)  # values and lines
    nodes: dict[int, tuple[str | None, dict[str, float]]] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    base: float | None = None

    def fail(self, line: int | None, message: str, remedy: str) -> NoReturn:
        raise FormatError(message, path=self.path, line=line, remedy=remedy)

    def line(self, number: int, line: str) -> bool:
        """Takes one line; tells whether the lattice goes on."""
        if line == ".":
            return False
        match = _FIELD.match(line)
        if match is None:
            self.fail(number, f"no SLF line: {shown(line)}", "write name=value fields separated by blanks")
        if match[1] not in ("I", "J"):
            fields = self.fields(number, line, strict=False)
            self.header.update((name, (text, number)) for name, text in fields.items())
            return True
        fields = self.fields(number, line, strict=True)
        if "I" in fields:
            self.node(number, fields)
        else:
            self.link(number, fields)
        return True

    def fields(self, number: int, line: str, *, strict: bool) -> dict[str, str]:
        """Returns the fields of a line; where that is not strict, what is no field is left out."""
        fields, position = {}, 0
        while position < len(line):
            match = _FIELD.match(line, position)
            if match is not None:
                try:
                    fields[_LONG_NAMES.get(match[1], match[1])] = _unquoted(match[2])
                except UnicodeDecodeError:
                    self.fail(number, f"no UTF-8 text in {shown(match[0])}", "convert the lattice to UTF-8")
            elif strict:
                self.fail(number, f"no SLF field: {shown(line[position:])}", "write name=value; quote odd words")
            else:
                match = _SKIPPED.match(line, position)
                assert match is not None
            position = match.end()
        return fields

    def node(self, number: int, fields: dict[str, str]) -> None:
        name = self.node_number(number, fields, "I")
        if name in self.nodes:
            self.fail(number, f"the node {name} occurs twice", "give each node a line of its own number")
        if "L" in fields or "SUBLAT" in fields:
            self.fail(number, "sublattices cannot be read", "expand the lattice first, for example with HTK's HBuild")
        self.nodes[name] = (fields.get("W"), self.scores(number, fields))

    def link(self, number: int, fields: dict[str, str]) -> None:
        source, target = self.node_number(number, fields, "S"), self.node_number(number, fields, "E")
        self.links.append(Link(number, source, target, fields.get("W"), self.scores(number, fields)))

    def node_number(self, number: int, fields: Mapping[str, str], name: str) -> int:
        value = natural(fields.get(name, ""))
        if value is None:
            found = f"{name}={fields[name][:40]}" if name in fields else f"no field {name}="
            self.fail(number, f"no node number: {found}", "write node numbers from 0 on")
        return value

    def scores(self, number: int, fields: dict[str, str]) -> dict[str, float]:
        scores = {name: self.cost(number, fields[name], name) for name in COLUMNS if name in fields}
        if "p" in fields:
            scores["p"] = self.number(number, fields["p"], "p")
        return scores

    def number(self, number: int | None, text: str, name: str) -> float:
        value = finite(text)
        if value is None:
            self.fail(number, f"{name}={text[:40]} is not a finite number", "write scores as decimal numbers")
        return value

    def cost(self, number: int | None, text: str, name: str) -> float:
        value = self.number(number, text, name)
        if self.base is None:
            self.base = self.log_of_base()
        if self.base:
            return 0.0 - value * self.base
        if value <= 0:
            self.fail(number, f"{name}={text[:40]} is no probability", "leave the link out, or write logs with base=")
        return 0.0 - math.log(value)

    def log_of_base(self) -> float:
        """Returns the natural log of the base of the scores, or 0 for probabilities."""
        text, line = self.header.get("base", ("", None))
        base = self.number(line, text, "base") if text else math.e
        if base < 0 or base == 1:
            self.fail(line, f"base={text} is no base of logs", "write base=2.718281828459045, base=10 or base=0")
        return math.log(base) if base else 0.0

    def word_penalty(self) -> float:
        """Returns the cost of each word."""
        text, line = self.header.get("wdpenalty", ("", None))
        nothing = not text or (self.log_of_base() == 0 and finite(text) == 0)  # where scores are probabilities
        return 0.0 if nothing else self.cost(line, text, "wdpenalty")

    def header_number(self, name: str, default: float) -> float:
        return self.number(self.header[name][1], self.header[name][0], name) if name in self.header else default


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if "\\" not in value:
        return value
    return _OCTAL.sub(_character, value.encode("utf-8")).decode("utf-8")


def _character(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 255]) if len(code) > 1 else code
