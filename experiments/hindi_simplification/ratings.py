"""A reader's ratings of outputs; each is of one text, and counts for every system that gives it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from experiments.hindi_simplification.references import Key
from lattice_simp.support.tables import read_table

HIGHEST = 3
"""Of the scale from 0, Mishra et al. 2014, section 5.2."""

COLUMNS = ("file", "id", "text", "simplification", "readability")


@dataclass(frozen=True)
class Rating:
    """How completely a sentence is simplified, and how well the result reads: 0 to 3."""

    simplification: int
    readability: int


Ratings = Mapping[tuple[Key, str], Rating]
"""By sentence and fingerprint of the output."""


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
    """Returns what stands for an output in the table, so that its words are not there.

    >>> fingerprint("राम सोया ।")
    '137c848f'
    """
    return f"{zlib.crc32(line.encode()):08x}"
