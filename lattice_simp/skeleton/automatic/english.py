"""The word lists and label tables of English skeletons: TSV files that come with the package."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.support.grammar_data import grammar_path
from lattice_simp.support.textio import read_lines


def english_path(name: str) -> Path:
    """Returns the path of a table of English words or labels.

    >>> english_path("negations.tsv").name
    'negations.tsv'

    Raises:
        LatticeSimpError: there is no such file; says where it was looked for.
    """
    return grammar_path("english", name, what="English")


def read_table(path: str | Path, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Reads a TSV table whose first line names the columns; further columns are passed over.

    Raises:
        FormatError: other columns, or a row with too few fields; names the line.
    """
    lines = read_lines(path)
    header = next(lines, "").split("\t")
    if header[: len(columns)] != list(columns):
        remedy = "write " + "<TAB>".join(columns)
        raise FormatError(f"the columns are {', '.join(header)}", path=path, line=1, remedy=remedy)
    rows = []
    for number, line in enumerate(lines, start=2):
        fields = tuple(line.split("\t"))
        if len(fields) < len(columns):
            remedy = "separate the columns by tabs"
            raise FormatError(f"{len(fields)} of {len(columns)} columns", path=path, line=number, remedy=remedy)
        rows.append(fields[: len(columns)])
    return rows


@lru_cache(maxsize=8)
def word_set(name: str, column: str) -> frozenset[str]:
    """Returns the words of a table of one column."""
    return frozenset(word for (word,) in read_table(english_path(name), (column,)))
