"""The tables of a study, beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.study.measuring import Measured
from experiments.study.paper import paper_table
from experiments.study.sentences import StudySentence
from experiments.study.systems import RESCORED
from experiments.study.translating import Output
from experiments.study.variant_stages import row_name
from lattice_simp.evaluate import Comparison
from lattice_simp.evaluate.report import significance_mark
from lattice_simp.evaluate.table import Cell, Table
from lattice_simp.skeleton import GapType
from lattice_simp.skeleton.statistics import skeleton_statistics

BLEU = "BLEU-tok"
_KIND_COLUMNS = ("skeletons", "compression rate", "gaps a sentence")


def skeleton_table(sets: dict[str, list[StudySentence]]) -> Table:
    """Tables 1 and 2: how much the skeletons keep, and where their gaps stand."""
    types = [kind for kind in GapType if kind is not GapType.NONE]
    columns = ("set", "kind", *_KIND_COLUMNS, *(f"{kind} %" for kind in types))
    rows = []
    for name, sentences in sets.items():
        paper = paper_table("1")
        given = [paper.get((name, "all", column)) for column in _KIND_COLUMNS[1:]]
        if any(given):
            rows.append(
                (Cell(name), Cell("(paper)"), Cell(1000), *(Cell(one, 3) for one in given), *[Cell(None)] * len(types))
            )
        for kind in dict.fromkeys(kind for one in sentences for kind in one.skeletons):
            own = skeleton_statistics(one.skeletons[kind][0] for one in sentences if kind in one.skeletons)
            shares = [Cell(100 * own[one].share, 1) for one in types]
            rows.append(
                (
                    Cell(name),
                    Cell(kind),
                    Cell(own.count),
                    Cell(own.compression_rate, 3),
                    Cell(own.gaps_per_sentence, 3),
                    *shares,
                )
            )
    whole = paper_table("2")
    shares = [Cell(whole["all", str(one), "share"], 1) for one in types]
    rows.append((Cell("all three"), Cell("(paper)"), Cell(3000), Cell(None), Cell(None), *shares))
    return Table("Skeletons (Tables 1 and 2)", columns, tuple(rows), words=2)


def system_table(measured: Measured, name: str, table: str, pair: str) -> Table:
    """Tables 3 and 5: the systems by all metrics, with the paper's BLEU and METEOR."""
    paper = paper_table(table, pair)
    metrics = measured.measurements.metrics
    rows = []
    for suffix in ("", RESCORED):
        for system in measured.systems:
            own = system.name + suffix
            if own not in measured.outputs:
                continue
            scores = measured.comparisons["plain" + suffix].scores[own]
            cells = [
                Cell(scores[one.name].value, one.decimals, mark=significance_mark(scores[one.name].p))
                for one in metrics
            ]
            first = scores[metrics[0].name]
            title = system.title + (", 1000-best rescored" if suffix else "")
            gain = Cell(first.gain, signed=True), Cell(first.p, 4)
            rows.append(
                (Cell(title), *cells, *gain, *(Cell(paper.get((name, own, one))) for one in ("BLEU", "METEOR")))
            )
    columns = ("system", *(one.name for one in metrics), "BLEU gain", "p", "paper: BLEU", "paper: METEOR")
    test = measured.comparisons["plain"].test.description
    notes = [
        "systems with skeletons keep the weights of the first row, and tune one for the skeleton; skeleton-first "
        "decoding tunes it on fewer sentences, and its lattices are not cut to a number of arcs",
        "gains and marks (* p <= 0.05, ** p <= 0.01) are against the first row, those of rescored systems against the "
        f"rescored first row; {test}",
        *(f"{one.name}: {one.signature}" for one in metrics),
    ]
    return Table(_numbered(f"Systems on {name}", table), columns, tuple(rows), tuple(notes))


def _numbered(title: str, table: str) -> str:
    return f"{title} (Table {table})" if table else title


def gap_type_table(measured: Measured, name: str, table: str, pair: str) -> Table:
    """Tables 4 and 6: BLEU by gap type, with the gain over the own baseline, and the paper's."""
    paper = paper_table(table, pair)
    types = measured.gap_types.order
    rows = [
        (
            Cell("sentences"),
            *(Cell(measured.by_gap_type["plain"][kind].sentences) for kind in types),
        )
    ]
    for suffix in ("", RESCORED):
        for system in measured.systems:
            own = system.name + suffix
            if own not in measured.outputs:
                continue
            cells = []
            for kind in types:
                score = measured.by_gap_type["plain" + suffix][kind].scores[own][BLEU]
                cells.append(Cell(score.value, mark=significance_mark(score.p)))
            rows.append((Cell(own), *cells))
            if any(("all", own, kind) in paper for kind in types):
                rows.append((Cell(f"{own} (paper)"), *(Cell(paper.get(("all", own, kind))) for kind in types)))
    notes = ("the paper's are over its three sets; marks as in the table of systems",)
    return Table(_numbered(f"{BLEU} on {name} by gap type", table), ("system", *types), tuple(rows), notes)


def failure_table(outputs: dict[str, dict[str, Sequence[Output]]], pair: str) -> Table:
    """Table 7: the share of sentences whose composition is empty, %."""
    paper = paper_table("7", pair)
    variants = [one for one in next(iter(outputs.values())) if one.startswith(row_name("n="))]
    rows = [(Cell(name), *(Cell(100 * failure_rate(own[one])) for one in variants)) for name, own in outputs.items()]
    for name in outputs:
        given = [paper.get((name, "failed", one.removeprefix(row_name("")))) for one in variants]
        if any(given):
            rows.append((Cell(f"{name} (paper)"), *map(Cell, given)))
    notes = (
        "n counts the hypotheses that the stronger model finds best of the decoder's n-best list; the paper's are "
        "those that its neural model finds in the lattice, and its loops are rho, ours sigma",
    )
    return Table("Failed compositions, % (Table 7)", ("set", *variants), tuple(rows), notes)


def failure_rate(outputs: Sequence[Output]) -> float:
    """Returns the share of the sentences with skeletons whose composition is empty."""
    reached = [one.reachable for one in outputs if one.reachable is not None]
    return reached.count(False) / max(len(reached), 1)


def variant_table(outputs: dict[str, list[Output]], comparison: Comparison, name: str) -> Table:
    """The variants: BLEU, gain over the plain system, p, and failures."""
    rows = []
    for variant, own in outputs.items():
        score = comparison.scores[variant][BLEU]
        failed = None if variant == "plain" else 100 * failure_rate(own)
        rows.append((Cell(variant), Cell(score.value), Cell(score.gain, signed=True), Cell(score.p, 4), Cell(failed)))
    notes = (
        "weights: those of the system before the comma, tuned with n=1000 and its own kind of skeletons",
        comparison.test.description,
    )
    return Table(f"Variants on {name}", ("variant", BLEU, "gain", "p", "failed %"), tuple(rows), notes)
