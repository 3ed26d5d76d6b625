"""Shared by the pages of all experiments: scores as plain values, their cells and notes, and plain tables.

An experiment's `report.py` has `page(figures, config)`, which lays out the content of `results.json` and `config.yaml`
and reads no other files of a run, so `python -m experiments.pages` can write the page again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from experiments.experiment import added_costs, stage_costs
from lattice_simp.metrics import (
    Comparison,
    Lines,
    Measurements,
    Metric,
    SignificanceTest,
    TestKind,
    bleu_13a,
    bleu_tok,
    compare,
    measure,
)
from lattice_simp.metrics.report import significance_mark
from lattice_simp.metrics.table import Cell
from lattice_simp.support.groups import grouped
from lattice_simp.support.tables import Row
from lattice_simp.systems.judging import share
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train.config import Config, TestSet
from lattice_simp.train.tuning import read_test_set, read_texts

Cells = TypeVar("Cells", Row, Mapping[str, str])

Figures = Mapping[str, Any]
"""JSON values, by name."""

DECIMALS = {"length": 3}
"""The decimals of metrics; all others have two."""

STAGES = "stages"
"""The key of the stages' costs in `results.json`."""


RANDOMISATION = SignificanceTest(TestKind.RANDOMISATION)
"""The test for comparing systems."""


def measured(
    outputs: Mapping[str, Sequence[str]], references: Sequence[Lines], tokeniser: Tokeniser, metrics: Sequence[Metric]
) -> Measurements:
    """Measures the outputs of systems, lines of tokens, as tokens and as text."""
    lines = {name: Lines(tokens, [tokeniser.text(line) for line in tokens]) for name, tokens in outputs.items()}
    return measure(lines, references, metrics)


def read_references(config: Config, test: TestSet, model: Path) -> list[Lines]:
    """Returns the references of a set, as tokens of a model and as text."""
    return list(map(Lines, read_test_set(config, test, model)[1], read_texts(config, test)[1]))


def bleu_scores(
    outputs: Mapping[str, Sequence[str]], reference: Lines, baseline: str, tokeniser: Tokeniser
) -> dict[str, Any]:
    """Returns the BLEU of each system on tokens and on text, its difference from the baseline's, and the p-value."""
    metrics = [bleu_tok(), bleu_13a(lowercase=tokeniser.case == "lower")]
    return scores_of(compare(measured(outputs, [reference], tokeniser, metrics), baseline, RANDOMISATION))


def scores_of(comparison: Comparison, parts: Sequence[str] = ("value", "gain", "p")) -> dict[str, Any]:
    """Returns the scores of each system by each metric as plain values."""
    return {
        system: {metric: {part: getattr(score, part) for part in parts} for metric, score in scores.items()}
        for system, scores in comparison.scores.items()
    }


def signatures_of(metrics: Iterable[Metric]) -> dict[str, str]:
    """Returns the metrics' signatures by name."""
    return {metric.name: metric.signature for metric in metrics}


def score_cells(scores: Figures, metrics: Iterable[str]) -> list[Cell]:
    """Returns a system's scores, with the marks of significant differences.

    >>> [cell.shown for cell in score_cells({"BLEU-tok": {"value": 27.25, "p": 0.04}}, ["BLEU-tok"])]
    ['27.25*']
    """
    return [
        Cell(scores[name]["value"], DECIMALS.get(name, 2), mark=significance_mark(scores[name]["p"]))
        for name in metrics
    ]


def gain_cells(score: Figures) -> tuple[Cell, Cell]:
    """Returns the gain over the baseline and its p-value."""
    return Cell(score["gain"], signed=True), Cell(score["p"], 4)


def score_row(title: str, scores: Figures, metrics: Sequence[str]) -> tuple[Cell, ...]:
    """Returns a system's title, its scores, and its gain by the first metric with the p-value."""
    return (Cell(title), *score_cells(scores, metrics), *gain_cells(scores[metrics[0]]))


def score_notes(baseline: str, signatures: Mapping[str, str], *more: str) -> tuple[str, ...]:
    """Returns the notes under a table of scores: the meaning of marks, `more`, and the signatures."""
    marks = f"marks (* p <= 0.05, ** p <= 0.01) are against {baseline}; {RANDOMISATION.description}"
    return (marks, *more, *(f"{name}: {signature}" for name, signature in signatures.items()))


def plain_table(columns: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """Returns a Markdown table of Markdown cells; the first columns are words, the others numbers.

    >>> print(plain_table(["system", "BLEU"], [["**best**", "27.3"]]))
    | system | BLEU |
    |---|---:|
    | **best** | 27.3 |
    """
    rule = "|" + "---|" * words + "---:|" * (len(columns) - words)
    head, *lines = (f"| {' | '.join(row)} |" for row in (columns, *rows))
    return "\n".join([head, rule, *lines])


def rows_by(rows: Iterable[Cells], column: str) -> dict[str, list[Cells]]:
    """Returns the rows of a table by their cell of a column.

    >>> rows_by([{"set": "b"}, {"set": "a"}, {"set": "b"}], "set")
    {'b': [{'set': 'b'}, {'set': 'b'}], 'a': [{'set': 'a'}]}
    """
    return grouped((row[column], row) for row in rows)


def percentage(flags: Iterable[bool]) -> dict[str, float]:
    """Returns the percentage of true ones, with Wilson's 95 % interval.

    >>> percentage([True] * 9 + [False])
    {'value': 90.0, 'low': 59.6, 'high': 98.2}
    """
    every = list(flags)
    estimate = share(sum(every), len(every))
    values = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {name: round(100 * value, 1) for name, value in values.items()}


def with_interval(estimate: Figures) -> str:
    """Returns a percentage and its interval as words.

    >>> with_interval({"value": 90.0, "low": 59.6, "high": 98.2})
    '90 % (60 to 98)'
    """
    return f"{estimate['value']:.0f} % ({estimate['low']:.0f} to {estimate['high']:.0f})"


def versions(*packages: str) -> list[str]:
    """Returns the packages on which figures depend, with their versions."""
    return [f"{package} {version(package)}" for package in packages]


def stages_part(figures: Figures) -> list[str]:
    """Returns the table of the time and the memory of each stage; empty if results lack it.

    >>> print(*stages_part({"stages": {"count": {"seconds": 1.5, "cpu_seconds": 2.5, "peak_mb": 1100}}}))
    | stage | seconds | CPU seconds | peak MB |
    |---|---:|---:|---:|
    | count | 2 | 2 | 1,100 |
    | all | 2 | 2 | 1,100 |
    """
    if STAGES not in figures:
        return []
    costs = stage_costs(figures[STAGES])
    rows = [
        (name, f"{cost['seconds']:.0f}", f"{cost['cpu_seconds']:.0f}", f"{cost['peak_mb']:,}")
        for name, cost in {**costs, "all": added_costs(costs.values())}.items()
    ]
    return [plain_table(("stage", "seconds", "CPU seconds", "peak MB"), rows)]
