"""The command line: thin, each group of commands in a file of `commands/`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from lattice_simp.commands import lattice, skeleton
from lattice_simp.errors import LatticeSimpError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Exact operations on word lattices, and translation with source skeletons.",
)
app.add_typer(lattice.app, name="lattice")
app.add_typer(skeleton.app, name="skeleton")

_FAILED, _BAD_INPUT, _INTERRUPTED = 1, 2, 130


@app.command()
def translate(
    model: Annotated[Path, typer.Argument(help="a model directory: rules.gz, lm.arpa.gz, weights.tsv")],
    source: Annotated[Optional[str], typer.Option("--input", "-i", help="sentences, one a line; stdin")] = None,  # noqa: UP045
    output: Annotated[str, typer.Option("--output", "-o", help="translations, one a line")] = "-",
    skeletons: Annotated[Optional[Path], typer.Option(help="JSON lines or bracket text")] = None,  # noqa: UP045
    mask_index: Annotated[str, typer.Option(help="which of several skeletons, or all")] = "0",
    strategy: Annotated[Optional[str], typer.Option(help="plain, gappy or skeleton-first")] = None,  # noqa: UP045
    skeleton_nbest: Annotated[Optional[Path], typer.Option(help="the skeletons' n-best lists from elsewhere")] = None,  # noqa: UP045
    nbest: Annotated[int, typer.Option(help="hypotheses for each sentence")] = 0,
    nbest_output: Annotated[Optional[Path], typer.Option(help="where they go, in Moses format")] = None,  # noqa: UP045
    lattices: Annotated[Optional[Path], typer.Option(help="a folder for OpenFst lattices, ids from 0")] = None,  # noqa: UP045
    beam: Annotated[Optional[float], typer.Option(help="nats above the best path to keep")] = None,  # noqa: UP045
    loops: Annotated[Optional[str], typer.Option(help="sigma or rho")] = None,  # noqa: UP045
    gaps: Annotated[Optional[str], typer.Option(help="loops everywhere, or at-gaps")] = None,  # noqa: UP045
    skeleton_weight: Annotated[Optional[float], typer.Option(help="of the skeleton's costs")] = None,  # noqa: UP045
    skeleton_hypotheses: Annotated[Optional[int], typer.Option(help="the n of the skeleton's list")] = None,  # noqa: UP045
    edits: Annotated[bool, typer.Option(help="tolerate deviations from the skeleton at a cost")] = False,
    jobs: Annotated[int, typer.Option(help="worker processes")] = 1,
    resume: Annotated[bool, typer.Option(help="go on where a killed run stopped (needs --output)")] = False,
    time_limit: Annotated[Optional[float], typer.Option(help="seconds for each sentence")] = None,  # noqa: UP045
    strict: Annotated[bool, typer.Option(help="exit with 1 if a sentence failed")] = False,
    quiet: Annotated[bool, typer.Option(help="no progress, no summary")] = False,
) -> None:
    """Translate sentences, with or without skeletons. Example: lattice-simp translate model < a.en > a.de

    A sentence that fails is reported and passed through, so that line counts stay equal. With --skeletons and no
    --input, the sentences are those of the skeleton file.
    """
    from lattice_simp.commands.sentences import read_sentences
    from lattice_simp.commands.translate import TranslateOptions, translate_all

    if resume and output == "-":
        raise LatticeSimpError("--resume needs --output FILE: only a file can be continued")
    if nbest and nbest_output is None:
        raise LatticeSimpError("--nbest needs --nbest-output FILE")
    if not mask_index.isdecimal() and mask_index != "all":
        raise LatticeSimpError(f"--mask-index {mask_index}: give a number from 0, or all")
    chosen = source if source is not None or skeletons is not None else "-"
    options = TranslateOptions(
        model, strategy, nbest, lattices, beam, loops, gaps, skeleton_weight, skeleton_hypotheses, edits
    )
    summary = translate_all(
        list(read_sentences(chosen, skeletons, mask_index, skeleton_nbest)),
        options,
        output=output,
        nbest_output=nbest_output,
        jobs=jobs,
        time_limit=time_limit,
        resume=resume,
        quiet=quiet,
    )
    if not quiet:
        print(summary, file=sys.stderr)
    if strict and summary.failed:
        raise typer.Exit(_FAILED)


@app.command()
def demo(
    sentences: Annotated[int, typer.Option(help="how many held-out sentences", min=1, max=200)] = 30,
    output: Annotated[Path, typer.Option(help="the folder for drawings and results")] = Path("build/demo"),
) -> None:
    """Translate sentences of the built-in grammar with three strategies. Example: lattice-simp demo"""
    from rich.console import Console

    from lattice_simp.commands.demo import run_demo

    run_demo(sentences, output, Console())


def main() -> None:
    """Runs the command line; the user's errors are one line on stderr."""
    try:
        app()
    except LatticeSimpError as error:
        print(f"lattice-simp: {error}", file=sys.stderr)
        sys.exit(_BAD_INPUT)
    except KeyboardInterrupt:
        print("lattice-simp: interrupted; with --output, --resume goes on from here", file=sys.stderr)
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        print(f"lattice-simp: {error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        sys.exit(_BAD_INPUT)
