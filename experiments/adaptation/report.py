"""The tables of the experiment."""

from __future__ import annotations

from experiments.report import RANDOMISATION, Figures, stages_part
from lattice_simp.metrics.table import Cell, Table, as_markdown


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    return [
        quality_table(figures, config["baseline"]),
        tuning_table(figures),
        weight_table(figures, "mixture", "Weights of the language models in the mixture"),
        weight_table(figures, "provenance", "Tuned weights of the features of provenance"),
        *stages_part(figures),
    ]


def quality_table(figures: Figures, baseline: str) -> str:
    """Returns the systems' scores on both halves of the development set, each tuned on the other."""
    systems = figures["systems"]
    metrics = list(systems[baseline]["scores"])
    rows = []
    for name, system in systems.items():
        cells = [Cell(name), Cell(system["length"], 3)]
        for metric in metrics:
            score = system["scores"][metric]
            cells += [Cell(score["value"]), Cell(score["gain"], signed=True), Cell(score["p"], 4)]
        rows.append(tuple(cells))
    columns = ["system", "length", *(text for metric in metrics for text in (metric, "gain", "p"))]
    notes = (
        f"{figures['sentences']} sentences of the development set; each half is translated with what was mixed and "
        "tuned on the other",
        f"gains are over {baseline}; {RANDOMISATION.description}; length: tokens of the output over those of the "
        "references",
    )
    return as_markdown(Table("Quality, cross-validated", tuple(columns), tuple(rows), notes))


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
    columns = ("system", "half", "rounds", "BLEU before", "BLEU after", "length ratio")
    columns += ("perplexity, equal weights", "perplexity, mixed", "perplexity, other half")
    notes = (
        "length ratio: source over reference tokens, the mean of the lines that are tuned on, where they are chosen by "
        "it",
        "perplexity of the half's references for mixtures, with equal weights and with the best ones; and of the "
        "references of what is translated on the other half, for the language model of the system",
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
