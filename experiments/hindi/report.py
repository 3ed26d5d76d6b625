"""The figures and the tables of the experiment."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.hindi.systems import BEST
from lattice_simp.metrics.table import Cell, Table, as_markdown
from lattice_simp.systems.hindi.clauses.scoring import MEASURES, Evaluation, Score


@dataclass(frozen=True)
class Both:
    """A system's scores with all clauses, and with finite ones alone."""

    every: Evaluation
    finite: Evaluation


Scores = dict[str, dict[str, Both]]
"""By set and system."""

HEADLINES = {"starts": "starts", "ends": "ends", "clauses": "clauses", "types": "types", "nonfinite": "nonfin"}

PAPER = "paper"

FINITE = ("clauses", "types")
"""What the finite clauses are measured by."""

VALUES = ("precision", "recall", "f1")


def figures(results: Scores, seconds: dict[str, float]) -> dict[str, Any]:
    """Returns everything as plain values: the best system's figures on each set, then all."""
    found: dict[str, Any] = {"best_system": BEST}
    for name, systems in results.items():
        best = systems[BEST].every
        found[name] = {f"{key}_f1": best.scores[measure].f1 for key, measure in HEADLINES.items()}
        found[name] |= {"well_formed_pct": best.well_formed, "sentences": best.sentences}
    found["seconds"] = seconds
    found["systems"] = {
        name: {
            system: {
                "well_formed_pct": one.every.well_formed,
                **{measure: _values(score) for measure, score in one.every.scores.items()},
                "finite": {measure: _values(one.finite.scores[measure]) for measure in FINITE},
            }
            for system, one in systems.items()
        }
        for name, systems in results.items()
    }
    return found


def _values(score: Score) -> dict[str, float]:
    return {name: getattr(score, name) for name in VALUES}


def page(results: Scores, seconds: dict[str, float]) -> list[str]:
    """Returns the tables."""
    tables = [_table(name, {system: one.every for system, one in systems.items()}) for name, systems in results.items()]
    tables += [_finite(name, systems) for name, systems in results.items()]
    tables += [_detail(name, systems[BEST].every) for name, systems in results.items()]
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
        "the papers are of their own test sets",
        "none: best labels by themselves; counts: the paper's rules, 1c as its text has it or with ends (see the "
        "notes); lattice: the best well-formed bracketing; acceptors: the same with each of the papers' rules and of "
        "others as an acceptor; participle starts: its non-finite clauses start where a regression over the phrases "
        "before says",
    )
    return Table(f"{name} ({wanted.sentences} sentences)", ("system", *MEASURES, "well-formed %"), tuple(rows), notes)


def _finite(name: str, systems: dict[str, Both]) -> Table:
    """Returns the table of finite clauses alone, and of how many non-finite ones are found."""
    paper = _paper()
    rows = []
    for system, one in systems.items():
        scores = [one.finite.scores[measure] for measure in FINITE]
        values = [Cell(value, 1) for score in scores for value in _values(score).values()]
        rows.append((Cell(system), *values, Cell(one.every.scores["nonfin"].recall, 1)))
        given = paper.get(f"{system}, finite")
        if given:
            names = (*(f"{measure} {value}" for measure in FINITE for value in VALUES), "nonfin recall")
            rows.append((Cell(f"{system} ({PAPER})"), *(Cell(given.get(name), 1) for name in names)))
    headings = [f"{measure} {value}".replace("f1", "F1") for measure in FINITE for value in VALUES]
    notes = ("finite clauses alone, per cent; nonfin found: of the non-finite clauses, how many are found whole",)
    return Table(f"{name}, finite clauses alone", ("system", *headings, "nonfin found"), tuple(rows), notes)


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
