r"""Text lattices whose arcs carry features: `from to word feature:value ...`, and `state feature:value ...` at the end.

Fields are separated by blanks or tabs, state 0 is the start, and absent features are 0. Values in the file are costs,
as in lattice-MERT tools (a path costs the sum of weight times value); reading negates them, since features are scores.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.core.blocks import block_numbers, places_in_blocks, prefix_sums
from lattice_simp.core.columns import are_costs
from lattice_simp.core.features import Features
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, EPSILON_SYMBOL, SymbolTable
from lattice_simp.errors import EmptyLatticeError, FormatError, InvalidLatticeError
from lattice_simp.formats.common import (
    FieldText,
    Format,
    Losses,
    beyond,
    finite,
    is_plain,
    natural,
    never,
    require_acceptor,
    scored_losses,
    shown,
    split_fields,
)
from lattice_simp.support.textio import decode, open_text

SENTENCE_ENDS = ("<s>", "</s>")
"""The words of a file that do not belong to a hypothesis."""


def parse_features(
    data: bytes,
    *,
    path: str | Path | None = None,
    symbols: SymbolTable | None = None,
    feature_names: Iterable[str] | None = None,
    removed: Collection[str] = SENTENCE_ENDS,
) -> Lattice:
    r"""Parses the bytes of a file; the lattice has costs of 0.

    >>> lattice = parse_features(b"0 1 a lm:2.5 tm:1\n0 1 the tm:0.5\n1\n")
    >>> lattice.features["lm"].tolist(), lattice.features["tm"].tolist()
    ([-2.5, 0.0], [-1.0, -0.5])

    Args:
        data: the file's bytes.
        path: the file's name, for errors.
        symbols: the table that numbers the words; it grows as needed. A new one if None.
        feature_names: the features, in order; other names in the file are errors. By default, all names in the file:
            first numbers in numeric order, then the others.
        removed: words of the file to replace by epsilons.

    Raises:
        FormatError: a line is broken (the message has its number), a feature is unknown, or the file is empty.
        CyclicLatticeError: the lattice has a cycle.
    """
    decode(data, path)  # raises an error for bytes that are not UTF-8
    text = split_fields(data.removeprefix(b"\xef\xbb\xbf"), path)
    filled = np.flatnonzero(text.widths)
    second = np.array([width > 1 and b":" not in field for width, field in _second_fields(text, filled)], dtype=bool)
    arcs, ends = filled[second], filled[~second]
    if not len(filled):
        raise FormatError("the file is empty", path=path, remedy="a lattice has at least one final state")
    if (text.widths[arcs] < 3).any():
        text.fail(int(arcs[text.widths[arcs] < 3][0]), "an arc without a word", "write from to word feature:value ...")
    sources, nextstates, finals = text.states(arcs, 0), text.states(arcs, 1), text.states(ends, 0)
    if len(np.unique(finals)) < len(finals):
        _, first = np.unique(finals, return_index=True)
        text.fail(int(np.delete(ends, first)[0]), "a state that is final already", "write each final state once")
    arc_pairs, final_pairs = _pairs(text, arcs, 3), _pairs(text, ends, 1)
    names = _names(arc_pairs.names + final_pairs.names) if feature_names is None else tuple(feature_names)
    sources, nextstates, finals, num_states = _close_numbers(sources, nextstates, finals)
    order = np.argsort(sources, kind="stable")  # the order of the lattice's arcs
    scores = arc_pairs.matrix(names, np.arange(len(arcs)), len(arcs))
    features = Features(names, np.take(scores, order, axis=1), final_pairs.matrix(names, finals, num_states))
    table = SymbolTable.of(symbols)
    words = _labels(text.column(arcs, 2), table, {*removed, EPSILON_SYMBOL})
    final_costs = np.full(num_states, np.inf)
    final_costs[finals] = 0.0
    lattice = Lattice.from_arcs(sources, words, np.zeros(len(arcs)), nextstates, final_costs, table)
    return replace(lattice, features=features).connected()


def write_features(lattice: Lattice, path: str | Path) -> None:
    """Writes the features of a lattice, for `parse_features`; zeros and costs are omitted.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cat.features"
    >>> write_features(Lattice.from_strings("a cat").with_feature("lm", [-2.5, -1.0]), path)
    >>> path.read_text().splitlines()
    ['0 1 a lm:2.5', '1 2 cat lm:1.0', '2']

    Raises:
        EmptyLatticeError: no state is final.
        InvalidLatticeError: the lattice is a transducer, has costs but no features, or has words or names that could
            not be read back.
        CyclicLatticeError: the lattice has a cycle.
        LatticeSimpError: the file cannot be written.
    """
    require_acceptor(lattice, "a text lattice with features")
    lattice = lattice.topsorted()
    features, finals = lattice.features, np.flatnonzero(np.isfinite(lattice.finals))
    if not len(finals):
        raise EmptyLatticeError("the lattice holds no hypothesis, so it cannot be written in this format")
    if not features and (lattice.weights.any() or lattice.finals[finals].any()):
        raise InvalidLatticeError("the lattice has costs but no features, and this format holds only features")
    words = [lattice.symbols[label] for label in lattice.olabels.tolist()]
    for text in {*words, *features}:
        if not text or set(text) & set(" \t\r\n"):
            raise InvalidLatticeError(f"a text lattice cannot represent the word or name {shown(text)}")
    with open_text(path, "w") as file:
        arcs = zip(lattice.sources.tolist(), lattice.nextstates.tolist(), words, features.arcs.T, strict=True)
        for source, nextstate, word, row in arcs:
            file.write(" ".join([str(source), str(nextstate), word, *_written(features.names, row)]) + "\n")
        for state, row in zip(finals.tolist(), features.finals.T[finals], strict=True):
            file.write(" ".join([str(state), *_written(features.names, row)]) + "\n")


def _lost(lattice: Lattice) -> Losses:
    final = np.isfinite(lattice.finals)
    costs = ["costs"] if lattice.weights.any() or lattice.finals[final].any() else []
    marks = set(lattice.symbols.words_of(lattice.olabels)) & set(SENTENCE_ENDS)
    return {
        "its format holds only features, not the": costs,
        "readers of its format replace these words by epsilons:": sorted(marks),
        **scored_losses(lattice),
    }


FORMAT = Format((), never, parse_features, write_features, _lost)
"""Not detected from content, since a lattice without features looks like AT&T text."""


def _close_numbers(sources: Longs, nextstates: Longs, finals: Longs) -> tuple[Longs, Longs, Longs, int]:
    """Returns the states and their count; renumbers them in order if the file skips most numbers."""
    numbers = np.concatenate((sources, nextstates, finals))
    num_states = 1 + int(numbers.max())
    if num_states > len(numbers) + 1:
        used_numbers = np.unique(np.append(numbers, 0))  # the start, even if the file does not mention it
        numbers, num_states = np.searchsorted(used_numbers, numbers), len(used_numbers)
    first, second = len(sources), len(sources) + len(nextstates)
    return numbers[:first], numbers[first:second], numbers[second:], num_states


def _written(names: Sequence[str], row: npt.NDArray[Any]) -> list[str]:
    return [f"{names[column]}:{-row[column]!s}" for column in np.flatnonzero(row).tolist()]


def _labels(words: list[bytes], symbols: SymbolTable, removed: Collection[str]) -> npt.NDArray[np.int32]:
    labels = {}
    for word in dict.fromkeys(words):
        text = word.decode()
        labels[word] = EPSILON if text in removed else symbols.add(text)
    return np.fromiter(map(labels.__getitem__, words), dtype=np.int32, count=len(words))


def _second_fields(text: FieldText, lines: Longs) -> Iterable[tuple[int, bytes]]:
    """Returns the width of each line and its second field, or its only one."""
    widths = text.widths[lines]
    return zip(widths.tolist(), text.column(lines, np.minimum(widths - 1, 1)), strict=True)


@dataclass(frozen=True)
class _Pairs:
    """The `feature:value` fields of some lines: the rank and number of the line, the name and the value of each."""

    text: FieldText
    ranks: Longs
    lines: Longs
    names: list[bytes]
    values: Floats

    def matrix(self, names: tuple[str, ...], columns: Longs, width: int) -> Floats:
        """Returns the scores, (names, width); `columns` are the columns of the lines."""
        row = {name.encode(): number for number, name in enumerate(names)}
        rows = np.fromiter(map(row.get, self.names, repeat(-1)), dtype=np.int64, count=len(self.names))
        if (rows < 0).any():
            where = int((rows < 0).argmax())
            self.text.fail(int(self.lines[where]), f"unknown feature {shown(self.names[where])}", "name all features")
        places = rows * width + columns[self.ranks]
        _, first = np.unique(places, return_index=True)
        if len(first) < len(places):
            where = int(np.delete(np.arange(len(places)), first)[0])
            self.text.fail(int(self.lines[where]), f"a feature twice: {shown(self.names[where])}", "write it once")
        matrix = np.zeros((len(names), width))
        matrix.reshape(-1)[places] = 0.0 - self.values
        return matrix


def _pairs(text: FieldText, lines: Longs, skipped: int) -> _Pairs:
    offsets = prefix_sums(text.widths[lines] - skipped)
    ranks, numbers = block_numbers(offsets), places_in_blocks(offsets) + skipped
    pair_lines = lines[ranks]
    parts: list[Any] = [field.rpartition(b":") for field in text.column(pair_lines, numbers)]
    try:
        values = np.array([float(value) for _, _, value in parts])
        broken = not are_costs(values).all() or not all(name and is_plain(value) for name, _, value in parts)
    except ValueError:
        broken = True
    if broken:
        bad = (i for i, (name, _, value) in enumerate(parts) if not name or finite(value) is None)
        where = next(bad)
        pair = shown(b"".join(parts[where])) + beyond(parts[where][2])
        text.fail(int(pair_lines[where]), f"not feature:value: {pair}", "write lm:2.5, for example")
    return _Pairs(text, ranks, pair_lines, [name for name, _, _ in parts], values)


def _names(used: Iterable[bytes]) -> tuple[str, ...]:
    names = sorted({name.decode() for name in set(used)})
    numbers = sorted((name for name in names if natural(name) is not None), key=int)
    return (*numbers, *(name for name in names if natural(name) is None))
