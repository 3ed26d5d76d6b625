"""Opens files: detects compression by content, writes atomically, requires UTF-8, names file and line in errors.

Every reader and writer of the package goes through this module. `-` is standard input or standard output.
"""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO, cast

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.atomic import replacing
from lattice_simp.support.compression import COMPRESSIONS, Unpacked, compressed, compression_of
from lattice_simp.support.signatures import HEAD, signature
from lattice_simp.support.streams import drop_output, require_output

MAX_BYTES = 1 << 32
"""The most bytes that a file may unpack to if a reader needs it as a whole."""

MAX_LINE_BYTES = 1 << 28
"""The most bytes of a line."""

_DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS})
_FULL = "free some space or choose another place"
_WRITE_REMEDIES = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.ENOENT: "make its folder first, or choose another place",
}
_BOM = b"\xef\xbb\xbf"
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f]")


class Member(str):
    """A file in an archive, as `ARCHIVE:NAME`, with its bytes, which readers take instead of a path.

    >>> import gzip
    >>> with open_binary(Member("texts.tar", "a.gz", gzip.compress(b"a cat"))) as file:
    ...     file.read()
    b'a cat'
    """

    __slots__ = ("data", "name")

    name: str
    data: bytes

    def __new__(cls, archive: str | Path, name: str, data: bytes) -> Member:
        """Makes the text from the names of the archive and the file."""
        member = super().__new__(cls, f"{archive}:{name}")
        member.name, member.data = name, data
        return member


@contextmanager
def open_binary(path: str | Path, mode: Literal["r", "w"] = "r") -> Iterator[BinaryIO]:
    """Opens a binary file; reading unpacks it by its content, writing packs it by the ending of its name.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bytes.gz"
    >>> with open_binary(path, "w") as file:
    ...     _ = file.write(b"abc")
    >>> with open_binary(path) as file:
    ...     file.read()
    b'abc'

    A file appears under its name only when it is complete; until then it has a temporary name.

    Raises:
        FormatError: the file cannot be opened, or its compressed data are damaged or cut off.
        LatticeSimpError: the file cannot be written (no space left, no permission).
    """
    path = require_path(path)
    with _reading(path) if mode == "r" else _writing(path) as file:
        yield file


@contextmanager
def open_text(path: str | Path, mode: Literal["r", "w"] = "r") -> Iterator[TextIO]:
    r"""Opens a UTF-8 text file; only `\n` ends a line, and nothing is translated.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "text.xz"
    >>> with open_text(path, "w") as file:
    ...     _ = file.write("café\n")
    >>> with open_text(path) as file:
    ...     file.read()
    'café\n'

    Raises:
        FormatError: as `open_binary`, or the file is not UTF-8 (names the line if the file can be read again).
        LatticeSimpError: as `open_binary`, or UTF-8 cannot encode the text.
    """
    with open_binary(path, mode) as binary:
        text = io.TextIOWrapper(binary, encoding="utf-8-sig" if mode == "r" else "utf-8", newline="\n")
        try:
            yield text
            text.flush()
        except UnicodeDecodeError as error:
            raise _bad_utf8_of(path) from error
        except UnicodeEncodeError as error:
            raise LatticeSimpError(f"{path}: UTF-8 cannot encode {error.object[error.start]!r}") from error
        finally:
            _detach(text)


def _detach(text: io.TextIOWrapper) -> None:
    """Detaches the binary file, which would otherwise be closed with the text, even standard output."""
    try:
        text.detach()
    except (OSError, ValueError):
        drop_output()
        with suppress(OSError, ValueError):
            text.detach()


def write_text(path: str | Path, text: str) -> None:
    """Writes a text file, complete or not at all.

    Raises:
        LatticeSimpError: as `open_text`.
    """
    with open_text(path, "w") as file:
        file.write(text)


def require_path(path: str | Path) -> str | Path:
    """Returns a path, a `Path` for any other `os.PathLike`, whose text may not be that of its file.

    Raises:
        TypeError: it is anything else: Python would open the number 1 as standard output.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"a path must be a string or a Path, not {path!r:.80}")
    return path if isinstance(path, (str, Path)) else Path(path)


def is_pipe(path: str | Path) -> bool:
    """Returns whether a path is standard input, a pipe or a device, which can be read only once."""
    path = require_path(path)
    if isinstance(path, Member):
        return False
    return str(path) == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))


STDIN, STDOUT = "<stdin>", "<stdout>"
"""The names of the standard streams in messages."""

_COPY = "lattice-simp-stdin-"


@contextmanager
def readable(path: str | Path) -> Iterator[str]:
    """Yields the name of a file that can be read twice; standard input or a pipe is copied to a temporary file."""
    path = require_path(path)
    if not is_pipe(path):
        yield path if isinstance(path, Member) else str(path)
        return
    with tempfile.TemporaryDirectory(prefix=_COPY) as folder:
        copy = Path(folder, "stdin")
        copy.write_bytes(read_bytes(path))
        try:
            yield str(copy)
        except FormatError as error:
            place = str(error.path or copy)
            if not place.startswith(str(copy)):
                raise
            name = STDIN if str(path) == "-" else str(path)
            place = name + place.removeprefix(str(copy))
            raise FormatError(error.message, path=place, line=error.line, remedy=error.remedy) from error


def with_places(message: str) -> str:
    """Returns a message with the name of standard input for the copies of it that `readable` makes.

    >>> with_places("/tmp/lattice-simp-stdin-x1_y/stdin:2: a cat")
    '<stdin>:2: a cat'
    """
    return re.sub(rf"\S*/{_COPY}\w+/stdin", STDIN, message) if _COPY in message else message


def file_name(path: str | Path) -> str | None:
    """Returns the name of a file without its folders, also within an archive; None for standard input."""
    return None if place(path) in ("-", STDIN) else Path(path.name if isinstance(path, Member) else path).name


def place(path: str | Path) -> str:
    """Returns a file's name for messages: "standard input" for the copy of it that `readable` makes."""
    path = require_path(path)
    return STDIN if Path(path).parent.name.startswith(_COPY) else str(path)


def output_place(path: str | Path) -> str:
    """Returns the name of an output for messages.

    >>> output_place("-"), output_place("a.slf")
    ('<stdout>', 'a.slf')
    """
    path = require_path(path)
    return STDOUT if str(path) == "-" else str(path)


def read_lines(path: str | Path) -> Iterator[str]:
    r"""Yields the lines of a UTF-8 text file without their ends (`\n` or `\r\n`).

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "lines.txt"
    >>> _ = path.write_bytes("one\u2028line\r\ntwo\n".encode())
    >>> list(read_lines(path))
    ['one\u2028line', 'two']

    Raises:
        FormatError: as `open_binary`, or the file is not text by its signature, is not UTF-8, or has a line of more
            than `MAX_LINE_BYTES`.
    """
    with open_binary(path) as file:
        lines = iter(partial(file.readline, MAX_LINE_BYTES + 1), b"")
        head = _head(lines)
        check_text(b"".join(head), path)
        for number, raw in enumerate(chain(head, lines), start=1):
            if len(raw) > MAX_LINE_BYTES:
                raise FormatError("the line is too long", path=path, line=number, remedy="is this a text file?")
            try:
                line = (raw.removeprefix(_BOM) if number == 1 else raw).decode("utf-8")
            except UnicodeDecodeError as error:
                raise _bad_utf8(path, number) from error
            yield line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line


def _head(lines: Iterator[bytes]) -> list[bytes]:
    """Returns the first line; in a binary file, whose head may hold the byte of a line end, at least `HEAD` bytes."""
    head = list(islice(lines, 1))
    if head and _CONTROL.search(head[0]):
        while sum(map(len, head)) < HEAD and (line := next(lines, b"")):
            head.append(line)
    return head


def read_bytes(path: str | Path, limit: int = MAX_BYTES) -> bytes:
    """Returns the unpacked content of a file.

    Raises:
        FormatError: as `open_binary`, or there are more than `limit` bytes.
    """
    pieces: list[bytes] = []
    total = 0
    with open_binary(path) as file:
        while piece := file.read(1 << 20):
            pieces.append(piece)
            total += len(piece)
            if total > limit:
                raise FormatError(f"the file unpacks to more than {limit} bytes", path=path, remedy="split the file")
    return b"".join(pieces)


_OPENFST = b"\xd6\xfd\xb2\x7e"
"""The first bytes of an OpenFst file. They are not among the `signatures`, because such files are read as lattices."""


def text_begin(head: bytes) -> bytes:
    """Returns the first bytes of a text without a byte order mark and white space, by which formats are recognised."""
    return head.removeprefix(_BOM).lstrip()


def check_text(head: bytes, path: str | Path | None) -> None:
    """Checks the first bytes of a file for the signature of another kind: an image, an archive, UTF-16 ...

    Raises:
        FormatError: the file is not UTF-8 text; the message says what it looks like.
    """
    kind = signature(head[:HEAD])
    if kind is not None:
        raise FormatError(f"looks like {kind.name}, which is not supported", path=path, remedy=kind.remedy)
    if head.startswith(_OPENFST):
        remedy = "`lattice nbest` prints its best strings, `lattice convert` writes it in other formats"
        raise FormatError("looks like an OpenFst file, not like text", path=path, remedy=remedy)


def decode(data: bytes, path: str | Path | None) -> str:
    """Returns the text of UTF-8 bytes, without a byte order mark.

    Raises:
        FormatError: the file is not text by its signature, or is not UTF-8 (names the line).
    """
    check_text(data, path)
    try:
        return data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _bad_utf8(path, error.object.count(b"\n", 0, error.start) + 1) from error


# ---------------------------------------------------------------- reading


@contextmanager
def _reading(path: str | Path) -> Iterator[BinaryIO]:
    with ExitStack() as stack:
        if str(path) == "-":
            raw: io.BufferedReader = io.BufferedReader(cast(Any, sys.stdin.buffer))
            stack.callback(raw.detach)
        elif isinstance(path, Member):
            raw = io.BufferedReader(cast(Any, io.BytesIO(path.data)))
        else:
            try:
                raw = io.BufferedReader(cast(Any, stack.enter_context(open(path, "rb", buffering=0))))
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else error
                is_forbidden = isinstance(error, PermissionError)
                remedy = "ask for the permission to read it" if is_forbidden else "check the name"
                raise FormatError(f"cannot be read: {reason}", path=path, remedy=remedy) from error
        try:
            packing = compression_of(raw)
        except OSError as error:
            if str(path) == "-" and error.errno == errno.EBADF:
                raise FormatError("standard input is closed", path=path, remedy="name a file") from error
            raise FormatError(f"cannot be read: {error.strerror}", path=path, remedy="copy the file") from error
        suffix = Path(path).suffix
        if packing is None and suffix in COMPRESSIONS:
            raise FormatError(f"no {suffix[1:]} data in this file", path=path, remedy="get it again, or rename it")
        yield raw if packing is None else io.BufferedReader(Unpacked(raw, packing, path), 1 << 17)


def _bad_utf8(path: str | Path | None, line: int | None) -> FormatError:
    return FormatError("bytes that are not UTF-8", path=path, line=line, remedy="convert the file with iconv -t UTF-8")


def _bad_utf8_of(path: str | Path) -> FormatError:
    """Reads a file again for the line of its error."""
    if not is_pipe(path):
        try:
            for _ in read_lines(path):
                pass
        except FormatError as error:
            return error
    return _bad_utf8(path, None)


# ---------------------------------------------------------------- writing


def check_writable(path: str | Path) -> None:
    """Checks that a file can be written; call it before long work whose result goes there.

    Raises:
        LatticeSimpError: the folder does not exist, or permission is missing.
        OSError: the path is standard output, and it is closed.
    """
    if str(path) == "-":
        require_output()
        return
    try:
        target = _target(path)
        if target.is_file() or not target.exists():
            with tempfile.TemporaryFile(dir=target.parent):
                pass
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error


def _target(path: str | Path) -> Path:
    """Returns the real path of a file to write; raises IsADirectoryError for a folder, which may not exist yet."""
    target = Path(os.path.realpath(path))
    if str(path).endswith("/") or target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return target


@contextmanager
def _writing(path: str | Path) -> Iterator[BinaryIO]:
    if str(require_path(path)) == "-":
        require_output()
        sys.stdout.flush()
        binary = getattr(sys.stdout, "buffer", None) or io.BytesIO()
        yield binary
        binary.flush()
        if isinstance(binary, io.BytesIO) and not hasattr(sys.stdout, "buffer"):  # a notebook's output takes only text
            sys.stdout.write(binary.getvalue().decode("utf-8", "replace"))
        return
    try:
        target = _target(path)
        in_place = target.exists() and not target.is_file()  # a pipe or a device
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error
    try:
        with ExitStack() as stack:
            try:
                growing = target if in_place else stack.enter_context(replacing(target))
                raw = open(growing, "wb" if in_place else "xb")  # noqa: SIM115
            except (OSError, ValueError) as error:
                raise cannot_write(path, error) from error
            with raw, compressed(raw, Path(path).suffix) as file:
                yield file
            if not in_place and target.exists():
                shutil.copymode(target, growing)
    except OSError as error:
        if error.errno in _DISK_ERRORS:
            raise cannot_write(path, error) from error
        raise


def cannot_write(path: str | Path, error: OSError | ValueError) -> LatticeSimpError:
    """Returns the error of an output that cannot be written, with its remedy."""
    reason = error.strerror if isinstance(error, OSError) else error
    remedy = _WRITE_REMEDIES.get(getattr(error, "errno", 0), "choose another place")
    return LatticeSimpError(f"{path}: cannot be written: {reason} ({remedy})")
