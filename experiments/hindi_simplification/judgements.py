"""A reader's blind judgements of careful outputs for unseen sentences.

`judged.tsv` has no text: the number of the reading, the file and the name of each sentence, and the judgements. The
simplifier's outputs were mixed with controls, sentences split rightly or wrongly by hand, which measure the reader's
reliability. Between two readings, the faults found in the first were corrected; no sentence is in both. Two readers
judged reading 4: a judgement is 1 if both gave it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.report import Figures, percentage, rows_by, with_interval
from lattice_simp.metrics.table import Cell, Table
from lattice_simp.support.tables import read_table

JUDGED = "judged.tsv"

JUDGEMENTS = ("grammatical", "meaning")
"""1 or 0: whether every sentence is correct and complete; whether the output says the same as its source."""

COLUMNS = ("reading", "domain", "file", "sentence", "output", *JUDGEMENTS, "fault")

SYSTEM, CONTROLS = "careful", ("right", "wrong")
"""The kinds of outputs: the simplifier's, and those split by hand."""

RIGHT = "simplified_right"
"""The name of the figure of both judgements."""

READINGS = "readings"
"""The key of each reading's figures."""

Rows = Sequence[Mapping[str, str]]


def read_judged(path: Path) -> Rows:
    """Reads the judgements, each 0 or 1, of known kinds of outputs."""
    rows = list(read_table(path, COLUMNS, full=True))
    for row in rows:
        row.one_of("output", (SYSTEM, *CONTROLS))
        for name in JUDGEMENTS:
            row.one_of(name, ("0", "1"))
    return [row.cells for row in rows]


def judged_figures(rows: Rows) -> dict[str, Any]:
    """Returns the percentages of the last reading, and the figures of all readings.

    >>> row = {"reading": "1", "domain": "news", "output": "careful", "grammatical": "1", "meaning": "1", "fault": ""}
    >>> wrong = {**row, "meaning": "0", "fault": "condition"}
    >>> figures = judged_figures([row, wrong, {**wrong, "output": "wrong"}])
    >>> figures["simplified_right_pct"], figures["readings"]["1"]["faults"]
    (50.0, {'condition': 1})
    """
    readings = {name: _reading(chosen) for name, chosen in rows_by(rows, "reading").items()}
    last = readings[max(readings)]
    return {**{f"{name}_pct": last[name]["value"] for name in (RIGHT, *JUDGEMENTS)}, READINGS: readings}


def _reading(rows: Rows) -> dict[str, Any]:
    outputs = [row for row in rows if row["output"] == SYSTEM]
    faults = Counter(row["fault"] for row in outputs if not _is_right(row))
    controls = {name: [row for row in rows if row["output"] == name] for name in CONTROLS}
    return {
        **_shares(outputs),
        "domains": {name: _shares(part) for name, part in rows_by(outputs, "domain").items()},
        "faults": dict(faults.most_common()),
        "controls": {
            name: {"sentences": len(part), "right": sum(map(_is_right, part))} for name, part in controls.items()
        },
    }


def _is_right(row: Mapping[str, str]) -> bool:
    return all(row[name] == "1" for name in JUDGEMENTS)


def _shares(rows: Rows) -> dict[str, Any]:
    shares = {name: percentage(row[name] == "1" for row in rows) for name in JUDGEMENTS}
    return {"sentences": len(rows), RIGHT: percentage(map(_is_right, rows)), **shares}


def judged_table(readings: Figures) -> Table:
    """Returns the table of the percentages."""
    rows = tuple(row for number, reading in readings.items() for row in _rows(number, reading))
    notes = (
        "of sentences that careful mode splits, read without knowing what made the outputs; 95 % intervals by Wilson",
        *(note for number, reading in readings.items() for note in _notes(number, reading)),
    )
    columns = ("reading", "sentences of", "read", *(name.replace("_", " ") for name in (*JUDGEMENTS, RIGHT)))
    return Table("plain text never read before, careful", columns, rows, notes)


def _rows(number: str, reading: Figures) -> Iterator[tuple[Cell, ...]]:
    for part, figures in {**reading["domains"], "all": reading}.items():
        shares = (Cell(with_interval(figures[name])) for name in (*JUDGEMENTS, RIGHT))
        yield (Cell(number), Cell(part), Cell(figures["sentences"], 0), *shares)


def _notes(number: str, reading: Figures) -> Iterator[str]:
    right, wrong = (reading["controls"][name] for name in CONTROLS)
    yield (
        f"reading {number}, controls: {right['right']} of {right['sentences']} right splits by hand were judged right, "
        f"{wrong['right']} of {wrong['sentences']} wrong ones"
    )
    yield f"reading {number}, faults: " + ", ".join(f"{fault} {count}" for fault, count in reading["faults"].items())
