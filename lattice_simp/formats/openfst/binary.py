"""OpenFst binary files: vector and const FSTs over the tropical semiring, with or without symbol tables.

Reading converts compact FSTs and those over the log semiring, and drops arcs of infinite cost. Costs in such files have
single precision.
"""

from __future__ import annotations

from pathlib import Path

from lattice_simp.core.fst_bytes import MAGIC, Layout, pack, parse
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import InvalidLatticeError
from lattice_simp.formats.common import Format, checked_lattice
from lattice_simp.formats.openfst.symbols import read_label_pair
from lattice_simp.support.textio import open_binary


def parse_openfst(
    data: bytes,
    *,
    path: str | Path | None = None,
    symbols: SymbolTable | None = None,
    isymbols: SymbolTable | None = None,
    symbols_path: str | Path | None = None,
    isymbols_path: str | Path | None = None,
) -> Lattice:
    """Parses the bytes of an OpenFst file (vector, const or compact; standard or log arcs).

    >>> data = Lattice.from_strings([("a cat", 1.5)]).to_pynini(attach_symbols=True).write_to_string()
    >>> [arc.word for arc in parse_openfst(data).arcs_of(0)]
    ['a']

    Symbol tables in the file give the words of its labels; `symbols` and `isymbols`, which grow as needed, number these
    words. In a file without tables, labels are label ids of `symbols` (and `isymbols`).

    Args:
        data: the bytes.
        path: the file's name, for errors.
        symbols: the table of the output words; a new one if None.
        isymbols: the table of the input words; if None, that of the output words, unless the file has a separate one.
        symbols_path: an OpenFst symbol table, text or binary, that overrides the file's table.
        isymbols_path: the same for input labels; None for `symbols_path`.

    Raises:
        FormatError: the file is not an OpenFst file, is of a type that cannot be converted, or is damaged; a cost is
            NaN, or a label has no word.
    """
    tables = read_label_pair(symbols_path, isymbols_path)
    return checked_lattice(path, **parse(data, symbols, isymbols, tables, path=path))


def write_openfst(
    lattice: Lattice,
    path: str | Path,
    fst_type: Layout = "vector",
    attach_symbols: bool = True,
) -> None:
    """Writes an OpenFst binary file, with costs rounded to single precision and without features.

    >>> write_openfst(Lattice.from_strings([("a", 1e39)]), "a.fst")
    Traceback (most recent call last):
    lattice_simp.errors.InvalidLatticeError: a.fst: a cost beyond 3.4e38 is too large for OpenFst (scale the costs)

    Raises:
        InvalidLatticeError: a cost is too large for single precision.
        LatticeSimpError: the file cannot be written.
    """
    if fst_type not in ("vector", "const"):
        raise InvalidLatticeError(f"{path}: FSTs of type {fst_type!r} cannot be written (choose vector or const)")
    tables = (lattice.isymbols or lattice.symbols, lattice.symbols) if attach_symbols else ()
    try:
        data = pack(lattice.arcs, lattice.ilabels, tables, fst_type)
    except InvalidLatticeError as error:
        raise InvalidLatticeError(f"{path}: {error}") from error
    with open_binary(path, "w") as file:
        file.write(data)


FORMAT = Format((".fst",), lambda head: head.startswith(MAGIC), parse_openfst, write_openfst)
