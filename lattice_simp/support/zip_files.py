"""Reads files of zip archives, which may be damaged.

>>> buffer = io.BytesIO()
>>> with zipfile.ZipFile(buffer, "w") as archive:
...     archive.writestr("a.txt", "a cat")
>>> list(read_members(buffer.getvalue(), "a.zip", ["a.txt"]))
[('a.txt', b'a cat')]
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import zstandard

from lattice_simp.errors import FormatError
from lattice_simp.support.compression import FREE_BYTES, MAX_RATIO
from lattice_simp.support.textio import MAX_BYTES

_ZSTANDARD = 93
"""The method of Zstandard, which Python's library does not unpack before 3.14."""

_HEADER = 30
"""The bytes of a file's header before its name; the last four are the lengths of the name and of extra fields."""

_UTF8 = 0x800
"""The flag of a file whose name is UTF-8."""

_COUNT, _UNKNOWN = 10, 0xFFFF
"""The place of the number of files in the last part of an archive, and that number for archives of more files."""

_DAMAGE = (
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
    zstandard.ZstdError,
)


def member_names(data: bytes, path: str | Path) -> list[str]:
    """Returns the names of the files of an archive; raises FormatError if it is damaged."""
    return [*dict.fromkeys(_archive(data, path).namelist())]


def read_members(data: bytes, path: str | Path, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yields the names and the unpacked bytes of files of an archive.

    Raises:
        FormatError: the archive is damaged, or a file in it unpacks to too many bytes.
    """
    archive = _archive(data, path)
    for name in names:
        info = archive.getinfo(name)
        most = min(MAX_BYTES, max(FREE_BYTES, MAX_RATIO * min(info.compress_size, len(data))))
        if info.file_size > most:
            message = f"its file {name} unpacks to more than {most} bytes"
            raise FormatError(message, path=path, remedy="unpack it first, if you trust it")
        try:
            content = _unpacked(data, info) if info.compress_type == _ZSTANDARD else archive.read(info)
        except _DAMAGE as error:
            raise _broken(path, error) from error
        yield name, content


def _archive(data: bytes, path: str | Path) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        _require_all(data, archive.infolist())
    except _DAMAGE as error:
        raise _broken(path, error) from error
    return archive


def _require_all(data: bytes, files: Sequence[zipfile.ZipInfo]) -> None:
    """Raises BadZipFile if files are missing in the list of an archive, or have other names in it than before them."""
    (count,) = struct.unpack_from("<H", data, data.rfind(b"PK\5\6") + _COUNT)
    if count not in (len(files), _UNKNOWN):
        raise zipfile.BadZipFile(f"{len(files)} files in the list of {count}")
    for info in files:
        begin = info.header_offset + _HEADER
        name = info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437")
        if data[begin : begin + len(name)] != name:
            raise zipfile.BadZipFile(f"the file {info.filename!r} has another name in its header")


def _unpacked(data: bytes, info: zipfile.ZipInfo) -> bytes:
    """Returns the bytes of a file that Zstandard packed; raises BadZipFile if it is not what the archive says."""
    names, extra = struct.unpack_from("<HH", data, info.header_offset + _HEADER - 4)
    begin = info.header_offset + _HEADER + names + extra
    packed = data[begin : begin + info.compress_size]
    with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
        content: bytes = reader.read(info.file_size)
    if len(content) < info.file_size or zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")
    return content


def _broken(path: str | Path, error: Exception) -> FormatError:
    return FormatError(f"a broken zip archive: {error}", path=path, remedy="get the file again")
