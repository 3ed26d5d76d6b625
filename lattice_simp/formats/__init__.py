"""Lattice and n-best file formats: one file each, a table of them, and two functions that choose from it.

A new format is a new file with a `FORMAT` and one entry of `FORMATS`; commands and options know it from there.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "cat.plf.gz"
>>> write(Lattice.from_strings([("a cat", 0.0)]), path)
>>> read(path)
Lattice(acceptor, 3 states, 2 arcs, 3 symbols)
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats import att, feature_lattice, grammar, kaldi, openfst, plf, slf
from lattice_simp.formats.common import Format, Losses
from lattice_simp.formats.nbest import LISTS, read_nbest
from lattice_simp.formats.text_automaton import HasLattice, as_lattice
from lattice_simp.formats.unread import kind_of, refusal
from lattice_simp.support.textio import COMPRESSIONS, read_bytes

__all__ = [
    "FORMATS",
    "Format",
    "format_of",
    "format_of_data",
    "format_of_name",
    "losses",
    "parse",
    "read",
    "read_nbest",
    "write",
]

FORMATS: dict[str, Format] = {
    "kaldi": kaldi.TEXT,
    "kaldi-binary": kaldi.BINARY,
    "openfst": openfst.FORMAT,
    "plf": plf.FORMAT,
    "slf": slf.FORMAT,
    "att": att.FORMAT,
    "features": feature_lattice.FORMAT,
    "gbnf": grammar.GBNF,
    "lark": grammar.LARK,
}
"""The lattice formats by name."""

KALDI = ("kaldi", "kaldi-binary")
"""Formats of archives whose labels may be numbers."""

_LABELLED = {
    "symbols_path": (("att", "openfst", *KALDI), "--symbols"),
    "isymbols_path": (("att", "openfst"), "--isymbols"),
    "numeric": (("att", *KALDI), "--words"),
    "frame_shift": (KALDI, "--frame-shift"),
}
"""Options that say what numeric labels are, the formats that may have such, and the flags of the commands."""

HEAD = 1 << 16
"""The bytes at the beginning of a file that show its format."""


def read(path: str | Path, format: str | None = None, symbols: SymbolTable | None = None, **options: Any) -> Lattice:
    """Reads a lattice, in the format that its content shows unless `format` says it.

    Args:
        path: the file, plain or compressed; `-` is standard input.
        format: a name in `FORMATS`; None to look at the content.
        symbols: the table that numbers the words; it grows as needed. A new one if None.
        options: what the format's own reader takes: see `parse_openfst`, `parse_att`, `parse_plf`, `parse_slf`,
            `parse_features`.

    Raises:
        FormatError: the file is of no known format (the error says what it looks like), is broken, is empty, or holds
            several lattices (`read_all` reads them).
    """
    _check(format, path)
    return parse(read_bytes(path), path, format, symbols, **options)


def parse(
    data: bytes, path: str | Path, format: str | None = None, symbols: SymbolTable | None = None, **options: Any
) -> Lattice:
    """Returns the lattice of a file's bytes, as `read` does; `path` is for errors."""
    _check(format, path)
    format = format or _sniffed(data, path)
    check_labels(options, format, path)
    return FORMATS[format].read(data, path=path, symbols=symbols, **options)


def write(lattice: Lattice | HasLattice, path: str | Path, format: str | None = None, **options: Any) -> None:
    """Writes a lattice, in the format of the file name's ending unless `format` says it.

    Endings: `.fst` OpenFst, `.txt` and `.att` AT&T text, `.plf` PLF, `.slf` and `.lat` HTK SLF, `.gbnf` and `.lark`
    grammars; a compression's ending (`.gz`, `.xz`, `.zst`) may follow. Standard output (`-`) gets AT&T text. Features
    are chosen by name alone.

    Args:
        lattice: the lattice, or a gappy acceptor.
        path: the file; it appears when it is complete.
        format: a name in `FORMATS`; None to look at the file name.
        options: what the format's own writer takes: see `write_openfst`, `write_att`, `format_plf`, `write_slf`,
            `format_gbnf`.

    Raises:
        LatticeSimpError: the ending is unknown, the format cannot hold the lattice, the file cannot be written.
    """
    chosen = format_of_name(path) if format is None else format
    if chosen not in FORMATS:
        raise LatticeSimpError(f"{path}: unknown format {chosen!r} (choose one of {', '.join(FORMATS)})")
    FORMATS[chosen].write(as_lattice(lattice), path, **options)


def losses(lattice: Lattice | HasLattice, path: str | Path, format: str | None = None) -> Losses:
    """Returns what the file that `write` makes does not hold of a lattice: phrases, and what each is about."""
    return FORMATS[format_of_name(path) if format is None else format].lost(as_lattice(lattice))


def format_of(path: str | Path) -> str:
    """Returns the name of the format that a file's content shows.

    Raises:
        FormatError: none fits; says what the file looks like.
    """
    return _sniffed(read_bytes(path), path)


def sniff(head: bytes) -> str | None:
    """Returns the name of the lattice format that the beginning of a file shows; None for all other files."""
    if kaldi.is_binary(head[:HEAD]):
        return "kaldi-binary"
    if kind_of(head[:HEAD]) is not None:
        return None
    text = head[:HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    return next((name for name, format in FORMATS.items() if format.sniff(text)), None)


def format_of_data(data: bytes) -> str:
    """Returns the name of the format that a file's bytes show; `att` where they show none."""
    return sniff(data) or "att"


def is_text(path: str | Path) -> bool:
    """Returns whether a file holds sentences, one a line, rather than a lattice.

    Raises:
        FormatError: it holds neither; says what it looks like.
    """
    data = read_bytes(path)
    kind = kind_of(data[:HEAD])
    if kind is not None:
        raise refusal(data[:HEAD], path)
    name = sniff(data)
    return name is None or (name == "att" and not att.accepts_text(data))


def check_labels(options: Mapping[str, Any], format: str, path: str | Path) -> None:
    """Refuses options that say what numeric labels are where the format has words.

    Raises:
        FormatError: names the option.
    """
    for option, (readers, flag) in _LABELLED.items():
        if option in options and format not in readers:
            raise FormatError("its labels are words", path=path, remedy=f"leave {flag} out")


def _check(format: str | None, path: str | Path) -> None:
    if format is not None and format not in FORMATS:
        raise FormatError(f"unknown format {format!r}", path=path, remedy=f"choose one of {', '.join(FORMATS)}")


def _sniffed(data: bytes, path: str | Path) -> str:
    head = data[:HEAD]
    if any(kind.sniff(head) for kind in LISTS.values()):
        remedy = "read it with read_nbest or read_all"
        raise FormatError("looks like an n-best list, where a lattice is needed", path=path, remedy=remedy)
    name = sniff(head)
    if name is None:
        raise refusal(head, path)
    return name


def format_of_name(path: str | Path, default: str | None = None) -> str:
    """Returns the name of the format that a file name's ending shows; standard output (`-`) gets AT&T text.

    Raises:
        LatticeSimpError: the ending is unknown, and there is no default.
    """
    if str(path) == "-":
        return "att"
    suffixes = [suffix for suffix in Path(path).suffixes if suffix not in COMPRESSIONS]
    names = [name for name, format in FORMATS.items() if suffixes and suffixes[-1] in format.suffixes]
    if not names and default is not None:
        return default
    if not names:
        endings = ", ".join(suffix for format in FORMATS.values() for suffix in format.suffixes)
        raise LatticeSimpError(f"{path}: no known lattice format has this ending (choose one of {endings})")
    return names[0]
