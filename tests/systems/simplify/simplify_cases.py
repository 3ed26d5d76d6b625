"""Tables of cases in this folder."""

from __future__ import annotations

import csv
from pathlib import Path

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    """Returns the rows of a table of this folder."""
    with open(HERE / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


SPLITS = rows("splits.tsv")
DELETIONS = rows("deletions.tsv")
SOURCES = list(dict.fromkeys(row["source"] for row in (*SPLITS, *DELETIONS)))
