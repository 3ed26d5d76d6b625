"""The tables of the experiment."""

from __future__ import annotations

from typing import Any

Figures = dict[str, Any]

_ABOUT = """Sets of sentences that mean the same, each expanded to all sentences that its phrases make (Imamura, Akiba
and Sumita 2002). Phrases are equivalent that have one category, whose links do not leave them, of whose content words
at least half are linked, all but one, and that meet the conditions of `lattice_simp/systems/paraphrase/conditions.py`:
linked heads, equal names and numerals, no words in the place of others that are no synonyms, equal marks. A few sets
with very many phrases make the means, so medians are told, too. The sentences include those of the set. The paper's
sets are Japanese, parsed by its authors' grammar.

*Phrases* are pairs that differ and do not follow from smaller ones. *Growth* is the median of sentences for each
sentence given. *Recursing* sets have a phrase that comes again within what stands for it; there, two substitutions may
be inside one another."""

_FILTERS = """The filters one after the other, in this order: in how many sets each removes sentences, and which share
of a set's sentences, in the mean of all sets. And each by itself, on the first {sets} sets."""

_PAPER = """The paper's condition alone (no link leaves either phrase, no bound on words without links), on the
first {sets} sets of each collection. `failed`: more than 200,000 states."""

_COSTS = """A thousand sets ({collection}, {sentences:,} sentences) expanded, filtered and counted on one core:
{expand:.0f} CPU seconds, with {parse:.0f} more for tokens and parses; {memory:,} MB at most (with spaCy's model in
memory)."""

_JUDGED = """New sentences, drawn from random sets of {collections}, uniformly within the set, read beside the
most similar sentence of the set, the condition unknown to the reader: *grammar*, as good as the sentence beside it,
*meaning*, the same, *right*, both. `filtered` are those that take at most {most} substitutions, pass all filters, and
are as probable as the sentence that they are made of under a language model (order {order}). The paper: 61 % right of
1,473, without filters."""

PAPER_ROW = "| *the paper* | 339 | 8.48 | 60.2 | | 920 | | | | 108 | |"


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays the figures out."""
    parts = ["## Sizes", _ABOUT, _sizes(figures["collections"]), _PAPER.format(sets=config["some_sets"])]
    parts += [
        _sizes(figures["paper"], own=False),
        "## Filters",
        _FILTERS.format(sets=config["some_sets"]),
        _filters(figures),
    ]
    parts += ["## Word links", _links(figures["collections"]), "## Cost", _COSTS.format(**figures["thousand"])]
    if figures["right"]:
        names = ", ".join(config["sample"]["collections"])
        parts += [
            "## Quality",
            _JUDGED.format(
                collections=names,
                order=config["language_model"]["order"],
                most=config["sample"]["max_substitutions"],
            ),
        ]
        parts.append(_right(figures["right"]))
    return parts


def _sizes(collections: Figures, own: bool = True) -> str:
    lines = [
        "| collection | sets | given | phrases | median | sentences | median | filtered | median | growth "
        "| recursing |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, row in collections.items():
        failed = f" ({row['failed']} failed)" if row["failed"] else ""
        filtered = f"{_big(row['filtered'])} | {_big(row['filtered_median'])}" if own else " | "
        lines.append(
            f"| {name} | {row['sets']:,}{failed} | {row['given']} | {row['phrases']} | {row['phrases_median']:g} "
            f"| {_big(row['sentences'])} | {_big(row['sentences_median'])} | {filtered} "
            f"| {row['growth_median']:,} | {row['bounded']:,} |"
        )
    return "\n".join([*lines, PAPER_ROW])


def _big(value: float) -> str:
    return f"{value:,.0f}" if value < 1e9 else f"{value:.1e}"


def _filters(figures: Figures) -> str:
    collections, alone = figures["collections"], figures["alone"]
    lines = ["| filter | " + " | ".join(collections) + " |", "|---|" + "---:|" * len(collections)]
    for title, rows in (("", collections), (", alone", alone)):
        names = next(iter(rows.values()))["removed"]
        for filter_name in names:
            cells = [
                f"{own['removed'][filter_name]['sets']:,} sets, {100 * own['removed'][filter_name]['share']:.1f} %"
                for own in rows.values()
            ]
            lines.append(f"| {filter_name}{title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _links(collections: Figures) -> str:
    kinds = list(dict.fromkeys(kind for row in collections.values() for kind in row["links"]))
    lines = ["| collection | " + " | ".join(kinds) + " |", "|---|" + "---:|" * len(kinds)]
    for name, row in collections.items():
        lines.append(f"| {name} | " + " | ".join(f"{row['links'].get(kind, 0):,}" for kind in kinds) + " |")
    return "\n".join(lines)


def _right(conditions: Figures) -> str:
    lines = ["| sentences | judged | grammar | meaning | right |", "|---|---:|---:|---:|---:|"]
    for name, row in conditions.items():
        cells = " | ".join(f"{row[own]} %" for own in ("grammar", "meaning", "right"))
        lines.append(f"| {name} | {row['sentences']} | {cells} |")
    return "\n".join(lines)
