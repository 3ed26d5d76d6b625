"""A whole evaluation as text, Markdown, LaTeX or JSON.

The JSON document, version 1, has every number unrounded, with the signatures and the command that made it; `null`
marks what is missing (a baseline's gain, p of too few sentences):

    {"format": "lattice_simp evaluation", "version": 1, "program": "lattice_simp 0.1", "command": [str],
     "baseline": str | null,
     "test": {"kind": "bootstrap" | "randomisation", "samples": int, "seed": int, "confidence": float,
              "interval_samples": int},
     "metrics": [{"name": str, "higher_is_better": bool | null, "signature": str, "reads": "text" | "tokens"}],
     "scores": SCORES,
     "breakdowns": [{"by": str, "left_out": int, "groups": [{"label": str, **SCORES}]}]}

SCORES is `{"sentences": int, "systems": [{"name": str, "scores": {METRIC: SCORE}}]}`, and SCORE is
`{"value": float, "interval": [low, high], "gain": float, "gain_interval": [low, high], "p": float}`. Later versions may
add keys; a version with another number changes the meaning of these.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from itertools import chain
from typing import Any

from lattice_simp.metrics.comparison import Comparison, Measurements, Score
from lattice_simp.metrics.groups import Groups
from lattice_simp.metrics.metric import Metric
from lattice_simp.metrics.significance import FEWEST_FOR_BOOTSTRAP, TestKind
from lattice_simp.metrics.table import TABLE_WRITERS, Cell, Table
from lattice_simp.support.plurals import counted


class ResultFormat(str, Enum):
    """How results are written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"
    JSON = "json"


LEVELS = ((0.01, "**"), (0.05, "*"))
"""The meaning of marks: the greatest p-value of each, the strictest first."""

_P_DECIMALS = 4

FORMAT = "lattice_simp evaluation"
VERSION = 1


@dataclass(frozen=True)
class Breakdown:
    """The comparisons of each group."""

    groups: Groups
    comparisons: Mapping[str, Comparison]


def result_tables(
    measured: Measurements, comparison: Comparison, breakdowns: Sequence[Breakdown] = ()
) -> tuple[Table, ...]:
    """Returns the table of all scores, then one table for each breakdown and metric."""
    grouped = [
        group_table(metric, breakdown.groups, breakdown.comparisons, comparison)
        for breakdown in breakdowns
        for metric in measured.metrics
    ]
    return (score_table(measured, comparison), *grouped)


def render_results(
    measured: Measurements,
    comparison: Comparison,
    breakdowns: Sequence[Breakdown] = (),
    format: ResultFormat = ResultFormat.TEXT,
    command: Sequence[str] = (),
) -> str:
    """Returns all tables, or the JSON document with the command that made the results, as text."""
    if format is ResultFormat.JSON:
        document = report(measured, comparison, breakdowns, command)
        return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    return "\n".join(map(TABLE_WRITERS[format.value], result_tables(measured, comparison, breakdowns)))


def report(
    measured: Measurements, comparison: Comparison, breakdowns: Sequence[Breakdown] = (), command: Sequence[str] = ()
) -> dict[str, Any]:
    """Returns the JSON document of the module docstring."""
    from lattice_simp import __version__  # the package itself imports its rooms

    test = comparison.test
    return {
        "format": FORMAT,
        "version": VERSION,
        "program": f"lattice_simp {__version__}",
        "command": list(command),
        "baseline": comparison.baseline,
        "test": {
            "kind": test.kind.value,
            "samples": test.trials,
            "seed": test.seed,
            "confidence": test.confidence,
            "interval_samples": test.bootstrap_samples,
        },
        "metrics": [
            {name: getattr(metric, name) for name in ("name", "higher_is_better", "signature")} | {"reads": form.value}
            for metric, form in zip(measured.metrics, measured.forms, strict=True)
        ],
        "scores": _scores(comparison),
        "breakdowns": [
            {
                "by": breakdown.groups.name,
                "left_out": breakdown.groups.left_out,
                "groups": [{"label": label, **_scores(group)} for label, group in breakdown.comparisons.items()],
            }
            for breakdown in breakdowns
        ],
    }


def _scores(comparison: Comparison) -> dict[str, Any]:
    systems = [
        {"name": name, "scores": {metric: asdict(score) for metric, score in scores.items()}}
        for name, scores in comparison.scores.items()
    ]
    return {"sentences": comparison.sentences, "systems": systems}


def significance_mark(p: float | None) -> str:
    """Returns the mark of a p-value.

    >>> [significance_mark(p) for p in (0.004, 0.05, 0.2, None)]
    ['**', '*', '', '']
    """
    return next((mark for level, mark in LEVELS if p is not None and p <= level), "")


def score_table(measured: Measurements, comparison: Comparison) -> Table:
    """Returns a table of systems (rows) by metrics (columns).

    With a baseline, a row of confidence intervals follows each system's scores, and a row of p-values those of the
    systems that are tested against it; marks repeat the p-values.
    """
    rows = [row for name in measured.systems for row in _system_rows(measured.metrics, comparison, name)]
    lower = [metric.name for metric in measured.metrics if metric.higher_is_better is False]
    notes = [
        counted(comparison.sentences, "sentence"),
        *_mark_notes(comparison, len(measured.metrics) * (len(measured.systems) - 1)),
    ]
    if comparison.baseline is not None:
        notes.append(f"intervals: bootstrap resampling, {comparison.test.bootstrap_samples} samples")
    notes += [f"lower is better: {', '.join(lower)}"] if lower else []
    notes += [
        f"{metric.name}: {metric.signature} ({form.value}{', case ignored' if 'case:lc' in metric.signature else ''})"
        for metric, form in zip(measured.metrics, measured.forms, strict=True)
    ]
    return Table("Scores", ("system", *(metric.name for metric in measured.metrics)), tuple(rows), tuple(notes))


def group_table(
    metric: Metric, groups: Groups, comparisons: Mapping[str, Comparison], overall: Comparison | None = None
) -> Table:
    """Returns a table of one metric: for each group (see `compare_groups`) n and each system's score, gain and p.

    With `overall`, the last row is for all sentences.
    """
    shown = {**comparisons, **({"all": overall} if overall else {})}
    first = next(iter(shown.values()))
    non_baseline = [name for name in first.scores if name != first.baseline]
    names = [name for name in first.scores if name == first.baseline] + non_baseline
    columns = [groups.name, "n"]
    for name in names:
        gained = first.baseline is not None and name != first.baseline
        columns += [name, f"{name}: gain", f"{name}: p"] if gained else [name]
    rows = []
    for label, comparison in shown.items():
        cells = chain.from_iterable(_group_cells(metric, comparison, name) for name in names)
        rows.append((Cell(label), Cell(comparison.sentences), *cells))
    notes = list(_mark_notes(first, len(rows) * len(non_baseline)))
    if first.test.kind is TestKind.BOOTSTRAP and any(
        group.sentences < FEWEST_FOR_BOOTSTRAP for group in shown.values()
    ):
        notes.append(f"no p for fewer than {FEWEST_FOR_BOOTSTRAP} sentences")
    if groups.left_out:
        notes.append(f"{groups.left_out} sentences belong to no group")
    if metric.higher_is_better is False:
        notes.append("lower is better")
    notes.append(f"{metric.name}: {metric.signature}")
    return Table(f"{metric.name} by {groups.name}", tuple(columns), tuple(rows), tuple(notes))


def _system_rows(metrics: Sequence[Metric], comparison: Comparison, name: str) -> list[tuple[Cell, ...]]:
    scores = [(metric, comparison.scores[name][metric.name]) for metric in metrics]
    rows = [(Cell(name), *(_score_cell(metric, score) for metric, score in scores))]
    if comparison.baseline is not None:
        bounds = [", ".join(f"{bound:.{metric.decimals}f}" for bound in score.interval) for metric, score in scores]
        label = f"{name}: {comparison.test.confidence:.0%} interval"
        rows.append((Cell(label), *(Cell(f"[{bounds_text}]") for bounds_text in bounds)))
        if name != comparison.baseline:
            rows.append((Cell(f"{name}: p"), *(Cell(score.p, _P_DECIMALS) for _, score in scores)))
    return rows


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
