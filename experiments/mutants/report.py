"""The table of the experiment."""

from __future__ import annotations

from pathlib import Path

from experiments.mutants.running import read_mutants
from experiments.report import Figures, plain_table

ROOT = Path(__file__).resolve().parents[2]


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures, with a row for each error."""
    survived, count = figures["survived"], figures["mutants"]
    rows = [
        (mutant.name, mutant.file, "**no**" if mutant.name in survived else "yes")
        for mutant in read_mutants(ROOT / config["mutants"])
    ]
    text = f"{count - len(survived)} of {count} errors make a test fail ({figures['mutants_killed_pct']:.0f} %)."
    return [text, plain_table(("error", "file", "detected by tests"), rows, words=3)]
