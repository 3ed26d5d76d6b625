"""The tables of the experiment."""

from __future__ import annotations

from experiments.report import RANDOMISATION, Figures, gain_cells, stages_part
from lattice_simp.metrics.table import Cell, Table, as_markdown

BLEU = "BLEU-tok"

CHANGES = {
    "gc-strong": "sigma loops, long skeletons, n = 1000, one weight",
    "gc-strong, rho": "(a) rho loops",
    "gc-strong, short skeletons": "(b) short skeletons",
    "gc-strong, both skeletons": "(b) both skeletons at once",
    "gc-strong-all": "(c) all weights tuned together",
    "gc-strong-vector": "(d) as (c), with a weight for each feature of the skeleton",
    "gc-strong, n=1": "(e) n = 1",
    "gc-strong, n=10": "(e) n = 10",
    "gc-strong, n=100": "(e) n = 100",
    "gc-strong-paper": "as in the paper: rho loops, short skeletons, all weights",
    "gc-strong-paper-sigma": "as in the paper, except for sigma loops",
    "gc-strong-paper-long": "as in the paper, except for long skeletons",
}
"""The difference of each row."""


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays the figures out."""
    tables = [as_markdown(_causes(name, size, config)) for name, size in figures["sizes"].items()]
    failures = [as_markdown(_failures(name, size["failures"])) for name, size in figures["sizes"].items()]
    return [*tables, *failures, *stages_part(figures)]


def _causes(name: str, size: Figures, config: Figures) -> Table:
    rows = []
    for row, title in {config["baseline"]: "no skeletons", **CHANGES}.items():
        if row not in size["rows"]:
            continue
        entry = size["rows"][row]
        score, interval = entry["score"], entry["score"]["gain_interval"]
        bounds = "-" if interval is None else "[{:+.2f}, {:+.2f}]".format(*interval)
        halves = (Cell(gain, signed=True) for gain in entry["gains"])
        failed = Cell(None if entry["failed"] is None else 100 * entry["failed"])
        gain, p = gain_cells(score)
        rows.append((Cell(row), Cell(title), Cell(score["value"]), gain, Cell(bounds), p, *halves, failed))
    columns = ("system", "difference", BLEU, "gain", "95 % interval", "p", "half 1", "half 2", "failed %")
    notes = (
        f"{size['sentences']} sentences of the development set; each half is translated with weights tuned on "
        "the other",
        "systems with a comma in their names have the weights of gc-strong; the others were tuned separately, and all "
        "but plain start from the weights of plain",
        "gains are over plain, on both halves and on each; intervals by bootstrap resampling; "
        f"{RANDOMISATION.description}; p-values are not corrected for their number",
        "failed: sentences whose space has no translation that contains a translation of the skeleton",
    )
    return Table(f"Trained on {name} ({size['pairs']:,})", columns, tuple(rows), notes, words=2)


def _failures(name: str, failures: Figures) -> Table:
    columns = ("skeleton's translation", "sentences", "source words", "arcs of the space", "words of the skeleton")
    rows = [
        (
            Cell(kind),
            *(Cell(entry.get(key), 0 if key == "sentences" else 1) for key in ("sentences", "words", "arcs")),
            Cell(entry.get("skeleton_words"), 1),
            Cell(entry["missing_word"]),
        )
        for kind, entry in failures.items()
    ]
    title = f"Sentences without a translation that contains the skeleton's, n = 1000, trained on {name}"
    notes = ("a word is missing: sentences where every hypothesis of the skeleton has a word that the space lacks",)
    return Table(title, (*columns, "a word is missing"), tuple(rows), notes)
