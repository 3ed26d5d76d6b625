"""The paper's figures (Hasler et al. 2016, Tables 1-7), for comparison with ours."""

from __future__ import annotations

import csv
from pathlib import Path

Figures = dict[tuple[str, str, str], float]
"""The figures by set, row and column."""

_FILE = Path(__file__).with_name("paper.tsv")


def paper_table(table: str, pair: str = "") -> Figures:
    """Returns the figures of a table of the paper; none for a pair without figures.

    >>> paper_table("7", "en-fr")["newstest2013", "failed", "n=1"]
    9.0
    """
    with open(_FILE, encoding="utf-8", newline="") as file:
        return {
            (row["set"], row["row"], row["column"]): float(row["value"])
            for row in csv.DictReader(file, delimiter="\t")
            if row["table"] == table and row["pair"] == pair
        }
