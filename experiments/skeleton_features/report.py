"""The tables of the experiment."""

from __future__ import annotations

from experiments.report import RANDOMISATION, Figures, gain_cells, stages_part
from lattice_simp.metrics.table import Cell, Table, as_markdown


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    return [
        quality_table(figures, config["baseline"], config["scalar"]),
        tuning_table(figures),
        weight_table(figures),
        *stages_part(figures),
    ]


def quality_table(figures: Figures, baseline: str, scalar: str) -> str:
    """Returns the systems' scores on both halves of the development set, each tuned on the other."""
    systems = figures["systems"]
    metrics = list(systems[baseline]["scores"])
    rows = []
    for name, system in systems.items():
        cells = [Cell(name), Cell(sum(half["contained"] for half in system["halves"])), Cell(system["length"], 3)]
        for metric in metrics:
            score, over_scalar = system["scores"][metric], system["over_scalar"][metric]
            if name == baseline:
                over_scalar = score
            cells += [Cell(score["value"]), *gain_cells(score), *gain_cells(over_scalar)]
        rows.append(tuple(cells))
    titles = ("gain", "p", f"over {scalar}", "p")
    columns = ["system", "contained", "length", *(text for metric in metrics for text in (metric, *titles))]
    notes = (
        f"{figures['sentences']} sentences of the development set; each half is translated with what was tuned on the "
        "other",
        f"gains are over {baseline} and over {scalar}; {RANDOMISATION.description}",
        "contained: sentences whose translation contains one of the skeleton's; length: tokens of the output over "
        "those of the references",
    )
    return as_markdown(Table("Quality, cross-validated", tuple(columns), tuple(rows), notes))


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
    notes = ("BLEU-tok of the half that is tuned on: before, with the weights that tuning began with",)
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
