"""Tables of an evaluation: systems by metrics, and one metric's scores group by group."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from lattice_simp.evaluate.comparison import Comparison, Measurements, Score
from lattice_simp.evaluate.groups import Groups
from lattice_simp.evaluate.metric import Metric
from lattice_simp.evaluate.significance import FEWEST_FOR_BOOTSTRAP, TestKind
from lattice_simp.evaluate.table import Cell, Table

LEVELS = ((0.01, "**"), (0.05, "*"))
"""What a mark says: the greatest p-value of each, the strictest first."""

_P_DECIMALS = 4


def significance_mark(p: float | None) -> str:
    """Returns the mark of a p-value.

    >>> [significance_mark(p) for p in (0.004, 0.05, 0.2, None)]
    ['**', '*', '', '']
    """
    return next((mark for level, mark in LEVELS if p is not None and p <= level), "")


def score_table(measured: Measurements, comparison: Comparison, title: str = "Scores") -> Table:
    """Returns a table of systems (rows) by metrics (columns), with marks for differences from the baseline."""
    rows = [
        (Cell(name), *(_score_cell(metric, comparison.scores[name][metric.name]) for metric in measured.metrics))
        for name in measured.systems
    ]
    lower = [metric.name for metric in measured.metrics if metric.higher_is_better is False]
    notes = [f"{comparison.sentences} sentences", *_mark_notes(comparison, len(measured.metrics) * (len(rows) - 1))]
    notes += [f"lower is better: {', '.join(lower)}"] if lower else []
    notes += [
        f"{metric.name}: {metric.signature} ({form.value})"
        for metric, form in zip(measured.metrics, measured.forms, strict=True)
    ]
    return Table(title, ("system", *(metric.name for metric in measured.metrics)), tuple(rows), tuple(notes))


def group_table(
    metric: Metric, groups: Groups, comparisons: Mapping[str, Comparison], overall: Comparison | None = None
) -> Table:
    """Returns a table of one metric: a row a group (see `compare_groups`) with n and each system's score, gain and p.

    With `overall`, a last row is of all sentences.
    """
    shown = {**comparisons, **({"all": overall} if overall else {})}
    first = next(iter(shown.values()))
    others = [name for name in first.scores if name != first.baseline]
    names = [name for name in first.scores if name == first.baseline] + others
    columns = [groups.name, "n"]
    for name in names:
        gained = first.baseline is not None and name != first.baseline
        columns += [name, f"{name}: gain", f"{name}: p"] if gained else [name]
    rows = []
    for label, comparison in shown.items():
        cells = chain.from_iterable(_group_cells(metric, comparison, name) for name in names)
        rows.append((Cell(label), Cell(comparison.sentences), *cells))
    notes = list(_mark_notes(first, len(rows) * len(others)))
    if first.test.kind is TestKind.BOOTSTRAP and any(one.sentences < FEWEST_FOR_BOOTSTRAP for one in shown.values()):
        notes.append(f"no p for fewer than {FEWEST_FOR_BOOTSTRAP} sentences")
    if groups.left_out:
        notes.append(f"{groups.left_out} sentences belong to no group")
    if metric.higher_is_better is False:
        notes.append("lower is better")
    notes.append(f"{metric.name}: {metric.signature}")
    return Table(f"{metric.name} by {groups.name}", tuple(columns), tuple(rows), tuple(notes))


def _score_cell(metric: Metric, score: Score) -> Cell:
    return Cell(score.value, metric.decimals, mark=significance_mark(score.p))


def _group_cells(metric: Metric, comparison: Comparison, name: str) -> list[Cell]:
    score = comparison.scores[name][metric.name]
    if comparison.baseline is None or name == comparison.baseline:
        return [Cell(score.value, metric.decimals)]
    gain = Cell(score.gain, metric.decimals, signed=True)
    return [_score_cell(metric, score), gain, Cell(score.p, _P_DECIMALS)]


def _mark_notes(comparison: Comparison, tests: int) -> list[str]:
    if comparison.baseline is None or len(comparison.scores) < 2:
        return []
    marks = ", ".join(f"{mark} p <= {level}" for level, mark in reversed(LEVELS))
    note = f"{marks}: differs from {comparison.baseline} ({comparison.test.description})"
    return [note + (f"; not corrected for {tests} comparisons" if tests > 1 else "")]
