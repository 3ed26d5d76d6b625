r"""Kaldi's text lattices, as `lattice-copy ark:1.lats ark,t:-` prints them, with words or with their numbers.

One line for each arc, `source destination word graph,acoustic,transitions`, and one for each final state, `state
graph,acoustic,transitions`; in lattices that are not compact, an arc has an input and an output label. Costs are
negative natural logs; what is missing costs 0. The transitions (of the acoustic model's states) are left out.

In an archive, a lattice follows a line with the name of its utterance and ends with an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice, takewhile
from pathlib import Path

import numpy as np

from lattice_simp.core.arcs import start_first
from lattice_simp.core.features import Features
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, SymbolTable, split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.att import EPSILON_NAMES, parse_att
from lattice_simp.formats.common import checked_lattice, finite, natural, shown
from lattice_simp.formats.symbol_text import read_labels
from lattice_simp.support.textio import read_lines

GRAPH, ACOUSTIC = "graph", "acoustic"
"""The features: scores of the decoding graph (language model, lexicon, transitions) and of the acoustic model."""

_NAME = re.compile(rb"[^ \t\r\n]+")
_ROW = re.compile(rb"\d+(?:[ \t]+\d+(?:[ \t]+[^ \t\r\n]+){1,3}|[ \t]+[-+.,\deEInfity_]+)?")
"""An arc or a final state."""

_NUMBERS = re.compile(r"[-+.,\deE_]+|Infinity|inf")
_WORDS_WITHIN = 1000

_NO_COSTS = (0.0, 0.0)
_INFINITE = ("Infinity", "inf")


def is_kaldi_archive(head: bytes) -> bool:
    r"""Recognises an archive by its beginning: the name of an utterance, then arcs and final states.

    >>> is_kaldi_archive(b"utterance-1 \n0\t1\ta\t1.5,2,\n1\n\n"), is_kaldi_archive(b"0 1 a\n1\n")
    (True, False)
    """
    lines = [line.strip(b" \t\r") for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    first = 0
    while first + 2 < len(lines) and _NAME.fullmatch(lines[first]) and not lines[first + 1]:
        first += 2  # an utterance without a lattice
    if not _NAME.fullmatch(lines[first]):
        return False
    rows = [line.split() for line in takewhile(_ROW.fullmatch, lines[first + 1 :])]
    if not rows:
        return False
    if len(rows[0]) < 3 and (lines[first].isdigit() or b"," not in rows[0][-1]):
        return False  # as the first lines of AT&T text
    if lines[first].isdigit() and rows[0][0] != b"0":
        return False
    # Sentences may look like arcs, too: "Houses", and in the next line "7 8 houses".
    return rows[0][0] == b"0" or any(len(row) < 3 or b"," in row[-1] for row in rows)


def read_kaldi(
    path: str | Path,
    symbols: SymbolTable | None = None,
    *,
    symbols_path: str | Path | None = None,
    numeric: bool | None = None,
) -> Iterator[tuple[str, Lattice]]:
    """Yields the names of utterances and their lattices, one at a time; automata with plain costs are read, too.

    Args:
        path: the archive.
        symbols: the table that numbers the words; it grows as needed. A new one if None.
        symbols_path: Kaldi's `words.txt`, where the archive holds numbers.
        numeric: False where numbers are words. None takes labels for words, but refuses numbers alone.

    Raises:
        FormatError: a broken line (with its number), a lattice that is cut off, numbers without words.
    """
    symbols = SymbolTable() if symbols is None else symbols
    words = None if symbols_path is None else read_labels(symbols_path)
    lines = read_lines(path)
    begun = list(islice(lines, _WORDS_WITHIN))
    if words is None and numeric is None:
        _refuse_numbers(begun, path)
    lines = chain(begun, lines)
    name, begin, rows = "", 0, list[list[str]]()
    number = 0
    for number, line in enumerate(lines, 1):
        fields = split_tokens(line)
        if fields and not name:
            if len(fields) > 1:
                raise FormatError(f"no name of an utterance: {shown(line)}", path=path, line=number, remedy="write it")
            name, begin, rows = fields[0], number, []
        elif fields:
            rows.append(fields)
        elif name:
            yield name, _lattice(rows, symbols, words, path, begin)
            name = ""
    if name:
        raise FormatError(f"{name} has no empty line at its end", path=path, line=number, remedy="is the file cut off?")


def _refuse_numbers(lines: list[str], path: str | Path) -> None:
    """Refuses an archive that begins with numbers for labels alone."""
    labels = [(number, field) for number, line in enumerate(lines, 1) for field in split_tokens(line)[2:]]
    if labels and all(_NUMBERS.fullmatch(field) for _, field in labels):
        remedy = "give words.txt (--symbols, symbols_path=), or say that numbers are words (--words, numeric=False)"
        raise FormatError("labels are numbers", path=path, line=labels[0][0], remedy=remedy)


def _lattice(
    rows: list[list[str]], symbols: SymbolTable, words: dict[int, str] | None, path: str | Path, begin: int
) -> Lattice:
    if rows and not any("," in row[-1] for row in rows if len(row) != 3):
        return _plain(rows, symbols, words, path, begin)
    rows = _numbered(rows)
    sources, targets, labels, costs, ends = [], [], [], [], dict[int, tuple[float, float]]()
    for line, row in enumerate(rows, begin + 1):
        states = [-1 if (state := natural(field)) is None else state for field in row[: 1 if len(row) < 3 else 2]]
        own = _NO_COSTS
        if len(row) == 2 or (len(row) > 3 and "," in row[-1]):
            own = _costs(row.pop(), path, line, is_final=len(row) == 1)
        if -1 in states or len(row) > 4:
            remedy = "write source destination word graph,acoustic,transitions"
            raise FormatError(
                f"not an arc or a final state: {shown(' '.join(row))}", path=path, line=line, remedy=remedy
            )
        if len(row) == 1:
            ends[states[0]] = own
            continue
        sources.append(states[0])
        targets.append(states[1])
        labels.append(_label(row[-1], symbols, words, path, line))
        costs.append(own)
    num_states = 1 + max([*sources, *targets, *ends], default=-1)
    pairs = np.array(costs).reshape(-1, 2)
    end_pairs = np.full((num_states, 2), np.inf)
    end_pairs[list(ends)] = np.array(list(ends.values())).reshape(-1, 2)
    origins, goals, end_pairs = start_first(
        int(rows[0][0]) if rows else 0, np.array(sources, dtype=np.int64), np.array(targets, dtype=np.int64), end_pairs
    )
    finals = np.where(np.isfinite(end_pairs).all(axis=1), end_pairs.sum(axis=1), np.inf)
    end_scores = np.where(np.isfinite(finals)[:, None], 0.0 - end_pairs, 0.0)
    features = Features((GRAPH, ACOUSTIC), 0.0 - pairs.T, end_scores.T)
    return checked_lattice(path, origins, labels, pairs.sum(axis=1), goals, finals, symbols, features=features)


def _numbered(rows: list[list[str]]) -> list[list[str]]:
    """Returns the rows with states in the order in which they appear, if their numbers are larger than need be."""
    states = [
        state for row in rows for field in row[: 1 if len(row) < 3 else 2] if (state := natural(field)) is not None
    ]
    names = {state: str(number) for number, state in enumerate(dict.fromkeys(states))}
    if max(states, default=0) < 2 * len(rows):
        return rows
    return [
        [
            names[state] if index < (1 if len(row) < 3 else 2) and (state := natural(field)) is not None else field
            for index, field in enumerate(row)
        ]
        for row in rows
    ]


def _plain(
    rows: list[list[str]], symbols: SymbolTable, words: dict[int, str] | None, path: str | Path, begin: int
) -> Lattice:
    """Returns an automaton of an archive of OpenFst's text.

    Kaldi writes transducers, and leaves out costs of 0: four fields are without a cost, if the last is not a fraction.
    """
    last = [row[3] for row in rows if len(row) == 4]
    is_transducer = any(len(row) > 4 for row in rows) or any(finite(own) is None for own in last)
    is_transducer |= bool(last) and all(natural(own) is not None for own in last)
    if words is not None:
        for line, row in enumerate(rows, begin + 1):
            labels = range(2, min(len(row), 4 if is_transducer else 3))
            for index in labels:
                row[index] = _word(row[index], words, path, line)
    try:
        text = "\n".join("\t".join(row) for row in rows).encode()
        return parse_att(text, path=path, symbols=symbols, acceptor=not is_transducer, numeric=False)
    except FormatError as error:
        line_number = None if error.line is None else error.line + begin
        raise FormatError(error.message, path=path, line=line_number, remedy=error.remedy) from error


def _costs(text: str, path: str | Path, line: int, *, is_final: bool) -> tuple[float, float]:
    """Returns the graph's and the acoustic model's cost; infinite ones of a state that is not final after all."""
    parts = text.split(",")
    if is_final and any(part in _INFINITE for part in parts[:2]):
        return (np.inf, np.inf)
    costs = [0.0 if not part else finite(part) for part in (*parts, "")[:2]]
    graph, acoustic = costs
    if graph is None or acoustic is None or len(parts) > 3:
        raise FormatError(f"no costs: {shown(text)}", path=path, line=line, remedy="write graph,acoustic,transitions")
    return graph, acoustic


def _label(text: str, symbols: SymbolTable, words: dict[int, str] | None, path: str | Path, line: int) -> int:
    word = text if words is None else _word(text, words, path, line)
    return EPSILON if word in EPSILON_NAMES else symbols.add(word)


def _word(text: str, words: dict[int, str], path: str | Path, line: int) -> str:
    number = natural(text)
    if number is None or number not in words:
        raise FormatError(
            f"a label without a word: {shown(text)}", path=path, line=line, remedy="pass its own words.txt"
        )
    return words[number]
