"""The tables of the experiment."""

from __future__ import annotations

from experiments.halving import quality_table
from experiments.report import Figures, stages_part
from lattice_simp.metrics.table import Cell, Table, as_markdown


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    return [
        quality_table(
            figures,
            {config["baseline"]: "scores", config["scalar"]: "over_scalar"},
            "contained: sentences whose translation contains a translation of the skeleton; ",
            ("contained",),
        ),
        tuning_table(figures),
        weight_table(figures),
        *stages_part(figures),
    ]


def tuning_table(figures: Figures) -> str:
    """Returns the scores of tuning on each half; the scores of the other half show overfitting."""
    rows = []
    for name, system in figures["systems"].items():
        for number, half in enumerate(system["halves"], start=1):
            tune = half["tune"]
            before, after = (100 * tune[key] for key in ("bleu_before", "bleu_after"))
            cells = (Cell(name), Cell(number), Cell(half["features"]), Cell(tune["rounds"]))
            reached = (Cell(before), Cell(after), Cell(after - before, signed=True))
            rows.append((*cells, *reached, Cell(half["cpu_seconds"], 0)))
    columns = ("system", "half", "weights", "rounds", "BLEU before", "BLEU after", "gain", "CPU seconds")
    notes = ("BLEU-tok of the tuned half; before: with the initial weights",)
    return as_markdown(Table("Tuning", columns, tuple(rows), notes))


def weight_table(figures: Figures) -> str:
    """Returns the tuned weights of the skeleton's translations, of each system and half."""
    columns = {
        f"{name}, {number}": half["skeleton"]
        for name, system in figures["systems"].items()
        for number, half in enumerate(system["halves"], start=1)
        if half["skeleton"]
    }
    names = dict.fromkeys(name for weights in columns.values() for name in weights)
    rows = [(Cell(name), *(Cell(weights.get(name), 3) for weights in columns.values())) for name in names]
    return as_markdown(Table("Weights of the skeleton's translation", ("weight", *columns), tuple(rows)))
