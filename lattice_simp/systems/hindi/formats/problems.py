"""The errors of treebanks, which readers raise or collect."""

from __future__ import annotations

from pathlib import Path

from lattice_simp.errors import FormatError


def broken_sentence(message: str, path: Path, line: int) -> FormatError:
    """Returns the error of a sentence that cannot be read."""
    return FormatError(message, path=path, line=line, remedy="correct the file, or leave this sentence out")


def report(error: FormatError, problems: list[FormatError] | None) -> None:
    """Adds an error to the list of problems, or raises it if the list is None."""
    if problems is None:
        raise error
    problems.append(error)
