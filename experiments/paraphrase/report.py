"""The tables of the experiment."""

from __future__ import annotations

from experiments.paraphrase.combination import COMBINATION, combination_parts
from experiments.paraphrase.references import references_parts
from experiments.report import Figures, plain_table, stages_part

_ABOUT = """Sets of sentences that mean the same, each expanded to all sentences that its phrases make (Imamura, Akiba
and Sumita 2002). Phrases are equivalent that have one category, whose links do not leave them, of whose content words
at least half are linked, all but one, and that meet the conditions of `lattice_simp/systems/paraphrase/conditions.py`:
linked heads, equal names and numerals, no words in the place of others that are no synonyms, equal marks. A few sets
with very many phrases dominate the means, so medians are given as well. The sentences include those of the set. The
paper's sets are Japanese, parsed by its authors' grammar.

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
    parts += [_sizes(figures["paper"], with_filters=False), "## Filters", _FILTERS.format(sets=config["some_sets"])]
    parts += [_filters(figures), "## Word links", _links(figures["collections"])]
    parts += ["## Cost", _COSTS.format(**figures["thousand"])]
    if figures["right"]:
        sample = config["sample"]
        judged = _JUDGED.format(
            collections=", ".join(sample["collections"]),
            order=config["language_model"]["order"],
            most=sample["max_substitutions"],
        )
        parts += ["## Quality", judged, _right(figures["right"])]
    parts += references_parts(figures["references"])
    if "combination" in figures:
        parts += combination_parts(figures["combination"])
    else:
        parts += [COMBINATION, f"Not run: {figures['combination_missing']}."]
    return [*parts, "## Stages", *stages_part(figures)]


def _sizes(collections: Figures, with_filters: bool = True) -> str:
    columns = (
        *("collection", "sets", "given", "phrases", "median", "sentences", "median", "filtered", "median"),
        *("growth", "recursing"),
    )
    rows = []
    for name, row in collections.items():
        failed = f" ({row['failed']} failed)" if row["failed"] else ""
        filtered = (_big(row["filtered"]), _big(row["filtered_median"])) if with_filters else ("", "")
        sentences = (_big(row["sentences"]), _big(row["sentences_median"]))
        phrases = (f"{row['phrases']}", f"{row['phrases_median']:g}")
        sizes = (f"{row['sets']:,}{failed}", f"{row['given']}", *phrases, *sentences, *filtered)
        rows.append((name, *sizes, f"{row['growth_median']:,}", f"{row['bounded']:,}"))
    return f"{plain_table(columns, rows)}\n{PAPER_ROW}"


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


def _right(conditions: Figures) -> str:
    grades = ("grammar", "meaning", "right")
    rows = [(name, f"{row['sentences']}", *(f"{row[grade]} %" for grade in grades)) for name, row in conditions.items()]
    return plain_table(("sentences", "judged", *grades), rows)
