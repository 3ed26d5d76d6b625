"""`lattice-simp train`: from parallel text to a tuned model directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lattice_simp.pipeline.runner import logged_run
from lattice_simp.train.config import read_config
from lattice_simp.train.pipeline import train


def run_training(
    path: Path,
    overrides: Sequence[str],
    *,
    jobs: int = 1,
    cluster: str | None = None,
    first: str | None = None,
    last: str | None = None,
    quiet: bool = False,
) -> None:
    """Trains as a config file says, with a log and a progress bar on standard error.

    Raises:
        LatticeSimpError: the config is wrong, or a stage failed.
    """
    config = read_config(path, overrides)
    with logged_run(jobs, cluster, quiet=quiet) as run:
        train(config, run, first=first, last=last)
