"""Mutation tests: errors are put into the code of the study, and tests should detect them."""

from __future__ import annotations

from pathlib import Path

from experiments.experiment import FIGURES
from lattice_simp.pipeline.stage import read_json


def killed_pct() -> float | None:
    """Returns the percentage of mutants that tests detected in the last `make mutants`; None without a run."""
    path = Path(__file__).with_name(FIGURES)
    if not path.exists():
        return None
    return read_json(path)["mutants_killed_pct"]
