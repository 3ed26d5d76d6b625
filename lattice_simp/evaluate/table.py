"""A table of numbers and words, before it is text, Markdown, LaTeX or JSON (`render.py`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """What stands in a cell; numbers are rounded only where they are shown.

    >>> Cell(0.7849, signed=True, mark="*").shown, Cell("plain").shown, Cell(None).shown
    ('+0.78*', 'plain', '-')

    Attributes:
        value: a number, a word, or None where there is nothing to say.
        decimals: of a float.
        signed: whether positive numbers get a plus sign.
        mark: follows the number; the table's notes explain it.
    """

    value: float | int | str | None
    decimals: int = 2
    signed: bool = False
    mark: str = ""

    @property
    def number(self) -> str:
        """The value without its mark."""
        if self.value is None:
            return "-"
        if isinstance(self.value, str):
            return self.value
        sign = "+" if self.signed else ""
        return f"{self.value:{sign}.{self.decimals}f}" if isinstance(self.value, float) else f"{self.value:{sign}d}"

    @property
    def shown(self) -> str:
        """The value and its mark."""
        return self.number + self.mark


@dataclass(frozen=True)
class Table:
    """Rows of cells under headings.

    >>> table = Table("Scores", ("system", "BLEU"), ((Cell("plain"), Cell(27.3)),), ("13a tokens",))
    >>> [cell.shown for cell in table.rows[0]]
    ['plain', '27.30']

    Attributes:
        title: stands above.
        columns: the headings.
        rows: each as many cells as there are columns.
        notes: stand below, one a line.
        words: how many columns from the left hold words (set left); the others hold numbers (set right).
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    words: int = 1

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(
                f"the table {self.title!r} has a row of another length than its {len(self.columns)} columns"
            )
