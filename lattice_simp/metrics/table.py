"""Tables of numbers and words, and how they are written: text for a terminal, Markdown, LaTeX (booktabs)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

_LATEX: dict[str, str | int | None] = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}


@dataclass(frozen=True)
class Cell:
    """The content of a cell; numbers are rounded only for display.

    >>> Cell(0.7849, signed=True, mark="*").shown, Cell("plain").shown, Cell(None).shown
    ('+0.78*', 'plain', '-')

    Attributes:
        value: a number, a word, or None for an empty cell.
        decimals: the decimals of a float.
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
        title: printed above.
        columns: the headings.
        rows: each with as many cells as there are columns.
        notes: printed below, one on each line.
        words: the number of left columns with words (aligned left); the others have numbers (aligned right).
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    words: int = 1

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"{self.title!r} has a row of another length than its {len(self.columns)} columns")


def as_text(table: Table) -> str:
    """Lays a table out with aligned columns.

    >>> print(as_text(Table("Scores", ("system", "BLEU"), ((Cell("plain"), Cell(27.3)),))))
    Scores
    <BLANKLINE>
      system    BLEU
     ────────────────
      plain    27.30
    <BLANKLINE>
    """
    columns = [_aligned(table, position) for position in range(len(table.columns))]
    head, *rows = [("  " + "   ".join(row)).rstrip() for row in zip(*columns, strict=True)]
    rule = " " + "─" * (sum(cell_len(column[0]) + 3 for column in columns) - 1)
    return "\n".join([table.title, "", head, rule, *rows, *([""] if table.notes else []), *table.notes, ""])


def as_markdown(table: Table) -> str:
    """Lays a table out as Markdown.

    >>> print(as_markdown(Table("Scores", ("system", "BLEU"), ((Cell("a|b"), Cell(27.3, mark="*")),))))
    **Scores**
    <BLANKLINE>
    | system | BLEU |
    |:---|---:|
    | a\\|b | 27.30\\* |
    <BLANKLINE>
    """
    rule = "".join(":---|" if position < table.words else "---:|" for position in range(len(table.columns)))
    rows = [_markdown_row([cell.shown for cell in row]) for row in table.rows]
    notes = [line for note in table.notes for line in ("", _markdown(note))]
    return "\n".join([f"**{_markdown(table.title)}**", "", _markdown_row(table.columns), f"|{rule}", *rows, *notes, ""])


def as_latex(table: Table) -> str:
    r"""Lays a table out for LaTeX with the package booktabs; marks become superscripts.

    >>> print(as_latex(Table("Scores", ("system", "BLEU"), ((Cell("a_b"), Cell(27.3, mark="*")),))).split("rule")[2])
    <BLANKLINE>
        a\_b & 27.30$^{*}$ \\
        \bottom
    """
    layout = "l" * table.words + "r" * (len(table.columns) - table.words)
    lines = [r"\begin{table}", r"  \centering", f"  \\caption{{{_latex(table.title)}}}"]
    lines += [f"  \\begin{{tabular}}{{{layout}}}", r"    \toprule", _latex_row(map(_latex, table.columns))]
    lines += [r"    \midrule", *(_latex_row(map(_latex_cell, row)) for row in table.rows), r"    \bottomrule"]
    lines += [r"  \end{tabular}"]
    if table.notes:
        lines += [r"  \par\smallskip", r"  \begin{minipage}{\linewidth}\footnotesize"]
        lines += [" \\\\\n".join(f"    {_latex(note)}" for note in table.notes), r"  \end{minipage}"]
    return "\n".join([*lines, r"\end{table}", ""])


TABLE_WRITERS: Mapping[str, Callable[[Table], str]] = {"text": as_text, "markdown": as_markdown, "latex": as_latex}
"""The functions that lay tables out, by the names of formats."""


def _aligned(table: Table, position: int) -> list[str]:
    """Returns a column, all entries of equal width; numbers with and without a mark are aligned."""
    marks = max((len(row[position].mark) for row in table.rows), default=0)
    texts = [table.columns[position], *(row[position].number + row[position].mark.ljust(marks) for row in table.rows)]
    width = max(map(cell_len, texts))
    rooms = [" " * (width - cell_len(text)) for text in texts]
    return [text + room if position < table.words else room + text for text, room in zip(texts, rooms, strict=True)]


def _markdown(text: str) -> str:
    return re.sub(r"([|*_`\\<])", r"\\\1", text)


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_markdown(cell) for cell in cells) + " |"


def _latex(text: str) -> str:
    return text.translate(str.maketrans(_LATEX))


def _latex_cell(cell: Cell) -> str:
    number = _latex(cell.number)
    if not isinstance(cell.value, str) and number.startswith("-") and cell.value is not None:
        number = f"${number[0]}${number[1:]}"  # a minus sign, not a hyphen
    return number + (f"$^{{{_latex(cell.mark)}}}$" if cell.mark else "")


def _latex_row(cells: Iterable[str]) -> str:
    return "    " + " & ".join(cells) + r" \\"
