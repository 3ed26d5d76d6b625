"""The paper's figures (Hasler et al. 2016, Tables 1-7), for comparison with ours."""

from __future__ import annotations

from pathlib import Path

from lattice_simp.support.tables import read_table

Figures = dict[tuple[str, str, str], float]
"""The figures by set, row and column."""


def paper_table(table: str, pair: str = "") -> Figures:
    """Returns the figures of a table of the paper; none for a pair without figures.

    >>> paper_table("7", "en-fr")["newstest2013", "failed", "n=1"]
    9.0
    """
    rows = read_table(Path(__file__).with_name("paper.tsv"), ("table", "pair", "set", "row", "column", "value"))
    chosen = (row for row in rows if row["table"] == table and row["pair"] == pair)
    return {(row["set"], row["row"], row["column"]): float(row["value"]) for row in chosen}
