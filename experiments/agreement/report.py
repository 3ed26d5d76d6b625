"""The tables of the experiment."""

from __future__ import annotations

from experiments.report import Figures
from lattice_simp.metrics.table import Cell, Table, as_markdown


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    return [as_markdown(table) for table in (agreement_table(figures["sets"]), confusion_table(figures["sets"]))]


def agreement_table(sets: Figures) -> Table:
    """Returns the table of agreement, with the highest value that the lengths allow and the chance level."""
    shown = {
        "rate: short": "short_rate",
        "rate: long": "long_rate",
        "F1": "f1",
        "F1, nested": "f1_nested",
        "F1, random": "f1_random",
        "alpha": "alpha",
        "alpha, nested": "alpha_nested",
        "reliability: short": "short_reliability",
        "reliability: long": "long_reliability",
    }
    rows = [
        (Cell(name), Cell(values["sentences"]), *(Cell(values[key], 3) for key in shown.values()))
        for name, values in sets.items()
    ]
    notes = (
        "F1: of the kept tokens, averaged over sentences; alpha: Krippendorff's, of the decisions on tokens",
        "nested: the upper limit, of skeletons of the same lengths with the shorter one within the longer one; random: "
        "the expected value if the same number of tokens is drawn by chance",
        "reliability: the share of right decisions as estimated by aggregation (Dawid and Skene), which assumes that "
        "both annotators aim at the same skeleton",
    )
    return Table("Agreement", ("set", "sentences", *shown), tuple(rows), notes)


def confusion_table(sets: Figures) -> Table:
    """Returns the table of decisions on tokens, and of nested skeletons."""
    shown = {
        "both keep": "both",
        "only short keeps": "short_alone",
        "only long keeps": "long_alone",
        "none keeps": "none",
        "of short, in long": "short_within_long",
        "sentences: same": "same",
        "short within long": "contained",
        "short is longer": "shorter_is_longer",
    }
    rows = [
        (Cell(name), Cell(values["tokens"]), *(Cell(100 * values[key], 1) for key in shown.values()))
        for name, values in sets.items()
    ]
    notes = (
        "both keep to none keeps: % of the tokens; of short, in long: % of the short skeleton's tokens that are in the "
        "long one",
        "% of the sentences whose skeletons are the same, whose short skeleton is within the long one, and whose short "
        "skeleton is longer than the long one",
    )
    return Table("Confusion, %", ("set", "tokens", *shown), tuple(rows), notes)
