"""`lattice-simp corpus ...`: parallel corpora of complex and simple sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lattice_simp.commands.shared.options import Dask, Jobs, OutputFolder, Quiet, command_app, interrupt_hint
from lattice_simp.commands.shared.settings_options import takes_settings
from lattice_simp.support.extras import extra
from lattice_simp.support.plurals import counted
from lattice_simp.systems.corpus.settings import CorpusSettings

app = command_app("Make parallel corpora of complex and simple sentences.")


@app.callback()
def corpus() -> None:
    """Make parallel corpora of complex and simple sentences."""


@app.command()
@takes_settings(CorpusSettings)
def align(
    complex: Annotated[
        Path, typer.Option("--complex", help="articles; JSON lines, a MediaWiki dump, or a text per line")
    ],
    simple: Annotated[
        Path, typer.Option("--simple", help="simpler articles with the same titles, or texts on the same lines")
    ],
    output: OutputFolder,
    settings: dict[str, Any],
    jobs: Jobs = 1,
    dask: Dask = None,
    quiet: Quiet = False,
) -> None:
    """Pair the sentences of articles that have the same title, or of texts that are on the same line.

    The same command continues an interrupted run.

    Example: lattice-simp corpus align --complex wiki.jsonl --simple simple.jsonl --output corpus
    """
    with extra("corpus"):
        from lattice_simp.pipeline.runner import logged_run
        from lattice_simp.systems.corpus.pipeline import align_collections

    with interrupt_hint("run the same command to continue"), logged_run(jobs, dask, quiet=quiet) as run:
        counts = align_collections(complex, simple, output, settings=CorpusSettings(**settings), run=run)
    pairs = {"article": counts.article_pairs, "paragraph": counts.paragraph_pairs, "sentence": counts.sentence_pairs}
    print(", ".join(counted(number, f"{kind} pair") for kind, number in pairs.items()))
