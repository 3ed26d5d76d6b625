"""`lattice-simp corpus ...`: parallel corpora of complex and simple sentences."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from lattice_simp.commands.options import INTERRUPTED, command_app
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.support.extras import extra
from lattice_simp.systems.corpus.settings import CorpusSettings

app = command_app("Make parallel corpora of complex and simple sentences.")


@app.callback()
def corpus() -> None:
    """Make parallel corpora of complex and simple sentences."""


@app.command()
@takes_settings(CorpusSettings)
def align(
    complex: Annotated[Path, typer.Option("--complex", help="articles: JSON lines or a MediaWiki dump")],
    simple: Annotated[Path, typer.Option("--simple", help="simpler articles of the same titles")],
    output: Annotated[Path, typer.Option("--output", "-o", help="the folder of the corpus")],
    settings: dict[str, Any],
    jobs: Annotated[int, typer.Option(min=1, help="worker processes")] = 1,
    dask: Annotated[Optional[str], typer.Option(help="a Dask scheduler, tcp://HOST:PORT, or local:N workers")] = None,  # noqa: UP045
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no log")] = False,
) -> None:
    """Pair the sentences of articles that have the same title; a run that was killed goes on where it was.

    Example: lattice-simp corpus align --complex wiki.jsonl --simple simple.jsonl --output corpus
    """
    with extra("corpus"):
        from lattice_simp.pipeline.runner import logged_run
        from lattice_simp.systems.corpus.pipeline import align_collections

    try:
        with logged_run(jobs, dask, quiet=quiet) as run:
            counts = align_collections(complex, simple, output, settings=CorpusSettings(**settings), run=run)
    except KeyboardInterrupt:
        print("lattice-simp: interrupted; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    print(
        f"{counts.article_pairs:,} article pairs, {counts.paragraph_pairs:,} paragraph pairs, "
        f"{counts.sentence_pairs:,} sentence pairs"
    )
