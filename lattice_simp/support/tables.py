"""Reads tables of tab-separated values, such as those of `grammars/`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import read_lines


@dataclass(frozen=True)
class Row:
    """A row of a table; `row["name"]` is a cell.

    Attributes:
        cells: the cells by column.
        path: the table's path.
        line: the line number, from 1.
    """

    cells: Mapping[str, str]
    path: Path
    line: int

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def one_of(self, column: str, values: Sequence[str]) -> str:
        """Returns a cell; raises a FormatError that names the row if it is none of these values."""
        if self[column] not in values:
            raise self.error(f"unknown {column} {self[column]!r}", f"write one of {', '.join(values)}")
        return self[column]

    def error(self, message: str, remedy: str) -> FormatError:
        """Returns an error that names the row."""
        return FormatError(message, path=self.path, line=self.line, remedy=remedy)


def grammar_path(name: str) -> Path:
    """Returns the path of a file of `grammars/`.

    >>> grammar_path("english/negations.tsv").name
    'negations.tsv'

    Raises:
        LatticeSimpError: there is no such file; the message says where it was expected.
    """
    path = Path(str(resources.files("lattice_simp.grammars").joinpath(name)))
    if not path.is_file():
        raise LatticeSimpError(f"the grammars have no file {name!r}; expected {path} (reinstall lattice-simp)")
    return path


def grammar_table(name: str, columns: Sequence[str] = (), *, full: bool = False) -> Iterator[Row]:
    """Reads a table of `grammars/`; see `read_table`.

    >>> next(grammar_table("hindi/markers.tsv", ("devanagari", "roman", "class", "source")))["class"]
    'coordinator'
    """
    return read_table(grammar_path(name), columns, full=full)


def read_table(path: str | Path, columns: Sequence[str] = (), *, full: bool = False) -> Iterator[Row]:
    """Reads a table row by row; blank lines and lines that begin with `#` are skipped.

    Args:
        path: the table.
        columns: the first columns of the header; empty to accept any.
        full: whether each row must have all cells; otherwise missing cells at the end are "".

    Raises:
        FormatError: the columns differ, or a row has too many or too few cells; the message names the line.
    """
    path = Path(path)
    remedy = "write " + "<TAB>".join(columns) if columns else "write the names of the columns"
    header: list[str] = []
    for number, line in enumerate(read_lines(path), start=1):
        if line.startswith("#") or not line.strip():
            continue
        cells = [cell.strip(" ") for cell in line.split("\t")]
        if not header:
            header = cells
            if header[: len(columns)] != list(columns):
                raise FormatError(f"the columns are {', '.join(header)}", path=path, line=number, remedy=remedy)
        elif len(cells) > len(header) or (full and len(cells) < len(header)):
            message = f"{counted(len(cells), 'cell')} in {counted(len(header), 'column')}"
            raise FormatError(message, path=path, line=number, remedy="separate the columns by single tabs")
        else:
            yield Row(dict.fromkeys(header, "") | dict(zip(header, cells, strict=False)), path, number)
    if not header:
        raise FormatError("the table is empty", path=path, line=1, remedy=remedy)
