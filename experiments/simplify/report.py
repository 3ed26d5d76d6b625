"""The figures and the tables of the experiment, beside published figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from experiments.report import Figures, rows_by, score_cells, stages_part
from experiments.simplify.judging import JUDGED, JUDGEMENTS, RATINGS, cautious_figures, read_cautious
from lattice_simp.metrics.table import Cell, Table, as_markdown
from lattice_simp.support.tables import read_table

Published = Mapping[tuple[str, str, str], float]
"""Published figures by set, system and metric."""

GOLDEN = "turk", "SARI-legacy"
"""The set and the metric with published figures of the same files."""

OURS = "ours: "
"""The prefix of the names of our systems."""

MAIN = {"pwkp": "joint, changed", "turk": "joint", "asset": "joint"}
"""Which of them the headline figures of each set are of; chosen on the development sets (NOTES)."""

VARIANTS = {
    "": MAIN,
    "_with_reordering": {name: f"{system} with reordering" for name, system in MAIN.items()},
    "_cautious": dict.fromkeys(MAIN, "cautious"),
}
"""The systems of headline figures, by the suffix of the figures' names."""

HEADLINES = {
    "pwkp_bleu": ("pwkp", "BLEU-tok"),
    "pwkp_unchanged": ("pwkp", "unchanged"),
    "pwkp_split_pct": ("pwkp", "split"),
    "turk_sari": ("turk", "SARI-legacy"),
    "asset_sari": ("asset", "SARI-legacy"),
}

COSTS_OF = "asset"
"""The set of a thousand sentences."""

_ABOUT = """Outputs as others gave them, all under the same metrics, those of `lattice-simp evaluate --source`. Some
files are lower-cased and some not, so source, references and outputs all are; where a line's last word carries its full
stop (three lines of Moses on PWKP), the stop becomes a token. Nothing else is changed: the files come tokenised. Marks
tell differences from the baseline, in either direction. `split` is the percentage of outputs with more sentences than
their source, `sentences` is the mean number; edits are word Levenshtein distances, `unchanged` and `identical`
percentages of outputs that are the source or a reference. Rows "published" are published figures (`published.tsv`)."""


def read_published() -> Published:
    """Returns the published figures.

    >>> read_published()["pwkp", "Hybrid", "edits-source"]
    6.32
    """
    rows = read_table(Path(__file__).with_name("published.tsv"), ("set", "system", "metric", "value"), full=True)
    return {(row["set"], row["system"], row["metric"]): float(row["value"]) for row in rows}


def figures(documents: Mapping[str, Figures], published: Published) -> dict[str, Any]:
    """Returns all scores, and the greatest distance from published SARI."""
    sets = {
        name: {
            "sentences": document["scores"]["sentences"],
            "baseline": document["baseline"],
            "metrics": {entry["name"]: entry["signature"] for entry in document["metrics"]},
            "systems": {entry["name"]: entry["scores"] for entry in document["scores"]["systems"]},
        }
        for name, document in documents.items()
    }
    return {
        **headlines(sets),
        **cautious_figures(read_cautious()),
        "sari_golden_max_error": golden_error(sets, published),
        "sets": sets,
    }


def costs(counts: Mapping[str, Figures], records: Mapping[str, Figures]) -> dict[str, Any]:
    """Returns the CPU seconds of joint simplification, parses included, for a thousand sentences, and the peak memory.

    The memory is that of all our systems, one after the other in one process, with the models of parser and simplifier.
    """
    systems = counts.get(COSTS_OF)
    if systems is None:
        return {}
    seconds = systems["parsing"]["cpu_seconds"] + systems[MAIN[COSTS_OF]]["cpu_seconds"]
    return {"joint_1000_cpu_s": round(seconds, 1), "joint_peak_mb": records[f"outputs-{COSTS_OF}"]["peak_mb"]}


def headlines(sets: Mapping[str, Figures]) -> dict[str, Any]:
    """Returns the figures of our main systems, if they were run."""
    figures = {}
    for ending, systems in VARIANTS.items():
        for name, (name_of_set, metric) in HEADLINES.items():
            scores = sets.get(name_of_set, {}).get("systems", {}).get(f"{OURS}{systems[name_of_set]}")
            if scores is not None:
                figures[f"{name}{ending}"] = scores[metric]["value"]
    return figures


def golden_error(sets: Mapping[str, Figures], published: Published) -> float | None:
    """Returns the greatest difference of our SARI from the published one; None without these systems."""
    name, metric = GOLDEN
    systems = sets[name]["systems"] if name in sets else {}
    errors = [
        abs(scores[metric]["value"] - published[name, system, metric])
        for system, scores in systems.items()
        if metric in scores and (name, system, metric) in published
    ]
    return round(max(errors), 4) if errors else None


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    published = read_published()
    tables = [
        as_markdown(_table(test_set, figures["sets"][test_set["name"]], published)) for test_set in config["sets"]
    ]
    error = figures["sari_golden_max_error"]
    golden = "" if error is None else f"Greatest distance of SARI-legacy from its published figures: {error:.4f}."
    return [_ABOUT, *tables, golden, *judged_tables(), *cautious_tables(), *stages_part(figures)]


def judged_tables() -> list[str]:
    """Returns a table of the ratings by reading for each set."""
    rows = read_table(Path(__file__).with_name(JUDGED), ("set", "line", "system", *RATINGS), full=True)
    tables = []
    for name, chosen in rows_by(rows, "set").items():
        cells = []
        for system, rated in sorted(rows_by(chosen, "system").items()):
            means = [sum(int(row[rating]) for row in rated) / len(rated) for rating in RATINGS]
            cells.append((Cell(system), *map(Cell, means)))
        count = len({row["line"] for row in chosen})
        title = f"{name}: {count} sentences read without knowing whose output they are, 0 to 4 (`judged.tsv`)"
        tables.append(as_markdown(Table(title, ("system", *RATINGS), tuple(cells), ())))
    return tables


def cautious_tables() -> list[str]:
    """Returns tables of the changes of cautious mode and their judgements; none without judgements."""
    cautious = cautious_figures(read_cautious())
    if not cautious:
        return []
    names = (*JUDGEMENTS, "all_three")
    controls = cautious["cautious_controls"]
    parts = {**cautious["cautious_by_domain"], "all": cautious["cautious_all"], **controls}
    cells = [
        (
            Cell(part),
            Cell(figures["read"]),
            Cell(None if part in controls else figures["changed_pct"]),
            *map(Cell, _ranges(figures, names)),
        )
        for part, figures in parts.items()
    ]
    title = (
        "Cautious mode on new sentences: percentages of changed sentences, and of these outputs (`judged_cautious.tsv`)"
    )
    columns = ("texts", "read", "changed", *(name.replace("_", " ") for name in names))
    agreement = ", ".join(f"{name} {alpha}" for name, alpha in cautious["cautious_agreement"].items())
    notes = (
        "intervals: by Wilson, for as many sentences as were read",
        "people: simplifications by people; other names: outputs of these systems",
        f"Krippendorff's alpha of what two readers read: {agreement}",
    )
    return [as_markdown(Table(title, columns, tuple(cells), notes))]


def _ranges(figures: Figures, names: Iterable[str]) -> list[str]:
    bounds = {name: figures[f"{name}_interval"] for name in names}
    return [f"{figures[f'{name}_pct']:.1f} ({low:.0f} to {high:.0f})" for name, (low, high) in bounds.items()]


def _table(test_set: Figures, figures: Figures, published: Published) -> Table:
    metrics = figures["metrics"]
    rows = []
    for system, scores in figures["systems"].items():
        rows.append((Cell(system), *score_cells(scores, metrics)))
        values = [published.get((test_set["name"], system, name)) for name in metrics]
        if any(value is not None for value in values):
            rows.append((Cell(f"{system}, published"), *map(Cell, values)))
    notes = [f"marks (* p <= 0.05, ** p <= 0.01): differs from {figures['baseline']} (paired bootstrap resampling)"]
    notes += [f"{name}: {signature}" for name, signature in metrics.items()]
    return Table(test_set["title"], ("system", *metrics), tuple(rows), tuple(notes))
