r"""PLF, the Python Lattice Format of Moses and cdec: one lattice on each line.

A lattice is a tuple of nodes, a node is a tuple of arcs, and an arc `('word', score, distance)` leads `distance` nodes
forward. Instead of the score there may be nothing, several numbers, or a dictionary of named scores. The last node has
no arcs, is final, and is not written. `*EPS*` is the empty word.

>>> lattice = parse_plf("((('a',0.5,1),('the',0.5,1),),(('cat',1.0,1),),)")
>>> lattice
Lattice(acceptor, 3 states, 3 arcs, 4 symbols)
>>> format_plf(lattice)
"((('a',0.5,1),('the',0.5,1),),(('cat',1.0,1),),)"
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np

from lattice_simp.core.columns import LARGEST_COST
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import INFINITY, Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable
from lattice_simp.errors import FormatError, InvalidLatticeError, warn
from lattice_simp.formats.common import (
    Format,
    beyond,
    checked_lattice,
    finite,
    natural,
    probability_text,
    require_acceptor,
    scored_losses,
    shown,
    single_final,
)
from lattice_simp.formats.named_lattices import Add, single_writer
from lattice_simp.support.textio import decode, open_text, read_lines

Scores = Literal["probability", "log", "cost"]

EPSILON_WORD = "*EPS*"

_ROUNDED = 0.01  # nats that a probability may exceed 1 by

ZERO_COST = 100.0
"""The cost of a probability of 0, in nats: the floor of Moses."""

MAX_SCORES = 100_000_000
"""The most scores of a lattice, counting scores of other arcs that an arc lacks."""

_TOKEN = re.compile(
    r"""[ \t]*(?:(?P<word>[uU]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))|(?P<number>[-+.\w]+)|(?P<mark>[(){},:])|$)"""
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


_TO_ESCAPE = {ord("\\"): "\\\\", ord("'"): "\\'", ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}


def read_plf(
    path: str | Path,
    symbols: SymbolTable | None = None,
    *,
    scores: Scores = "probability",
    score_name: str = "weight",
) -> Iterator[Lattice]:
    """Yields the lattices of a PLF file, which share `symbols`; see `parse_plf`.

    An empty line is an empty sentence: its lattice accepts the empty string.

    Raises:
        FormatError: as `parse_plf`, or the file is empty.
    """
    symbols = SymbolTable.of(symbols)
    number, has_gains = 0, False
    for number, line in enumerate(read_lines(path), 1):
        lattice = parse_plf(
            line if line.strip(" \t") else "()",
            symbols,
            scores=scores,
            score_name=score_name,
            path=path,
            line_number=number,
        )
        has_gains = has_gains or warn_of_gains(lattice, scores, path, number)
        yield lattice
    if number == 0:
        raise FormatError("the file is empty", path=path, remedy="write one lattice on each line")


def warn_of_gains(lattice: Lattice, scores: Scores, path: str | Path | None, line: int | None) -> bool:
    """Warns of numbers above 1 that are read as probabilities; returns whether there are any."""
    has_gains = scores == "probability" and bool((lattice.weights < -_ROUNDED).any())
    if has_gains:
        message = f"a number above 1, {math.exp(-lattice.weights.min()):.6g}, is read as a probability"
        warn(message, path=path, line=line, remedy="read logs or costs with scores= (--plf-scores log or cost)")
    return has_gains


def parse_plf(
    line: str,
    symbols: SymbolTable | None = None,
    *,
    scores: Scores = "probability",
    score_name: str = "weight",
    path: str | Path | None = None,
    line_number: int | None = None,
) -> Lattice:
    """Parses a line of PLF.

    >>> lattice = parse_plf("((('a',{'lm':-0.5,'tm':-2.0},1),),)", scores="log", score_name="lm")
    >>> lattice.weights.tolist(), lattice.features["tm"].tolist()
    ([0.5], [-2.0])

    Args:
        line: the line.
        symbols: the table that numbers the words; it grows as needed. A new one if None.
        scores: the meaning of the numbers: probabilities (as in Moses; 0 costs 100 nats, as there), natural logs of
            probabilities (as in cdec), or costs (negative logs).
        score_name: the entry of a dictionary that becomes the weight; without it the weight is 0. All other entries
            become features (logs; 0 if an arc lacks them). A single number is the weight; of several numbers the
            first is the weight, and the others become the features `score2`, `score3` ...
        path: the file's name, for errors.
        line_number: the line's number, for errors.

    Raises:
        FormatError: the line is broken; the message names the column.
    """
    if scores not in ("probability", "log", "cost"):
        raise FormatError(f"unknown kind of scores: {scores!r}", remedy="choose probability, log or cost")
    reader = _Reader(line, scores, score_name, SymbolTable.of(symbols), path, line_number)
    reader.lattice()
    num_states = reader.nodes + 1
    for _, target, position in reader.arcs:
        if target >= num_states:
            reader.fail(
                "a distance that leads out of the lattice", "let every arc end in a node of the lattice", position
            )
    finals = [INFINITY] * reader.nodes + [0.0]
    targets = [target for _, target, _ in reader.arcs]
    sources = [source for source, _, _ in reader.arcs]
    columns = reader.filled_columns()
    weights = columns.pop(score_name, np.zeros(len(targets)))
    columns = {name: 0.0 - costs for name, costs in columns.items()}
    return checked_lattice(path, sources, reader.labels, weights, targets, finals, reader.symbols, features=columns)


def format_plf(
    lattice: Lattice, *, scores: Scores = "probability", score_name: str = "weight", features: bool = True
) -> str:
    r"""Returns a lattice as one line of PLF (without the line's end).

    >>> format_plf(Lattice.from_strings([("it 's", 2.0)]), scores="cost")
    "((('it',0.0,1),),(('\\'s',2.0,1),),)"

    The lattice is sorted topologically if necessary. Unless its last state is its only final state, with cost 0, it
    gets a new last state and `*EPS*` arcs to it with the final costs. In a lattice with features, each arc has a
    dictionary of all features and, as `score_name`, the weight; Moses reads such lines only without the features.

    Reading the line back gives the same costs if `scores` is "log" or "cost", and with "probability" if they were
    read from probabilities; other costs near 0 may change by 1e-16, the distance of probabilities near 1.

    Args:
        lattice: an acceptor without cycles.
        scores: the numbers to write: probabilities, natural logs of probabilities, or costs.
        score_name: the name of the weight in an arc's dictionary.
        features: whether to write the features; the costs are the same without them.

    Raises:
        InvalidLatticeError: the lattice is a transducer, a cost is not a probability in double precision, or a feature
            has the name of the weight.
        EmptyLatticeError: no state is final.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_acceptor(lattice, "PLF")
    lattice = lattice if features else reduce(Lattice.without_feature, lattice.features, lattice)
    if score_name in lattice.features:
        raise InvalidLatticeError(f"a feature is called {score_name!r} (choose another score_name)")
    if "" in lattice.features:
        raise InvalidLatticeError("PLF cannot represent a feature whose name is empty (rename it, or leave it out)")
    lattice, _ = single_final(lattice.topsorted(), last=True)
    words = [EPSILON_WORD, *lattice.symbols.words[1:]]
    used = set(lattice.olabels.tolist())
    if any(label != EPSILON and words[label] == EPSILON_WORD for label in used):
        raise InvalidLatticeError(f"PLF cannot represent the word {EPSILON_WORD!r}, which means epsilon")
    quoted = {label: f"'{words[label].translate(_TO_ESCAPE)}'" for label in used}
    weights = [_format_score(cost, scores) for cost in lattice.weights.tolist()]
    if lattice.features:
        names = [f"'{name.translate(_TO_ESCAPE)}':" for name in (score_name, *lattice.features)]
        columns = [[_format_score(0.0 - score, scores) for score in row.tolist()] for row in lattice.features.values()]
        entries = zip(weights, *columns, strict=True)
        weights = ["{" + ",".join(map("".join, zip(names, row, strict=True))) + "}" for row in entries]
    distances = (lattice.nextstates - lattice.sources).tolist()
    arcs = [
        f"({quoted[label]},{weight},{distance}),"
        for label, weight, distance in zip(lattice.olabels.tolist(), weights, distances, strict=True)
    ]
    offsets = lattice.offsets.tolist()
    nodes = [f"({''.join(arcs[offsets[q] : offsets[q + 1]])})," for q in range(lattice.num_states - 1)]
    return f"({''.join(nodes)})"


def write_plf(
    lattices: Iterable[Lattice],
    path: str | Path,
    *,
    scores: Scores = "probability",
    score_name: str = "weight",
    features: bool = True,
) -> None:
    """Writes lattices to a PLF file, one on each line; see `format_plf`.

    Raises:
        LatticeSimpError: as `format_plf`, or the file cannot be written.
    """
    with plf_archive(path, scores=scores, score_name=score_name, features=features) as add:
        for lattice in lattices:
            add("", lattice)


@contextmanager
def plf_archive(path: str | Path, **options: Any) -> Iterator[Add]:
    """Yields a function that adds a line with a lattice to a new file; names are not written.

    Args:
        path: the file; it appears when it is complete.
        options: options of `format_plf`.

    Raises:
        LatticeSimpError: as `format_plf`, or the file cannot be written.
    """
    with open_text(path, "w") as file:

        def add(_: str, lattice: Lattice) -> None:
            file.write(format_plf(lattice, **options) + "\n")

        yield add


def _format_score(cost: float, scores: Scores) -> str:
    if scores != "probability":
        return repr(cost if scores == "cost" else 0.0 - cost)
    return probability_text(cost, "write scores='log': --plf-scores log")


# ---------------------------------------------------------------- reading


@dataclass
class _Reader:
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

    def fail(self, message: str, remedy: str, position: int | None = None) -> NoReturn:
        column = (self.position if position is None else position) + 1
        raise FormatError(f"column {column}: {message}", path=self.path, line=self.line_number, remedy=remedy)

    def take(self) -> tuple[str, str]:
        """Returns the kind (word, number, mark or end) and the text of the next token."""
        match = _TOKEN.match(self.line, self.position)
        if match is None:
            self.fail(f"unexpected {shown(self.line[self.position :])}", "close all quotes and brackets")
        self.position = match.end()
        return match.lastgroup or "end", match[match.lastgroup or 0]

    def expect(self, mark: str, what: str) -> None:
        position = self.position
        token = self.take()[1]
        if token != mark:
            self.fail(
                f"{shown(token)} where {mark!r} is expected, {what}", "write ((('word',score,distance),),)", position
            )

    def more(self, what: str) -> bool:
        """Returns whether another element begins, after an optional comma; takes the closing bracket otherwise."""
        position = self.position
        token = self.take()[1]
        if token == "(":
            return True
        if token != ")":
            self.fail(f"{shown(token)} where {what} must begin or end", "write ((('word',score,distance),),)", position)
        return False

    def comma(self) -> None:
        position = self.position
        if self.take()[1] != ",":
            self.position = position

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
        position = self.position
        self.labels.append(self.word_label(self.word()))
        numbers: list[str] = []
        self.expect(",", "after a word")
        self.scores_of_arc(numbers)
        distance = natural(numbers[-1]) if numbers else None
        if not distance:
            self.fail("the distance of an arc is not a number from 1 up", "end an arc with its distance", position)
        for rank, text in enumerate(numbers[:-1]):
            self.keep(self.score_name if rank == 0 else f"score{rank + 1}", text)
        self.arcs.append((self.nodes, self.nodes + distance, position))

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
                self.fail(f"{shown(text)} where a comma or a bracket is expected", "write ('word',score,distance)")

    def dictionary(self) -> None:
        while True:
            position = self.position
            if self.take()[1] == "}":
                return
            self.position = position
            name = self.word()
            self.expect(":", "after the name of a score")
            self.keep(name, self.take()[1])
            text = self.take()[1]
            if text == "}":
                return
            if text != ",":
                self.fail(f"{shown(text)} where a comma or a brace is expected", "write {'name':score,'name':score}")

    def keep(self, name: str, text: str) -> None:
        value = finite(text, math.inf if self.scores == "probability" else LARGEST_COST)
        if value is None:
            self.fail(f"a score is not a finite number: {shown(text)}{beyond(text)}", "write scores as decimal numbers")
        if self.scores == "probability":
            if value < 0:
                self.fail(
                    f"{value} is not a probability",
                    "read it with scores='log' or 'cost' (--plf-scores log or cost)",
                )
            value = 0.0 - math.log(value) if value else ZERO_COST
        elif self.scores == "log":
            value = 0.0 - value
        self.columns.setdefault(name, {})[len(self.arcs)] = value

    def filled_columns(self) -> dict[str, Floats]:
        """Returns the columns of scores; a missing score is 0."""
        if len(self.columns) * len(self.arcs) > MAX_SCORES:
            self.fail(f"{len(self.columns)} kinds of scores on {len(self.arcs)} arcs", "leave rare scores out")
        columns = {name: np.zeros(len(self.arcs)) for name in self.columns}
        for name, values in self.columns.items():
            columns[name][list(values)] = list(values.values())
        return columns

    def word(self) -> str:
        position = self.position
        kind, text = self.take()
        if kind != "word" or len(text.lstrip("uU")) < 3:
            self.fail(f"{shown(text)} where a quoted word is expected", "write 'word' in quotes", position)
        text = text.lstrip("uU")[1:-1]
        if "\\" not in text:
            return text
        try:
            word = _ESCAPE.sub(_unescape, text)
            word.encode("utf-8")
        except (ValueError, OverflowError):
            self.fail(f"an escape that is not a character in {shown(text)}", "write the character itself", position)
        return word

    def word_label(self, word: str) -> int:
        return EPSILON if word == EPSILON_WORD else self.symbols.add(word)


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _SIMPLE_ESCAPES.get(code, match[0])


def _parse_only(data: bytes, *, path: str | Path, symbols: SymbolTable | None, **options: Any) -> Lattice:
    lines = decode(data, path).removesuffix("\n").split("\n")
    if len(lines) > 1:
        message = f"{len(lines)} lattices in one file"
        raise FormatError(
            message, path=path, line=2, remedy="read them one by one with read_all, or formats.moses.plf.read_plf"
        )
    lattice = parse_plf(lines[0].removesuffix("\r"), symbols, path=path, line_number=1, **options)
    warn_of_gains(lattice, options.get("scores", "probability"), path, 1)
    return lattice


_SNIFFED = re.compile(rb"\(\s*(?:\)|\(\s*(?:\)|\(\s*[uU]?['\"])|\Z)")
"""No nodes, a node without arcs, or a word: other brackets belong to trees or plain text."""

FORMAT = Format(
    (".plf",), _SNIFFED.match, _parse_only, single_writer(plf_archive), scored_losses, plf_archive, numbered=True
)
