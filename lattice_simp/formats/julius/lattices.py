r"""Word graphs and confusion networks of Julius (`-lattice`, `-confnet`), in its output or the files of `-outfile`.

A line of a word graph is a word, `ID: [first frame..last frame] left=ID,... right=ID,... name="word" AMavg=...`; the
cost of a path is minus the sum of `AMavg` over all frames and of the links' `right_lscore`. Scores are logs to base 10
and become natural ones. A line of a confusion network is a slot, `(word:0.700)  (word:0.300)`; `-` is the empty word.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "a.out"
>>> slots = "(a:0.750)  (-:0.250)\n"
>>> _ = path.write_text(f"---- begin confusion network ---\n{slots}---- end confusion network ---\n")
>>> [(name, load().num_arcs) for name, load in julius_lattices(path, kind="julius-cn")]
[('0', 2)]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from lattice_simp.core.feature_names import TIME
from lattice_simp.core.lattice import INFINITY, Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import LOG_10, Format, checked_lattice, finite, natural, never, refuse_writing, shown
from lattice_simp.formats.named_lattices import NamedLattice, NumberedLine, only_lattice
from lattice_simp.formats.networks import Slot, network, probability, word_labels
from lattice_simp.support.textio import decode, read_lines

_BORDERS = {
    "julius-graph": ("--- begin wordgraph data ---", "--- end wordgraph data ---"),
    "julius-cn": ("---- begin confusion network ---", "---- end confusion network ---"),
}
"""The lines before and after the lattices of each format."""

JULIUS = tuple(_BORDERS)
"""The names of the formats, which a file may hold together."""

_FIRST_PASS = ("--- begin wordgraph data pass1 ---", "--- end wordgraph data pass1 ---")
"""The lines around a word graph of the first pass, whose words have no links."""

_WORD = re.compile(r'(\d{1,9}): \[(\d{1,9})\.\.(\d{1,9})\](.*?) wid=\d+ name="')
"""The beginning of a word's line, up to its name; names may contain quotation marks."""

_ENTRY = re.compile(r"\((.*?):([\d.]+)\)(?=\s|\(|$)\s*")
FRAME = 0.01
"""The usual frame shift in seconds."""

_SILENCES = frozenset({"", "-"})
_GRAPH_REMEDY = "is the file cut off? Write it with julius -lattice"


def julius_lattices(path: str | Path, symbols: SymbolTable | None = None, *, kind: str) -> Iterator[NamedLattice]:
    """Yields the numbers of the graphs or networks of a file, from 0, and functions that return them.

    Raises:
        FormatError: the file has none, or the last one has no end.
    """
    yield from _parsed(enumerate(read_lines(path), 1), kind, symbols, path)


def _parsed(
    lines: Iterable[NumberedLine], kind: str, symbols: SymbolTable | None, path: str | Path | None
) -> Iterator[NamedLattice]:
    number = -1
    read = _graph if kind == "julius-graph" else _network
    for number, block in enumerate(_blocks(lines, kind, path)):
        yield str(number), partial(read, block, symbols, path)
    if number < 0:
        name, option = ("word graph", "-lattice") if kind == "julius-graph" else ("confusion network", "-confnet")
        raise FormatError(f"holds no {name} of Julius", path=path, remedy=f"write them with julius {option}")


def _blocks(lines: Iterable[NumberedLine], kind: str, path: str | Path | None) -> Iterator[list[NumberedLine]]:
    """Yields the lines of each lattice with their numbers; those of the first pass are skipped."""
    begin, end = _BORDERS[kind]
    block: list[NumberedLine] | None = None
    is_first_pass, number = False, 0
    for number, line in lines:
        text = line.strip()
        if text in _FIRST_PASS:
            is_first_pass = text == _FIRST_PASS[0]
        elif text == begin and not is_first_pass:
            block = []
        elif text == end and block is not None:
            yield block
            block = None
        elif block is not None and text:
            block.append((number, text))
    if block is not None:
        raise FormatError("the last lattice has no end", path=path, line=number, remedy="is the file cut off?")


class _Word(NamedTuple):
    """A word of a graph: its line, label, frames, acoustic score, and the scores of the links to its successors."""

    line: int
    label: int
    first: int
    last: int
    score: float
    links: dict[int, float]


def _graph(lines: list[NumberedLine], symbols: SymbolTable | None, path: str | Path | None) -> Lattice:
    """Returns the lattice of a graph: each word is an arc, and so is each link, with the language model's score."""
    table = SymbolTable.of(symbols)
    words = dict(_graph_word(number, line, table, path) for number, line in lines)
    if not words:
        return Lattice.from_strings([], table)
    followed = {target for word in words.values() for target in word.links}
    starts, order = [name for name in words if name not in followed], {name: place for place, name in enumerate(words)}
    begin, end = min(word.first for word in words.values()), max(word.last for word in words.values())
    final = 2 * len(words) + 1  # the words' two states follow the start
    rows: list[tuple[int, int, int, float, float, float]] = []  # source, target, label, acoustic, lm, frames
    for name in starts:
        rows.append((0, 1 + 2 * order[name], EPSILON, 0.0, 0.0, words[name].first - begin))
    for name, word in words.items():
        state = 1 + 2 * order[name]
        rows.append((state, state + 1, word.label, word.score, 0.0, word.last - word.first + 1))
        for target, score in word.links.items():
            if target not in words:
                _fail(f"a link to the word {target}, which has no line", path, word.line)
            pause = max(words[target].first - word.last - 1, 0)
            rows.append((state + 1, 1 + 2 * order[target], EPSILON, 0.0, score, pause))
        if not word.links:
            rows.append((state + 1, final, EPSILON, 0.0, 0.0, end - word.last))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    sources, targets, labels, acoustic, model, frames = columns
    features = {"AM": acoustic, "LM": model, TIME: frames * FRAME}
    finals = np.append(np.full(final, INFINITY), 0.0)
    return checked_lattice(path, sources, labels, 0.0 - acoustic - model, targets, finals, table, features=features)


def _graph_word(number: int, line: str, symbols: SymbolTable, path: str | Path | None) -> tuple[int, _Word]:
    match = _WORD.match(line)
    name, ends, rest = line[0 if match is None else match.end() :].rpartition('" lname="')
    _, follows, values = rest.rpartition('" f=')
    if match is None or not ends or not follows:
        _fail(f"not a word of a graph: {shown(line)}", path, number)
    first, last = int(match[2]), int(match[3])
    fields = dict(field.partition("=")[::2] for field in match[4].split())
    scores = dict(field.partition("=")[::2] for field in values.split())
    targets = list(map(natural, fields["right"].split(","))) if fields.get("right") else []
    links = fields["right_lscore"].split(",") if fields.get("right_lscore") else ["0"] * len(targets)
    numbers = [finite(text) for text in (scores.get("AMavg", "0"), *links)]
    if len(links) != len(targets) or None in numbers or last < first or None in targets:
        _fail(f"links or scores that are not numbers: {shown(line)}", path, number)
    average, *connections = [LOG_10 * value for value in numbers if value is not None]
    label = EPSILON if name in _SILENCES else symbols.add(name)
    pairs = {target: score for target, score in zip(targets, connections, strict=True) if target is not None}
    return int(match[1]), _Word(number, label, first, last, average * (last - first + 1), pairs)


def _fail(message: str, path: str | Path | None, line: int) -> NoReturn:
    raise FormatError(message, path=path, line=line, remedy=_GRAPH_REMEDY)


def _network(lines: list[NumberedLine], symbols: SymbolTable | None, path: str | Path | None) -> Lattice:
    table = SymbolTable.of(symbols)
    slots = list[Slot]()
    for number, line in lines:
        entries = _entries(line)
        values = [probability(text) for _, text in entries]
        if not any(values) or None in values:
            message = f"not a slot of words and probabilities: {shown(line)}"
            raise FormatError(message, path=path, line=number, remedy="write (word:probability) (word:probability) ...")
        slots.append([(word, share) for (word, _), share in zip(entries, values, strict=True) if share])
    return network(slots, word_labels(slots, table, _SILENCES), table, path, None)


def _entries(line: str) -> list[tuple[str, str]]:
    """Returns the words and probabilities of a slot; none if the line holds anything else."""
    entries, position = list[tuple[str, str]](), 0
    while position < len(line):
        match = _ENTRY.match(line, position)
        if match is None:
            return []
        entries.append((match[1], match[2]))
        position = match.end()
    return entries


def _parse(kind: str, data: bytes, *, path: str | Path | None = None, symbols: SymbolTable | None = None) -> Lattice:
    """Parses the bytes of a file with one graph or network.

    Raises:
        FormatError: a line is broken, or there is not exactly one.
    """
    return only_lattice(_parsed(enumerate(decode(data, path).split("\n"), 1), kind, symbols, path), "lattices", path)


GRAPH = Format((), never, partial(_parse, "julius-graph"), refuse_writing)
NETWORK = Format((), never, partial(_parse, "julius-cn"), refuse_writing)
