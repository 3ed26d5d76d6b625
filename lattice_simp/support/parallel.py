"""Files whose lines belong together: one sentence on each line, in the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import read_lines

PARALLEL = "give one line for each sentence, in the same order"


def read_parallel(
    paths: Sequence[str | Path], check: Callable[[list[str], str | Path], object] | None = None
) -> list[list[str]]:
    """Returns the lines of each file; `check` gets the lines and the path of each, before their numbers are compared.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "lines.txt"
    >>> _ = path.write_text("one\\ntwo\\n")
    >>> read_parallel([path, path])
    [['one', 'two'], ['one', 'two']]

    Raises:
        FormatError: a file is empty or not UTF-8, or has another number of lines than the first one.
    """
    columns = [list(read_lines(path)) for path in paths]
    for path, lines in zip(paths, columns, strict=True):
        if not lines:
            raise FormatError("the file is empty", path=path, remedy="give one sentence per line")
        if check is not None:
            check(lines, path)
    for path, lines in zip(paths, columns, strict=True):
        require_parallel(path, len(lines), paths[0], len(columns[0]))
    return columns


def parallel_lines(
    *paths: str | Path, lines_of: Callable[[str | Path], Iterator[str]] = read_lines
) -> Iterator[tuple[str, ...]]:
    """Yields the lines of files, from `lines_of`, side by side; the files may be larger than memory.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "lines.txt"
    >>> _ = path.write_text("one\\ntwo\\n")
    >>> list(parallel_lines(path, path))
    [('one', 'one'), ('two', 'two')]

    Raises:
        FormatError: a file cannot be read, or ends before another one; names both, and the number of its lines.
    """
    for number, row in enumerate(zip_longest(*map(lines_of, paths))):
        if None in row:
            longer = next(path for path, line in zip(paths, row, strict=True) if line is not None)
            message = f"ends after {counted(number, 'line')}, but {longer} has more"
            raise FormatError(message, path=paths[row.index(None)], remedy=PARALLEL)
        yield row


def require_parallel(
    path: str | Path, count: int, other: object, expected: int, unit: str = "line", remedy: str = PARALLEL
) -> None:
    """Refuses a file of `count` lines, unless these are as many as the units of another file.

    >>> require_parallel("a.terms", 2, "a.nbest", 3, "sentence")
    Traceback (most recent call last):
    ...
    lattice_simp.errors.FormatError: a.terms: has 2 lines, but a.nbest has 3 sentences (give one line for each...

    Raises:
        FormatError: names both files, their numbers, and the remedy.
    """
    if count != expected:
        message = f"has {counted(count, 'line')}, but {other} has {counted(expected, unit)}"
        raise FormatError(message, path=path, remedy=remedy)
