"""The figures and tables of the experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments.causal.model import PROMPTED, UNPROMPTED
from experiments.report import RANDOMISATION, Figures, score_notes, score_row, scores_of, stages_part
from experiments.transformer.stages import Entry
from lattice_simp.metrics import Measurements, compare
from lattice_simp.metrics.table import Cell, Table, as_markdown

HIERO = "Hiero"
ALONE = {PROMPTED: "model with the source alone", UNPROMPTED: "model of the target alone"}
BOTH = {PROMPTED: "Hiero and model with the source", UNPROMPTED: "Hiero and model of the target"}

ScoredLists = Mapping[str, Sequence[tuple[tuple[Entry, ...], float]]]
"""The lists of a set with the costs of each scorer, and the CPU seconds of each list."""


def outputs(lists: ScoredLists, weights: Mapping[str, float]) -> dict[str, list[str]]:
    """Returns the translations of each row of a table."""
    first = next(iter(lists.values()))
    rows = {HIERO: [entries[0].words for entries, _ in first]}
    for titles, lattice_weight in ((ALONE, 0.0), (BOTH, 1.0)):
        for name, scored in lists.items():
            weight = weights[name] if lattice_weight else 1.0
            best = [min(entries, key=lambda entry: entry.cost(lattice_weight, weight)) for entries, _ in scored]
            rows[titles[name]] = [entry.words for entry in best]
    return rows


def set_figures(measurements: Measurements, lists: ScoredLists) -> dict[str, Any]:
    """Returns the figures of a set as plain values."""
    compared = compare(measurements, HIERO, RANDOMISATION)
    seconds = {name: round(float(np.mean([cost for _, cost in scored])), 2) for name, scored in lists.items()}
    return {"sentences": compared.sentences, "scores": scores_of(compared), "cpu_seconds": seconds}


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    tables = [_table(name, values, figures["signatures"], config) for name, values in figures["sets"].items()]
    return [_choices_text(figures["choices"], config), *map(as_markdown, tables), *stages_part(figures)]


def _table(name: str, figures: Figures, metrics: Mapping[str, str], config: Figures) -> Table:
    seconds = {titles[kind]: cost for titles in (ALONE, BOTH) for kind, cost in figures["cpu_seconds"].items()}
    rows = [
        (*score_row(row, scores, list(metrics)), Cell(seconds.get(row))) for row, scores in figures["scores"].items()
    ]
    columns = ("hypothesis chosen by", *metrics, "BLEU gain", "p", "CPU s a list")
    title = f"{name} ({config['tests'][name]}; n = {figures['sentences']})"
    return Table(title, columns, tuple(rows), score_notes(HIERO, metrics))


def _choices_text(chosen: Figures, config: Figures) -> str:
    weights = chosen["weights"]
    chosen_weights = "; ".join(
        f"{ALONE[name]}: {values['weight']:.3f}, with BLEU (tokens) {values['before']:.2f} at the weight 1 and "
        f"{values['after']:.2f} at this one"
        for name, values in weights.items()
    )
    taken = " and ".join(f"{config['weights'][name]} ({ALONE[name]})" for name in weights)
    return (
        f"On {chosen['sentences']:,} sentences of the validation set, where the Hiero system's cost has the weight 1, "
        f"MERT on {config['nbest']}-best lists gives these weights: {chosen_weights}. The Hiero system alone has "
        f"{chosen['hiero']:.2f}. The experiment uses {taken}."
    )
