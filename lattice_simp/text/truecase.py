"""Truecases sentences: the first word gets the case that it mostly has elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lattice_simp.support.textio import open_text, read_lines

Casing = Mapping[str, str]
"""The usual form of each word by its lower-cased form, including words that are usually lower-cased."""


def truecased(sentence: str, casing: Casing) -> str:
    """Changes the first word of a sentence to its usual case; an unknown word is unchanged.

    >>> truecased("The end", {"the": "the"})
    'the end'
    """
    first, blank, remainder = sentence.partition(" ")
    return casing.get(first.lower(), first) + blank + remainder


def write_casing(casing: Casing, path: Path) -> None:
    """Writes the usual forms to a file, one on each line."""
    with open_text(path, "w") as file:
        file.writelines(f"{casing[lowered]}\n" for lowered in sorted(casing))


def read_casing(path: Path) -> dict[str, str]:
    """Reads a file of `write_casing`."""
    return {word.lower(): word for word in read_lines(path)}
