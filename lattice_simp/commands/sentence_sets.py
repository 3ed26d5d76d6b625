"""Sets of sentences: blocks of text, JSON lines, or the lines of parallel files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from lattice_simp.commands.options import readable
from lattice_simp.errors import FormatError
from lattice_simp.support.textio import read_lines

_JSON = 'write {"id": "1", "sentences": ["one", "another"]} on each line'


@dataclass(frozen=True)
class SentenceSetLine:
    """A set of the input: its name, and its sentences as they are written; empty ones are left out."""

    id: str
    sentences: tuple[str, ...]


def read_sets(source: str) -> list[SentenceSetLine]:
    """Reads sets: JSON lines (told by the first line), else one sentence a line with a blank line between sets.

    Sets of text are numbered from 0.

    Raises:
        FormatError: a line that is no set; names it.
    """
    with readable(source) as path:
        lines = list(read_lines(path))
        if next((line for line in lines if line.strip()), "").lstrip().startswith("{"):
            return [_json_set(line, number, path) for number, line in enumerate(lines, start=1) if line.strip()]
    return [SentenceSetLine(str(number), block) for number, block in enumerate(_blocks(lines))]


def read_parallel(paths: Sequence[str]) -> list[SentenceSetLine]:
    """Reads sets whose sentences are on the same line of several files; the sets are numbered from 0.

    Raises:
        FormatError: files of different lengths.
    """
    columns = [list(read_lines(path)) for path in paths]
    for path, own in zip(paths, columns, strict=True):
        if len(own) != len(columns[0]):
            message = f"{len(own)} lines, but {paths[0]} has {len(columns[0])}"
            raise FormatError(message, path=path, remedy="give files whose lines belong together")
    return [
        SentenceSetLine(str(number), tuple(line.strip() for line in lines if line.strip()))
        for number, lines in enumerate(zip_longest(*columns))
    ]


def _blocks(lines: list[str]) -> Iterator[tuple[str, ...]]:
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line.strip())
        elif block:
            yield tuple(block)
            block = []


def _json_set(line: str, number: int, path: str) -> SentenceSetLine:
    try:
        record = json.loads(line)
        name, sentences = str(record.get("id", number - 1)), record["sentences"]
        good = isinstance(sentences, list) and all(isinstance(own, str) for own in sentences)
    except (ValueError, KeyError, AttributeError, TypeError):
        good = False
    if not good:
        raise FormatError("is not a set of sentences", path=path, line=number, remedy=_JSON)
    return SentenceSetLine(name, tuple(own.strip() for own in sentences if own.strip()))
