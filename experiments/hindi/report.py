"""The figures and the tables of the experiment."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from experiments.hindi.systems import BEST
from lattice_simp.evaluate.table import Cell, Table, as_markdown
from lattice_simp.hindi.clauses.scoring import MEASURES, Evaluation

Scores = dict[str, dict[str, Evaluation]]
"""By set and system."""

HEADLINES = {"starts": "starts", "ends": "ends", "clauses": "clauses", "types": "types", "nonfinite": "nonfin"}

PAPER = "paper"


def figures(results: Scores, seconds: dict[str, float]) -> dict[str, Any]:
    """Returns everything as plain values: the best system's figures on each set, then all."""
    found: dict[str, Any] = {"best_system": BEST}
    for name, systems in results.items():
        best = systems[BEST]
        found[name] = {f"{key}_f1": best.scores[measure].f1 for key, measure in HEADLINES.items()}
        found[name] |= {"well_formed_pct": best.well_formed, "sentences": best.sentences}
    found["seconds"] = seconds
    found["systems"] = {
        name: {
            system: {
                "well_formed_pct": one.well_formed,
                **{
                    measure: {"precision": score.precision, "recall": score.recall, "f1": score.f1}
                    for measure, score in one.scores.items()
                },
            }
            for system, one in systems.items()
        }
        for name, systems in results.items()
    }
    return found


def page(results: Scores, seconds: dict[str, float]) -> list[str]:
    """Returns the tables."""
    tables = [_table(name, systems) for name, systems in results.items()]
    tables += [_detail(name, systems[BEST]) for name, systems in results.items()]
    return [as_markdown(table) for table in (*tables, _seconds(seconds))]


def _table(name: str, systems: dict[str, Evaluation]) -> Table:
    paper = _paper()
    rows = []
    for system, one in systems.items():
        values = [Cell(one.scores[measure].f1, 1) for measure in MEASURES]
        rows.append((Cell(system), *values, Cell(one.well_formed, 1)))
        if system in paper:
            given = [Cell(paper[system].get(measure), 1) for measure in MEASURES]
            rows.append((Cell(f"{system} ({PAPER})"), *given, Cell(None)))
    wanted = next(iter(systems.values()))
    counts = [Cell(wanted.scores[measure].wanted, 0) for measure in MEASURES]
    rows.append((Cell("clauses that are wanted"), *counts, Cell(None)))
    notes = (
        "F1, per cent; a clause counts if both of its ends are right, and from `types` on if its type is, too. Rows of "
        "the paper are of its own test sets (`rules`: finite clauses alone; nonfin: accuracy)",
        "none: best labels by themselves; counts: the paper's rules; lattice: the best well-formed bracketing; "
        "participle starts: its non-finite clauses start where a regression over the phrases before says",
    )
    return Table(f"{name} ({wanted.sentences} sentences)", ("system", *MEASURES, "well-formed %"), tuple(rows), notes)


def _detail(name: str, best: Evaluation) -> Table:
    rows = [
        (Cell(measure), Cell(one.precision, 1), Cell(one.recall, 1), Cell(one.f1, 1), Cell(one.wanted, 0))
        for measure, one in best.scores.items()
    ]
    return Table(f"{BEST}: {name}", ("measure", "precision", "recall", "F1", "wanted"), tuple(rows))


def _seconds(seconds: dict[str, float]) -> Table:
    rows = tuple((Cell(what), Cell(value, 1)) for what, value in seconds.items())
    return Table("CPU seconds", ("what", "seconds"), rows)


def _paper() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    with open(Path(__file__).with_name("paper.tsv"), encoding="utf-8", newline="") as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        for row in rows:
            found.setdefault(row["system"], {})[row["measure"]] = float(row["value"])
    return found
