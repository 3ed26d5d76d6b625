"""The figures and the tables of the experiment."""

from __future__ import annotations

from typing import Any

from experiments.hindi_english.translating import OUTPUT, SYSTEMS, TEST, Analysed, read_analysed
from experiments.report import (
    RANDOMISATION,
    Figures,
    measured,
    read_references,
    score_notes,
    score_row,
    scores_of,
    signatures_of,
)
from lattice_simp.metrics import (
    Groups,
    Metric,
    bleu_13a,
    bleu_tok,
    chrf,
    compare,
    compare_groups,
    length_ratio,
    meteor,
)
from lattice_simp.metrics.table import Table, as_markdown
from lattice_simp.pipeline.runner import Done
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.config import Config

BASE = "plain"

WHOLE = "all lines"
SUBSETS = {"skeleton": "lines with a skeleton", "simplified": "lines that simplification changes"}


def figures(config: Config, done: Done) -> dict[str, Any]:
    """Measures the systems on the test set, on all lines and on each subset, and returns everything as plain values."""
    folders, records, test = done.folders, done.records, config.test[0]
    references = read_references(config, test, folders["model"])
    outputs = {system.name: list(read_lines(folders[f"translated-{system.name}"] / OUTPUT)) for system in SYSTEMS}
    measurements = measured(outputs, references, tokenisers(config.text)[1], metrics(len(references)))
    analysed = read_analysed(folders["analysed"] / f"{TEST}.jsonl")
    comparisons, lines = {WHOLE: compare(measurements, BASE, RANDOMISATION)}, {WHOLE: len(analysed)}
    for name, title in SUBSETS.items():
        labels = [title if _belongs(line, name) else None for line in analysed]
        comparisons |= compare_groups(measurements, Groups.of(name, labels), BASE, RANDOMISATION)
        lines[title] = sum(label is not None for label in labels)
    return {
        "pairs": records["prepare"]["pairs"],
        "rules": records["rules"]["rules"],
        "tune": {key: records["tune"][key] for key in ("rounds", "bleu_before", "bleu_after")},
        "skeleton_weight": records["weight"]["weight"],
        "failed": {system.name: records[f"translated-{system.name}"]["failed"] for system in SYSTEMS},
        "lines": lines,
        "scores": {subset: scores_of(comparison) for subset, comparison in comparisons.items()},
        "signatures": signatures_of(measurements.metrics),
        "seconds": {name: round(record["seconds"], 1) for name, record in records.items()},
        "cpu_seconds": {name: round(record["cpu_seconds"], 1) for name, record in records.items()},
    }


def metrics(num_references: int) -> list[Metric]:
    """Returns the metrics, BLEU on tokens first; TER, on lines of 200 words, would take longer than all others."""
    return [
        bleu_tok(num_references=num_references),
        bleu_13a(lowercase=True, num_references=num_references),
        chrf(lowercase=True, num_references=num_references),
        meteor("en", num_references=num_references),
        length_ratio(num_references=num_references),
    ]


def _belongs(line: Analysed, subset: str) -> bool:
    return line.skeleton is not None if subset == "skeleton" else line.is_changed


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    tuning = figures["tune"]
    before, after = (100 * tuning[name] for name in ("bleu_before", "bleu_after"))
    trained = (
        f"{figures['pairs']:,} sentence pairs, {figures['rules']:,} rules. Tuning: {tuning['rounds']} rounds, BLEU on "
        f"the development lines (tokens) {before:.2f} before, {after:.2f} after. Weight of the skeleton: "
        f"{figures['skeleton_weight']}. Compositions without any translation of the skeleton: "
        f"{figures['failed']['gappy']}."
    )
    tables = [as_markdown(_table(figures, subset)) for subset in figures["scores"]]
    seconds, cpu_seconds = (sum(figures[name].values()) for name in ("seconds", "cpu_seconds"))
    return [trained, *tables, f"All stages: {seconds:.0f} s, {cpu_seconds:.0f} CPU s."]


def _table(figures: Figures, subset: str) -> Table:
    metrics = figures["signatures"]
    scores = figures["scores"][subset]
    rows = [score_row(system.title, scores[system.name], list(metrics)) for system in SYSTEMS]
    notes = score_notes("the first row", metrics)
    return Table(f"{subset} ({figures['lines'][subset]})", ("system", *metrics, "BLEU gain", "p"), tuple(rows), notes)
