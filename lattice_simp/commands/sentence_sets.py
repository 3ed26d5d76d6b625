"""Sets of sentences: blocks of text, JSON lines, or the lines of parallel files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lattice_simp.commands.options import readable
from lattice_simp.errors import FormatError
from lattice_simp.support.textio import read_lines

_JSON = 'write {"id": "1", "sentences": ["one", "another"]} on each line'

Check = Callable[[str], object]
"""Raises FormatError for a sentence that cannot be read."""


@dataclass(frozen=True)
class SentenceSetLine:
    """A set of the input: its name, and its sentences as they are written; empty ones are left out."""

    id: str
    sentences: tuple[str, ...]


def read_sets(source: str, check: Check = str) -> list[SentenceSetLine]:
    """Reads sets: JSON lines (told by the first line), else one sentence a line with a blank line between sets.

    Sets of text are numbered from 0.

    Raises:
        FormatError: an empty file, a line that is not a set, a sentence that `check` refuses; names the line.
    """
    with readable(source) as path:
        lines = list(read_lines(path))
        first = next((line for line in lines if line.strip()), None)
        if first is None:
            raise FormatError("the file is empty", path=path, remedy="give sets of sentences, a blank line after each")
        if first.lstrip().startswith("{"):
            return [_json_set(line, number, path, check) for number, line in enumerate(lines, start=1) if line.strip()]
        _checked(lines, path, check)
    return [SentenceSetLine(str(number), block) for number, block in enumerate(_blocks(lines))]


def read_parallel(paths: Sequence[str], check: Check = str) -> list[SentenceSetLine]:
    """Reads sets whose sentences are on the same line of several files; the sets are numbered from 0.

    Raises:
        FormatError: files of different lengths, a sentence that `check` refuses.
    """
    columns = [list(read_lines(path)) for path in paths]
    for path, own in zip(paths, columns, strict=True):
        if len(own) != len(columns[0]):
            message = f"{len(own)} lines, but {paths[0]} has {len(columns[0])}"
            raise FormatError(message, path=path, remedy="give files whose lines belong together")
        _checked(own, path, check)
    return [
        SentenceSetLine(str(number), tuple(line.strip() for line in lines if line.strip()))
        for number, lines in enumerate(zip(*columns, strict=True))
    ]


def _checked(lines: Iterable[str], path: str, check: Check, only: int | None = None) -> None:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                check(line)
            except FormatError as error:
                raise FormatError(error.message, path=path, line=only or number, remedy=error.remedy) from error


def _blocks(lines: list[str]) -> Iterator[tuple[str, ...]]:
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line.strip())
        elif block:
            yield tuple(block)
            block = []


def _json_set(line: str, number: int, path: str, check: Check) -> SentenceSetLine:
    try:
        record = json.loads(line)
        name, sentences = str(record.get("id", number - 1)), record["sentences"]
        good = isinstance(sentences, list) and all(isinstance(own, str) for own in sentences)
    except (ValueError, KeyError, AttributeError, TypeError):
        good = False
    if not good:
        raise FormatError("is not a set of sentences", path=path, line=number, remedy=_JSON)
    _checked(sentences, path, check, number)
    return SentenceSetLine(name, tuple(own.strip() for own in sentences if own.strip()))
