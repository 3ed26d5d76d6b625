"""Lattice and n-best file formats: one module each, and two functions that choose among them.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "cat.plf.gz"
>>> write_lattice(Lattice.from_strings([("a cat", 0.0)]), path)
>>> read_lattice(path)
Lattice(acceptor, 3 states, 2 arcs, 3 symbols)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.att import parse_att, read_att, write_att
from lattice_simp.formats.nbest import read_nbest, stream_nbest, write_nbest
from lattice_simp.formats.openfst import MAGIC, parse_openfst, read_openfst, write_openfst
from lattice_simp.formats.plf import format_plf, parse_plf, read_plf, write_plf
from lattice_simp.formats.slf import parse_slf, read_slf, write_slf
from lattice_simp.formats.symbol_text import read_labels, read_symbols, write_symbols
from lattice_simp.support.textio import decode, open_binary, open_text, read_bytes, read_lines

__all__ = [
    "Hypothesis",
    "format_plf",
    "open_binary",
    "open_text",
    "parse_plf",
    "read_att",
    "read_lattice",
    "read_lines",
    "read_nbest",
    "read_openfst",
    "read_plf",
    "read_slf",
    "read_symbols",
    "stream_nbest",
    "write_att",
    "write_lattice",
    "write_nbest",
    "write_openfst",
    "write_plf",
    "write_slf",
    "write_symbols",
]

FORMATS = ("openfst", "att", "plf", "slf")
"""The names of the lattice formats."""

_SUFFIXES = {".fst": "openfst", ".txt": "att", ".att": "att", ".plf": "plf", ".slf": "slf", ".lat": "slf"}
_COMPRESSIONS = (".gz", ".xz", ".zst")
_SLF_LINE = re.compile(rb"(?:[ \t\r\n]|#[^\n]*\n)*[A-Za-z_]\w*=")


def read_lattice(
    path: str | Path, format: str | None = None, symbols: SymbolTable | None = None, **options: Any
) -> Lattice:
    """Reads a lattice, in the format that its content shows unless `format` says it.

    Args:
        path: the file, plain or compressed; `-` is standard input.
        format: "openfst", "att", "plf" or "slf"; None to look at the content.
        symbols: the table that numbers the words; it grows as needed. A new one if None.
        options: what the format's own reader takes: see `read_openfst`, `read_att`, `parse_plf`, `read_slf`.

    Raises:
        FormatError: the file is broken, is empty or (in PLF) holds several lattices.
    """
    if format not in (None, *FORMATS):
        raise FormatError(f"unknown format {format!r}", path=path, remedy=f"choose one of {', '.join(FORMATS)}")
    data = read_bytes(path)
    chosen = _told(data) if format is None else format
    if chosen == "att":
        for option, labels in (("symbols_path", "labels"), ("isymbols_path", "ilabels")):
            if option in options:
                options[labels] = read_labels(options.pop(option))
    readers: dict[str, Callable[..., Lattice]] = {
        "openfst": parse_openfst,
        "att": parse_att,
        "plf": _only_plf,
        "slf": parse_slf,
    }
    return readers[chosen](data, path=path, symbols=symbols, **options)


def write_lattice(lattice: Lattice, path: str | Path, format: str | None = None, **options: Any) -> None:
    """Writes a lattice, in the format of the file name's ending unless `format` says it.

    Endings: `.fst` OpenFst, `.txt` and `.att` AT&T text, `.plf` PLF, `.slf` and `.lat` HTK SLF; a compression's
    ending (`.gz`, `.xz`, `.zst`) may follow. Standard output (`-`) gets AT&T text.

    Args:
        lattice: the lattice.
        path: the file; it appears when it is complete.
        format: "openfst", "att", "plf" or "slf"; None to look at the file name.
        options: what the format's own writer takes: see `write_openfst`, `write_att`, `format_plf`, `write_slf`.

    Raises:
        LatticeSimpError: the ending is unknown, the format cannot hold the lattice, the file cannot be written.
    """
    chosen = _format_of_name(path) if format is None else format
    if chosen == "openfst":
        write_openfst(lattice, path, **options)
    elif chosen == "att":
        write_att(lattice, path, **options)
    elif chosen == "plf":
        write_plf([lattice], path, **options)
    elif chosen == "slf":
        write_slf(lattice, path, **options)
    else:
        raise LatticeSimpError(f"{path}: unknown format {chosen!r} (choose one of {', '.join(FORMATS)})")


def _told(data: bytes) -> str:
    if data.startswith(MAGIC):
        return "openfst"
    head = data[: 1 << 16].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"("):
        return "plf"
    return "slf" if _SLF_LINE.match(head) else "att"


def _format_of_name(path: str | Path) -> str:
    if str(path) == "-":
        return "att"
    suffixes = [suffix for suffix in Path(path).suffixes if suffix not in _COMPRESSIONS]
    known = _SUFFIXES.get(suffixes[-1] if suffixes else "")
    if known is None:
        endings = ", ".join(_SUFFIXES)
        raise LatticeSimpError(f"{path}: no known lattice format has this ending (choose one of {endings})")
    return known


def _only_plf(data: bytes, *, path: str | Path, symbols: SymbolTable | None, **options: Any) -> Lattice:
    lines = decode(data, path).removesuffix("\n").split("\n")
    if len(lines) > 1:
        message = f"{len(lines)} lattices in one file"
        raise FormatError(message, path=path, line=2, remedy="read them one by one with formats.read_plf")
    return parse_plf(lines[0].removesuffix("\r"), symbols, path=path, line_number=1, **options)
