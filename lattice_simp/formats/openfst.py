"""OpenFst binary files: vector and const FSTs over the tropical semiring, with or without symbol tables.

Compact FSTs and those over the log semiring are converted; their costs are negative logs, too.
Costs are single precision in such a file. Arcs of infinite cost are left out.
"""

from __future__ import annotations

from pathlib import Path

from lattice_simp.core.fst_bytes import MAGIC, Layout, pack, parse
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import InvalidLatticeError
from lattice_simp.formats.common import Format, checked_lattice
from lattice_simp.formats.symbol_text import read_label_pair
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
    """Returns the lattice of an OpenFst file's bytes (vector, const or compact; standard or log arcs).

    Symbol tables inside the file say which words its labels are; those words are then numbered by `symbols` and
    `isymbols`, which grow as needed. In a file without tables the labels are label ids of `symbols` (and `isymbols`).

    Args:
        data: the bytes.
        path: the file's name, for errors.
        symbols: the table of the output words; a new one if None.
        isymbols: the table of the input words; None for the same table as the output words, unless the file holds
            another one.
        symbols_path: an OpenFst symbol table, text or binary, that says which words the labels are, whatever the file
            itself says.
        isymbols_path: the same for input labels; None for `symbols_path`.

    Raises:
        FormatError: not an OpenFst file, a type that cannot be converted, a damaged file, costs that are NaN, labels
            without a word.
    """
    tables = read_label_pair(symbols_path, isymbols_path)
    return checked_lattice(path, **parse(data, symbols, isymbols, tables, path=path))


def write_openfst(
    lattice: Lattice,
    path: str | Path,
    fst_type: Layout = "vector",
    attach_symbols: bool = True,
) -> None:
    """Writes an OpenFst binary file; costs are rounded to single precision, and features are left out.

    >>> write_openfst(Lattice.from_strings([("a", 1e39)]), "a.fst")
    Traceback (most recent call last):
    lattice_simp.errors.InvalidLatticeError: a.fst: a cost beyond 3.4e38 is too large for OpenFst (scale the costs)

    Raises:
        InvalidLatticeError: a cost too large for single precision.
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
