"""The figures and the tables of the experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from experiments.hindi_simplification.ratings import Ratings, fingerprint
from experiments.hindi_simplification.references import Pair, sentences_of
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

Figures = Mapping[str, float | int]


@dataclass(frozen=True)
class Measured:
    """What was measured on a set of sentences: how many there are, and are made of each in the references; the systems.

    A system has means of ratings only if all of its outputs were rated: those of some would be of the outputs that
    several systems give alike, the easier ones.
    """

    sentences: int
    references: float
    systems: Mapping[str, Figures]


def measure(pairs: Sequence[Pair], outputs: Mapping[str, Sequence[str]], ratings: Ratings) -> dict[str, Measured]:
    """Measures the outputs of systems, in the order of the pairs: all, and those that the reference splits."""
    chosen = {
        "all": range(len(pairs)),
        "split": [number for number, pair in enumerate(pairs) if len(sentences_of(pair.reference)) > 1],
    }
    found = {}
    for name, numbers in chosen.items():
        own = [pairs[number] for number in numbers]
        lines = {system: [every[number] for number in numbers] for system, every in outputs.items()}
        ratio = fmean(len(sentences_of(pair.reference)) for pair in own)
        systems = {system: _figures(own, given, ratings) for system, given in lines.items()}
        found[name] = Measured(len(own), ratio, systems)
    return found


def _figures(pairs: Sequence[Pair], lines: Sequence[str], ratings: Ratings) -> Figures:
    source, reference = [pair.source for pair in pairs], [pair.reference for pair in pairs]
    found: dict[str, float | int] = {
        "bleu": bleu_tok().corpus_score(lines, [reference]),
        "sari": sari().corpus_score(lines, [reference], source),
        "identical": identical().corpus_score(lines, [reference]),
        "sentences_made": fmean(len(sentences_of(line)) for line in lines),
    }
    keys = [(pair.key, fingerprint(line)) for pair, line in zip(pairs, lines, strict=True)]
    rated = [ratings[key] for key in keys if key in ratings]
    if len(rated) == len(lines):
        found["simplification"] = fmean(one.simplification for one in rated)
        found["readability"] = fmean(one.readability for one in rated)
    return {**found, "rated": len(rated)}


def figures(measured: Mapping[str, Measured]) -> dict[str, Any]:
    """Returns everything as plain values."""
    return {
        name: {"sentences": one.sentences, "sentences_of_references": one.references, "systems": dict(one.systems)}
        for name, one in measured.items()
    } | {"paper": PAPER}


def page(measured: Mapping[str, Measured]) -> list[str]:
    """Returns the tables."""
    titles = {"all": "complex sentences of held-out files", "split": "of them, which the references split"}
    return [as_markdown(_table(f"{one.sentences} {titles[name]}", one, name)) for name, one in measured.items()]


def _table(title: str, measured: Measured, name: str) -> Table:
    rows = [_row(system, own) for system, own in measured.systems.items()]
    rows.append(_row("references", {"sentences_made": measured.references}))
    if name == "all":
        rows.append(_row("Mishra et al. 2014, sentences of its own", PAPER))
    notes = (
        "sentences: made of each one; simplification and readability: means of ratings from 0 to 3 by one reader, a "
        "language model, where all outputs are rated (the paper: two readers)",
    )
    return Table(title, ("system", *COLUMNS), tuple(rows), notes)


def _row(name: str, own: Figures) -> tuple[Cell, ...]:
    return (Cell(name), *(Cell(own.get(key), decimals) for key, decimals in COLUMNS.values()))
