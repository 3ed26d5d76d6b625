r"""Kaldi's text lattices, as `lattice-copy ark:1.lats ark,t:-` prints them, with words or with their numbers.

One line for each arc, `source destination word graph,acoustic,transitions`, and one for each final state, `state
graph,acoustic,transitions`; in lattices that are not compact, an arc has an input and an output label. Costs are
negative natural logs; missing costs are 0. The transitions (of the acoustic model's states) are ignored.

In an archive, a lattice follows a line with the name of its utterance and ends with an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import NoReturn

import numpy as np

from lattice_simp.core.header import Header
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.att import parse_att
from lattice_simp.formats.common import finite, natural, shown
from lattice_simp.formats.kaldi_arcs import KaldiArcs, ReadOptions, written_words

_NAME = re.compile(rb"[^ \t\r\n]+")
_ROW = re.compile(rb"\d+(?:[ \t]+\d+(?:[ \t]+[^ \t\r\n]+){1,3}|[ \t]+[-+.,\deEInfity_]+)?")
"""An arc or a final state."""

_NUMBERS = re.compile(r"[-+.,\deE_]+|Infinity|inf")
_WORDS_WITHIN = 1000

Weight = tuple[float, float, int]
"""The graph's cost, the acoustic cost, the number of transitions."""

_NO_WEIGHT: Weight = (0.0, 0.0, 0)
_INFINITE = ("Infinity", "inf")
_NO_TRANSITION = ("0", "<eps>", "-")


def is_text_archive(head: bytes) -> bool:
    r"""Recognises an archive by its beginning: the name of an utterance, then arcs and final states.

    >>> is_text_archive(b"utterance-1 \n0\t1\ta\t1.5,2,\n1\n\n"), is_text_archive(b"0 1 a\n1\n")
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


def text_lattices(
    lines: Iterable[str], path: str | Path, options: ReadOptions
) -> Iterator[tuple[str, Callable[[], Lattice]]]:
    """Yields the names of an archive's utterances and what reads their lattices, one at a time.

    Raises:
        FormatError: numbers without words; a name with further fields, which may be any line of a broken archive.
    """
    lines = iter(lines)
    begun = list(islice(lines, _WORDS_WITHIN))
    if options.words is None and options.numeric is None:
        _refuse_numbers(begun, path)
    name, begin, rows = "", 0, list[list[str]]()
    number = 0
    for number, line in enumerate(chain(begun, lines), 1):
        fields = split_tokens(line)
        if fields and not name:
            if len(fields) > 1:
                raise FormatError(f"no name of an utterance: {shown(line)}", path=path, line=number, remedy="write it")
            name, begin, rows = fields[0], number, []
        elif fields:
            rows.append(fields)
        elif name:
            yield name, partial(_lattice, rows, options, name, path, begin)
            name = ""
    if name:
        yield name, partial(_fail_at_end, name, path, number)


def _fail_at_end(name: str, path: str | Path, number: int) -> NoReturn:
    raise FormatError(f"{name} has no empty line at its end", path=path, line=number, remedy="is the file cut off?")


def _refuse_numbers(lines: list[str], path: str | Path) -> None:
    """Refuses an archive that begins with numbers for labels alone."""
    labels = [(number, field) for number, line in enumerate(lines, 1) for field in split_tokens(line)[2:]]
    if labels and all(_NUMBERS.fullmatch(field) for _, field in labels):
        remedy = "pass words.txt (--symbols, symbols_path=), or declare numbers to be words (--words, numeric=False)"
        raise FormatError("labels are numbers", path=path, line=labels[0][0], remedy=remedy)


def _lattice(rows: list[list[str]], options: ReadOptions, name: str, path: str | Path, begin: int) -> Lattice:
    if rows and not any("," in row[-1] for row in rows if len(row) != 3):
        return replace(_plain(rows, options, path, begin), header=Header(name))
    rows = _numbered(rows)
    sources, targets, labels, lines, costs, ends = [], [], [], list[int](), [], dict[int, Weight]()
    for line, row in enumerate(rows, begin + 1):
        states = [-1 if (state := natural(field)) is None else state for field in row[: 1 if len(row) < 3 else 2]]
        weight = _NO_WEIGHT
        if len(row) == 2 or (len(row) > 3 and "," in row[-1]):
            weight = _weight(row.pop(), path, line, is_final=len(row) == 1)
        if -1 in states or len(row) > 4:
            remedy = "write source destination word graph,acoustic,transitions"
            raise FormatError(
                f"not an arc or a final state: {shown(' '.join(row))}", path=path, line=line, remedy=remedy
            )
        if len(row) == 1:
            ends[states[0]] = weight
            continue
        if len(row) == 4 and row[2] not in _NO_TRANSITION:  # not compact: a transition, and one frame, on each arc
            weight = (*weight[:2], 1)
        sources.append(states[0])
        targets.append(states[1])
        labels.append(row[-1])
        lines.append(line)
        costs.append(weight)
    num_states = 1 + max([*sources, *targets, *ends], default=-1)
    table = np.array(costs, dtype=np.float64).reshape(-1, 3)
    end_table = np.tile((np.inf, np.inf, 0.0), (num_states, 1))
    end_table[list(ends)] = np.array(list(ends.values()), dtype=np.float64).reshape(-1, 3)
    arcs = KaldiArcs(
        np.array(sources, dtype=np.int64),
        np.array(targets, dtype=np.int64),
        table[:, :2],
        table[:, 2].astype(np.int64),
        end_table[:, :2],
        end_table[:, 2].astype(np.int64),
    )
    start = int(rows[0][0]) if rows else 0
    return arcs.lattice(options.labels(labels, path, lines), options, name=name, start=start, path=path)


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


def _plain(rows: list[list[str]], options: ReadOptions, path: str | Path, begin: int) -> Lattice:
    """Returns an automaton of an archive of OpenFst's text.

    Kaldi writes transducers, and leaves out costs of 0: four fields are without a cost, if the last is not a fraction.
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


def _weight(text: str, path: str | Path, line: int, *, is_final: bool) -> Weight:
    """Returns both costs, which are infinite for a state that is not final after all, and the alignment's length."""
    parts = text.split(",")
    if is_final and any(part in _INFINITE for part in parts[:2]):
        return (np.inf, np.inf, 0)
    graph, acoustic = (0.0 if not part else finite(part) for part in (*parts, "")[:2])
    if graph is None or acoustic is None or len(parts) > 3:
        raise FormatError(f"no costs: {shown(text)}", path=path, line=line, remedy="write graph,acoustic,transitions")
    return graph, acoustic, parts[2].count("_") + 1 if parts[2:] and parts[2] else 0


def text_of(lattice: Lattice, name: str, numbers: Mapping[str, int] | None, frame_shift: float) -> str:
    """Returns the text of an utterance's lattice in an archive.

    Raises:
        InvalidLatticeError: a transducer, a word that the text cannot hold or that has no number.
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
    if not len(arcs.sources) or arcs.sources[0]:  # the start would not come first
        order = order[: len(ends)] if lattice.num_states and 0 in ends else order[:0]
    return f"{name} \n{''.join(rows[index] for index in order.tolist())}\n"


def _written(costs: Floats, frames: Longs) -> list[str]:
    pairs = zip(costs.tolist(), frames.tolist(), strict=True)
    return [f"{graph!r},{acoustic!r},{'_'.join('1' * count)}" for (graph, acoustic), count in pairs]
