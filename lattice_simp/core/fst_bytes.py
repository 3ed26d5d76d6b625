"""OpenFst's binary layouts "vector" and "const" (standard arcs), packed and parsed without OpenFst.

A file consists of a header, the symbol tables that the header announces, and then in the const layout all states
`(final f4, first arc u4, arcs u4, input epsilons u4, output epsilons u4)` and all arcs
`(ilabel i4, olabel i4, weight f4, nextstate i4)`, in the vector layout each state `(final f4, arcs i8)` with its arcs.
Automata cross to OpenFst as a whole, without a call per arc. Every size is checked against the number of bytes before
anything is allocated, and stored properties are not trusted (OpenFst's conversions abort at wrong ones).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import Arcs, start_first
from lattice_simp.core.kernel import Ints, Longs, Records, jit
from lattice_simp.core.symbols import EPSILON, EPSILON_SYMBOL, SymbolTable
from lattice_simp.errors import FormatError, InvalidLatticeError, warn
from lattice_simp.support.guarded import convert_in_child

MAGIC = struct.pack("<i", 2125659606)
"""The first four bytes of an OpenFst file."""

Layout = Literal["vector", "const"]
Table = dict[int, str]

_STATE = np.dtype([("final", "<f4"), ("pos", "<u4"), ("narcs", "<u4"), ("niepsilons", "<u4"), ("noepsilons", "<u4")])
_ARC = np.dtype([("ilabel", "<i4"), ("olabel", "<i4"), ("weight", "<f4"), ("nextstate", "<i4")])
_TABLE_MAGIC = 2125658996
TABLE_MAGIC = struct.pack("<i", _TABLE_MAGIC)
"""The first four bytes of a binary symbol table."""

_CONVERTED_LAYOUTS = frozenset(
    {"edit", "compact_acceptor", "compact_string", "compact_weighted_string"}
    | {"compact_unweighted", "compact_unweighted_acceptor"}
)
_VERSION = 2
_EXPANDED, _MUTABLE = 1, 2  # property bits; OpenFst computes the other properties on demand
_HAS_ISYMBOLS, _HAS_OSYMBOLS, _IS_ALIGNED = 1, 2, 4
_ALIGNMENT = 16
_NO_STATE = -1
_LARGEST_COST = float(np.finfo(np.float32).max)
_NAMES_OF_EPSILON = frozenset(("eps", "epsilon", "empty", "null", "none", "blank", "e", "ε", "ϵ", "λ"))


# ---------------------------------------------------------------- packing


def pack(arcs: Arcs, ilabels: Ints, tables: Sequence[SymbolTable] = (), layout: Layout = "const") -> bytes:
    """Returns an automaton as the bytes of an OpenFst file, with costs in single precision.

    Args:
        arcs: the automaton, with its output labels.
        ilabels: the input labels.
        tables: the symbol tables of the input and output labels, to include in the file.
        layout: the layout of the file.

    Raises:
        InvalidLatticeError: a cost is too large for single precision.
    """
    for costs in (arcs.weights, arcs.finals):
        if (np.isfinite(costs) & (np.abs(costs) > _LARGEST_COST)).any():
            raise InvalidLatticeError("a cost beyond 3.4e38 is too large for OpenFst (scale the costs)")
    count, offsets = len(arcs.finals), arcs.offsets
    records = np.empty(len(ilabels), dtype=_ARC)
    records["ilabel"], records["olabel"] = ilabels, arcs.labels
    records["weight"], records["nextstate"] = arcs.weights, arcs.nextstates
    if layout == "const":
        states = np.zeros(count, dtype=_STATE)
        states["final"], states["pos"], states["narcs"] = arcs.finals, offsets[:-1], np.diff(offsets)
        states["niepsilons"], states["noepsilons"] = (
            np.diff(np.append(0, np.cumsum(labels == EPSILON))[offsets]) for labels in (ilabels, arcs.labels)
        )
        body, num_arcs, properties = states.tobytes() + records.tobytes(), len(records), _EXPANDED
    else:
        words = np.zeros(3 * count + 4 * len(records), dtype=np.int32)
        begins = 3 * np.arange(count) + 4 * offsets[:-1].astype(np.int64)
        words[begins], words[begins + 1] = arcs.finals.astype(np.float32).view(np.int32), np.diff(offsets)
        words[_arc_words(begins, len(words))] = records.view(np.int32)
        body, num_arcs, properties = words.tobytes(), 0, _EXPANDED | _MUTABLE  # OpenFst leaves the number of arcs open
    flags = _HAS_ISYMBOLS | _HAS_OSYMBOLS if tables else 0
    start = 0 if count else _NO_STATE
    sizes = struct.pack("<iiQqqq", _VERSION, flags, properties, start, count, num_arcs)
    header = MAGIC + _packed_string(layout) + _packed_string("standard") + sizes
    distinct = {id(table): table for table in tables}  # an acceptor's two tables are one
    packed = {key: _packed_table(table) for key, table in distinct.items()}
    return b"".join([header, *(packed[id(table)] for table in tables), body])


def _packed_string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<i", len(data)) + data


def _packed_table(symbols: SymbolTable) -> bytes:
    head = struct.pack("<i", _TABLE_MAGIC) + _packed_string("<unspecified>")
    words = list(map(str.encode, symbols))
    between = np.empty(len(words) + 1, dtype=_BETWEEN)
    between["label"], between["size"] = np.arange(-1, len(words)), [*map(len, words), 0]
    pieces = [b""] * (2 * len(words) + 1)
    pieces[::2], pieces[1::2] = between.view(f"V{_BETWEEN.itemsize}").tolist(), words
    entries = b"".join(pieces)[_LABEL.size : -_SIZE.size]  # without the first label and the last size
    return b"".join([head, struct.pack("<qq", len(words), len(words)), entries])


_SIZE, _LABEL, _LABEL_SIZE = struct.Struct("<i"), struct.Struct("<q"), struct.Struct("<qi")
"""The size of a word, its label, and the label with the size of the next word, as symbol tables hold them."""

_BETWEEN = np.dtype([("label", "<i8"), ("size", "<i4")])
"""The label of a word, and the size of the next word."""


# ---------------------------------------------------------------- parsing


def parse(
    data: bytes,
    symbols: SymbolTable | None = None,
    isymbols: SymbolTable | None = None,
    tables: tuple[Table | None, Table | None] = (None, None),
    file_tables: bool = True,
    path: str | Path | None = None,
) -> dict[str, Any]:
    """Returns the arguments of `Lattice.from_arcs` from an OpenFst file's bytes; arcs of infinite cost are left out.

    Args:
        data: the bytes.
        symbols: the table that numbers the output words; a new one if None.
        isymbols: the table that numbers the input words; if None, `symbols`, unless the file has a separate table.
        tables: the words of the input and output labels; they override the file's tables.
        file_tables: whether to use the file's tables where `tables` has none. Without a table, labels are ids of
            `symbols` and `isymbols`.
        path: the file's name, for errors.

    Raises:
        FormatError: the file is not an OpenFst file, is of a type that cannot be converted, is damaged, or has labels
            without a word.
    """
    cursor = _Cursor(data, path)
    if data[:4] != MAGIC:
        raise cursor.error("not an OpenFst file: the first bytes differ", "write one with fstcompile or fst.write()")
    cursor.position = 4
    layout, arc_type = cursor.string(), cursor.string()
    if (layout, arc_type) not in {(name, arcs) for name in ("vector", "const") for arcs in ("standard", "log")}:
        cursor = _converted(cursor, layout, arc_type)
        layout, arc_type = cursor.string(), cursor.string()
    version, flags, _, start, num_states, num_arcs = cursor.take("<iiQqqq")
    begin = cursor.position
    input_table = _table(cursor) if flags & _HAS_ISYMBOLS else None
    output_table = _table(cursor, data[begin : cursor.position], input_table) if flags & _HAS_OSYMBOLS else None
    if layout == "vector":
        finals, counts, arcs = _vector_states(cursor, num_states)
    else:
        aligned = version == 1 or bool(flags & _IS_ALIGNED)
        finals, counts, arcs = _const_states(cursor, num_states, num_arcs, aligned)
    if not _NO_STATE <= start < len(finals):
        raise cursor.error(f"the start state {start} does not exist")
    if start == _NO_STATE:
        finals, counts, arcs = finals[:0], counts[:0], arcs[:0]
    sources = np.repeat(np.arange(len(finals)), counts)
    kept = arcs["weight"] != np.inf  # an arc of infinite cost is on no path
    if not kept.all():
        arcs, sources = arcs[kept], sources[kept]
    with np.errstate(invalid="ignore"):  # a broken file may hold any bits
        weights, finals = arcs["weight"].astype(np.float64), finals.astype(np.float64)
    if file_tables:
        tables = tables[0] or input_table, tables[1] or output_table
    labels = _labels(cursor, arcs, *tables, symbols, isymbols)
    sources, nextstates, finals = start_first(max(start, 0), sources, arcs["nextstate"], finals)
    return {"sources": sources, "nextstates": nextstates, "weights": weights, "finals": finals, **labels}


def parse_table(data: bytes, path: str | Path | None = None) -> Table:
    """Returns the words of a binary symbol table, by their labels.

    Raises:
        FormatError: the table is damaged.
    """
    return _table(_Cursor(data, path, kind="symbol table"))


def warn_of_zero(table: Table, path: str | Path | None) -> None:
    """Warns of a word with the number 0: FSTs read this label as the empty word, so the word would be lost."""
    name = table.get(EPSILON, "")
    if name.isalpha() and name.casefold() not in _NAMES_OF_EPSILON:
        message = f"the symbol table gives {name[:40]!r} the number 0, which is read as the empty word"
        warn(message, path=path, remedy="number the words from 1")


@dataclass
class _Cursor:
    """A position in the bytes of a file, of a kind that errors name; reading beyond the end raises."""

    data: bytes
    path: str | Path | None
    position: int = 0
    kind: str = "file"

    def error(self, message: str, remedy: str = "the file is damaged: write it again") -> FormatError:
        return FormatError(message, path=self.path, remedy=remedy)

    def cut_off(self) -> FormatError:
        return self.error(f"the {self.kind} of {len(self.data)} bytes ends too early, or a size in it is wrong")

    def room(self, size: int) -> int:
        """Returns the position and moves on by `size` bytes."""
        position = self.position
        if not 0 <= size <= len(self.data) - position:
            raise self.cut_off()
        self.position += size
        return position

    def take(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack_from(layout, self.data, self.room(struct.calcsize(layout)))

    def string(self) -> str:
        size = self.take("<i")[0]
        position = self.room(size)
        try:
            return self.data[position : position + size].decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.error("a name that is not UTF-8") from error

    def array(self, dtype: npt.DTypeLike, count: int) -> npt.NDArray[Any]:
        position = self.room(count * np.dtype(dtype).itemsize)
        return np.frombuffer(self.data, dtype, count, position)

    def require_end(self) -> None:
        if self.position != len(self.data):
            raise self.error(f"{len(self.data) - self.position} bytes too many at the end")


def _converted(cursor: _Cursor, layout: str, arc_type: str) -> _Cursor:
    """Converts the automaton to the vector layout with standard arcs; returns a cursor after the magic number.

    Only OpenFst's built-in types are converted: for others, OpenFst would load any library of that name. A child
    process does the conversion, since OpenFst trusts the numbers in a file and crashes on damaged ones.
    """
    if layout not in ("vector", "const", *_CONVERTED_LAYOUTS):
        raise cursor.error(
            f"an FST of type {layout[:40]!r}", "write it as vector, with the program that knows this type"
        )
    if arc_type not in ("standard", "log", "log64"):
        raise cursor.error(f"arcs of type {arc_type[:40]!r}", "write standard arcs (costs, the tropical semiring)")
    data = convert_in_child(
        cursor.data,
        Path(__file__).with_name("fst_convert.py"),
        [arc_type],
        path=cursor.path,
        library="OpenFst",
        remedy="the file is damaged: write it again",
    )
    return _Cursor(data, cursor.path, position=4)


def _table(cursor: _Cursor, before: bytes = b"", table_before: Table | None = None) -> Table:
    """Reads a symbol table; reuses the table before it if the bytes are equal, as in an acceptor."""
    if table_before is not None and cursor.data.startswith(before, cursor.position):
        cursor.room(len(before))
        return table_before
    if cursor.take("<i")[0] != _TABLE_MAGIC:
        raise cursor.error("no symbol table where the header announces one")
    cursor.string()  # the table's name
    _, size = cursor.take("<qq")
    table: Table = {}
    data, begin = cursor.data, cursor.position + _SIZE.size
    try:
        length = _SIZE.unpack_from(data, cursor.position)[0] if size > 0 else 0
        for _ in range(size - 1):
            if length < 0:
                raise cursor.cut_off()
            end = begin + length
            word = data[begin:end].decode()
            label, length = _LABEL_SIZE.unpack_from(data, end)
            table[label] = word
            begin = end + _LABEL_SIZE.size
        if size > 0:
            if length < 0:
                raise cursor.cut_off()
            end = begin + length
            table[_LABEL.unpack_from(data, end)[0]] = data[begin:end].decode()
            cursor.position = end + _LABEL.size
    except struct.error:
        raise cursor.cut_off() from None
    except UnicodeDecodeError as error:
        raise cursor.error("a name that is not UTF-8") from error
    if len(table) < size:
        raise cursor.error("the symbol table holds a label twice")
    warn_of_zero(table, cursor.path)
    return table


def _vector_states(cursor: _Cursor, num_states: int) -> tuple[npt.NDArray[np.float32], Longs, Records]:
    remaining = len(cursor.data) - cursor.position
    words = np.frombuffer(cursor.data, np.uint8, remaining // 4 * 4, cursor.position).copy().view(np.int32)
    unknown = num_states == _NO_STATE  # OpenFst wrote to a stream, so it could not go back and fill in the header
    if not unknown and not 0 <= num_states <= len(words) // 3:
        raise cursor.cut_off()
    walk = _walk_vector.py_func if len(words) < SMALL else _walk_vector.light
    begins, counts, end = walk(words, len(words) // 3 if unknown else num_states, unknown)
    if end < 0 or (unknown and remaining % 4):
        raise cursor.cut_off()
    cursor.room(4 * end)
    cursor.require_end()
    return words.view(np.float32)[begins], counts, words[_arc_words(begins, len(words))].view(_ARC)


SMALL = 1000
"""Files of fewer words are always walked in plain Python, which takes a millisecond at most."""


def _arc_words(begins: Longs, size: int) -> npt.NDArray[np.bool_]:
    """Marks the words of a vector layout that belong to arcs; three words come before the arcs of each state."""
    marked = np.ones(size, dtype=np.bool_)
    marked[(begins[:, None] + np.arange(3)).reshape(-1)] = False
    return marked


@jit
def _walk_vector(words: Ints, num_states: int, unknown: bool) -> tuple[Longs, Longs, int]:
    """Returns each state's first word and number of arcs, and the end of the last state (-1 if beyond the data)."""
    begins, counts = np.empty(num_states, dtype=np.int64), np.empty(num_states, dtype=np.int64)
    position, state = 0, 0
    while state < num_states and not (unknown and position == len(words)):
        if position + 3 > len(words) or words[position + 2] != 0 or words[position + 1] < 0:
            return begins, counts, -1
        begins[state], counts[state] = position, words[position + 1]
        position += 3 + 4 * int(words[position + 1])
        state += 1
        if position > len(words):
            return begins, counts, -1
    return begins[:state], counts[:state], position


def _const_states(
    cursor: _Cursor, num_states: int, num_arcs: int, aligned: bool
) -> tuple[npt.NDArray[np.float32], Longs, Records]:
    if aligned:
        cursor.room(-cursor.position % _ALIGNMENT)
    states = cursor.array(_STATE, num_states)
    if aligned:
        cursor.room(-cursor.position % _ALIGNMENT)
    arcs = cursor.array(_ARC, num_arcs)
    cursor.require_end()
    counts = states["narcs"].astype(np.int64)
    if counts.sum() != num_arcs or (states["pos"] != np.cumsum(counts) - counts)[counts > 0].any():
        raise cursor.error("the arcs of the states overlap, or there are too many")
    return states["final"], counts, arcs


def _labels(
    cursor: _Cursor,
    arcs: Records,
    input_table: Table | None,
    output_table: Table | None,
    symbols: SymbolTable | None,
    isymbols: SymbolTable | None,
) -> dict[str, Any]:
    same = np.array_equal(arcs["ilabel"], arcs["olabel"])
    if output_table is None and same:
        output_table = input_table
    if output_table is None and symbols is None:
        remedy = "give it: symbols= or symbols_path= in Python, --symbols of the `lattice` commands"
        raise cursor.error("the FST has no symbol table for its labels", remedy)
    if isymbols is None and input_table is not None and input_table != output_table:
        isymbols = SymbolTable()
    symbols = SymbolTable.of(symbols)
    olabels = _relabel(cursor, arcs["olabel"], output_table, symbols)
    inputs = None
    if isymbols is not None:
        inputs = _relabel(cursor, arcs["ilabel"], input_table, isymbols), isymbols
    elif not same:
        inputs = _relabel(cursor, arcs["ilabel"], output_table, symbols), symbols
    return {"labels": olabels, "symbols": symbols, "inputs": inputs}


def _relabel(cursor: _Cursor, labels: Ints, table: Table | None, symbols: SymbolTable) -> Ints:
    """Maps the labels of a file to ids of `symbols`, through the file's table if it has one."""
    if table is None:
        places, broken = labels, (labels < 0) | (labels >= len(symbols))
    else:
        words = _sorted_words(table)
        if next(iter(words)) == EPSILON and next(reversed(words)) == len(words) - 1:  # no label is left out
            places, broken = labels, (labels < 0) | (labels >= len(words))
        else:
            keys = np.fromiter(words, dtype=np.int64, count=len(words))
            places = np.minimum(np.searchsorted(keys, labels), len(keys) - 1)
            broken = keys[places] != labels
    if broken.any():
        label = int(labels[np.argmax(broken)])
        raise cursor.error(f"the label {label} is not in the symbol table", "pass the table the FST was made with")
    return np.asarray(places if table is None else symbols.encode(words.values())[places], dtype=np.int32)


def _sorted_words(table: Table) -> Table:
    """Returns the words by label; an invalid word, such as the empty one, is an error only if an arc carries it."""
    words = {**table, EPSILON: EPSILON_SYMBOL}
    values = list(words.values())
    if "" in values or values.count(EPSILON_SYMBOL) > 1:
        words = {label: word for label, word in words.items() if label == EPSILON or word not in ("", EPSILON_SYMBOL)}
    labels = list(words)
    return words if labels == sorted(labels) else dict(sorted(words.items()))
