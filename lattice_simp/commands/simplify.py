"""`lattice-simp simplify`: simplifies English sentences, and explains the operations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lattice_simp.commands.running.sentences import RunOptions
from lattice_simp.commands.runs.simplify import SimplifyOptions, chosen_stages, run_simplification
from lattice_simp.commands.shared.options import (
    Dask,
    Detail,
    Jobs,
    NbestOutput,
    Output,
    Quiet,
    Resume,
    SentenceFile,
    Tokenised,
    command_app,
)
from lattice_simp.systems.simplify.simplifier import STAGES, Mode, Search

app = command_app()


@app.command()
def simplify(
    context: typer.Context,
    model: Annotated[
        Path | None,
        typer.Argument(help="folder that `lattice-simp train` made with a section simplify; optional"),
    ] = None,
    source: SentenceFile = None,
    output: Annotated[Output, Detail("one line per sentence")] = "-",
    tokenised: Annotated[Tokenised, Detail("so is the output")] = False,
    mode: Annotated[Mode, typer.Option(help="make only safe changes, or all that the model proposes")] = "cautious",
    search: Annotated[Search, typer.Option(help="apply all steps jointly, or one after the other")] = "joint",
    steps: Annotated[str, typer.Option(help="steps to apply, separated by commas")] = ",".join(STAGES),
    rerank: Annotated[
        int, typer.Option(min=0, help="choose among this many results the one least similar to the source")
    ] = 0,
    change: Annotated[
        bool, typer.Option("--change", help="choose the best output that differs from the source")
    ] = False,
    explain: Annotated[Path | None, typer.Option(help="JSON lines: the changes to each sentence")] = None,
    nbest: Annotated[
        int, typer.Option("--nbest", "-n", min=0, help="hypotheses per sentence; written to --nbest-output")
    ] = 0,
    nbest_output: NbestOutput = None,
    graphs: Annotated[Path | None, typer.Option(help="semantic graphs to use instead of parses")] = None,
    jobs: Jobs = 1,
    dask: Dask = None,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Simplify English sentences. Example: lattice-simp simplify < a.txt > simple.txt

    The command splits sentences, and deletes or replaces words and phrases. It finds the best of all combinations
    (--search joint), or applies one step after the other, as published (--search greedy). By default (--mode cautious)
    it parses its results, rejects broken sentences, and replaces words only by those of a table. With --mode bold it
    makes all changes that the model proposes. Sentences that cannot be parsed are reported; bold mode then only
    replaces words, cautious mode copies them to the output. Empty lines stay empty. --graphs reads graphs of sentences
    with the same tokens, and reports sentences without one.
    """
    run = RunOptions(output, nbest_output, jobs, None, resume, quiet, debug=bool(context.obj), dask=dask)
    run.check(nbest)
    options = SimplifyOptions(model, search, chosen_stages(steps), rerank, nbest, change, mode, graphs)
    run_simplification(source, options, run, explain, tokenised=tokenised)
