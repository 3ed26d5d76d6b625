"""AT&T text, the format of OpenFst's fstprint and fstcompile, with OpenFst's text symbol tables.

Each arc is a line, `source destination label [cost]` in an acceptor and `source destination input output [cost]` in a
transducer; each final state is a line `state [cost]`. Fields are separated by tabs or blanks; the first line's state is
the start. A missing cost is 0. Costs are negative natural logs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import start_first
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, EPSILON_SYMBOL, SymbolTable
from lattice_simp.errors import FormatError, InvalidLatticeError, warn
from lattice_simp.formats.common import (
    FieldText,
    Format,
    checked_lattice,
    finite_numbers,
    natural,
    renumbered,
    second_automaton,
    shown,
    split_fields,
)
from lattice_simp.formats.openfst.symbols import read_label_pair, write_symbols
from lattice_simp.support.number_texts import float_texts
from lattice_simp.support.textio import decode, open_text

EPSILON_NAMES = frozenset({EPSILON_SYMBOL, "<eps>", "@0@", "@_EPSILON_SYMBOL_@"})
"""The words that mean epsilon, in OpenFst, Kaldi, lttoolbox and HFST."""

_CLASSES = frozenset({"@_IDENTITY_SYMBOL_@", "@_UNKNOWN_SYMBOL_@"})
"""Labels of HFST and foma that match many symbols."""

_SNIFFED_LINES = 200

_INTEGER = re.compile(rb"-?\d+")
_NO_IDS = "leave --symbols out if the labels are words; in Python: symbols_path=, numeric=True"
_IDS = "pass --symbols TABLE, or --words if the numbers are words; in Python: symbols_path=, numeric=False"
_K2_END = b"-1"
"""The label of arcs to the final state in k2's own text, whose scores are log probabilities."""

_IDS_OF_K2 = "k2 marks final arcs with -1, and its scores are no costs: write k2.to_str(fsa, openfst=True)"
_ONE_EACH = "write each automaton to a separate file"

_BLOCK = 1 << 16
"""The number of arcs whose lines are joined at once."""

_FEATURE = re.compile(rb"[^\s:]*[^\s\d:][^\s:]*:[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?")
"""A feature and its value on a line of a text lattice with features."""

_NOT_FINAL = (b"Infinity", b"inf")

_KALDI_COSTS = re.compile(rb"[-+.\de]*,[-+.\de]*,[\d_]*")
"""Kaldi's weights: the costs of the decoding graph and the acoustic model, and the transitions."""


def parse_att(
    data: bytes,
    *,
    path: str | Path | None = None,
    symbols: SymbolTable | None = None,
    isymbols: SymbolTable | None = None,
    acceptor: bool | None = None,
    numeric: bool | None = None,
    symbols_path: str | Path | None = None,
    isymbols_path: str | Path | None = None,
) -> Lattice:
    r"""Parses the bytes of AT&T text.

    >>> parse_att(b"0 1 a 0.5\n1 2 cat\n2\n").weights.tolist()
    [0.5, 0.0]

    States keep their numbers if the start is 0; otherwise the states before it move up by one. If numbers are larger
    than the file needs, the states are renumbered in order of appearance.

    k2's own text is read with a table: -1, the label of arcs to its final state, becomes epsilon, and costs are minus
    its scores.

    Args:
        data: the file's bytes.
        path: the file's name, for errors.
        symbols: the table that numbers the (output) words; it grows as needed. A new one if None.
        isymbols: the table of the input words; None for `symbols`.
        acceptor: whether a line of four fields is `source destination word cost` (True) or `source destination input
            output` (False). None detects it: a file with a line of five fields is a transducer; otherwise it is an
            acceptor if the fourth field of every line of four is a number. So a transducer without costs whose
            output labels are numbers needs `acceptor=False`.
        numeric: True if labels are label ids of `symbols` (and `isymbols`), False if they are words, even numbers.
            None reads labels as words, but raises an error if all are numbers, which are probably ids.
        symbols_path: an OpenFst text symbol table whose numbers are the labels.
        isymbols_path: the same for input labels; None for `symbols_path`.

    Raises:
        FormatError: a line is broken (the message has its number), the file is empty or holds a second automaton, a
            label is unknown or an id without a symbol table, or a cost is NaN or infinite.
    """
    ilabels, labels = read_label_pair(symbols_path, isymbols_path)
    decode(data, path)  # raises an error for bytes that are not UTF-8
    text = split_fields(data.removeprefix(b"\xef\xbb\xbf"), path)
    widths = text.widths
    if widths.max(initial=0) > 5:
        text.fail(int(np.argmax(widths > 5)), "more than five fields", "write words without blanks")
    arcs, ends = np.flatnonzero(widths > 2), np.flatnonzero((widths == 1) | (widths == 2))
    if not len(arcs) and not len(ends):
        raise FormatError("the file is empty", path=path, remedy="a lattice has at least one final state")
    costs = None
    if acceptor is None:
        four = np.flatnonzero(widths == 4)
        fourth = text.column(four, 3)
        if any(map(_KALDI_COSTS.fullmatch, fourth[:1])):
            remedy = "write a line with the name of the utterance before, and an empty line at the end"
            text.fail(int(four[0]), "costs as in Kaldi's lattices, which are archives", remedy)
        _refuse_features(text, arcs, ends)
        costs = None if (widths == 5).any() else finite_numbers(fourth)
        acceptor = costs is not None or (not (widths == 5).any() and _all_numbers(fourth))
    elif acceptor and (widths == 5).any():
        text.fail(int(np.argmax(widths == 5)), "five fields in an acceptor", "read it with acceptor=False")
    sources, nextstates, finals = _states(text, arcs, ends)
    numbers: list[int | Longs] = [2] if acceptor else [np.where(widths[arcs] == 3, 2, 3), 2]
    sides = [text.column(arcs, number) for number in numbers]
    if numeric is None:
        tables = (labels, ilabels)[: len(sides)]
        _refuse_label_ids(text, arcs, [side for side, table in zip(sides, tables, strict=True) if table is None])
    weights = np.zeros(len(arcs))
    priced = widths[arcs] == (4 if acceptor else 5)
    weights[priced] = text.costs(arcs[priced], 3 if acceptor else 4) if costs is None else costs
    if priced.all() and (widths[ends] == 1).all() and all(_ends_as_k2(side, nextstates, finals) for side in sides):
        sides = [[b"0" if field == _K2_END else field for field in side] for side in sides]
        weights = 0.0 - weights
    symbols = SymbolTable.of(symbols)
    olabels = _labels(text, arcs, sides[0], symbols, numeric, labels)
    inputs = None
    if not acceptor:
        input_symbols = symbols if isymbols is None else isymbols
        inputs = _labels(text, arcs, sides[1], input_symbols, numeric, ilabels), input_symbols
    return checked_lattice(path, sources, olabels, weights, nextstates, finals, symbols, inputs=inputs)


def write_att(
    lattice: Lattice,
    path: str | Path,
    *,
    numeric: bool = False,
    symbols_path: str | Path | None = None,
    isymbols_path: str | Path | None = None,
) -> None:
    r"""Writes a lattice as AT&T text; `parse_att` restores it, except for its features.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cat.txt"
    >>> write_att(Lattice.from_strings([("a", 0.25), ("b", 1.0)]), path)
    >>> path.read_text().splitlines()
    ['0\t1\ta\t0.25', '0\t1\tb\t1.0', '1\t0.0']

    State numbers are kept, costs are exact, and a lattice without states becomes one without final states. A state
    that is not final and has no arcs is written as `state Infinity`, as in OpenFst.

    Args:
        lattice: an acceptor (four fields an arc) or a transducer (five fields an arc).
        path: the file; `-` is standard output.
        numeric: whether to write label ids instead of words.
        symbols_path: where to write the symbol table; labels are then its numbers.
        isymbols_path: the same for the input symbols.

    Raises:
        InvalidLatticeError: a word contains blanks or means epsilon, and so could not be read back.
        LatticeSimpError: the file cannot be written.
    """
    numeric = numeric or symbols_path is not None or isymbols_path is not None
    if symbols_path is not None:
        write_symbols(lattice.symbols, symbols_path)
    if isymbols_path is not None:
        write_symbols(lattice.isymbols or lattice.symbols, isymbols_path)
    states = _fields(range(lattice.num_states))
    columns = [(states, lattice.sources), (states, lattice.nextstates)]
    if not lattice.is_acceptor:
        columns.append((_words(lattice.ilabels, lattice.isymbols or lattice.symbols, numeric), lattice.ilabels))
    columns.append((_words(lattice.olabels, lattice.symbols, numeric), lattice.olabels))
    ends = _end_lines(lattice)
    with open_text(path, "w") as file:
        if not lattice.num_states or lattice.offsets[1] == 0:  # the start comes first
            file.write(ends.pop(0, "0\tInfinity\n"))
        for begin in range(0, lattice.num_arcs, _BLOCK):
            block = slice(begin, begin + _BLOCK)
            file.write(_lines([texts[numbers[block]] for texts, numbers in columns], lattice.weights[block]))
        file.writelines(ends.values())


# ---------------------------------------------------------------- reading


def _refuse_features(text: FieldText, arcs: Longs, ends: Longs) -> None:
    """Raises FormatError for a lattice with features whose first arc has none, so that it looks like AT&T text."""
    if b":" not in text.data or (text.widths[arcs] > 3).all():
        return
    fields = list[tuple[int, bytes]]()
    for lines, first in ((arcs, 3), (ends, 1)):
        for number in range(first, 5):
            wide = lines[text.widths[lines] > number]
            fields += zip(wide.tolist(), text.column(wide, number), strict=True)
    if fields and all(_FEATURE.fullmatch(field) for _, field in fields):
        line = min(line for line, _ in fields)
        text.fail(line, "looks like a text lattice with features", "name its format: `lattice convert --from features`")


def _all_numbers(fields: list[bytes]) -> bool:
    try:
        return all(True for _ in map(float, fields))
    except ValueError:
        return False


def _states(text: FieldText, arcs: Longs, ends: Longs) -> tuple[Longs, Longs, Floats]:
    """Returns the sources, the destinations and the final costs; the start is state 0."""
    separators = ends[[field == b"--" for field in text.column(ends, 0)]] if len(ends) else ends
    if len(separators):
        text.fail(int(separators[0]), "a line that separates automata: --", _ONE_EACH)
    sources, nextstates, states = text.states(arcs, 0), text.states(arcs, 1), text.states(ends, 0)
    lines = np.concatenate((arcs, ends))
    order = np.argsort(lines)
    second = second_automaton(
        np.concatenate((sources, states))[order],
        np.concatenate((np.maximum(sources, nextstates), states))[order],
        order >= len(arcs),
    )
    if second is not None:
        remedy = f"{_ONE_EACH}; if it is one, sort its lines by the first state"
        text.fail(int(lines[order][second]), "a second automaton begins", remedy)
    first = int(sources[0] if not len(ends) or (len(arcs) and arcs[0] < ends[0]) else states[0])
    mentions = 2 * len(arcs) + len(ends)
    num_states = 1 + int(max(sources.max(initial=0), nextstates.max(initial=0), states.max(initial=0)))
    if num_states > mentions:
        places = np.argsort(np.concatenate((2 * arcs, 2 * arcs + 1, 2 * ends)), kind="stable")
        numbers = renumbered(np.concatenate((sources, nextstates, states)), places)
        sources, nextstates, states = np.split(numbers, [len(arcs), 2 * len(arcs)])
        first, num_states = 0, 1 + int(numbers.max())
    priced = text.widths[ends] == 2
    if priced.any():
        priced[priced] = [field not in _NOT_FINAL for field in text.column(ends[priced], 1)]
    costs = np.where(text.widths[ends] == 2, np.inf, 0.0)
    costs[priced] = text.costs(ends[priced], 1)
    finals = np.full(num_states, np.inf)
    np.minimum.at(finals, states, costs)
    return start_first(first, sources, nextstates, finals)


def _ends_as_k2(side: list[bytes], nextstates: Longs, finals: Floats) -> bool:
    """Returns whether the arcs to final states, and no others, have the label -1."""
    if _K2_END not in side:
        return False
    is_end = np.fromiter((field == _K2_END for field in side), dtype=np.bool_, count=len(side))
    return np.array_equal(is_end, np.isfinite(finals[nextstates]))


def _refuse_label_ids(text: FieldText, arcs: Longs, sides: list[list[bytes]]) -> None:
    """Raises an error for label ids: numbers on all sides, or on one side with an id that cannot be a word."""
    numbers = [
        bool(side and _INTEGER.fullmatch(side[0])) and all(map(_INTEGER.fullmatch, dict.fromkeys(side)))
        for side in sides
    ]
    for side, are_ids in zip(sides, numbers, strict=True):
        if not are_ids:
            continue
        telling = next((field for field in dict.fromkeys(side) if field == b"0" or field.startswith(b"-")), None)
        if all(numbers) or telling is not None:
            line = int(arcs[side.index(telling or side[0])])
            among = "" if telling is None else f", and {telling.decode()} among them"
            text.fail(line, f"labels are numbers{among}", _IDS_OF_K2 if (telling or b"").startswith(b"-") else _IDS)


def _labels(
    text: FieldText,
    arcs: Longs,
    fields: list[bytes],
    symbols: SymbolTable,
    numeric: bool | None,
    words: dict[int, str] | None,
) -> npt.NDArray[np.int32]:
    ids: dict[bytes, int] = {}
    distinct = dict.fromkeys(fields)
    if not numeric and words is None:
        names = [field.decode("utf-8") for field in distinct]
        symbols.encode(name for name in names if name not in EPSILON_NAMES)
        for name in _CLASSES:
            if name in names:
                warn(
                    f"{name} is read as a word, not as any symbol", path=text.path, remedy="expand it with HFST or foma"
                )
        labels = (EPSILON if name in EPSILON_NAMES else symbols.add(name) for name in names)
        ids, distinct = dict(zip(distinct, labels, strict=True)), {}
    for field in distinct:
        label = _numeric_label(field, symbols, words)
        if label is None:
            index = int(arcs[fields.index(field)])
            if not field.removeprefix(b"-").isdigit():
                text.fail(index, f"a label that is not a number: {shown(field)}", _NO_IDS)
            remedy = _IDS_OF_K2 if field.startswith(b"-") else "pass the symbol table that the labels belong to"
            text.fail(index, f"unknown label: {shown(field)}", remedy)
        ids[field] = label
    return np.fromiter(map(ids.__getitem__, fields), dtype=np.int32, count=len(fields))


def _numeric_label(field: bytes, symbols: SymbolTable, words: dict[int, str] | None) -> int | None:
    number = natural(field)
    if number == EPSILON:
        return EPSILON
    if number is None or words is None:
        return number if number is not None and number < len(symbols) else None
    return symbols.add(words[number]) if number in words else None


# ---------------------------------------------------------------- writing


def _lines(columns: list[npt.NDArray[np.object_]], weights: Floats) -> str:
    """Returns the lines of arcs; one join of all fields takes less time than a pattern for each line."""
    fields = np.empty((len(weights), len(columns) + 1), dtype=object)
    for number, column in enumerate(columns):
        fields[:, number] = column
    fields[:, -1] = float_texts(weights, end="\n")
    return "".join(fields.reshape(-1).tolist())


def _fields(values: Iterable[object]) -> npt.NDArray[np.object_]:
    """Returns texts that end in tabs."""
    return np.array([f"{value}\t" for value in values], dtype=object)


def _words(labels: npt.NDArray[np.int32], symbols: SymbolTable, numeric: bool) -> npt.NDArray[np.object_]:
    """Returns the texts of all labels up to the last; only those of the labels in use are needed."""
    used = np.unique(labels)
    texts = np.full(used.max(initial=0) + 1, "", dtype=object)
    if numeric:
        texts[used] = _fields(used.tolist())
        return texts
    words = [symbols[label] for label in used.tolist()]
    for label, word in zip(used.tolist(), words, strict=True):
        if label != EPSILON and (word in EPSILON_NAMES or any(blank in word for blank in " \t\n\r")):
            raise InvalidLatticeError(
                f"AT&T text cannot represent the word {shown(word)} (write numeric labels, or OpenFst)"
            )
    texts[used] = _fields(words)
    return texts


def _end_lines(lattice: Lattice) -> dict[int, str]:
    """Returns the lines of the final states and of the states that no other line mentions."""
    mentioned = np.isfinite(lattice.finals) | (np.diff(lattice.offsets) > 0)
    mentioned[lattice.nextstates] = True
    costs = lattice.finals.tolist()
    finals = np.flatnonzero(np.isfinite(lattice.finals)).tolist()
    dead = np.flatnonzero(~mentioned).tolist()
    return dict(chain(((q, f"{q}\t{costs[q]!r}\n") for q in finals), ((q, f"{q}\tInfinity\n") for q in dead)))


_LINE = re.compile(rb"\s*\d+(?:[ \t]+\d+(?:[ \t]+\S+){1,3}|[ \t]+(?:[-+.\d][-+.,\deE_]*|inf|-?Infinity))?\s*")
"""An arc or a final state, also of Kaldi's lattices."""


def accepts_text(data: bytes) -> bool:
    """Returns whether lines are AT&T text rather than sentences with numbers.

    They are if their arcs lead from the first state to a final state, or if most lines are arcs or final states whose
    states are numbered from 0 without holes.

    >>> accepts_text(b"0 1 a\\n1\\n"), accepts_text(b"7 8 houses\\n")
    (True, False)
    """
    lines = [line for line in data.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()]
    rows = [line.split() for line in lines if _LINE.fullmatch(line)]
    following: dict[bytes, list[bytes]] = {}
    for row in rows:
        following.setdefault(row[0], []).extend(row[1:2] if len(row) > 2 else [])
    finals = {row[0] for row in rows if len(row) < 3}
    reached, due = set(rows[0][:1]) if rows else set(), list(rows[0][:1]) if rows else []
    for state in due:
        due += [target for target in dict.fromkeys(following.get(state, ())) if target not in reached]
        reached.update(following.get(state, ()))
    states = {*following, *(target for targets in following.values() for target in targets)}
    has_all_states = 2 * len(rows) > len(lines) and states == {b"%d" % number for number in range(len(states))}
    return bool(reached & finals) or (has_all_states and len(states) > 1)


def is_att(head: bytes) -> bool:
    """Recognises AT&T text by its first lines: at least half of them are arcs or final states.

    Lines of final states alone look like columns of numbers, unless there is only one, of state 0.

    >>> is_att(b"0 1 a 0.5\\n1\\n"), is_att(b"7 houses were sold\\n"), is_att(b"7 0.75\\n12 0.5\\n"), is_att(b"0\\n")
    (True, False, False, True)
    """
    lines = [line for line in head.split(b"\n")[:_SNIFFED_LINES] if line.strip()]
    rows = [line.split() for line in lines]
    if all(len(row) < 3 for row in rows) and [row[0] for row in rows] != [b"0"]:
        return False
    return 2 * sum(_LINE.fullmatch(line) is not None for line in lines) >= len(lines)


FORMAT = Format((".txt", ".att"), is_att, parse_att, write_att)
