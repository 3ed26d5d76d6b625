"""The tables of a study, beside the paper's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from experiments.report import gain_cells, score_cells, scores_of, signatures_of
from experiments.study.config import Study
from experiments.study.measuring import BreakDown, Measured
from experiments.study.paper import Figures, paper_table
from experiments.study.sentences import StudySentence
from experiments.study.systems import AS_PAPER, LLM, RESCORED
from experiments.study.translating import Output
from experiments.study.variant_stages import row_name
from experiments.study.variants import KIND_TITLES
from lattice_simp.metrics import Comparison, Score, holm
from lattice_simp.metrics.report import significance_mark
from lattice_simp.metrics.table import Cell, Table
from lattice_simp.skeleton import GapType
from lattice_simp.skeleton.statistics import SkeletonStatistics, skeleton_statistics

BLEU = "BLEU-tok"

PAPER_SENTENCES = 1000
"""The number of sentences in each of the paper's three sets; Table 2 covers all three."""

MARKS = "* p <= 0.05, ** p <= 0.01"

Kinds = dict[str, dict[str, SkeletonStatistics]]
"""Statistics by set and kind."""


def skeleton_kinds(sets: dict[str, list[StudySentence]]) -> Kinds:
    """Returns the statistics of the first skeleton of each kind and sentence."""
    return {
        name: {
            kind: skeleton_statistics(row.skeletons[kind][0] for row in sentences if kind in row.skeletons)
            for kind in dict.fromkeys(kind for row in sentences for kind in row.skeletons)
        }
        for name, sentences in sets.items()
    }


def headline_table(headlines: Mapping[str, Mapping[str, float | None]], study: Study) -> Table:
    """Returns the table of the protocol's headline figures in `results.json`, with a column for each test set."""
    keys = next(iter(headlines.values()))
    rows = [
        (Cell(key), *(Cell(row[key], 4 if key.endswith("_p") else 2) for row in headlines.values())) for key in keys
    ]
    automatic = (f"{count} ({', '.join(kinds)})" for count, kinds in sorted(study.automatic_headline.items()))
    notes = (
        f"{', '.join(f'{name}: {system}' for name, system in study.headline.items())}, rescored: plain+rescored",
        "BLEU-tok; gains are over plain, those of rescored systems (NAME_rescored) over plain+rescored; auto: the gain "
        f"of k automatic skeletons, and its share of that of k hand-made ones, for k = {'; '.join(automatic) or '-'}",
    )
    return Table("Headline figures, named by the protocol", ("figure", *headlines), tuple(rows), notes)


def skeleton_table(kinds: Kinds) -> Table:
    """Table 1: compression rates and numbers of gaps of the skeletons."""
    columns = ("skeletons", "compression rate", "gaps a sentence")
    paper, rows = paper_table("1"), []
    for name, by_kind in kinds.items():
        published = [paper.get((name, "all", column)) for column in columns[1:]]
        if any(published):
            rows.append((Cell(name), Cell("(paper)"), Cell(PAPER_SENTENCES), *(Cell(value, 3) for value in published)))
        for kind, statistics in by_kind.items():
            numbers = Cell(statistics.compression_rate, 3), Cell(statistics.gaps_per_sentence, 3)
            rows.append((Cell(name), Cell(kind), Cell(statistics.count), *numbers))
    return Table("Skeletons (Table 1)", ("set", "kind", *columns), tuple(rows), words=2)


def gap_table(kinds: Kinds) -> Table:
    """Table 2: types of gaps, and compression rates of the skeletons of each type."""
    types = [kind for kind in GapType if kind is not GapType.NONE]
    rows = []
    for name, by_kind in kinds.items():
        for kind, stats in by_kind.items():
            cells = [cell for place in types for cell in (Cell(100 * stats[place].share, 1), _rate(stats, place))]
            rows.append((Cell(name), Cell(kind), Cell(stats.count), *cells))
    means = paper_table("2")
    published = [
        cell
        for place in types
        for cell in (Cell(means["all", str(place), "share"], 1), Cell(means["all", str(place), "compression rate"], 3))
    ]
    rows.append((Cell("all three"), Cell("(paper)"), Cell(3 * PAPER_SENTENCES), *published))
    columns = ("set", "kind", "skeletons", *(f"{kind}{what}" for kind in types for what in (" %", ": rate")))
    notes = (
        "rate: the mean compression rate of the type's skeletons",
        "punctuation at a sentence's ends does not count; skeletons that delete nothing else have no type",
    )
    return Table("Gap types (Table 2)", columns, tuple(rows), notes, words=2)


def _rate(statistics: SkeletonStatistics, kind: GapType) -> Cell:
    return Cell(statistics[kind].compression_rate, 3)


def system_table(measured: Measured, table: str, pair: str) -> Table:
    """Tables 3 and 5: the systems by all metrics, with the paper's BLEU and METEOR."""
    paper = paper_table(table, pair)
    signatures = signatures_of(measured.measurements.metrics)
    rows = []
    for suffix, base in _blocks(measured):
        for system in measured.systems:
            row_system = system.name + suffix
            if row_system not in measured.outputs:
                continue
            scores = scores_of(measured.comparisons[base])[row_system]
            cells = *score_cells(scores, signatures), *gain_cells(scores[BLEU])
            title = system.title + LIST_TITLES[suffix].format(measured.hypotheses)
            published = (paper.get((measured.name, _paper_name(row_system), metric)) for metric in ("BLEU", "METEOR"))
            rows.append((Cell(title), *cells, *map(Cell, published)))
    columns = ("system", *signatures, "BLEU gain", "p", "paper: BLEU", "paper: METEOR")
    test = measured.comparisons["plain"].test.description
    notes = [
        "systems with skeletons keep the weights of the first row and tune one for the skeleton; those that follow the "
        "paper have rho loops and the first judgements, and tune all weights together; skeleton-first decoding tunes "
        "on fewer sentences, and its lattices have no limit of arcs",
        f"gains and marks ({MARKS}) are against the first row, those of rescored systems against the rescored first "
        f"row; {test}; p-values of this table are not corrected for their number",
        *(f"{name}: {signature}" for name, signature in signatures.items()),
    ]
    return Table(_numbered(f"Systems on {measured.title}", table), columns, tuple(rows), tuple(notes))


LIST_TITLES = {"": "", RESCORED: ", {}-best rescored", LLM: ", {}-best rescored, and by a pretrained model"}
"""What follows the systems' titles, by the ends of their names."""


def _blocks(measured: Measured) -> list[tuple[str, str]]:
    """Returns the ends of the names of the systems, of the rescored ones then, and their baselines."""
    return [(suffix, base) for suffix in LIST_TITLES if (base := "plain" + suffix) in measured.comparisons]


def _paper_name(system: str) -> str:
    return system.replace(AS_PAPER, "")


def _numbered(title: str, table: str) -> str:
    return f"{title} (Table {table})" if table else title


def gap_type_table(measured: Measured, by: BreakDown, table: str, pair: str) -> Table:
    """Tables 4 and 6: BLEU by gap type, with the gain over the own baseline, intervals, and the paper's.

    Of the systems with skeletons, it shows those whose skeletons are of the kind of the types.
    """
    paper = paper_table(table, pair)
    types = by.gap_types.order
    rows = [(Cell("n"), *(Cell(by.comparisons["plain"][kind].sentences) for kind in types))]
    for suffix, base in _blocks(measured):
        for system in measured.systems:
            row_system = system.name + suffix
            if row_system not in measured.outputs or system.skeleton not in (None, by.kind):
                continue
            scores = [by.comparisons[base][kind].scores[row_system][BLEU] for kind in types]
            rows.append((Cell(row_system), *(Cell(score.value, mark=significance_mark(score.p)) for score in scores)))
            what = "95 % interval" if row_system == base else "gain"
            rows.append((Cell(f"{row_system}: {what}"), *(Cell(_bounds(score)) for score in scores)))
            rows += _paper_rows(paper, row_system, types)
    notes = (
        f"by the types of the systems' skeletons ({by.gap_types.left_out} sentences without one are left out); "
        "punctuation at a sentence's ends does not count",
        "intervals: of the score, and of the gain over the baseline (plain, or plain+rescored), 95 %, by bootstrap "
        f"resampling of the type's sentences; marks ({MARKS}) are not corrected for their number",
        "the paper's figures are over its three sets, of 1000 sentences each",
    )
    title = f"{BLEU} on {measured.title} by gap type, {KIND_TITLES[by.kind]}"
    return Table(_numbered(title, table), ("system", *types), tuple(rows), notes)


def _bounds(score: Score) -> str:
    if score.gain is None or score.gain_interval is None:
        return "[{:.2f}, {:.2f}]".format(*score.interval)
    return "{:+.2f} [{:+.2f}, {:+.2f}]".format(score.gain, *score.gain_interval)


def _paper_rows(paper: Figures, system: str, types: Iterable[str]) -> list[tuple[Cell, ...]]:
    published = [paper.get(("all", system, kind)) for kind in types]
    return [(Cell(f"{system} (paper)"), *map(Cell, published))] if any(published) else []


def rescoring_table(choice: Mapping[str, Any]) -> Table:
    """The settings of rescoring the plain system's lists: BLEU on the halves of the development set."""
    rows = [(Cell("not rescored"), Cell(None), *_folds(choice["before"]), Cell(None))]
    for setting in choice["tried"]:
        chosen = {name: setting[name] for name in choice["chosen"]} == choice["chosen"]
        cells = Cell(setting["step"]), *_folds(setting["bleu"]), Cell("yes" if chosen else "")
        rows.append((Cell(FEATURE_TITLES[setting["features"]]), *cells))
    folds = [f"BLEU on half {number + 1}" for number in range(len(choice["before"]))]
    notes = (
        "each half is translated with weights that batch MIRA tuned on the other; all systems and test sets have the "
        "setting with the best mean, except that systems that decode again have only costs",
    )
    columns = ("features beside the stronger model's", "step", *folds, "mean", "chosen")
    return Table("Rescoring on the development set, cross-validated", columns, tuple(rows), notes)


FEATURE_TITLES = {"cost": "the system's cost", "features": "all features of the system"}


def _folds(scores: Sequence[float]) -> tuple[Cell, ...]:
    return (*(Cell(100 * score) for score in scores), Cell(100 * sum(scores) / max(1, len(scores))))


def scorer_table(
    comparisons: Mapping[str, Comparison], held_out: Mapping[str, Sequence[float]], perplexities: Mapping[str, float]
) -> Table:
    """The plain system rescored with each single part of the stronger model."""
    rows = []
    for scorer in held_out:
        scores = [comparison.scores[scorer][BLEU] for comparison in comparisons.values()]
        gains = [cell for score in scores for cell in (Cell(score.gain, signed=True), Cell(score.p, 4))]
        rows.append((Cell(scorer), Cell(perplexities.get(scorer), 1), _folds(held_out[scorer])[-1], *gains))
    columns = [column for title in comparisons for column in (f"gain: {title}", "p")]
    notes = (
        "perplexity: of the development set's references with sentence ends, given their sources (the class model does "
        "not read them); Model 1 has no sentence ends",
        "cross-validated: the mean BLEU of the development set's halves, each with the weights of the other; gains are "
        "over plain, in BLEU; the gain on the development set is not held out",
    )
    title = "Rescoring with one part of the stronger model"
    return Table(title, ("part", "perplexity", "cross-validated", *columns), tuple(rows), notes)


def failure_table(outputs: dict[str, dict[str, list[Output]]], pair: str) -> Table:
    """Table 7: the share of sentences whose composition is empty, %."""
    paper = paper_table("7", pair)
    variants = [variant for variant in next(iter(outputs.values())) if variant.startswith(row_name("n="))]
    rows = []
    for name, records in outputs.items():
        count = len(with_skeletons(records[variants[0]])) if variants else 0
        rows.append((Cell(name), Cell(count), *(Cell(100 * failure_rate(records[variant])) for variant in variants)))
        published = [paper.get((name, "failed", variant.removeprefix(row_name("")))) for variant in variants]
        if any(published):
            rows.append((Cell(f"{name} (paper)"), Cell(PAPER_SENTENCES), *map(Cell, published)))
    notes = (
        "shares of the sentences with a skeleton (n); a sentence with a failed composition gets the plain translation",
        "n=: the number of hypotheses, here the best ones by the stronger model of the decoder's n-best list, in the "
        "paper those that its neural model finds in the lattice; the paper's loops are rho, ours sigma",
    )
    return Table("Failed compositions, % (Table 7)", ("set", "n", *variants), tuple(rows), notes)


def with_skeletons(outputs: Sequence[Output]) -> list[Output]:
    """Returns the outputs of the sentences that have a skeleton."""
    return [output for output in outputs if output.reachable is not None]


def failure_rate(outputs: Sequence[Output]) -> float:
    """Returns the share of the sentences with skeletons whose composition is empty."""
    composed = with_skeletons(outputs)
    return sum(output.reachable is False for output in composed) / max(len(composed), 1)


def corrected(comparison: Comparison) -> dict[str, float]:
    """Returns the p-values of all systems but the baseline, by BLEU, corrected for their number by Holm's method."""
    p_values = {name: scores[BLEU].p for name, scores in comparison.scores.items()}
    tested = {name: p for name, p in p_values.items() if p is not None}
    return dict(zip(tested, holm(list(tested.values())), strict=True))


def variant_table(outputs: dict[str, list[Output]], comparison: Comparison, title: str, hypotheses: int) -> Table:
    """The variants: BLEU, gain over the plain system with its interval, p, and failures."""
    rows, holms = [], corrected(comparison)
    for variant, records in outputs.items():
        score = comparison.scores[variant][BLEU]
        failed = None if variant == "plain" else 100 * failure_rate(records)
        gain = None if score.gain is None else _bounds(score)
        tests = Cell(score.p, 4), Cell(holms.get(variant), 4)
        rows.append((Cell(variant), Cell(score.value), Cell(gain), *tests, Cell(failed)))
    notes = (
        f"weights: those of the system before the comma, tuned with n={hypotheses} and that system's kind of skeletons",
        f"gain over plain, its 95 % interval by bootstrap resampling; p: {comparison.test.description}; p (Holm): "
        f"corrected for the {len(holms)} comparisons of this table",
    )
    columns = ("variant", BLEU, "gain", "p", "p (Holm)", "failed %")
    return Table(f"Variants on {title}", columns, tuple(rows), notes)
