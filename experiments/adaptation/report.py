"""The tables of the experiment."""

from __future__ import annotations

from experiments.halving import quality_table
from experiments.report import Figures, stages_part
from lattice_simp.metrics.table import Cell, Table, as_markdown


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    return [
        quality_table(figures, {config["baseline"]: "scores"}),
        tuning_table(figures),
        weight_table(figures, "mixture", "Weights of the language models in the mixture"),
        weight_table(figures, "provenance", "Tuned weights of the features of provenance"),
        *stages_part(figures),
    ]


def tuning_table(figures: Figures) -> str:
    """Returns the results of tuning on each half, and the perplexities of mixtures."""
    rows = []
    for name, system in figures["systems"].items():
        for number, half in enumerate(system["halves"], start=1):
            tune = half["tune"]
            equal, best = half["perplexities"] or (None, None)
            before, after = (Cell(100 * tune[key]) for key in ("bleu_before", "bleu_after"))
            cells = (
                Cell(tune.get("length_ratio"), 3),
                Cell(equal, 1),
                Cell(best, 1),
                Cell(half["held_out_perplexity"], 1),
            )
            rows.append((Cell(name), Cell(number), Cell(tune["rounds"]), before, after, *cells))
    columns = (
        *("system", "half", "rounds", "BLEU before", "BLEU after", "length ratio"),
        *("perplexity, equal weights", "perplexity, mixed", "perplexity, other half"),
    )
    notes = (
        "length ratio: source over reference tokens, the mean of the tuned lines, if the ratio selects them",
        "perplexity, equal weights and mixed: of the tuned half's references by the mixture, with equal and with the "
        "best weights; other half: of the other half's references by the language model of the system",
    )
    return as_markdown(Table("Tuning", columns, tuple(rows), notes))


def weight_table(figures: Figures, kind: str, title: str) -> str:
    """Returns the weights of corpora in each system and half that has them."""
    rows, names = [], []
    for name, system in figures["systems"].items():
        for number, half in enumerate(system["halves"], start=1):
            if half[kind]:
                names = list(half[kind])
                rows.append((Cell(name), Cell(number), *(Cell(weight, 3) for weight in half[kind].values())))
    return as_markdown(Table(title, ("system", "half", *names), tuple(rows)))
