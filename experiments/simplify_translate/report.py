"""The figures and the table of the experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.simplify_translate.translating import PLAIN, SYSTEMS, file_name, read_chosen
from experiments.study.measuring import TEST_KIND, lines_of, metrics, references_of
from experiments.study.sentences import StudySentence
from lattice_simp.metrics import Comparison, Measurements, compare, measure
from lattice_simp.metrics.report import significance_mark
from lattice_simp.metrics.table import Cell, Table, as_markdown
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.config import Config

BLEU = "BLEU-tok"


def measure_systems(
    config: Config, sentences: Sequence[StudySentence], folder: Path
) -> tuple[Measurements, Comparison]:
    """Measures all systems on the test set, against the plain one."""
    tokeniser = tokenisers(config.text)[1]
    names = [PLAIN, *(system.name for system in SYSTEMS)]
    lines = {name: lines_of(list(read_lines(folder / file_name(name))), tokeniser) for name in names}
    measured = measure(lines, [references_of(list(sentences))], metrics(config))
    return measured, compare(measured, PLAIN, TEST_KIND)


def headline(records: Mapping[str, Any]) -> str:
    """Returns the system that sums the experiment up: the best composition on the development set."""
    scores: dict[str, float] = records["simplified-weights"]["bleu"]
    weights: dict[str, float] = records["simplified-weights"]["weights"]
    composed = [system.name for system in SYSTEMS if system.composed]
    return max(composed, key=lambda name: scores[f"{name}, {weights[name]}"])


def figures(comparison: Comparison, records: Mapping[str, Any], weights: Path) -> dict[str, Any]:
    """Returns everything as plain values."""
    best = headline(records)
    score = comparison.scores[best][BLEU]
    return {
        "plain_bleu": comparison.scores[PLAIN][BLEU].value,
        "simplified_plainly_bleu": comparison.scores[SYSTEMS[0].name][BLEU].value,
        "chosen": best,
        "gappy_bleu": score.value,
        "gappy_gain_bleu": score.gain,
        "gappy_gain_p": score.p,
        "weights": read_chosen(weights),
        "development_bleu": records["simplified-weights"]["bleu"],
        "failed": records["simplified-translated"]["failed"],
        "simplified": {name: one for name, one in records["simplified"].items() if isinstance(one, dict)},
        "scores": {
            system: {metric: {"value": one.value, "gain": one.gain, "p": one.p} for metric, one in scores.items()}
            for system, scores in comparison.scores.items()
        },
    }


def page(measured: Measurements, comparison: Comparison, found: Mapping[str, Any], name: str) -> list[str]:
    """Returns the paragraphs and the table of the page."""
    test = [(one, own) for one, own in found["simplified"].items() if one.startswith("test")]
    kinds = "; ".join(
        f"{one.partition(', ')[2]}: {own['changed']} sentences changed, {100 * own['words']:.0f} % as many tokens"
        for one, own in test
    )
    chosen = f"What the development set chose of the compositions: {found['chosen']}."
    return [f"Simplified, of {name}: {kinds}.", as_markdown(_table(measured, comparison, found, name)), chosen]


def _table(measured: Measurements, comparison: Comparison, found: Mapping[str, Any], name: str) -> Table:
    rows = []
    composed = {system.name for system in SYSTEMS if system.composed}
    for system in comparison.scores:
        scores = comparison.scores[system]
        cells = [
            Cell(scores[one.name].value, one.decimals, mark=significance_mark(scores[one.name].p))
            for one in measured.metrics
        ]
        own = scores[BLEU]
        weight = found["weights"][system] if system in composed else None
        failed = found["failed"][system] if system in composed else None
        rows.append((Cell(system), *cells, Cell(own.gain, signed=True), Cell(own.p, 4), Cell(weight), Cell(failed)))
    columns = ("system", *(one.name for one in measured.metrics), "BLEU gain", "p", "weight", "failed")
    notes = ["marks (* p <= 0.05, ** p <= 0.01) are against the first row; " + comparison.test.description]
    notes += ["failed: sentences whose lattice holds no translation of the simplified one; they get the plain system's"]
    notes += [f"{one.name}: {one.signature}" for one in measured.metrics]
    return Table(f"English sentences simplified, then translated: {name}", columns, tuple(rows), tuple(notes))
