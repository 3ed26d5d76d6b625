"""Compressed files: gzip (`.gz`), bzip2 (`.bz2`), xz (`.xz`) and Zstandard (`.zst`)."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

from lattice_simp.errors import FormatError

MAX_RATIO = 1000
"""The most times its size that a file may unpack to (more is a zip bomb); small files may unpack to FREE_BYTES."""

FREE_BYTES = 1 << 26

_MAGIC = {
    rb"\x1f\x8b": ".gz",
    rb"BZh[1-9](1A|\x17r)": ".bz2",  # text may begin with the first three of these bytes
    rb"\xfd7zXZ\x00": ".xz",
    rb"\x28\xb5\x2f\xfd": ".zst",
}
COMPRESSIONS = frozenset(_MAGIC.values())
"""The endings of compressed files."""

_DAMAGE = (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, gzip.BadGzipFile)


def compression_of(file: io.BufferedReader) -> str | None:
    """Returns the ending for the compression of a file's content, or None."""
    head = file.peek(10)
    return next((suffix for magic, suffix in _MAGIC.items() if re.match(magic, head)), None)


def _unpack(file: _Counted, packing: str) -> Iterator[bytes]:
    if packing == ".zst":
        return _unpack_zstandard(file)
    if packing == ".bz2":
        return _unpack_bzip2(file)
    source = cast(BinaryIO, file)
    stream = gzip.GzipFile(fileobj=source) if packing == ".gz" else lzma.LZMAFile(source)  # noqa: SIM115
    return iter(lambda: stream.read(1 << 17), b"")


def _unpack_zstandard(file: _Counted) -> Iterator[bytes]:
    """Unpacks frame by frame in small pieces: 1 KiB may unpack to 32 MiB, and a missing end is detected."""
    bite = file.read(1024)
    while bite:
        frame = zstandard.ZstdDecompressor().decompressobj()
        yield frame.decompress(bite)
        while not frame.eof:
            bite = file.read(1024)
            if not bite:
                raise EOFError("the last frame is cut off")
            yield frame.decompress(bite)
        bite = frame.unused_data or file.read(1024)


def _unpack_bzip2(file: _Counted) -> Iterator[bytes]:
    stream = bz2.BZ2File(cast(BinaryIO, file))
    try:
        while piece := stream.read(1 << 17):
            yield piece
    except OSError as error:
        if error.errno is not None:
            raise
        raise EOFError(str(error)) from error  # bz2 has no error class for damage


class _Counted:
    """A file that counts the bytes read from it."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file, self.count = file, 0

    def read(self, size: int = -1) -> bytes:
        """Reads bytes."""
        data = self._file.read(size)
        self.count += len(data)
        return data

    def seekable(self) -> bool:
        """Returns False: the file is read once."""
        return False


class Unpacked(io.RawIOBase):
    """Unpacked pieces as a file; damage becomes a `FormatError` that names the file."""

    def __init__(self, file: io.BufferedReader, packing: str, path: str | Path) -> None:
        self._packed = _Counted(file)
        self._pieces, self._path, self._rest = _unpack(self._packed, packing), path, memoryview(b"")
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            while not self._rest:
                self._rest = memoryview(next(self._pieces))
                self._count += len(self._rest)
                if self._count > max(FREE_BYTES, MAX_RATIO * self._packed.count):
                    message = f"unpacks to more than {MAX_RATIO} times its size"
                    raise FormatError(message, path=self._path, remedy="unpack it first, if you trust it")
        except StopIteration:
            return 0
        except _DAMAGE as error:
            message = f"the compressed data are damaged or cut off: {error}"
            raise FormatError(message, path=self._path, remedy="get the file again") from error
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


@contextmanager
def compressed(raw: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    """Yields a file that compresses what is written to it as its ending says."""
    if suffix == ".gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as zipped:
            yield cast(BinaryIO, zipped)
    elif suffix == ".bz2":
        with bz2.BZ2File(raw, "wb") as zipped_bz2:
            yield cast(BinaryIO, zipped_bz2)
    elif suffix == ".xz":
        with lzma.LZMAFile(raw, "wb") as zipped_xz:
            yield cast(BinaryIO, zipped_xz)
    elif suffix == ".zst":
        with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as zipped_zst:
            yield cast(BinaryIO, zipped_zst)
    else:
        yield raw
