"""Errors put into the code of the study on purpose: does a test see them?"""

from __future__ import annotations

from pathlib import Path

from lattice_simp.pipeline.experiment import FIGURES
from lattice_simp.pipeline.stage import read_json


def killed_pct() -> float | None:
    """Returns the share of mutants, %, that tests saw when `make mutants` was run last; None if it never was."""
    path = Path(__file__).with_name(FIGURES)
    if not path.exists():
        return None
    return read_json(path)["mutants_killed_pct"]
