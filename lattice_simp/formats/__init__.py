"""Reads and writes lattices; each format is a module, and those of a toolkit share a folder.

`read` and `write` choose from the table `FORMATS`. To add a format, add a module with a `FORMAT` and an
entry to the table; commands and options take it from there.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "cat.plf.gz"
>>> write(Lattice.from_strings([("a cat", 0.0)]), path)
>>> read(path)
Lattice(acceptor, 3 states, 2 arcs, 3 symbols)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lattice_simp.core.columns import LARGEST_COST
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.reweight import rescale
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import FormatError, LatticeSimpError, located
from lattice_simp.formats import feature_lattice
from lattice_simp.formats.common import HEAD, Format, Losses
from lattice_simp.formats.generators import grammar
from lattice_simp.formats.generators.automaton import HasLattice, as_lattice
from lattice_simp.formats.htk import slf
from lattice_simp.formats.json.nbest import is_json
from lattice_simp.formats.julius import lattices as julius
from lattice_simp.formats.kaldi import archives as kaldi
from lattice_simp.formats.kaldi import sausages
from lattice_simp.formats.moses import graphs, networks, plf
from lattice_simp.formats.nbest import LISTS, read_nbest
from lattice_simp.formats.openfst import binary as openfst
from lattice_simp.formats.openfst import text as att
from lattice_simp.formats.srilm import mesh, pfsg, posteriors
from lattice_simp.formats.unsupported import kind_of, refusal
from lattice_simp.support.compression import COMPRESSIONS
from lattice_simp.support.textio import output_place, place, read_bytes, require_path, text_begin

__all__ = [
    "FORMATS",
    "Format",
    "format_of",
    "format_of_data",
    "format_of_name",
    "losses",
    "open_archive",
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
    "sausages": sausages.FORMAT,
    "mesh": mesh.FORMAT,
    "moses-cn": networks.FORMAT,
    "pfsg": pfsg.FORMAT,
    "slf": slf.FORMAT,
    "att": att.FORMAT,
    "features": feature_lattice.FORMAT,
    "gbnf": grammar.GBNF,
    "lark": grammar.LARK,
    "regex": grammar.REGEX,
}
"""The lattice formats by name."""

READ_ONLY: dict[str, Format] = {
    "wlat": posteriors.FORMAT,
    "moses-graph": graphs.FORMAT,
    "julius-graph": julius.GRAPH,
    "julius-cn": julius.NETWORK,
}
"""The lattice formats by name that can only be read. Those of Julius are not detected: their files hold lists, too."""

KALDI = ("kaldi", "kaldi-binary")
"""Formats of archives whose labels may be numbers."""

_AMBIGUOUS = ("moses-cn", "sausages")
"""Formats of which some files look like plain text."""

_WORDS, _NO_LIST = "its labels are words", "is not an n-best list"

_OF_FORMATS = {
    "symbols_path": (("att", "openfst", "sausages", *KALDI), "--symbols", _WORDS),
    "isymbols_path": (("att", "openfst"), "--isymbols", _WORDS),
    "isymbols": (("att", "openfst"), "isymbols=", _WORDS),
    "numeric": (("att", "sausages", *KALDI), "--words", _WORDS),
    "acceptor": (("att",), "acceptor=", "is not AT&T text"),
    "frame_shift": (KALDI, "--frame-shift", "has no alignments in frames"),
    "scores": (("plf",), "--plf-scores", "is not PLF"),
    "feature_names": (("features",), "feature_names=", "is not a text lattice with features"),
    "removed": (("features",), "removed=", "is not a text lattice with features"),
    "pieces": (("nbest",), "pieces=", f"{_NO_LIST}; ls.join_pieces joins the pieces of a lattice"),
    "cost": (("nbest",), "cost=", f"{_NO_LIST}; scales= sets the weights of a lattice's features"),
    "first_id": (("nbest",), "first_id=", _NO_LIST),
    "ignore": (("nbest",), "ignore=", f"{_NO_LIST}; lattice.without_words removes words"),
}
"""Readers' options: the formats that take each, how users name it, and the error in other formats."""


def read(
    path: str | Path,
    format: str | None = None,
    symbols: SymbolTable | None = None,
    *,
    scales: Mapping[str, float] | None = None,
    **options: Any,
) -> Lattice:
    """Reads a lattice; the format is detected from the content unless `format` names it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cat.txt"
    >>> _ = path.write_text("0 1 a 0.5\\n1 2 cat\\n2\\n")
    >>> read(path).weights.tolist()
    [0.5, 0.0]

    Args:
        path: the file, plain or compressed; `-` is standard input.
        format: a name in `FORMATS` or `READ_ONLY`; None to detect it from the content.
        symbols: the table that numbers the words; it grows as needed. A new one if None.
        scales: weights of features in the costs; other features keep those of the file. `reweight` sets all weights.
        options: options of the format's reader, such as `symbols_path="words.txt"` for numeric labels; see
            `parse_openfst`, `parse_att`, `parse_plf`, `parse_slf` and `parse_features` in `lattice_simp.formats`.

    Raises:
        FormatError: the format is unknown (the error says what the file looks like), or the file is broken, is empty,
            or holds several lattices (use `read_all`); an option is not one of the format's reader.
        InvalidLatticeError: the lattice lacks a feature of `scales`.
    """
    check_format(format, path := require_path(path))
    if Path(path).is_dir():
        raise FormatError("is a folder", path=path, remedy="read its lattices with read_all")
    lattice = parse(read_bytes(path), path, format, symbols, **options)
    return lattice if scales is None else scaled(lattice, scales, path)


def scaled(lattice: Lattice, scales: Mapping[str, float], path: str | Path) -> Lattice:
    """Returns a lattice of a file with other weights of features; an error names the file."""
    with located(place(path)):
        return rescale(lattice, scales)


def parse(
    data: bytes, path: str | Path, format: str | None = None, symbols: SymbolTable | None = None, **options: Any
) -> Lattice:
    """Parses the bytes of a file as `read` does; errors name `path`.

    >>> parse(b"0 1 a 0.5\\n1\\n", "cat.txt").weights.tolist()
    [0.5]
    """
    check_format(format, path)
    format = format or _sniffed(data, path)
    check_labels(options, format, path)
    return {**FORMATS, **READ_ONLY}[format].read(data, path=path, symbols=symbols, **options)


def write(lattice: Lattice | HasLattice, path: str | Path, format: str | None = None, **options: Any) -> None:
    """Writes a lattice; the ending of the file name chooses the format unless `format` names it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cat.txt"
    >>> write(Lattice.from_strings([("a cat", 1.5)]), path)
    >>> path.read_text().splitlines()
    ['0\\t1\\ta\\t0.0', '1\\t2\\tcat\\t1.5', '2\\t0.0']

    Endings: `.fst` OpenFst, `.txt` and `.att` AT&T text, `.plf` PLF, `.slf` and `.lat` HTK SLF, `.cn` Moses' confusion
    networks, `.gbnf`, `.lark` and `.regex` grammars; a compression's ending (`.gz`, `.xz`, `.zst`) may follow. Standard
    output (`-`) gets AT&T text. The format `features` has no ending.

    Args:
        lattice: the lattice, or a gappy acceptor.
        path: the file; it appears when it is complete.
        format: a name in `FORMATS`; None to choose it by the file name.
        options: options of the format's writer; see `write_openfst`, `write_att`, `format_plf`, `write_slf` and
            `format_gbnf` in `lattice_simp.formats`.

    Raises:
        LatticeSimpError: the ending is unknown, the format cannot represent the lattice, a cost is above 1e100, or the
            file cannot be written.
    """
    path = require_path(path)
    chosen = format_of_name(path) if format is None else format
    if not isinstance(chosen, str) or chosen not in FORMATS:
        raise LatticeSimpError(f"{path}: unknown format {chosen!r} (choose one of {', '.join(FORMATS)})")
    with located(output_place(path)):
        FORMATS[chosen].write(_within_limits(as_lattice(lattice)), path, **options)


@contextmanager
def open_archive(path: str | Path, format: str, **options: Any) -> Iterator[Callable[[str, Lattice], None]]:
    """Yields a function that adds named lattices to a new file of a format that holds several.

    Raises:
        LatticeSimpError: the format cannot represent a lattice, or the file cannot be written.
    """
    archive = FORMATS[format].archive
    assert archive is not None
    with archive(path, **options) as add:
        yield lambda name, lattice: add(name, _within_limits(lattice))


def _within_limits(lattice: Lattice) -> Lattice:
    """Returns the lattice; raises InvalidLatticeError if it has costs that no reader would take."""
    lattice.validate(largest=LARGEST_COST)
    return lattice


def losses(lattice: Lattice | HasLattice, path: str | Path, format: str | None = None) -> Losses:
    """Reports the losses when `write` writes a lattice: phrases, and the names that each concerns."""
    lattice = as_lattice(lattice)
    unread = {"fields of the input that are not kept:": [f"{name}=" for name in lattice.header.unread]}
    return {**FORMATS[format_of_name(path) if format is None else format].lost(lattice), **unread}


def format_of(path: str | Path) -> str:
    """Detects the format of a file from its content and returns the format's name.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cat"
    >>> write(Lattice.from_strings("a cat"), path, "slf")
    >>> format_of(path)
    'slf'

    Raises:
        FormatError: the format is unknown; the message says what the file looks like.
    """
    return _sniffed(read_bytes(path), path)


def sniff(head: bytes) -> str | None:
    """Detects the lattice format from the first bytes of a file; returns its name, or None for all other files."""
    if kaldi.is_binary(head[:HEAD]):
        return "kaldi-binary"
    if openfst.FORMAT.sniff(head):  # matching it with the patterns of other kinds would take a fifth of its reading
        return "openfst"
    if kind_of(head[:HEAD]) is not None:
        return None
    text = text_begin(head[:HEAD])
    return next((name for name, format in (READ_ONLY | FORMATS).items() if format.sniff(text)), None)


def format_of_data(data: bytes) -> str:
    """Detects the format of a file's bytes; returns its name, or `att` if none is detected."""
    return sniff(data) or "att"


def is_text(path: str | Path) -> bool:
    """Returns whether a file holds sentences, one on each line, rather than a lattice.

    Raises:
        FormatError: it holds neither; the message says what it looks like.
    """
    data = read_bytes(path)
    kind = kind_of(data[:HEAD])
    if kind is not None:
        raise refusal(data[:HEAD], path)
    name = sniff(data)
    return name is None or (name == "att" and not att.accepts_text(data))


def check_labels(options: Mapping[str, Any], format: str, path: str | Path) -> None:
    """Checks that options of readers are used only with formats that have them.

    Raises:
        FormatError: the format has no such labels, frames or scores, or no reader has the option; the message names it.
    """
    unknown = next((option for option in options if option not in _OF_FORMATS), None)
    if unknown is not None:
        raise FormatError(
            f"unknown option {unknown!r}", path=path, remedy=f"options are scales, {', '.join(_OF_FORMATS)}"
        )
    for option, (readers, flag, reason) in _OF_FORMATS.items():
        if option in options and format not in readers:
            numbers = "; to write numbers, pass --output-symbols" if option == "symbols_path" else ""
            raise FormatError(reason, path=path, remedy=f"leave {flag} out{numbers}")


def check_format(format: str | None, path: str | Path) -> None:
    """Raises FormatError unless a format is None or one that can be read."""
    names = (*FORMATS, *READ_ONLY)
    if format is not None and not (isinstance(format, str) and format in names):
        raise FormatError(f"unknown format {format!r}", path=path, remedy=f"choose one of {', '.join(names)}")


def _sniffed(data: bytes, path: str | Path) -> str:
    head = data[:HEAD]
    is_text = not openfst.FORMAT.sniff(head)  # sniffing a binary file as lists would take half the time of reading it
    if is_text and any(kind.sniff(data if is_json(head) else head) for kind in LISTS.values()):
        remedy = "read it with read_nbest or read_all"
        raise FormatError("looks like an n-best list, not a lattice", path=path, remedy=remedy)
    name = sniff(head)
    if name is None:
        ending = _format_of_ending(path)
        raise refusal(head, path, format_name=ending if ending in _AMBIGUOUS else None)
    return name


def format_of_name(path: str | Path, default: str | None = None) -> str:
    """Returns the name of the format for a file name's ending; standard output (`-`) gets AT&T text.

    >>> format_of_name("cat.slf.gz"), format_of_name("-"), format_of_name("cat.unknown", default="plf")
    ('slf', 'att', 'plf')

    Raises:
        LatticeSimpError: the ending is unknown, and there is no default.
    """
    if str(path) == "-":
        return "att"
    name = _format_of_ending(path) or default
    if name is None:
        endings = ", ".join(suffix for format in FORMATS.values() for suffix in format.suffixes)
        raise LatticeSimpError(f"{path}: no known lattice format has this ending (choose one of {endings})")
    return name


def _format_of_ending(path: str | Path) -> str | None:
    suffixes = [suffix for suffix in Path(path).suffixes if suffix not in COMPRESSIONS]
    return next((name for name, format in FORMATS.items() if suffixes and suffixes[-1] in format.suffixes), None)
