"""The scanner of PLF lines."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NoReturn

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.core.symbols import EPSILON, SymbolTable
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import finite, natural, shown

Scores = Literal["probability", "log", "cost"]

EPSILON_WORD = "*EPS*"

MAX_SCORES = 100_000_000
"""The most scores of one lattice, counting a 0 for each score of another arc that an arc lacks."""

_TOKEN = re.compile(
    r"""[ \t]*(?:(?P<word>[uU]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))|(?P<number>[-+.\w]+)|(?P<mark>[(){},:])|$)"""
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


@dataclass
class PlfReader:
    """Reads one line from left to right."""

    line: str
    scores: Scores
    score_name: str
    symbols: SymbolTable
    path: str | Path | None
    line_number: int | None
    position: int = 0
    nodes: int = 0
    arcs: list[tuple[int, int, int]] = field(default_factory=list)  # source, target, column of the line
    labels: list[int] = field(default_factory=list)
    columns: dict[str, dict[int, float]] = field(default_factory=dict)  # costs by name and arc

    def fail(self, message: str, remedy: str, place: int | None = None) -> NoReturn:
        column = (self.position if place is None else place) + 1
        raise FormatError(f"column {column}: {message}", path=self.path, line=self.line_number, remedy=remedy)

    def take(self) -> tuple[str, str]:
        """Returns the kind (word, number, mark or end) and the text of the next token."""
        match = _TOKEN.match(self.line, self.position)
        if match is None:
            self.fail(f"unexpected {shown(self.line[self.position :])}", "close all quotes and brackets")
        self.position = match.end()
        return match.lastgroup or "end", match[match.lastgroup or 0]

    def expect(self, mark: str, what: str) -> None:
        place = self.position
        found = self.take()[1]
        if found != mark:
            self.fail(f"{shown(found)} where {mark!r} must stand, {what}", "write ((('word',score,distance),),)", place)

    def more(self, what: str) -> bool:
        """Tells whether another element begins, after an optional comma; takes the closing bracket otherwise."""
        place = self.position
        found = self.take()[1]
        if found == "(":
            return True
        if found != ")":
            self.fail(f"{shown(found)} where {what} must begin or end", "write ((('word',score,distance),),)", place)
        return False

    def comma(self) -> None:
        place = self.position
        if self.take()[1] != ",":
            self.position = place

    def lattice(self) -> None:
        self.expect("(", "at the beginning of a lattice")
        while self.more("a node"):
            while self.more("an arc"):
                self.arc()
                self.comma()
            self.nodes += 1
            self.comma()
        if self.take()[0] != "end":
            self.fail("more text after the end of the lattice", "write one lattice on each line")

    def arc(self) -> None:
        place = self.position
        self.labels.append(self.word_label(self.word()))
        numbers: list[str] = []
        self.expect(",", "after a word")
        self.scores_of_arc(numbers)
        distance = natural(numbers[-1]) if numbers else None
        if not distance:
            self.fail("the distance of an arc is no number from 1 on", "end an arc with its distance", place)
        for rank, text in enumerate(numbers[:-1]):
            self.keep(self.score_name if rank == 0 else f"score{rank + 1}", text)
        self.arcs.append((self.nodes, self.nodes + distance, place))

    def scores_of_arc(self, numbers: list[str]) -> None:
        while True:
            kind, text = self.take()
            if kind == "number":
                numbers.append(text)
            elif text == "{" and not numbers:
                self.dictionary()
            elif text == ")" and numbers:
                return
            else:
                self.fail(f"unexpected {shown(text)} in an arc", "write ('word',score,distance)")
            kind, text = self.take()
            if text == ")":
                return
            if text != ",":
                self.fail(f"{shown(text)} where a comma or a bracket must stand", "write ('word',score,distance)")

    def dictionary(self) -> None:
        while True:
            place = self.position
            if self.take()[1] == "}":
                return
            self.position = place
            name = self.word()
            self.expect(":", "after the name of a score")
            self.keep(name, self.take()[1])
            text = self.take()[1]
            if text == "}":
                return
            if text != ",":
                self.fail(f"{shown(text)} where a comma or a brace must stand", "write {'name':score,'name':score}")

    def keep(self, name: str, text: str) -> None:
        value = finite(text)
        if value is None:
            self.fail(f"a score is not a finite number: {shown(text)}", "write scores as decimal numbers")
        if self.scores == "probability":
            if value <= 0:
                self.fail(f"{value} is no probability", "pass scores='log' or 'cost' (--scores), or leave the arc out")
            value = 0.0 - math.log(value)
        elif self.scores == "log":
            value = 0.0 - value
        self.columns.setdefault(name, {})[len(self.arcs)] = value

    def filled_columns(self) -> dict[str, Floats]:
        """Returns the score columns, 0 where an arc lacks a score."""
        if len(self.columns) * len(self.arcs) > MAX_SCORES:
            self.fail(f"{len(self.columns)} kinds of scores on {len(self.arcs)} arcs", "leave rare scores out")
        columns = {name: np.zeros(len(self.arcs)) for name in self.columns}
        for name, values in self.columns.items():
            columns[name][list(values)] = list(values.values())
        return columns

    def word(self) -> str:
        place = self.position
        kind, text = self.take()
        if kind != "word" or len(text.lstrip("uU")) < 3:
            self.fail(f"{shown(text)} where a quoted word must stand", "write 'word' in quotes", place)
        text = text.lstrip("uU")[1:-1]
        if "\\" not in text:
            return text
        try:
            word = _ESCAPE.sub(_unescape, text)
            word.encode("utf-8")
        except (ValueError, OverflowError):
            self.fail(f"an escape that is no character in {shown(text)}", "write the character itself", place)
        return word

    def word_label(self, word: str) -> int:
        return EPSILON if word == EPSILON_WORD else self.symbols.add(word)


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _SIMPLE_ESCAPES.get(code, match[0])
