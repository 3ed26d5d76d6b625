"""OpenFst binary files: vector and const FSTs over the tropical semiring, with or without symbol tables.

Files are parsed here and not by OpenFst, whose reader trusts the sizes in a header; every size is checked against the
bytes that are there before anything is allocated. Costs are single precision in such a file.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pywrapfst

from lattice_simp.core.bridge import ARC_TYPE, STATE_TYPE
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, EPSILON_SYMBOL, SymbolTable
from lattice_simp.errors import FormatError, InvalidLatticeError
from lattice_simp.formats.common import checked_lattice, shown, start_first
from lattice_simp.support.textio import open_binary, read_bytes

MAGIC = struct.pack("<i", 2125659606)
"""The first four bytes of an OpenFst file."""

_TABLE_MAGIC = 2125658996
_HAS_ISYMBOLS, _HAS_OSYMBOLS, _IS_ALIGNED = 1, 2, 4
_ALIGNMENT = 16
_NO_STATE = -1
_FINAL = struct.Struct("<fq")

Table = dict[int, str]


def read_openfst(path: str | Path, symbols: SymbolTable | None = None, isymbols: SymbolTable | None = None) -> Lattice:
    """Reads an OpenFst binary file (vector or const, standard arcs; plain or compressed).

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cat.fst"
    >>> write_openfst(Lattice.from_strings([("a cat", 0.5)]), path)
    >>> read_openfst(path)
    Lattice(acceptor, 3 states, 2 arcs, 3 symbols)

    Symbol tables inside the file say which words its labels are; those words are then numbered by `symbols` and
    `isymbols`, which grow as needed. In a file without tables the labels are label ids of `symbols` (and `isymbols`).

    Args:
        path: the file; `-` is standard input.
        symbols: the table of the output words; a new one if None.
        isymbols: the table of the input words; None for the same table as the output words, unless the file holds
            another one.

    Raises:
        FormatError: no OpenFst file, other arcs than "standard" ones, a damaged file, costs that are NaN or infinite,
            labels without a word.
    """
    return parse_openfst(read_bytes(path), path=path, symbols=symbols, isymbols=isymbols)


def parse_openfst(
    data: bytes,
    *,
    path: str | Path | None = None,
    symbols: SymbolTable | None = None,
    isymbols: SymbolTable | None = None,
) -> Lattice:
    """Returns the lattice of an OpenFst file's bytes; see `read_openfst`."""
    cursor = _Cursor(data, path)
    if data[:4] != MAGIC:
        raise cursor.error("no OpenFst file: the first bytes are others", "write one with fstcompile or fst.write()")
    cursor.position = 4
    fst_type, arc_type = cursor.string(), cursor.string()
    if arc_type != "standard":
        raise cursor.error(f"arcs of type {shown(arc_type)}", "convert them: fstmap --map_type=to_standard")
    if fst_type not in ("vector", "const"):
        raise cursor.error(f"an FST of type {shown(fst_type)}", "convert it: fstconvert --fst_type=vector")
    version, flags, _, start, num_states, num_arcs = cursor.take("<iiQqqq")
    input_table = _read_table(cursor) if flags & _HAS_ISYMBOLS else None
    output_table = _read_table(cursor) if flags & _HAS_OSYMBOLS else None
    if fst_type == "vector":
        finals, counts, arcs = _read_vector(cursor, num_states)
    else:
        aligned = version == 1 or bool(flags & _IS_ALIGNED)
        finals, counts, arcs = _read_const(cursor, num_states, num_arcs, aligned)
    if not _NO_STATE <= start < len(finals):
        raise cursor.error(f"the start state {start} does not exist")
    if start == _NO_STATE:
        finals, counts, arcs = finals[:0], counts[:0], arcs[:0]
    return _to_lattice(cursor, (finals, counts, arcs, max(start, 0)), (input_table, output_table), symbols, isymbols)


def write_openfst(
    lattice: Lattice,
    path: str | Path,
    fst_type: Literal["vector", "const"] = "vector",
    attach_symbols: bool = True,
) -> None:
    """Writes an OpenFst binary file; costs are rounded to single precision, and score columns stay behind.

    >>> write_openfst(Lattice.from_strings([("a", 1e39)]), "a.fst")
    Traceback (most recent call last):
    lattice_simp.errors.InvalidLatticeError: a.fst: a cost beyond 3.4e38 is too large for OpenFst (scale the costs)

    Raises:
        InvalidLatticeError: a cost too large for single precision.
        LatticeSimpError: the file cannot be written.
    """
    if fst_type not in ("vector", "const"):
        raise InvalidLatticeError(f"{path}: FSTs of type {fst_type!r} cannot be written (choose vector or const)")
    costs = np.concatenate((lattice.weights, lattice.finals[np.isfinite(lattice.finals)]))
    if (np.abs(costs) > np.finfo(np.float32).max).any():
        raise InvalidLatticeError(f"{path}: a cost beyond 3.4e38 is too large for OpenFst (scale the costs)")
    try:
        fst = lattice.to_pynini(attach_symbols=attach_symbols)
    except UnicodeEncodeError as error:
        raise InvalidLatticeError(f"{path}: a word that UTF-8 cannot hold: {shown(error.object)}") from error
    data = (fst if fst_type == "vector" else pywrapfst.convert(fst, "const")).write_to_string()
    with open_binary(path, "w") as file:
        file.write(data)


# ---------------------------------------------------------------- the parts of a file


@dataclass
class _Cursor:
    """A place in the bytes of a file; whatever is taken must be there."""

    data: bytes
    path: str | Path | None
    position: int = 0

    def error(self, message: str, remedy: str = "the file is damaged: write it again") -> FormatError:
        return FormatError(message, path=self.path, remedy=remedy)

    def room(self, size: int) -> int:
        """Returns the place and moves on by `size` bytes."""
        place = self.position
        if not 0 <= size <= len(self.data) - place:
            raise self.error(f"the file of {len(self.data)} bytes ends too early, or a size in it is wrong")
        self.position += size
        return place

    def take(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack_from(layout, self.data, self.room(struct.calcsize(layout)))

    def string(self) -> str:
        size = self.take("<i")[0]
        place = self.room(size)
        try:
            return self.data[place : place + size].decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.error("a name that is not UTF-8") from error

    def array(self, dtype: npt.DTypeLike, count: int) -> npt.NDArray[Any]:
        place = self.room(count * np.dtype(dtype).itemsize)
        return np.frombuffer(self.data, dtype, count, place)


def _read_table(cursor: _Cursor) -> Table:
    if cursor.take("<i")[0] != _TABLE_MAGIC:
        raise cursor.error("no symbol table where the header announces one")
    cursor.string()  # the table's name
    _, size = cursor.take("<qq")
    table: Table = {}
    for _ in range(size):
        word = cursor.string()
        label = cursor.take("<q")[0]
        if label in table or not word or (word == EPSILON_SYMBOL and label != EPSILON):
            raise cursor.error(f"the symbol table gives the label {label} to {shown(word)}, which cannot be right")
        table[label] = word
    return table


def _read_vector(cursor: _Cursor, num_states: int) -> tuple[Floats, npt.NDArray[Any], npt.NDArray[Any]]:
    finals: list[float] = []
    counts: list[int] = []
    pieces: list[bytes] = []
    data, end = cursor.data, len(cursor.data)
    unknown = num_states == _NO_STATE  # a stream that was written without going back to the header
    while cursor.position < end if unknown else len(finals) < num_states:
        final, count = _FINAL.unpack_from(data, cursor.room(_FINAL.size))
        place = cursor.room(count * ARC_TYPE.itemsize)
        finals.append(final)
        counts.append(count)
        pieces.append(data[place : cursor.position])
    _require_end(cursor)
    return (
        np.array(finals, dtype=np.float64),
        np.array(counts, dtype=np.int64),
        np.frombuffer(b"".join(pieces), ARC_TYPE),
    )


def _read_const(
    cursor: _Cursor, num_states: int, num_arcs: int, aligned: bool
) -> tuple[Floats, npt.NDArray[Any], npt.NDArray[Any]]:
    if aligned:
        cursor.room(-cursor.position % _ALIGNMENT)
    states = cursor.array(STATE_TYPE, num_states)
    if aligned:
        cursor.room(-cursor.position % _ALIGNMENT)
    arcs = cursor.array(ARC_TYPE, num_arcs)
    _require_end(cursor)
    counts = states["narcs"].astype(np.int64)
    if counts.sum() != num_arcs or (states["pos"] != np.cumsum(counts) - counts)[counts > 0].any():
        raise cursor.error("the arcs of the states overlap or are too many")
    with np.errstate(invalid="ignore"):  # a broken file may hold any bits
        return states["final"].astype(np.float64), counts, arcs


def _require_end(cursor: _Cursor) -> None:
    if cursor.position != len(cursor.data):
        raise cursor.error(f"{len(cursor.data) - cursor.position} bytes too many at the end")


# ---------------------------------------------------------------- labels and lattice


def _to_lattice(
    cursor: _Cursor,
    automaton: tuple[Floats, npt.NDArray[Any], npt.NDArray[Any], int],
    tables: tuple[Table | None, Table | None],
    symbols: SymbolTable | None,
    isymbols: SymbolTable | None,
) -> Lattice:
    finals, counts, arcs, start = automaton
    input_table, output_table = tables
    same = np.array_equal(arcs["ilabel"], arcs["olabel"])
    if output_table is None and same:
        output_table = input_table
    if output_table is None and symbols is None:
        raise cursor.error("the FST has no symbol table", "pass the table its labels belong to as `symbols`")
    if isymbols is None and input_table is not None and input_table != output_table:
        isymbols = SymbolTable()
    symbols = SymbolTable() if symbols is None else symbols
    olabels = _relabel(cursor, arcs["olabel"], output_table, symbols)
    ilabels = olabels
    if isymbols is not None:
        ilabels = _relabel(cursor, arcs["ilabel"], input_table, isymbols)
    elif not same:
        ilabels = _relabel(cursor, arcs["ilabel"], output_table, symbols)
    sources = np.repeat(np.arange(len(finals)), counts)
    nextstates = arcs["nextstate"].astype(np.int64)
    if ((nextstates < 0) | (nextstates >= len(finals))).any():
        raise cursor.error("an arc leads to a state that does not exist")
    if not np.isfinite(arcs["weight"]).all():
        raise cursor.error("an arc has a cost that is not finite", "remove such arcs with fstconnect or fstprune")
    sources, nextstates, finals = start_first(sources, nextstates, finals, start)
    columns = {} if ilabels is olabels else {"ilabels": ilabels}
    return checked_lattice(
        cursor.path, sources, olabels, arcs["weight"], nextstates, finals, symbols, isymbols=isymbols, **columns
    )


def _relabel(
    cursor: _Cursor, labels: npt.NDArray[np.int32], table: Table | None, symbols: SymbolTable
) -> npt.NDArray[np.int32]:
    """Returns label ids of `symbols` for the labels of a file, through the file's own table if it has one."""
    if table is None:
        outside = (labels < 0) | (labels >= len(symbols))
        known = labels
    else:
        keys = np.array(sorted({EPSILON, *table}), dtype=np.int64)
        ids = np.array([EPSILON if key == EPSILON else symbols.add(table[key]) for key in keys.tolist()])
        places = np.minimum(np.searchsorted(keys, labels), len(keys) - 1)
        outside, known = keys[places] != labels, ids[places]
    if outside.any():
        label = int(labels[np.argmax(outside)])
        raise cursor.error(f"the label {label} is not in the symbol table", "pass the table the FST was made with")
    return known.astype(np.int32)
