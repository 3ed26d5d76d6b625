r"""Text lattices whose arcs carry features: `from to word feature:value ...`, and `state feature:value ...` at the end.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "lattice.txt"
>>> _ = path.write_text("0 1 a lm:2.5 tm:1\n0 1 the tm:0.5\n1\n")
>>> arcs = read_feature_arcs(path)
>>> arcs.feature_names, arcs.words, arcs.features.tolist()
(('lm', 'tm'), ('a', 'the'), [[-2.5, -1.0], [0.0, -0.5]])

Fields are separated by blanks or tabs, state 0 is the start, and absent features are 0. Values in the file are costs,
as lattice-MERT tools have it (a path costs the sum of weight times value): features here are the negated values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.errors import EmptyLatticeError, FormatError, InvalidLatticeError
from lattice_simp.formats.common import FieldText, Longs, finite, natural, shown, split_fields
from lattice_simp.support.textio import decode, open_text, read_bytes

FeatureMatrix = npt.NDArray[np.float32]

MAX_STATES = 1 << 28
"""The highest state number; more would not fit into memory with its features."""


@dataclass(frozen=True, eq=False)
class FeatureArcs:
    """The arcs and final states of a lattice in the order of a file.

    Attributes:
        sources: (arcs,) int64.
        nextstates: (arcs,) int64.
        words: one for each arc, as written.
        features: (arcs, features) float32 scores: higher is better.
        finals: (final states,) int64.
        final_features: (final states, features) float32.
        feature_names: the names of the columns.
    """

    sources: Longs
    nextstates: Longs
    words: Sequence[str]
    features: FeatureMatrix
    finals: Longs
    final_features: FeatureMatrix
    feature_names: tuple[str, ...]


def read_feature_arcs(path: str | Path, feature_names: Iterable[str] | None = None) -> FeatureArcs:
    """Reads the arcs of a lattice.

    Args:
        path: the file; `-` is standard input.
        feature_names: the columns, in order; other names in the file are errors. Without them, the names of the
            file, numbers in numeric order before all others.

    Raises:
        FormatError: a broken line (with its number), an unknown feature, an empty file.
    """
    data = read_bytes(path)
    decode(data, path)  # fails at bytes that are not UTF-8
    text = split_fields(data.removeprefix(b"\xef\xbb\xbf"), path)
    filled = np.flatnonzero(text.widths)
    second = np.array([width > 1 and b":" not in field for width, field in _second_fields(text, filled)], dtype=bool)
    arcs, ends = filled[second], filled[~second]
    if not len(filled):
        raise FormatError("the file is empty", path=path, remedy="a lattice has at least one final state")
    if (text.widths[arcs] < 3).any():
        text.fail(int(arcs[text.widths[arcs] < 3][0]), "an arc without a word", "write from to word feature:value ...")
    sources, nextstates, finals = text.states(arcs, 0), text.states(arcs, 1), text.states(ends, 0)
    for lines, states in ((arcs, sources), (arcs, nextstates), (ends, finals)):
        if states.max(initial=0) > MAX_STATES:
            where = int(states.argmax())
            text.fail(int(lines[where]), f"the state {states[where]}", f"number states from 0 to {MAX_STATES}")
    if len(np.unique(finals)) < len(finals):
        _, first = np.unique(finals, return_index=True)
        text.fail(int(np.delete(ends, first)[0]), "a state that is final already", "write each final state once")
    arc_pairs, final_pairs = _pairs(text, arcs, 3), _pairs(text, ends, 1)
    names = _names(arc_pairs.names + final_pairs.names) if feature_names is None else tuple(feature_names)
    words = tuple(map(bytes.decode, text.column(arcs, 2)))
    features, final_features = arc_pairs.matrix(names, len(arcs)), final_pairs.matrix(names, len(ends))
    return FeatureArcs(sources, nextstates, words, features, finals, final_features, names)


def write_feature_arcs(arcs: FeatureArcs, path: str | Path) -> None:
    """Writes what `read_feature_arcs` reads back; zeros are left out.

    Raises:
        EmptyLatticeError: no state is final.
        InvalidLatticeError: words or names that would not be read back.
        LatticeSimpError: the file cannot be written.
    """
    if not len(arcs.finals):
        raise EmptyLatticeError("the lattice holds no hypothesis, so it cannot be written in this format")
    for text in {*arcs.words, *arcs.feature_names}:
        if not text or set(text) & set(" \t\r\n"):
            raise InvalidLatticeError(f"a text lattice cannot hold the word or name {shown(text)}")
    with open_text(path, "w") as file:
        columns = (arcs.sources.tolist(), arcs.nextstates.tolist(), arcs.words, arcs.features)
        for source, nextstate, word, row in zip(*columns, strict=True):
            file.write(" ".join([str(source), str(nextstate), word, *_written(arcs.feature_names, row)]) + "\n")
        for state, row in zip(arcs.finals.tolist(), arcs.final_features, strict=True):
            file.write(" ".join([str(state), *_written(arcs.feature_names, row)]) + "\n")


def _written(names: Sequence[str], row: FeatureMatrix) -> list[str]:
    return [f"{names[column]}:{-row[column]!s}" for column in np.flatnonzero(row).tolist()]


def _second_fields(text: FieldText, lines: Longs) -> Iterable[tuple[int, bytes]]:
    """Returns the width of each line and its second field (its first, if it is alone)."""
    widths = text.widths[lines]
    return zip(widths.tolist(), text.column(lines, np.minimum(widths - 1, 1)), strict=True)


@dataclass(frozen=True)
class _Pairs:
    """The `feature:value` fields of some lines: for each, the row (the line's rank), its line, name and value."""

    text: FieldText
    rows: Longs
    lines: Longs
    names: list[bytes]
    values: npt.NDArray[np.float32]

    def matrix(self, names: tuple[str, ...], num_rows: int) -> FeatureMatrix:
        """Returns the scores, (rows, names) float32."""
        column = {name.encode(): number for number, name in enumerate(names)}
        columns = np.fromiter(map(column.get, self.names, repeat(-1)), dtype=np.int64, count=len(self.names))
        if (columns < 0).any():
            where = int((columns < 0).argmax())
            self.text.fail(int(self.lines[where]), f"unknown feature {shown(self.names[where])}", "name all features")
        places = self.rows * len(names) + columns
        _, first = np.unique(places, return_index=True)
        if len(first) < len(places):
            where = int(np.delete(np.arange(len(places)), first)[0])
            self.text.fail(int(self.lines[where]), f"a feature twice: {shown(self.names[where])}", "write it once")
        matrix = np.zeros((num_rows, len(names)), dtype=np.float32)
        matrix.reshape(-1)[places] = 0.0 - self.values
        return matrix


def _pairs(text: FieldText, lines: Longs, skipped: int) -> _Pairs:
    counts = text.widths[lines] - skipped
    rows = np.repeat(np.arange(len(lines)), counts)
    numbers = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts) + skipped
    own = lines[rows]
    parts: list[Any] = [field.rpartition(b":") for field in text.column(own, numbers)]
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
            values = np.array([float(value) for _, _, value in parts]).astype(np.float32)
        broken = not np.isfinite(values).all() or not all(name for name, _, _ in parts)
    except ValueError:
        broken = True
    if broken:
        bad = (i for i, (name, _, value) in enumerate(parts) if not name or not _fits(value))
        where = next(bad)
        text.fail(int(own[where]), f"no feature:value: {shown(b''.join(parts[where]))}", "write lm:2.5, for example")
    return _Pairs(text, rows, own, [name for name, _, _ in parts], values)


def _fits(value: bytes) -> bool:
    number = finite(value)
    return number is not None and abs(number) <= float(np.finfo(np.float32).max)


def _names(found: Iterable[bytes]) -> tuple[str, ...]:
    names = sorted({name.decode() for name in set(found)})
    numbers = sorted((name for name in names if natural(name) is not None), key=int)
    return (*numbers, *(name for name in names if natural(name) is None))
