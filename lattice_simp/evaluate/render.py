"""Tables as text for a terminal, Markdown, LaTeX (booktabs) and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len

from lattice_simp.evaluate.table import Cell, Table

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}
_BETWEEN = "   "
"""Stands between two columns of text."""


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
    marks = _mark_widths(table)
    grid = [table.columns, *(_text_row(row, marks) for row in table.rows)]
    widths = [max(cell_len(row[place]) for row in grid) for place in range(len(table.columns))]
    lines = [_text_line(row, widths, table.words) for row in grid]
    rule = " " + "─" * (sum(widths) + len(_BETWEEN) * (len(widths) - 1) + 2)
    return "\n".join([table.title, "", lines[0], rule, *lines[1:], *([""] if table.notes else []), *table.notes, ""])


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
    rule = "".join(":---|" if place < table.words else "---:|" for place in range(len(table.columns)))
    rows = [
        _markdown_row(table.columns),
        f"|{rule}",
        *(_markdown_row([cell.shown for cell in row]) for row in table.rows),
    ]
    notes = [line for note in table.notes for line in ("", _markdown(note))]
    return "\n".join([f"**{_markdown(table.title)}**", "", *rows, *notes, ""])


def as_latex(table: Table) -> str:
    r"""Lays a table out for LaTeX with the package booktabs; marks become superscripts.

    >>> print(as_latex(Table("Scores", ("system", "BLEU"), ((Cell("a_b"), Cell(27.3, mark="*")),), ("% of words",))))
    \begin{table}
      \centering
      \caption{Scores}
      \begin{tabular}{lr}
        \toprule
        system & BLEU \\
        \midrule
        a\_b & 27.30$^{*}$ \\
        \bottomrule
      \end{tabular}
      \par\smallskip
      \begin{minipage}{\linewidth}\footnotesize
        \% of words
      \end{minipage}
    \end{table}
    <BLANKLINE>
    """
    layout = "l" * table.words + "r" * (len(table.columns) - table.words)
    lines = [r"\begin{table}", r"  \centering", f"  \\caption{{{_latex(table.title)}}}"]
    lines += [
        f"  \\begin{{tabular}}{{{layout}}}",
        r"    \toprule",
        _latex_row([_latex(name) for name in table.columns]),
    ]
    lines += [r"    \midrule", *(_latex_row([_latex_cell(cell) for cell in row]) for row in table.rows)]
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    if table.notes:
        notes = [f"    {_latex(note)}" for note in table.notes]
        lines += [r"  \par\smallskip", r"  \begin{minipage}{\linewidth}\footnotesize"]
        lines += [" \\\\\n".join(notes), r"  \end{minipage}"]
    return "\n".join([*lines, r"\end{table}", ""])


def as_json(table: Table) -> str:
    """Writes title, columns, unrounded values, marks and notes.

    >>> print(as_json(Table("Scores", ("system", "BLEU"), ((Cell("plain"), Cell(27.349)),))))
    {
      "title": "Scores",
      "columns": ["system", "BLEU"],
      "rows": [["plain", 27.349]],
      "marks": [["", ""]],
      "notes": []
    }
    <BLANKLINE>
    """
    fields: dict[str, Any] = {
        "title": table.title,
        "columns": table.columns,
        "rows": [[cell.value for cell in row] for row in table.rows],
        "marks": [[cell.mark for cell in row] for row in table.rows],
        "notes": table.notes,
    }
    parts = [
        f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}"
        for name, value in fields.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _mark_widths(table: Table) -> list[int]:
    """Returns the width of each column's longest mark, so that numbers with and without one are aligned."""
    return [max((len(row[place].mark) for row in table.rows), default=0) for place in range(len(table.columns))]


def _text_row(row: Sequence[Cell], marks: Sequence[int]) -> list[str]:
    return [cell.number + cell.mark.ljust(mark) for cell, mark in zip(row, marks, strict=True)]


def _text_line(row: Sequence[str], widths: Sequence[int], words: int) -> str:
    padded = []
    for place, (text, width) in enumerate(zip(row, widths, strict=True)):
        room = " " * (width - cell_len(text))
        padded.append(text + room if place < words else room + text)
    return ("  " + _BETWEEN.join(padded)).rstrip()


def _markdown(text: str) -> str:
    return re.sub(r"([|*_`\\<])", r"\\\1", text)


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_markdown(cell) for cell in cells) + " |"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def _latex_cell(cell: Cell) -> str:
    number = _latex(cell.number)
    if not isinstance(cell.value, str) and number.startswith("-") and cell.value is not None:
        number = f"${number[0]}${number[1:]}"  # a minus sign, not a hyphen
    return number + (f"$^{{{_latex(cell.mark)}}}$" if cell.mark else "")


def _latex_row(cells: Sequence[str]) -> str:
    return "    " + " & ".join(cells) + r" \\"
