"""The Hindi tables, TSV files of `grammars/hindi/`: lines with `#` are comments, a row's last cells may be missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.support.grammar_data import grammar_path
from lattice_simp.support.textio import read_lines


def hindi_path(name: str) -> Path:
    """Returns the path of a Hindi table.

    >>> hindi_path("markers.tsv").name
    'markers.tsv'

    Raises:
        LatticeSimpError: there is no such file; says where it was looked for.
    """
    return grammar_path("hindi", name, what="Hindi")


def read_rows(path: str | Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Reads a table row by row.

    Args:
        path: of the file.
        columns: that it has, in this order.

    Yields:
        The line's number and its cells by column; cells that the line lacks are "".

    Raises:
        FormatError: other columns, or a row with more cells than columns; names the line.
    """
    header: list[str] | None = None
    for number, line in enumerate(read_lines(path), start=1):
        if line.startswith("#") or not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if header is None:
            header = cells
            if tuple(header) != columns:
                remedy = "write " + "<TAB>".join(columns)
                raise FormatError(f"the columns are {', '.join(header)}", path=path, line=number, remedy=remedy)
        elif len(cells) > len(columns):
            remedy = "separate the columns by single tabs"
            raise FormatError(f"{len(cells)} cells in {len(columns)} columns", path=path, line=number, remedy=remedy)
        else:
            yield number, dict.fromkeys(columns, "") | dict(zip(columns, cells, strict=False))
    if header is None:
        raise FormatError("the table is empty", path=path, line=1, remedy="write " + "<TAB>".join(columns))
