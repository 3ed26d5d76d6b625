"""Kaldi's lattices: archives, text or binary, of one utterance or many, and lists of positions in them (`.scp`).

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "lats.txt"
>>> _ = path.write_text("utt-1 \\n0\\t1\\ta\\t1.5,20,3_3_4\\n1\\n\\n")
>>> lattices = [(name, load()) for name, load in kaldi_lattices(path)]
>>> [(name, lattice.weights.tolist(), lattice.features["time"].tolist()) for name, lattice in lattices]
[('utt-1', [21.5], [0.03])]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import Format, field_of, shown
from lattice_simp.formats.kaldi.arcs import FRAME_SHIFT, ReadOptions, lost
from lattice_simp.formats.kaldi.binary import (
    binary_lattices,
    binary_of,
    is_binary_archive,
    is_binary_lattice,
    parse_binary,
)
from lattice_simp.formats.kaldi.text import is_text_archive, text_lattices, text_of
from lattice_simp.formats.named_lattices import Add, NamedLattice, single_writer
from lattice_simp.formats.openfst.symbols import read_numbers
from lattice_simp.support.textio import decode, open_binary, place, read_lines

_HEAD = 1 << 12
_SCP = re.compile(rb"\S++[ \t]++[^\r\n]*\.(?:ark|lats?|txt|\d+):\d+[ \t]*\r?(?:\n|\Z)")
_PLACE = re.compile(r"(\S+)\s+(.+?)(?::(\d+))?")


def is_archive(head: bytes) -> bool:
    """Returns whether a file begins like an archive or an scp list, which may hold several lattices."""
    return is_text_archive(head) or is_binary_archive(head) or is_script(head)


def is_script(head: bytes) -> bool:
    r"""Returns whether a file begins like an scp list of positions in archives.

    >>> is_script(b"u-1 my exp/lat.1.ark:4\n"), is_script(b"u-1 \n0 1 a\n1\n\n")
    (True, False)
    """
    return _SCP.match(head) is not None


def is_binary(head: bytes) -> bool:
    """Returns whether a file begins like binary lattices, or like an scp list, which usually refers to binary files."""
    return is_binary_archive(head) or is_binary_lattice(head) or is_script(head)


def kaldi_lattices(
    path: str | Path,
    symbols: SymbolTable | None = None,
    *,
    symbols_path: str | Path | None = None,
    numeric: bool | None = None,
    frame_shift: float = FRAME_SHIFT,
) -> Iterator[NamedLattice]:
    """Yields the names of utterances with functions that read their lattices, so that a broken one affects no other.

    It also reads automata with plain costs. The features are `graph` and `acoustic`, minus Kaldi's costs, and `time`,
    the duration of each arc in seconds, from the length of its alignment. A weight is the sum of both costs; the header
    has the scale 1 for both.

    Args:
        path: the archive, or a list of positions in archives (scp).
        symbols: the table that numbers the words; it grows as needed. A new one for each lattice if None.
        symbols_path: Kaldi's `words.txt`, if the archive holds numbers.
        numeric: False if numbers are words. None reads labels as words, but refuses archives with only numbers.
        frame_shift: seconds from one frame to the next; 0.03 where a model uses every third one.

    Raises:
        FormatError: numbers have no words, or a line between lattices is broken. The functions raise it if a line of
            their lattice is broken (the message has its number), or if it is cut off.
    """
    options, named = ReadOptions.of(symbols, symbols_path, numeric, frame_shift), place(path)
    with open_binary(path) as file:
        head = file.peek(_HEAD)[:_HEAD]  # type: ignore[attr-defined]  # files to read are buffered
        if is_binary_archive(head):
            yield from binary_lattices(file, named, options)
            return
    yield from (_places if _SCP.match(head) else text_lattices)(read_lines(path), named, options)


def parse_kaldi(
    data: bytes,
    *,
    path: str | Path | None = None,
    symbols: SymbolTable | None = None,
    symbols_path: str | Path | None = None,
    numeric: bool | None = None,
    frame_shift: float = FRAME_SHIFT,
) -> Lattice:
    """Parses the bytes of an archive of one utterance; see `kaldi_lattices`.

    Raises:
        FormatError: as `kaldi_lattices`, or there are several lattices.
    """
    options = ReadOptions.of(symbols, symbols_path, numeric, frame_shift)
    named = "<bytes>" if path is None else path
    if is_binary_lattice(data):
        return parse_binary(data, "", named, options)
    if is_binary_archive(data):
        lattices = binary_lattices(BytesIO(data), named, options)
    elif _SCP.match(data):
        lattices = _places(decode(data, named).splitlines(), named, options)
    else:
        lattices = text_lattices(iter(decode(data, named).removesuffix("\n").split("\n")), named, options)
    first = next(lattices, None)
    if first is None or next(lattices, None) is not None:
        message = "holds no lattice" if first is None else "holds several lattices of Kaldi's"
        raise FormatError(message, path=path, remedy="use read_all")
    return first[1]()


@contextmanager
def text_archive(
    path: str | Path, *, symbols_path: str | Path | None = None, frame_shift: float = FRAME_SHIFT
) -> Iterator[Add]:
    """Yields a function that adds an utterance's lattice to a new text archive.

    It holds words, or with `symbols_path` the numbers of words. Each alignment consists of ones, as many as the feature
    "time" has frames.

    Raises:
        InvalidLatticeError: a lattice is a transducer, or a word has no number or cannot be written.
        LatticeSimpError: the file cannot be written.
    """
    numbers = read_numbers(symbols_path)
    with open_binary(path, "w") as file:
        yield lambda name, lattice: _write(file, text_of(lattice, field_of(name, path), numbers, frame_shift).encode())


@contextmanager
def binary_archive(
    path: str | Path, *, symbols_path: str | Path | None = None, frame_shift: float = FRAME_SHIFT
) -> Iterator[Add]:
    """Yields a function that adds an utterance's lattice to a new binary archive; see `text_archive`.

    For a name that ends in `.scp`, the list is written there, and the archive beside it (`.ark`). Without
    `symbols_path`, the words must be numbers.
    """
    numbers = read_numbers(symbols_path)
    is_list = Path(path).suffix == ".scp"
    archive = Path(path).with_suffix(".ark") if is_list else path
    lines, position = list[str](), 0

    def add(name: str, lattice: Lattice) -> None:
        nonlocal position
        field = field_of(name, path)
        head, data = f"{field} ".encode(), binary_of(lattice, numbers, frame_shift)
        _write(file, head + data)
        lines.append(f"{field} {archive}:{position + len(head)}\n")
        position += len(head) + len(data)

    with open_binary(archive, "w") as file:
        yield add
    if is_list:
        with open_binary(path, "w") as listed:
            _write(listed, "".join(lines).encode())


def _write(file: BinaryIO, data: bytes) -> None:
    file.write(data)


# ---------------------------------------------------------------- lists of places


def _places(lines: Iterable[str], path: str | Path, options: ReadOptions) -> Iterator[NamedLattice]:
    """Yields the utterances of a list; files are searched in the current folder, then beside the list."""
    for number, line in enumerate(filter(str.strip, lines), 1):
        match = _PLACE.fullmatch(line.strip())
        if match is None or line.strip().endswith("|"):
            remedy = "write UTTERANCE FILE:POSITION; run commands first"
            raise FormatError(f"not the location of a lattice: {shown(line)}", path=path, line=number, remedy=remedy)
        file = Path(match[2]) if Path(match[2]).exists() else Path(path).parent / match[2]
        yield match[1], partial(_read_at, file, int(match[3] or 0), match[1], options)


def _read_at(file: Path, position: int, name: str, options: ReadOptions) -> Lattice:
    with open_binary(file) as opened:
        if opened.seekable():
            opened.seek(position)
        else:
            opened.read(position)
        if opened.peek(1)[:1].isspace():  # type: ignore[attr-defined]  # files to read are buffered
            text = chain([name], islice(map(_line, iter(opened.readline, b"")), 1, None))
            lattices = text_lattices(text, file, options)
        else:
            lattices = binary_lattices(_Before(f"{name} ".encode(), opened), file, options)
        return next(lattices)[1]()


def _line(data: bytes) -> str:
    return data.decode("utf-8", "replace").rstrip("\r\n")


class _Before:
    """A file with bytes put before it."""

    def __init__(self, data: bytes, file: BinaryIO) -> None:
        self._data, self._file = data, file

    def read(self, size: int) -> bytes:
        """Returns the next bytes."""
        data, self._data = self._data, b""
        return data + self._file.read(max(size - len(data), 0))


TEXT = Format((".lats",), is_text_archive, parse_kaldi, single_writer(text_archive), lost, text_archive)
BINARY = Format((".ark", ".scp"), is_binary, parse_kaldi, single_writer(binary_archive), lost, binary_archive)
