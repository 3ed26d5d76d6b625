r"""Kaldi's text lattices, as `lattice-copy ark:1.lats ark,t:-` prints them, with words or with their numbers.

One line for each arc, `source destination word graph,acoustic,transitions`, and one for each final state, `state
graph,acoustic,transitions`; in lattices that are not compact, an arc has an input and an output label. Costs are
negative natural logs; missing costs are 0. The transitions (of the acoustic model's states) are ignored.

In an archive, a lattice follows a line with the name of its utterance and ends with an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, compress, islice, takewhile
from pathlib import Path
from typing import NoReturn

import numpy as np

from lattice_simp.core.columns import are_costs
from lattice_simp.core.header import Header
from lattice_simp.core.kernel import Bools, Floats, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, warn
from lattice_simp.formats.common import beyond, finite, is_plain, natural, renumbered, shown
from lattice_simp.formats.kaldi.arcs import KaldiArcs, ReadOptions, written_words
from lattice_simp.formats.named_lattices import NamedLattice
from lattice_simp.formats.openfst.text import parse_att

_NAME = re.compile(rb"[^ \t\r\n]+")
_ROW = re.compile(rb"\d+(?:[ \t]+\d+(?:[ \t]+[^ \t\r\n]+){1,3}|[ \t]+[-+.,\deEInfity_]+)?")
"""An arc or a final state."""

_AROUND = b" \t\r"
_NUMBER = r"(?:[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?|Infinity|inf)"
_NUMBERS = re.compile(rf"{_NUMBER}|{_NUMBER}?(?:,{_NUMBER}?)+(?:,[\d_]*)?")
"""A number, or costs and transitions."""

_WORDS_WITHIN = 1000

_NAMED_WITHIN = 64
"""The number of bytes of which one is null in binary files."""

_INFINITE = frozenset(("Infinity", "inf"))
_NO_TRANSITION = ("0", "<eps>", "-")


def is_text_archive(head: bytes) -> bool:
    r"""Recognises an archive by its beginning: the name of an utterance, then arcs and final states.

    >>> is_text_archive(b"utterance-1 \n0\t1\ta\t1.5,2,\n1\n\n"), is_text_archive(b"0 1 a\n1\n")
    (True, False)
    """
    if b"\0" in head[:_NAMED_WITHIN]:  # binary: splitting it into lines would take time
        return False
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    first = 0
    while (
        first + 2 < len(lines) and _NAME.fullmatch(lines[first].strip(_AROUND)) and not lines[first + 1].strip(_AROUND)
    ):
        first += 2  # an utterance whose lattice is empty
    name = lines[first].strip(_AROUND)
    if not _NAME.fullmatch(name):  # only empty lattices, with a blank after each name, as Kaldi writes it
        return first > 0 and lines[first:] == [b""] and all(line.endswith(b" ") for line in lines[:first:2])
    stripped = (line.strip(_AROUND) for line in lines[first + 1 :])  # the lines after the first odd one do not matter
    rows = [line.split() for line in takewhile(_ROW.fullmatch, stripped)]
    if not rows:
        return False
    if len(rows[0]) < 3 and rows[0][-1].count(b",") < (2 if name.isdigit() else 1):
        # Otherwise they may be the first lines of AT&T text, or words and numbers.
        is_start = rows[0] == [b"0"] and not name.isdigit()
        return is_start and lines[first + 2 : first + 3] in ([b""], [b"\r"])
    if name.isdigit() and rows[0][0] != b"0":
        return False
    # Sentences may look like arcs, too: "Houses", and in the next line "7 8 houses".
    return rows[0][0] == b"0" or any(len(row) < 3 or b"," in row[-1] for row in rows)


def text_lattices(lines: Iterable[str], path: str | Path, options: ReadOptions) -> Iterator[NamedLattice]:
    """Yields the names of an archive's utterances with functions that read their lattices, one at a time.

    Raises:
        FormatError: numbers have no words, or a line that should be a name has further fields.
    """
    lines = iter(lines)
    first_lines = list(islice(lines, _WORDS_WITHIN))
    labels = [(number, field) for number, line in enumerate(first_lines, 1) for field in split_tokens(line)[2:]]
    are_numbers = bool(labels) and all(_NUMBERS.fullmatch(field) for _, field in labels)
    options.refuse_numbers(are_numbers, path, labels[0][0] if labels else None)
    name, begin, rows = "", 0, list[list[str]]()
    number = 0
    for number, line in enumerate(chain(first_lines, lines), 1):
        fields = split_tokens(line)
        if fields and not name:
            if len(fields) > 1:
                raise FormatError(
                    f"not the name of an utterance: {shown(line)}", path=path, line=number, remedy="write the name"
                )
            name, begin, rows = fields[0], number, []
        elif fields:
            rows.append(fields)
        elif name:
            yield name, partial(_lattice, rows, options, name, path, begin)
            name = ""
    if name:
        remedy = "is the file cut off? If not, add an empty line"
        error = FormatError(f"{name} has no empty line at its end", path=path, line=number, remedy=remedy)
        yield name, partial(_unended, partial(_lattice, rows, options, name, path, begin), error)


def _unended(read: Callable[[], Lattice], error: FormatError) -> Lattice:
    """Reads the last lattice of a file, which may be cut off, with a warning; refuses it if it accepts nothing."""
    lattice = read()
    if lattice.empty:
        raise error
    warn(error.message, path=error.path, line=error.line, remedy=error.remedy)
    return lattice


def _lattice(rows: list[list[str]], options: ReadOptions, name: str, path: str | Path, begin: int) -> Lattice:
    if rows and not any("," in row[-1] for row in rows if len(row) != 3):
        return replace(_plain(rows, options, path, begin), header=Header(name))
    table = _Table.of(rows, path, begin)
    is_arc = table.widths > 1
    costs, frames = table.weights()
    sources, targets = table.states()
    ends, num_states = sources[~is_arc], 1 + int(np.concatenate((sources, targets)).max(initial=-1))
    end_costs, end_frames = np.full((num_states, 2), np.inf), np.zeros(num_states, dtype=np.int64)
    end_costs[ends], end_frames[ends] = costs[~is_arc], frames[~is_arc]
    arcs = KaldiArcs(sources[is_arc], targets, costs[is_arc], frames[is_arc], end_costs, end_frames)
    lines = (np.flatnonzero(is_arc) + begin + 1).tolist()
    start = int(sources[0]) if rows else 0
    return arcs.lattice(options.labels(table.labels(), path, lines), options, name=name, start=start, path=path)


@dataclass(frozen=True)
class _Table:
    """The lines of a lattice in columns.

    Attributes:
        rows: the fields of each line.
        weighted: (lines,) whether the last field holds the costs.
        widths: (lines,) the number of fields without the costs: 1 for a final state, 3 or 4 for an arc.
        path, begin: the file, and the number of the line before the first.
    """

    rows: list[list[str]]
    weighted: Bools
    widths: Longs
    path: str | Path
    begin: int

    @classmethod
    def of(cls, rows: list[list[str]], path: str | Path, begin: int) -> _Table:
        """Returns the table of some lines.

        Raises:
            FormatError: a line has too many or too few fields.
        """
        weighted = np.array([len(row) == 2 or (len(row) > 3 and "," in row[-1]) for row in rows], dtype=np.bool_)
        widths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)) - weighted
        table = cls(rows, weighted, widths, path, begin)
        for index in np.flatnonzero((widths == 2) | (widths > 4))[:1].tolist():
            table.fail(index)
        return table

    def fail(self, index: int) -> NoReturn:
        fields = self.rows[index][: -1 if self.weighted[index] else None]
        remedy = "write source destination word graph,acoustic,transitions"
        message = f"not an arc or a final state: {shown(' '.join(fields))}"
        raise FormatError(message, path=self.path, line=self.begin + 1 + index, remedy=remedy)

    @property
    def arcs(self) -> list[list[str]]:
        return list(compress(self.rows, (self.widths > 1).tolist()))

    def labels(self) -> list[str]:
        """Returns the output labels of the arcs."""
        widths = self.widths[self.widths > 1].tolist()
        return [row[width - 1] for row, width in zip(self.arcs, widths, strict=True)]

    def states(self) -> tuple[Longs, Longs]:
        """Returns the first state of each line, and the second one of each arc.

        Numbers that are much larger than necessary are replaced by the order of appearance.
        """
        arcs = np.flatnonzero(self.widths > 1)
        lines = np.concatenate((np.arange(len(self.rows)), arcs))
        fields = [row[0] for row in self.rows] + [row[1] for row in self.arcs]
        text = "".join(fields)
        if fields and not (text.isascii() and text.isdigit() and max(map(len, fields)) <= 18):
            self.fail(min(line for line, field in zip(lines.tolist(), fields, strict=True) if natural(field) is None))
        states = np.fromiter(map(int, fields), dtype=np.int64, count=len(fields))
        if states.max(initial=0) >= 2 * len(self.rows):
            states = renumbered(states, np.argsort(lines, kind="stable"))  # an arc's source before its target
        return states[: len(self.rows)], states[len(self.rows) :]

    def weights(self) -> tuple[Floats, Longs]:
        """Returns both costs of each line, infinite for states that are not final, and its number of frames."""
        parts = [
            row[-1].split(",") if weighted else [""]
            for row, weighted in zip(self.rows, self.weighted.tolist(), strict=True)
        ]
        infinite = [
            index for index in np.flatnonzero(self.widths == 1).tolist() if not _INFINITE.isdisjoint(parts[index][:2])
        ]
        for index in infinite:
            parts[index] = [""]
        for index in (index for index, part in enumerate(parts) if len(part) > 3):
            self._fail_weight(index)
        columns = [[part[place] if len(part) > place else "" for part in parts] for place in range(3)]
        costs = np.column_stack([self._costs(column) for column in columns[:2]])
        costs[infinite] = np.inf
        frames = np.array([text.count("_") + 1 if text else 0 for text in columns[2]], dtype=np.int64)
        for index in np.flatnonzero(self.widths == 4).tolist():  # not compact: one frame on each arc with a transition
            frames[index] = 1 if self.rows[index][2] not in _NO_TRANSITION else frames[index]
        return costs, frames

    def _costs(self, fields: list[str]) -> Floats:
        texts = [field or "0" for field in fields]
        try:
            costs = np.fromiter(map(float, texts), dtype=np.float64, count=len(texts))
            broken = not are_costs(costs).all() or not is_plain("".join(texts))
        except ValueError:
            broken = True
        if broken:
            self._fail_weight(next(index for index, text in enumerate(texts) if finite(text) is None))
        return costs

    def _fail_weight(self, index: int) -> NoReturn:
        field = self.rows[index][-1]
        limits = "".join(sorted({beyond(part) for part in field.split(",")}))
        message, remedy = f"no costs: {shown(field)}{limits}", "write graph,acoustic,transitions"
        raise FormatError(message, path=self.path, line=self.begin + 1 + index, remedy=remedy)


def _plain(rows: list[list[str]], options: ReadOptions, path: str | Path, begin: int) -> Lattice:
    """Returns an automaton from an archive in OpenFst's text format.

    Kaldi writes transducers and leaves out costs of 0, so a line of four fields has no cost unless its last field is a
    fraction.
    """
    last = [row[3] for row in rows if len(row) == 4]
    is_transducer = any(len(row) > 4 for row in rows) or any(finite(field) is None for field in last)
    is_transducer |= bool(last) and all(natural(field) is not None for field in last)
    if options.words is not None:
        for line, row in enumerate(rows, begin + 1):
            for index in range(2, min(len(row), 4 if is_transducer else 3)):
                row[index] = options.word(row[index], path, line)
    try:
        text = "\n".join("\t".join(row) for row in rows).encode()
        symbols = options.symbol_table()
        return parse_att(text, path=path, symbols=symbols, acceptor=not is_transducer, numeric=False)
    except FormatError as error:
        line_number = None if error.line is None else error.line + begin
        raise FormatError(error.message, path=path, line=line_number, remedy=error.remedy) from error


def text_of(lattice: Lattice, name: str, numbers: Mapping[str, int] | None, frame_shift: float) -> str:
    """Returns the text of an utterance's lattice in an archive.

    Raises:
        InvalidLatticeError: the lattice is a transducer, or a word has no number or cannot be written.
    """
    arcs, words = KaldiArcs.of(lattice, frame_shift), written_words(lattice, numbers)
    ends = np.flatnonzero(np.isfinite(arcs.end_costs[:, 0]))
    weights = _written(arcs.costs, arcs.frames)
    end_weights = _written(arcs.end_costs[ends], arcs.end_frames[ends])
    columns = (arcs.sources.tolist(), arcs.nextstates.tolist(), lattice.olabels.tolist(), weights)
    rows = [
        f"{state}\t{target}\t{words[label]}\t{weight}\n" for state, target, label, weight in zip(*columns, strict=True)
    ]
    rows += [f"{state}\t{weight}\n" for state, weight in zip(ends.tolist(), end_weights, strict=True)]
    order = np.argsort(np.concatenate((arcs.sources, ends)), kind="stable")  # the first state is the start
    if not len(arcs.sources) or arcs.sources[0]:  # else the start would not come first
        order = order[: len(ends)] if lattice.num_states and 0 in ends else order[:0]
    return f"{name} \n{''.join(rows[index] for index in order.tolist())}\n"


def _written(costs: Floats, frames: Longs) -> list[str]:
    pairs = zip(costs.tolist(), frames.tolist(), strict=True)
    return [f"{graph!r},{acoustic!r},{'_'.join('1' * count)}" for (graph, acoustic), count in pairs]
