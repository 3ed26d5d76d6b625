"""`lattice-simp train`: from parallel text to a tuned model directory."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lattice_simp.pipeline.stage import Run
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
) -> dict[str, Any]:
    """Trains as a config file says, with a log and a progress bar on standard error; gives the stages' records.

    Raises:
        LatticeSimpError: the config is wrong, or a stage failed.
    """
    config = read_config(path, overrides)
    console = Console(stderr=True, highlight=False)
    begin = time.monotonic()

    def say(text: str) -> None:
        if not quiet:
            console.print(f"[{time.monotonic() - begin:7.0f} s] {text}", markup=False, soft_wrap=True)

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not sys.stderr.isatty()) as bar:
        task = bar.add_task("shards", total=None)
        run = Run(jobs, cluster, say=say, progress=lambda done, total: bar.update(task, completed=done, total=total))
        return train(config, run, first=first, last=last)
