"""A reader's ratings of outputs; each rating is of a text, and counts for all systems with this output."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from experiments.hindi_simplification.references import Key
from lattice_simp.support.tables import read_table

HIGHEST = 3
"""The highest rating of the scale from 0 (Mishra et al. 2014, section 5.2)."""

COLUMNS = ("file", "id", "text", "simplification", "readability")


@dataclass(frozen=True)
class Rating:
    """The completeness of a simplification, and the readability of the result: 0 to 3."""

    simplification: int
    readability: int


Ratings = Mapping[tuple[Key, str], Rating]
"""Ratings by sentence and fingerprint of the output."""


def read_ratings(path: Path) -> Ratings:
    """Reads the ratings.

    Raises:
        FormatError: the table is broken, or a rating is not one of 0 to 3.
    """
    ratings = {}
    for row in read_table(path, COLUMNS, full=True):
        values = [row["simplification"], row["readability"]]
        if any(value not in map(str, range(HIGHEST + 1)) for value in values):
            raise row.error(f"not ratings: {' '.join(values)!r}", f"write whole numbers from 0 to {HIGHEST}")
        ratings[(row["file"], row["id"]), row["text"]] = Rating(*map(int, values))
    return ratings


def fingerprint(line: str) -> str:
    """Returns the digest of an output that represents it in the table, which holds no text.

    >>> fingerprint("राम सोया ।")
    '137c848f'
    """
    return f"{zlib.crc32(line.encode()):08x}"
