"""The figures and the table of the experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.files import output_file
from experiments.report import (
    RANDOMISATION,
    Figures,
    measured,
    score_notes,
    score_row,
    scores_of,
    signatures_of,
    stages_part,
)
from experiments.simplify_translate.translating import PLAIN, SYSTEMS, read_chosen
from experiments.study.measuring import metrics, references_of
from experiments.study.sentences import TEST, StudySentence
from lattice_simp.metrics import compare
from lattice_simp.metrics.table import Cell, Table, as_markdown
from lattice_simp.pipeline.runner import Done
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.config import Config

BLEU = "BLEU-tok"


def headline(records: Mapping[str, Any]) -> str:
    """Returns the headline system: the best composition on the development set."""
    scores: dict[str, float] = records["simplified-weights"]["bleu"]
    weights: dict[str, float] = records["simplified-weights"]["weights"]
    composed = [system.name for system in SYSTEMS if system.composed]
    return max(composed, key=lambda name: scores[f"{name}, {weights[name]}"])


def figures(config: Config, sentences: Sequence[StudySentence], done: Done) -> dict[str, Any]:
    """Measures all systems on the test set, against the plain one, and returns everything as plain values."""
    records, best = done.records, headline(done.records)
    names = [PLAIN, *(system.name for system in SYSTEMS)]
    outputs = {name: list(read_lines(output_file(done.folders["simplified-translated"], name))) for name in names}
    references = [references_of(list(sentences))]
    measurements = measured(outputs, references, tokenisers(config.text)[1], metrics(config))
    comparison = compare(measurements, PLAIN, RANDOMISATION)
    score = comparison.scores[best][BLEU]
    return {
        "plain_bleu": comparison.scores[PLAIN][BLEU].value,
        "simplified_plainly_bleu": comparison.scores[SYSTEMS[0].name][BLEU].value,
        "chosen": best,
        "gappy_bleu": score.value,
        "gappy_gain_bleu": score.gain,
        "gappy_gain_p": score.p,
        "weights": read_chosen(done.folders["simplified-weights"]),
        "development_bleu": records["simplified-weights"]["bleu"],
        "failed": records["simplified-translated"]["failed"],
        "simplified": {name: counts for name, counts in records["simplified"].items() if isinstance(counts, dict)},
        "scores": scores_of(comparison),
        "signatures": signatures_of(measurements.metrics),
    }


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    test = {name: counts for name, counts in figures["simplified"].items() if name.startswith(TEST)}
    kinds = "; ".join(
        f"{name.partition(', ')[2]}: {row['changed']} sentences changed, {100 * row['words']:.0f} % of the tokens"
        for name, row in test.items()
    )
    simplified = f"Changes by simplification in {figures['test_set']}: {kinds}."
    chosen = f"The composition chosen on the development set: {figures['chosen']}."
    return [simplified, as_markdown(_table(figures)), chosen, *stages_part(figures)]


def _table(figures: Figures) -> Table:
    metrics = figures["signatures"]
    composed = {system.name for system in SYSTEMS if system.composed}
    rows = []
    for system, scores in figures["scores"].items():
        choices = [figures[key][system] if system in composed else None for key in ("weights", "failed")]
        rows.append((*score_row(system, scores, list(metrics)), *map(Cell, choices)))
    columns = ("system", *metrics, "BLEU gain", "p", "weight", "failed")
    failed = (
        "failed: sentences whose lattice holds no translation of the simplified one; they get the plain translation"
    )
    notes = score_notes("the first row", metrics, failed)
    title = f"English sentences simplified, then translated: {figures['test_set']}"
    return Table(title, columns, tuple(rows), notes)
