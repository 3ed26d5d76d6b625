"""Truecasing: the first word of a sentence gets the case that it mostly has elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa

from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.train.text.vocabulary import word_counts

Casing = Mapping[str, str]
"""The usual form of a word by its lower-cased form; those that are usually lower-cased are there, too."""


def learn_casing(columns: Iterable[pa.ChunkedArray]) -> dict[str, str]:
    """Learns the usual forms from all words but the first of each sentence.

    >>> learn_casing([pa.chunked_array([["The Union agrees", "Is the Union here", "the end"]])])["union"]
    'Union'
    """
    best: dict[str, tuple[int, str]] = {}
    for word, count in word_counts(columns, firsts=False).items():
        best[word.lower()] = max(best.get(word.lower(), (0, "")), (count, word))
    return {lowered: word for lowered, (_, word) in best.items()}


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
