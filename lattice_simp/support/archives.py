"""Reads the files of tar archives, which may be compressed, and of zip archives.

>>> archive_stem("x/part.1.tar.gz"), archive_stem("part.zip"), archive_stem("part")
('x/part.1', 'part', 'part')
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Self

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.compression import COMPRESSIONS
from lattice_simp.support.signatures import HEAD, ZIP, signature
from lattice_simp.support.textio import Member, open_binary, read_bytes
from lattice_simp.support.zip_files import member_names, read_members

_TAR_MARK = slice(257, 262)
_ENDINGS = (".tar", ".tgz", ".zip")
_OF_MACOS = "__MACOSX/"
"""The folder that macOS adds to zip archives, for attributes of the files."""


def is_archive(path: str | Path) -> bool:
    """Returns whether a file is a tar or a zip archive, by its name or its content."""
    return _is_tar(path) or _is_zip(path)


def archive_files(path: str | Path) -> Iterator[Member]:
    """Yields the files of an archive in its order, without folders and links.

    Raises:
        FormatError: the archive is damaged, or a file in it unpacks to too many bytes.
    """
    return _zip_files(path) if _is_zip(path) else _tar_files(path)


def archive_stem(name: str) -> str:
    """Removes the endings of an archive's name."""
    path = Path(name)
    if path.suffix in COMPRESSIONS:
        path = path.with_suffix("")
    return str(path.with_suffix("") if path.suffix in _ENDINGS else path)


def _head(path: str | Path) -> bytes:
    with open_binary(path) as file:
        return file.read(HEAD)


def _suffixes(path: str | Path) -> list[str]:
    return Path(path.name if isinstance(path, Member) else path).suffixes


def _is_tar(path: str | Path) -> bool:
    suffixes = _suffixes(path)
    return ".tar" in suffixes or suffixes[-1:] == [".tgz"] or _head(path)[_TAR_MARK].startswith(b"ustar")


def _is_zip(path: str | Path) -> bool:
    kind = signature(_head(path))  # that of logs of Inspect, which are zip archives, too, differs
    return _suffixes(path)[-1:] == [".zip"] if kind is None else kind.name == ZIP


def _zip_files(path: str | Path) -> Iterator[Member]:
    data = read_bytes(path)
    names = [name for name in member_names(data, path) if not name.endswith("/") and not name.startswith(_OF_MACOS)]
    return (Member(path, name, content) for name, content in read_members(data, path, names))


class _Header(tarfile.TarInfo):
    """A member's header; `tarfile` takes a damaged one for the end of the archive, except for the first."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Parses a header.

        Raises:
            ReadError: it is damaged or cut off.
            HeaderError: it consists of zeros, or nothing is left: the archive ends here.
        """
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if any(buf):
                raise tarfile.ReadError(f"the header of a member is damaged: {error}") from error
            raise


def _tar_files(path: str | Path) -> Iterator[Member]:
    try:
        with (
            open_binary(path) as unpacked,
            closing(tarfile.open(fileobj=unpacked, mode="r|", tarinfo=_Header)) as archive,
        ):
            for member in archive:
                data = _member_data(archive, member, path)
                if data is not None:
                    yield Member(path, member.name, data)
    except (tarfile.TarError, EOFError, OverflowError, ValueError) as error:
        if isinstance(error, LatticeSimpError):
            raise
        raise FormatError(f"a broken tar archive: {error}", path=path, remedy="is the file cut off?") from error


def _member_data(archive: tarfile.TarFile, member: tarfile.TarInfo, path: str | Path) -> bytes | None:
    """Returns the bytes of a file in an archive, or None for folders and links."""
    if member.issparse():  # a few bytes may represent terabytes of zeros
        raise FormatError(f"the member {member.name} is sparse", path=path, remedy="pack it as a plain file")
    file = archive.extractfile(member) if member.isfile() else None
    return None if file is None else file.read()
