"""Sets of sentences: blocks of text, JSON lines, or the lines of parallel files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.plain_text import sentence_lines, warn_of_lines
from lattice_simp.support.json_text import is_json, parse_json
from lattice_simp.support.parallel import require_parallel
from lattice_simp.support.textio import read_lines, readable

_JSON = 'write {"id": "1", "sentences": ["one", "another"]} on each line'

Check = Callable[[str], object]
"""A function that raises FormatError for an invalid sentence."""

Join = Callable[[Iterable[tuple[int, str]]], list[tuple[int, str]]]
"""A function that joins numbered lines to sentences, each with the number of its first line."""


@dataclass(frozen=True)
class SentenceSetLine:
    """A set of the input: its name, its sentences without empty ones, and the line where it begins, if known."""

    id: str
    sentences: tuple[str, ...]
    line: int = 0


def read_sets(source: str, check: Check = str, join: Join = list) -> list[SentenceSetLine]:
    """Reads sets: JSON lines (detected by the first line), else one sentence a line with a blank line between sets.

    Sets of text are numbered from 0; `join` joins their lines to sentences.

    Raises:
        FormatError: the file is empty, a line is not a set, or `check` refuses a sentence; the message names the line.
    """
    with readable(source) as path:
        lines = list(read_lines(path))
        first = next((line for line in lines if line.strip()), None)
        if first is None:
            raise FormatError("the file is empty", path=path, remedy="give sets of sentences, a blank line after each")
        if is_json(first) or first.lstrip().startswith("{"):
            return [_json_set(line, number, path, check) for number, line in enumerate(lines, start=1) if line.strip()]
        if check is str:
            warn_of_lines(lines, path)
        joined = join(enumerate(lines, start=1))
        _checked(joined, path, check)
    return [SentenceSetLine(str(number), block, line) for number, (line, block) in enumerate(_blocks(joined))]


def read_parallel(paths: Sequence[str], check: Check = str, join: Join = list) -> list[SentenceSetLine]:
    """Reads sets from parallel files: the sentences on a line of all files form a set; sets are numbered from 0.

    Raises:
        FormatError: the files differ in length, or `check` refuses a sentence.
    """
    lines_of = sentence_lines if check is str else read_lines  # trees look like something else, too
    columns = [join(enumerate(lines_of(path), start=1)) for path in paths]
    for path, column in zip(paths, columns, strict=True):
        require_parallel(path, len(column), paths[0], len(columns[0]))
        _checked(column, path, check)
    return [
        SentenceSetLine(str(number), tuple(line.strip() for _, line in lines if line.strip()), lines[0][0])
        for number, lines in enumerate(zip(*columns, strict=True))
    ]


def _checked(lines: Iterable[tuple[int, str]], path: str, check: Check) -> None:
    for number, line in lines:
        if line.strip():
            try:
                check(line)
            except FormatError as error:
                raise FormatError(error.message, path=path, line=number, remedy=error.remedy) from error
            except LatticeSimpError as error:
                raise FormatError(str(error), path=path, line=number) from error


def _blocks(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yields the lines between blank ones, with the number of the first."""
    for is_filled, group in groupby(lines, lambda numbered: bool(numbered[1].strip())):
        if is_filled:
            (first, line), *rest = group
            yield first, (line.strip(), *(line.strip() for _, line in rest))


def _json_set(line: str, number: int, path: str, check: Check) -> SentenceSetLine:
    record = parse_json(line, path=path, line=number, remedy=_JSON)
    try:
        name, sentences = str(record.get("id", number - 1)), record["sentences"]
        good = isinstance(sentences, list) and all(isinstance(sentence, str) for sentence in sentences)
    except (KeyError, AttributeError, TypeError):
        good = False
    if not good:
        raise FormatError("is not a set of sentences", path=path, line=number, remedy=_JSON)
    _checked(((number, sentence) for sentence in sentences), path, check)
    return SentenceSetLine(name, tuple(sentence.strip() for sentence in sentences if sentence.strip()), number)
