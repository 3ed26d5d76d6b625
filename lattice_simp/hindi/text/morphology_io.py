"""Reads and writes the lexicons of a morphology as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.hindi.text.crf import REMEDY
from lattice_simp.hindi.text.morphology import FIELDS, Inflected, Morphology
from lattice_simp.support.textio import open_text, read_lines

WORDS, ENDINGS = "words.tsv", "endings.tsv"

_WORD_COLUMNS = ("form", "tag", "context", *FIELDS)
_ENDING_COLUMNS = ("ending", "tag", "cut", "added", *FIELDS[1:])


def write_morphology(folder: Path, morphology: Morphology) -> None:
    """Writes `words.tsv` and `endings.tsv`."""
    _write(folder / WORDS, _WORD_COLUMNS, ((*word, *values) for word, values in morphology.words.items()))
    endings = ((*ending, found.cut, found.added, *found.values) for ending, found in morphology.endings.items())
    _write(folder / ENDINGS, _ENDING_COLUMNS, endings)


def read_morphology(folder: Path) -> Morphology:
    """Reads what `write_morphology` wrote.

    Raises:
        FormatError: a file is missing or broken.
    """
    words = {
        (form, tag, context): tuple(values) for form, tag, context, *values in _read(folder / WORDS, _WORD_COLUMNS)
    }
    endings = {
        (ending, tag): Inflected(cut, added, tuple(values))
        for ending, tag, cut, added, *values in _read(folder / ENDINGS, _ENDING_COLUMNS)
    }
    return Morphology(words, endings)


def _write(path: Path, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    with open_text(path, "w") as file:
        file.write("\t".join(columns) + "\n")
        for row in rows:
            line = "\t".join(row)
            # A form that would break the table cannot come out of a text either.
            if line.count("\t") == len(columns) - 1 and not set("\n\r") & set(line):
                file.write(line + "\n")


def _read(path: Path, columns: tuple[str, ...]) -> Iterator[list[str]]:
    lines = read_lines(path)
    header = next(lines, "").split("\t")
    if tuple(header) != columns:
        raise FormatError(f"columns other than {', '.join(columns)}", path=path, line=1, remedy=REMEDY)
    for number, line in enumerate(lines, start=2):
        fields = line.split("\t")
        if len(fields) != len(columns):
            message = f"{len(fields)} fields, not {len(columns)}"
            raise FormatError(message, path=path, line=number, remedy=REMEDY)
        yield fields
