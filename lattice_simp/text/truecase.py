"""Truecasing: the first word of a sentence gets the case that it mostly has elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lattice_simp.support.textio import open_text, read_lines

Casing = Mapping[str, str]
"""The usual form of a word by its lower-cased form; those that are usually lower-cased are there, too."""


def truecased(sentence: str, casing: Casing) -> str:
    """Returns the sentence with its first word in the usual case; an unknown one stays.

    >>> truecased("The end", {"the": "the"})
    'the end'
    """
    first, blank, rest = sentence.partition(" ")
    return casing.get(first.lower(), first) + blank + rest


def write_casing(casing: Casing, path: Path) -> None:
    """Writes one form a line."""
    with open_text(path, "w") as file:
        file.writelines(f"{casing[lowered]}\n" for lowered in sorted(casing))


def read_casing(path: Path) -> dict[str, str]:
    """Reads what `write_casing` wrote."""
    return {word.lower(): word for word in read_lines(path)}
