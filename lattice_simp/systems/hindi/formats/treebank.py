"""Reads the treebank (archives, folders, files) and the table of hand-marked clauses."""

from __future__ import annotations

import lzma
import tarfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError
from lattice_simp.formats.common import natural
from lattice_simp.support.textio import decode, read_lines
from lattice_simp.systems.hindi.clause import Clause, ClauseType, are_nested, nested_order
from lattice_simp.systems.hindi.formats.ssf import read_ssf
from lattice_simp.systems.hindi.sentence import Sentence

_BLOCK = 512
"""The block size of archives, in bytes."""

ENDINGS = (".dat", ".ssf")
"""The name endings of SSF files."""


def read_treebank(
    path: Path, problems: list[FormatError] | None = None, *, only: Collection[str] | None = None
) -> Iterator[tuple[str, Sentence]]:
    """Reads the SSF files of a folder or a tar archive (possibly compressed), sorted by name, or a single file.

    Yields the name of the file without folders, and a sentence. Files with the same name in several folders are
    adjacent.

    Args:
        path: the folder, the archive or the file.
        problems: a list that collects the errors of unreadable sentences; None to raise the first.
        only: the names of files to read, without folders; other files are skipped.
    """
    if path.is_dir():
        for file in sorted(path.rglob("*"), key=lambda file: (file.name, file)):
            if file.suffix in ENDINGS and (only is None or file.name in only):
                yield from ((file.name, sentence) for sentence in read_ssf(file, problems))
    elif ".tar" in path.suffixes:
        yield from _read_archive(path, problems, only)
    elif only is None or path.name in only:
        yield from ((path.name, sentence) for sentence in read_ssf(path, problems))


def _read_archive(
    path: Path, problems: list[FormatError] | None, only: Collection[str] | None
) -> Iterator[tuple[str, Sentence]]:
    contents: dict[tuple[str, str], bytes] = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                name = PurePosixPath(member.name).name
                if member.isfile() and name.endswith(ENDINGS) and (only is None or name in only):
                    file = archive.extractfile(member)
                    contents[name, member.name] = file.read() if file else b""
            _check_end(archive)
    except (tarfile.TarError, EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        raise FormatError(f"unreadable archive ({error})", path=path, remedy="download it again") from None
    for (name, member_name), data in sorted(contents.items()):
        inside = path / member_name  # names the file in messages
        lines = decode(data, inside).replace("\r\n", "\n").split("\n")
        yield from ((name, sentence) for sentence in read_ssf(inside, problems, lines))


def _check_end(archive: tarfile.TarFile) -> None:
    """Raises an error for an archive broken in the middle, which `tarfile` takes for the end."""
    if archive.fileobj is not None:
        archive.fileobj.seek(archive.offset)
        if any(archive.fileobj.read(_BLOCK)):
            raise tarfile.ReadError("broken in the middle")


def read_marked(path: Path) -> dict[str, dict[str, list[Clause]]]:
    """Reads hand-marked clauses by file and sentence; raises FormatError for other lines, or clauses that cross.

    The lines are `FILE#SENTENCE<tab>TYPE:START-END …`, with inclusive token numbers from 1.
    """
    marked: dict[str, dict[str, list[Clause]]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        name, tab, spans = line.partition("\t")
        file, sign, sentence = name.partition("#")
        try:
            clauses = [_clause(span) for span in split_tokens(spans)]
        except ValueError:
            clauses = []
        if not (tab and sign and clauses):
            message = f"expected FILE#SENTENCE, tab, TYPE:START-END …, found {line[:60]!r}"
            raise FormatError(message, path=path, line=number, remedy="correct the line")
        if not are_nested(clauses):
            raise FormatError("clauses cross", path=path, line=number, remedy="correct the line")
        marked.setdefault(file, {})[sentence] = nested_order(clauses)
    return marked


def _clause(span: str) -> Clause:
    kind, _, position = span.partition(":")
    first, _, last = position.partition("-")
    start, end = natural(first) or 0, natural(last) or 0
    if not 1 <= start <= end:
        raise ValueError(span)
    return Clause(start - 1, end, ClauseType(kind))
