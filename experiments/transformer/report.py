"""The figures and tables of the experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.report import RANDOMISATION, Figures, gain_cells, score_cells, score_notes, scores_of, stages_part
from experiments.transformer.sets import VALIDATION
from experiments.transformer.stages import LatticeSearch, Scored, Searched
from lattice_simp.metrics import Comparison, Measurements, compare
from lattice_simp.metrics.table import Cell, Table, as_markdown

HIERO, NETWORK = "Hiero", "Transformer"
LIST_ALONE, LIST_BOTH = "n-best list, Transformer alone", "n-best list, both"
LATTICE_ALONE, LATTICE_BOTH = "lattice, Transformer alone", "lattice, both"

PAIRS = ((LIST_ALONE, LATTICE_ALONE), (LIST_BOTH, LATTICE_BOTH))
"""Pairs of searches that minimise the same cost, in a list and in its lattice."""

EQUAL = 0.005
"""The largest difference, in nats, of equal costs because of rounding in batches."""


@dataclass(frozen=True)
class Output:
    """A system's translations, and the CPU seconds of each, including all steps."""

    lines: list[str]
    seconds: list[float]


def outputs(
    scored: Sequence[Scored], in_lattices: Sequence[Mapping[str, Searched]], searches: Sequence[LatticeSearch]
) -> dict[str, Output]:
    """Returns the rows of a set; the weights of the searches in its lattices apply to the lists, too."""
    rows = {
        HIERO: Output([row.entries[0].words for row in scored], [row.decoding for row in scored]),
        NETWORK: Output([row.own for row in scored], [row.translating for row in scored]),
    }
    weights = {search.name: (search.lattice_weight, search.model_weight) for search in searches}
    listed, searched = dict[str, Output](), dict[str, Output]()
    for in_list, in_lattice in PAIRS:
        best = [min(row.entries, key=lambda entry: entry.cost(*weights[in_lattice])) for row in scored]
        listed[in_list] = Output([row.words for row in best], [row.decoding + row.scoring for row in scored])
        seconds = [row.decoding + result[in_lattice].seconds for row, result in zip(scored, in_lattices, strict=True)]
        searched[in_lattice] = Output([result[in_lattice].words for result in in_lattices], seconds)
    return rows | listed | searched


def search_spaces(
    scored: Sequence[Scored], searched: Sequence[Mapping[str, Searched]], searches: Sequence[LatticeSearch]
) -> dict[str, dict[str, float]]:
    """Compares the costs of the lattice search with the best ones of the lists.

    Returns:
        For each search the shares of sentences where its hypothesis costs less (`better`) or more (`worse`) than the
        list's best one, and the mean of how much less it costs (nats).
    """
    shares = {}
    for search in searches:
        best = [min(entry.cost(search.lattice_weight, search.model_weight) for entry in row.entries) for row in scored]
        gains = np.array(best) - np.array([result[search.name].cost for result in searched])
        better, worse = (gains > EQUAL).mean(), (gains < -EQUAL).mean()
        shares[search.name] = {"better": float(better), "worse": float(worse), "gain": float(gains.mean())}
    return shares


def comparisons(measurements: Measurements) -> dict[str, Comparison]:
    """Compares all rows with each baseline: the Hiero system, and the lists for comparison with lattices."""
    return {name: compare(measurements, name, RANDOMISATION) for name in (HIERO, LIST_ALONE, LIST_BOTH)}


def set_figures(
    rows: Mapping[str, Output], measurements: Measurements, spaces: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """Returns everything as plain values."""
    compared = comparisons(measurements)
    seconds = {name: round(float(np.mean(output.seconds)), 4) for name, output in rows.items()}
    return {
        "sentences": compared[HIERO].sentences,
        "scores": {base: scores_of(comparison) for base, comparison in compared.items()},
        "cpu_seconds": seconds,
        "spaces": spaces,
    }


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    sets, metrics = figures["sets"], figures["signatures"]
    titles = {name: f"{name} ({config['tests'][name]}; n = {values['sentences']})" for name, values in sets.items()}
    tables = [_table(titles[name], values, metrics) for name, values in sets.items()]
    spaces = {VALIDATION: figures["choices"]["spaces"], **{name: values["spaces"] for name, values in sets.items()}}
    every = [_choices_table(figures["choices"]["beams"]), *tables, _spaces_table(spaces)]
    return [_choices_text(figures["choices"], config), *map(as_markdown, every), *stages_part(figures)]


def _table(title: str, figures: Figures, metrics: Mapping[str, str]) -> Table:
    first = next(iter(metrics))
    against = {lattice: in_list for in_list, lattice in PAIRS}
    rows = []
    for name, scores in figures["scores"][HIERO].items():
        gain, _ = gain_cells(scores[first])
        on_list = (Cell(None), Cell(None))
        if name in against:
            on_list = gain_cells(figures["scores"][against[name]][name][first])
        rows.append((Cell(name), *score_cells(scores, metrics), gain, *on_list, Cell(figures["cpu_seconds"][name])))
    columns = ("system", *metrics, "BLEU gain", "gain over the list", "p", "CPU s")
    return Table(title, columns, tuple(rows), score_notes(HIERO, metrics))


def _spaces_table(spaces: Mapping[str, Figures]) -> Table:
    rows = [
        (
            Cell(name),
            Cell(search),
            *(Cell(100 * shares[part], 1) for part in ("better", "worse")),
            Cell(shares["gain"], 3),
        )
        for name, searches in spaces.items()
        for search, shares in searches.items()
    ]
    columns = ("set", "search", "better %", "worse %", "cheaper by (nats)")
    return Table("Lowest costs in lattices, compared with the lists", columns, tuple(rows), words=2)


def _choices_text(chosen: Figures, config: Figures) -> str:
    weight = chosen["model_weight"]
    return (
        f"On {chosen['sentences']:,} sentences of the validation set, where the Hiero system's cost has the weight 1, "
        f"MERT on {config['nbest']}-best lists gives the Transformer the weight {weight['weight']:.3f}: BLEU (tokens) "
        f"{weight['before']:.2f} with the weight 1, {weight['after']:.2f} with this one. The experiment uses the "
        f"weight {config['model_weight']}, and {config['prefixes']} prefixes a state."
    )


def _choices_table(beams: Figures) -> Table:
    rows = [
        (Cell(name), Cell(values["cost"], 4), Cell(values["bleu"]), Cell(values["seconds"]))
        for name, values in beams.items()
    ]
    return Table(
        "Validation set, both models", ("search in the lattice", "mean cost (nats)", "BLEU-tok", "CPU s"), tuple(rows)
    )
