"""The figures and the tables of the experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from experiments.hindi_simplification.judgements import READINGS, judged_table
from experiments.hindi_simplification.references import Pair, Ratings, fingerprint, sentences_of
from experiments.report import Figures
from lattice_simp.metrics import bleu_tok, identical, sari
from lattice_simp.metrics.table import Cell, Table, as_markdown

PAPER = {"bleu": 69.49, "simplification": 2.5, "readability": 2.5, "rated": 20}
"""Mishra et al. 2014, section 5: BLEU of 100 sentences; the mean of two readers' ratings of 20."""

COLUMNS = {
    "BLEU": ("bleu", 1),
    "SARI": ("sari", 1),
    "identical %": ("identical", 1),
    "sentences": ("sentences_made", 2),
    "simplification": ("simplification", 2),
    "readability": ("readability", 2),
    "rated": ("rated", 0),
}
"""The headings of the tables: a figure, and its decimals."""


def measure(pairs: Sequence[Pair], outputs: Mapping[str, Sequence[str]], ratings: Ratings) -> dict[str, Any]:
    """Measures the outputs of systems, in the order of the pairs: all, and those that the reference splits.

    A system has mean ratings only if all its outputs were rated; rated outputs shared by several systems would be the
    easier ones.
    """
    chosen = {
        "all": range(len(pairs)),
        "split": [number for number, pair in enumerate(pairs) if len(sentences_of(pair.reference)) > 1],
    }
    figures: dict[str, Any] = {}
    for name, numbers in chosen.items():
        part = [pairs[number] for number in numbers]
        lines = {system: [every[number] for number in numbers] for system, every in outputs.items()}
        figures[name] = {
            "sentences": len(part),
            "sentences_of_references": fmean(len(sentences_of(pair.reference)) for pair in part),
            "systems": {system: _scores(part, outputs, ratings) for system, outputs in lines.items()},
        }
    return {**figures, "paper": PAPER}


def _scores(pairs: Sequence[Pair], lines: Sequence[str], ratings: Ratings) -> dict[str, float | int]:
    source, reference = [pair.source for pair in pairs], [pair.reference for pair in pairs]
    scores: dict[str, float | int] = {
        "bleu": bleu_tok().corpus_score(lines, [reference]),
        "sari": sari().corpus_score(lines, [reference], source),
        "identical": identical().corpus_score(lines, [reference]),
        "sentences_made": fmean(len(sentences_of(line)) for line in lines),
    }
    keys = [(pair.key, fingerprint(line)) for pair, line in zip(pairs, lines, strict=True)]
    rated = [ratings[key] for key in keys if key in ratings]
    if len(rated) == len(lines):
        scores["simplification"], scores["readability"] = map(fmean, zip(*rated, strict=True))
    return {**scores, "rated": len(rated)}


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    titles = {"all": "complex sentences of held-out files", "split": "of them, which the references split"}
    tables = [as_markdown(_table(f"{figures[name]['sentences']} {titles[name]}", figures, name)) for name in titles]
    return [*tables, as_markdown(judged_table(figures[READINGS]))]


def _table(title: str, figures: Figures, name: str) -> Table:
    rows = [_row(system, values) for system, values in figures[name]["systems"].items()]
    rows.append(_row("references", {"sentences_made": figures[name]["sentences_of_references"]}))
    if name == "all":
        rows.append(_row("Mishra et al. 2014, sentences of its own", figures["paper"]))
    notes = (
        "sentences: made of each one; simplification and readability: means of ratings from 0 to 3 by one reader, a "
        "language model, where all outputs are rated (the paper: two readers)",
    )
    return Table(title, ("system", *COLUMNS), tuple(rows), notes)


def _row(name: str, values: Figures) -> tuple[Cell, ...]:
    return (Cell(name), *(Cell(values.get(key), decimals) for key, decimals in COLUMNS.values()))
