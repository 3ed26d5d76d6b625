"""The tables and the plots of the experiment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.paraphrase.combination import COMBINATION, combination_parts
from experiments.paraphrase.references import references_parts
from experiments.report import Figures, plain_table, stages_part, with_interval
from lattice_simp.metrics.plots import COLOURS, empty_plot, save_plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLOTS, SIZES, PRECISION = "plots", "sentences-by-phrases", "precision-by-yield"

PAPER = {"sets": 339, "originals": 8.48, "phrases": 60.2, "sentences": 920, "right": 61, "judged": 1473}
"""The figures of Imamura, Akiba and Sumita (2002): means of their sets, and the percentage of right sentences."""

PAPER_GROWTH = PAPER["sentences"] / PAPER["originals"]
"""The number of sentences per original one in the paper."""

_MOST_SENTENCES = 1e12
"""The most sentences of a set in the plot; larger sets would dominate the scale."""

_PARTS = ("value", "low", "high")


def draw(curve: Mapping[str, Figures], folder: Path) -> None:
    """Draws both plots as SVG; the second one needs judgements."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, fill in ((SIZES, _draw_sizes), (PRECISION, _draw_precision)):
        if name == SIZES or any("judged" in point for point in curve.values()):
            figure, axes = empty_plot()
            fill(axes, curve)
            save_plot(figure, folder / f"{name}.svg")


def _draw_sizes(axes: Axes, curve: Mapping[str, Figures]) -> None:
    drawn = {name: point for name, point in curve.items() if "sets" in point}
    for (name, point), colour in zip(drawn.items(), COLOURS, strict=False):
        sets = [(phrases, sentences) for phrases, sentences in point["sets"] if sentences <= _MOST_SENTENCES]
        axes.plot(*zip(*sets, strict=True), ".", color=colour, markersize=4, label=name)
    axes.set_yscale("log")
    axes.set_xlabel("equivalent phrases of a set")
    axes.set_ylabel("sentences")
    axes.legend(frameon=False)


def _draw_precision(axes: Axes, curve: Mapping[str, Figures]) -> None:
    """Draws the percentage of right sentences, strict and forgiving, by the new sentences for each original one."""
    points = {name: point for name, point in curve.items() if "judged" in point}
    new = [point["growth"] - 1 for point in points.values()]
    for colour, share, label in ((COLOURS[0], "right", "right"), (COLOURS[1], "forgiven", "but for original faults")):
        values, lows, highs = ([point["judged"][share][part] for point in points.values()] for part in _PARTS)
        errors = [
            [value - low for value, low in zip(values, lows, strict=True)],
            [high - value for value, high in zip(values, highs, strict=True)],
        ]
        axes.errorbar(new, values, errors, marker="o", color=colour, capsize=3, label=label)
    for number, (name, x, point) in enumerate(zip(points, new, points.values(), strict=True)):
        share, below = ("right", -12) if number % 2 else ("forgiven", 5)  # alternating, so that names do not overlap
        axes.annotate(name, (x, point["judged"][share]["value"]), (5, below), textcoords="offset points")
    axes.plot(
        PAPER_GROWTH - 1, PAPER["right"], "*", color="black", markersize=10, label="Imamura et al. (2002), Japanese"
    )
    axes.set_xscale("log")
    axes.set_ylim(0, 100)
    axes.set_xlabel("new sentences for each original one (geometric mean)")
    axes.set_ylabel("right sentences (%)")
    axes.legend(frameon=False)


_ABOUT = """This experiment expands sets of sentences that mean the same to all sentences that their phrases make
(Imamura, Akiba and Sumita 2002). Two phrases are equivalent if

- they have the same category and no word link leaves them,
- at least half of their content words are linked, and all but one,
- they meet the conditions of `lattice_simp/systems/paraphrase/conditions.py`: linked heads, equal names and numerals,
  only synonyms as substituted words, and equal marks,
- and the whole set supports them (`evidence.py`): no content word is lost, and enough sentences have the added words.

A few sets with very many phrases dominate the means, so the table also has medians. Sentences include those of the
set. The paper's sets are Japanese, parsed by its authors' grammar.

*Phrases* are pairs that differ and do not follow from smaller ones. *Growth* is the median of sentences for each
original sentence. *Recursing* sets have a phrase that occurs again within its own replacement; there, two
substitutions may be inside one another."""

_FILTERS = """The filters run one after the other, in this order. The table counts the sets in which each filter removes
sentences, and the removed share of a set's sentences, as the mean of all sets. Rows with *alone* show each filter by
itself on the first {sets} sets."""

_CURVE = """Each condition adds a restriction to the one before it. Numbers are of the first {sets} sets of each
collection; those of *probable* count the sentences that meet the condition. `failed`: sets with more than 200,000
states.

{conditions}

*Growth* is the number of sentences for each original one, as the geometric mean over all these sets; *all* pools the
collections."""

_JUDGED = """{sentences} new sentences of each condition and {sentences} original ones were drawn from sets of
{collections} that nobody had read before, at most one of a set for each condition, uniformly within the set. A
language model that could not see the conditions judged them in random order, strictly, by the instructions of
`judging.py`. *Seed* names the sample: conditions whose rules changed after a sample were judged again in another one.
*Right*: both grammar and meaning are right. *Forgiven*: right except for faults that one of the {beside} most similar
sentences of the set also has. Intervals are Wilson's, with 95 % confidence. The paper reports {paper}."""

_COSTS = """A thousand sets ({collection}, {sentences:,} sentences) expanded, filtered and counted on one core:
{expand:.0f} CPU seconds, and {parse:.0f} more for tokens and parses; {memory:,} MB at most (including spaCy's
model)."""

_PAPER = {name: f"{value:g}" for name, value in {**PAPER, "growth": PAPER_GROWTH // 1}.items()}


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    parts = ["## Sizes", _ABOUT, _sizes(figures["collections"])]
    parts += [*_curve_parts(figures, config), "## Filters", _FILTERS.format(sets=config["some_sets"])]
    parts += [_filters(figures), "## Word links", _links(figures["collections"])]
    parts += ["## Cost", _COSTS.format(**figures["thousand"])]
    parts += references_parts(figures["references"])
    if "combination" in figures:
        parts += combination_parts(figures["combination"])
        if "combination_missing" in figures:
            parts.append(f"These figures are of {figures['combination_date']}: {figures['combination_missing']}.")
    else:
        parts += [COMBINATION, f"Not run: {figures['combination_missing']}."]
    return [*parts, "## Stages", *stages_part(figures)]


def _curve_parts(figures: Figures, config: Figures) -> list[str]:
    """Returns the paragraphs, tables and plots of the curve; without judgements, only those of the yield."""
    curve, sampling = figures["curve"], config["sample"]
    conditions = "\n".join(f"- *{name}*: {point['about']}" for name, point in curve.items())
    parts = ["## Precision and yield", _CURVE.format(sets=config["some_sets"], conditions=conditions)]
    parts += [_yields(curve), f"![Sentences by phrases, one point a set]({PLOTS}/{SIZES}.svg)"]
    judged = {name: point["judged"] for name, point in curve.items() if "judged" in point}
    if figures["originals"]:
        judged["originals"] = figures["originals"]
        about = _JUDGED.format(
            sentences=sampling["sentences"],
            collections=", ".join(sampling["sets"]),
            beside=sampling["beside"],
            paper=f"{PAPER['right']} % right of {PAPER['judged']:,}",
        )
        parts += [about, _right(judged), _right_by_collection(judged)]
        parts.append(f"![Right sentences by growth]({PLOTS}/{PRECISION}.svg)")
    return parts


def _yields(curve: Figures) -> str:
    columns = ("condition", "collection", "sets", "phrases", "median", "sentences", "median", "with new ones", "growth")
    rows = []
    for name, point in curve.items():
        for collection, row in {**point["collections"], "all": point["all"]}.items():
            failed = f" ({row['failed']} failed)" if row["failed"] else ""
            numbers = (f"{row['phrases']:g}", f"{row['phrases_median']:g}", _big(row["sentences"]))
            total = f"{point['growth']:,.2f}" if collection == "all" else ""
            cells = (f"{row['sets']:,}{failed}", *numbers, _big(row["sentences_median"]), f"{row['with_new']:,}", total)
            rows.append((name, collection, *cells))
    paper = ("", _PAPER["sets"], _PAPER["phrases"], "", _PAPER["sentences"], "", "", _PAPER["growth"])
    rows.append(("*the paper*", *paper))
    return plain_table(columns, rows, words=2)


def _right(conditions: Figures) -> str:
    shares = ("grammar", "meaning", "right", "forgiven")
    rows = [
        (name, f"{row['seed']}", f"{row['sentences']}", *(with_interval(row[share]) for share in shares))
        for name, row in conditions.items()
    ]
    return plain_table(("sentences", "seed", "judged", *shares), rows)


def _right_by_collection(conditions: Figures) -> str:
    names = sorted({name for row in conditions.values() for name in row["collections"]})
    rows = []
    for condition, row in conditions.items():
        counts = [row["collections"].get(name) for name in names]
        cells = (f"{part['right']}, {part['forgiven']} of {part['sentences']}" if part else "" for part in counts)
        rows.append((condition, *cells))
    return plain_table(("right, forgiven", *names), rows)


def _sizes(collections: Figures) -> str:
    columns = (
        *("collection", "sets", "originals", "phrases", "median", "sentences", "median", "filtered", "median"),
        *("growth", "recursing"),
    )
    rows: list[tuple[str, ...]] = []
    for name, row in collections.items():
        failed = f" ({row['failed']} failed)" if row["failed"] else ""
        filtered = (_big(row["filtered"]), _big(row["filtered_median"]))
        sentences = (_big(row["sentences"]), _big(row["sentences_median"]))
        phrases = (f"{row['phrases']}", f"{row['phrases_median']:g}")
        sizes = (f"{row['sets']:,}{failed}", f"{row['originals']}", *phrases, *sentences, *filtered)
        rows.append((name, *sizes, f"{row['growth_median']:,}", f"{row['bounded']:,}"))
    known = (_PAPER[name] for name in ("sets", "originals", "phrases"))
    rows.append(("*the paper*", *known, "", _PAPER["sentences"], "", "", "", _PAPER["growth"], ""))
    return plain_table(columns, rows)


def _big(value: float) -> str:
    return f"{value:,.0f}" if value < 1e9 else f"{value:.1e}"


def _filters(figures: Figures) -> str:
    rows = []
    for title, collections in (("", figures["collections"]), (", alone", figures["alone"])):
        for filter_name in next(iter(collections.values()))["removed"]:
            removed = [counts["removed"][filter_name] for counts in collections.values()]
            cells = (f"{counts['sets']:,} sets, {100 * counts['share']:.1f} %" for counts in removed)
            rows.append((f"{filter_name}{title}", *cells))
    return plain_table(("filter", *figures["collections"]), rows)


def _links(collections: Figures) -> str:
    kinds = list(dict.fromkeys(kind for row in collections.values() for kind in row["links"]))
    rows = [(name, *(f"{row['links'].get(kind, 0):,}" for kind in kinds)) for name, row in collections.items()]
    return plain_table(("collection", *kinds), rows)
