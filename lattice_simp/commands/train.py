"""`lattice-simp train`: a model directory from parallel text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from lattice_simp.commands.options import INTERRUPTED, command_app
from lattice_simp.support.extras import extra

app = command_app()


@app.command()
def train(
    config: Annotated[Path, typer.Argument(help="a YAML file, see the README")],
    settings: Annotated[Optional[list[str]], typer.Option("--set", help="name.of.field=value")] = None,  # noqa: UP045
    first: Annotated[Optional[str], typer.Option("--from", help="do this stage and all after it again")] = None,  # noqa: UP045
    last: Annotated[Optional[str], typer.Option("--to", help="stop after this stage")] = None,  # noqa: UP045
    jobs: Annotated[int, typer.Option(min=1, help="worker processes")] = 1,
    dask: Annotated[Optional[str], typer.Option(help="a Dask scheduler, tcp://HOST:PORT, or local:N workers")] = None,  # noqa: UP045
    show_config: Annotated[
        bool, typer.Option("--show-config", help="print the settings, defaults and --set included, and exit")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no log")] = False,
) -> None:
    """Makes a model directory from parallel text; a run that was killed goes on where it was."""
    with extra("train"):
        from lattice_simp.pipeline.runner import logged_run
        from lattice_simp.systems.simplify.stages import SIMPLIFIER_STAGES
        from lattice_simp.train.config import config_text, read_config
        from lattice_simp.train.pipeline import train as run_training

    try:
        given = read_config(config, settings or [])
        if show_config:
            print(config_text(given), end="")
            return
        with logged_run(jobs, dask, quiet=quiet) as run:
            run_training(given, run, first=first, last=last, simplifier_stages=SIMPLIFIER_STAGES)
    except KeyboardInterrupt:
        print("lattice-simp: interrupted; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
