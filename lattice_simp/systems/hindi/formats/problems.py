"""The error of a broken sentence, which readers raise or collect."""

from __future__ import annotations

from pathlib import Path

from lattice_simp.errors import FormatError


def broken_sentence(message: str, path: Path, line: int) -> FormatError:
    """Returns the error of a sentence that cannot be read."""
    return FormatError(message, path=path, line=line, remedy="correct the file, or leave this sentence out")
