"""The figures and the tables of the experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.hindi_english.analysing import Analysed, read_analysed
from experiments.hindi_english.translating import SYSTEMS, TEST
from lattice_simp.metrics import (
    Comparison,
    Groups,
    Lines,
    Measurements,
    Metric,
    SignificanceTest,
    TestKind,
    bleu_13a,
    bleu_tok,
    chrf,
    compare,
    compare_groups,
    length_ratio,
    measure,
    meteor,
)
from lattice_simp.metrics.report import significance_mark
from lattice_simp.metrics.table import Cell, Table, as_markdown
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.config import Config
from lattice_simp.train.tuning import read_test_set, read_texts

BASE = "plain"
TEST_KIND = SignificanceTest(TestKind.RANDOMISATION)

WHOLE = "all lines"
SUBSETS = {"skeleton": "lines with a skeleton", "simplified": "lines that simplification changes"}


@dataclass(frozen=True)
class Measured:
    """What was measured: the metrics, and the comparison with the plain system on all lines and on each subset."""

    measurements: Measurements
    comparisons: Mapping[str, Comparison]
    lines: Mapping[str, int]


def measure_systems(config: Config, folders: Mapping[str, Path]) -> Measured:
    """Measures the systems on the test set."""
    tokeniser = tokenisers(config.text)[1]
    own = config.test[0]
    texts = zip(read_test_set(config, own, folders["model"])[1], read_texts(config, own)[1], strict=True)
    references = [Lines(tokens, text) for tokens, text in texts]
    outputs = {one.name: list(read_lines(folders[f"translated-{one.name}"] / "output.txt")) for one in SYSTEMS}
    lines = {name: Lines(words, [tokeniser.text(line) for line in words]) for name, words in outputs.items()}
    measurements = measure(lines, references, metrics(len(references)))
    analysed = read_analysed(folders["analysed"] / f"{TEST}.jsonl")
    comparisons = {WHOLE: compare(measurements, BASE, TEST_KIND)}
    counts = {WHOLE: len(analysed)}
    for name, title in SUBSETS.items():
        labels = [title if _belongs(one, name) else None for one in analysed]
        comparisons |= compare_groups(measurements, Groups.of(name, labels), BASE, TEST_KIND)
        counts[title] = sum(label is not None for label in labels)
    return Measured(measurements, comparisons, counts)


def metrics(references: int) -> list[Metric]:
    """Returns the metrics, BLEU on tokens first; TER would take longer than all the rest, on lines of 200 words."""
    return [
        bleu_tok(references=references),
        bleu_13a(lowercase=True, references=references),
        chrf(lowercase=True, references=references),
        meteor("en", references=references),
        length_ratio(references=references),
    ]


def _belongs(line: Analysed, subset: str) -> bool:
    return line.skeleton is not None if subset == "skeleton" else line.is_changed


def figures(measured: Measured, records: Mapping[str, Any]) -> dict[str, Any]:
    """Returns everything as plain values."""
    return {
        "pairs": records["prepare"]["pairs"],
        "rules": records["rules"]["rules"],
        "tune": {key: records["tune"][key] for key in ("rounds", "bleu_before", "bleu_after")},
        "skeleton_weight": records["weight"]["weight"],
        "failed": {one.name: records[f"translated-{one.name}"]["failed"] for one in SYSTEMS},
        "lines": dict(measured.lines),
        "scores": {
            subset: {
                system: {metric: {"value": one.value, "gain": one.gain, "p": one.p} for metric, one in scores.items()}
                for system, scores in comparison.scores.items()
            }
            for subset, comparison in measured.comparisons.items()
        },
        "seconds": {name: round(record["seconds"], 1) for name, record in records.items()},
        "cpu_seconds": {name: round(record["cpu_seconds"], 1) for name, record in records.items()},
    }


def page(measured: Measured, given: dict[str, Any]) -> list[str]:
    """Returns the paragraphs and tables of the page."""
    tuning = given["tune"]
    trained = (
        f"{given['pairs']:,} sentence pairs, {given['rules']:,} rules. Tuning: {tuning['rounds']} rounds, BLEU on the "
        f"development lines (tokens) {100 * tuning['bleu_before']:.2f} before, {100 * tuning['bleu_after']:.2f} after. "
        f"Weight of the skeleton: {given['skeleton_weight']}. Compositions without any translation of the skeleton: "
        f"{given['failed']['gappy']}."
    )
    tables = [as_markdown(_table(measured, subset)) for subset in measured.comparisons]
    took = f"All stages: {sum(given['seconds'].values()):.0f} s, {sum(given['cpu_seconds'].values()):.0f} CPU s."
    return [trained, *tables, took]


def _table(measured: Measured, subset: str) -> Table:
    comparison = measured.comparisons[subset]
    metrics = measured.measurements.metrics
    rows = []
    for system in SYSTEMS:
        scores = comparison.scores[system.name]
        cells = [
            Cell(scores[one.name].value, one.decimals, mark=significance_mark(scores[one.name].p)) for one in metrics
        ]
        first = scores[metrics[0].name]
        rows.append((Cell(system.title), *cells, Cell(first.gain, signed=True), Cell(first.p, 4)))
    notes = ["marks (* p <= 0.05, ** p <= 0.01) are against the first row; " + comparison.test.description]
    notes += [f"{one.name}: {one.signature}" for one in metrics]
    columns = ("system", *(one.name for one in metrics), "BLEU gain", "p")
    return Table(f"{subset} ({measured.lines[subset]})", columns, tuple(rows), tuple(notes))
