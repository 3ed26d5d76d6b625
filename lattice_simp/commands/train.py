"""`lattice-simp train`: a model directory from parallel text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lattice_simp.commands.shared.options import Dask, Jobs, Overrides, Quiet, command_app, interrupt_hint
from lattice_simp.support.extras import extra

app = command_app()


@app.command()
def train(
    config: Annotated[
        Path, typer.Argument(help="YAML file that names the text and its languages (see the guide on training)")
    ],
    settings: Overrides = None,
    first: Annotated[str | None, typer.Option("--from", help="run this stage and all later ones again")] = None,
    last: Annotated[str | None, typer.Option("--to", help="run only this stage and those that it needs")] = None,
    jobs: Jobs = 1,
    dask: Dask = None,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="print all settings, including defaults and --set, and exit")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Make a model directory from parallel text. Example: lattice-simp train config.yaml

    The same command continues an interrupted run. --set takes nested settings, too: NAME.FIELD=VALUE.
    """
    with extra("train"):
        from lattice_simp.pipeline.runner import logged_run
        from lattice_simp.systems.simplify.stages import SIMPLIFIER_STAGES
        from lattice_simp.train.config import config_text, read_config
        from lattice_simp.train.pipeline import train as run_training

    with interrupt_hint("run the same command to continue"):
        chosen = read_config(config, settings or [])
        if show_config:
            print(config_text(chosen), end="")
            return
        with logged_run(jobs, dask, quiet=quiet) as run:
            run_training(chosen, run, first=first, last=last, simplifier_stages=SIMPLIFIER_STAGES)
