"""The command line: thin, each group of commands in a file of `commands/`."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import typer

from lattice_simp.commands import consensus, evaluate, hindi, lattice, rescore, skeleton, text, tune
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.extras import extra
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.translate.strategies import STRATEGIES

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Exact operations on word lattices, and translation with source skeletons.",
)
lattice.app.add_typer(consensus.app)
app.add_typer(lattice.app, name="lattice")
app.add_typer(skeleton.app, name="skeleton")
app.add_typer(tune.app, name="tune")
app.add_typer(text.app, name="text")
app.add_typer(rescore.app, name="rescore")
app.add_typer(hindi.app, name="hindi")

DEBUG = "--debug"

_FAILED, _BAD_INPUT, _INTERRUPTED, _BROKEN_PIPE = 1, 2, 130, 141
_USAGE_ERROR: Any = typer.BadParameter.__mro__[1]


if TYPE_CHECKING:
    Strategy = str
else:
    Strategy = Literal[tuple(STRATEGIES)]


@app.callback()
def common(
    version: Annotated[bool, typer.Option("--version", help="print the version")] = False,
    debug: Annotated[bool, typer.Option(DEBUG, help="show tracebacks (anywhere in the command line)")] = False,
) -> None:
    """Exact operations on word lattices, and translation with source skeletons."""


@app.command()
@takes_settings(DecoderSettings)
def translate(
    context: typer.Context,
    model: Annotated[Path, typer.Argument(help="a model directory: rules.gz, lm.arpa.gz, weights.tsv")],
    source: Annotated[Optional[str], typer.Option("--input", "-i", help="sentences, one a line; stdin")] = None,  # noqa: UP045
    output: Annotated[str, typer.Option("--output", "-o", help="translations, one a line")] = "-",
    skeletons: Annotated[Optional[Path], typer.Option(help="JSON lines or bracket text")] = None,  # noqa: UP045
    mask_index: Annotated[str, typer.Option(help="which of several skeletons, or all")] = "0",
    strategy: Annotated[Optional[Strategy], typer.Option(help="gappy with skeletons, else plain")] = None,  # noqa: UP045
    skeleton_nbest: Annotated[Optional[Path], typer.Option(help="the skeletons' n-best lists from elsewhere")] = None,  # noqa: UP045
    nbest: Annotated[int, typer.Option(help="hypotheses for each sentence")] = 0,
    nbest_output: Annotated[Optional[str], typer.Option(help="where they go, in Moses format")] = None,  # noqa: UP045
    lattices: Annotated[Optional[Path], typer.Option(help="a folder for OpenFst lattices, ids from 0")] = None,  # noqa: UP045
    jobs: Annotated[int, typer.Option(help="worker processes")] = 1,
    dask: Annotated[Optional[str], typer.Option(help="a Dask cluster: tcp://HOST:PORT, local, or local:N")] = None,  # noqa: UP045
    resume: Annotated[bool, typer.Option("--resume", help="go on where a killed run stopped (needs --output)")] = False,
    time_limit: Annotated[Optional[float], typer.Option(help="seconds for each sentence")] = None,  # noqa: UP045
    strict: Annotated[bool, typer.Option("--strict", help="exit with 1 if a sentence failed")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no progress, no summary")] = False,
    settings: Any = None,
) -> None:
    """Translate sentences, with or without skeletons. Example: lattice-simp translate model < a.en > a.de

    A sentence that fails is reported and passed through, so that line counts stay equal. With --skeletons and no
    --input, the sentences are those of the skeleton file. With --output, finished sentences are kept in a file beside
    it (.partial) until the run is complete, and --resume continues a run that was stopped. The workers of a Dask
    cluster read the model under the path that is given here, and write --lattices so, too.
    """
    from lattice_simp.commands.sentences import read_sentences
    from lattice_simp.commands.translate import RunOptions, check, translate_all
    from lattice_simp.commands.worker import TranslateOptions

    options = TranslateOptions(model, strategy, nbest, lattices, settings)
    run = RunOptions(output, nbest_output, jobs, time_limit, resume, quiet, debug=bool(context.obj), dask=dask)
    check(options, run, mask_index, skeletons is not None, skeleton_nbest is not None)
    chosen = source if source is not None or skeletons is not None else "-"
    try:
        summary = translate_all(read_sentences(chosen, skeletons, mask_index, skeleton_nbest), options, run)
    except KeyboardInterrupt:
        kept = "the same command with --resume goes on from here" if output != "-" else "--output FILE keeps results"
        print(f"lattice-simp: interrupted; {kept}", file=sys.stderr)
        raise typer.Exit(_INTERRUPTED) from None
    if not quiet:
        print(summary, file=sys.stderr)
    if strict and summary.failed:
        raise typer.Exit(_FAILED)


@app.command()
def demo(
    sentences: Annotated[int, typer.Option(help="how many held-out sentences", min=1, max=200)] = 20,
    output: Annotated[Path, typer.Option(help="the folder for drawings and results")] = Path("build/demo"),
) -> None:
    """Translate sentences of the built-in grammar with three strategies. Example: lattice-simp demo"""
    from rich.console import Console

    from lattice_simp.commands.demo import run_demo

    run_demo(sentences, output, Console())


@app.command()
def train(
    config: Annotated[Path, typer.Argument(help="a YAML file, see the README")],
    settings: Annotated[Optional[list[str]], typer.Option("--set", help="name.of.field=value")] = None,  # noqa: UP045
    first: Annotated[Optional[str], typer.Option("--from", help="do this stage and all after it again")] = None,  # noqa: UP045
    last: Annotated[Optional[str], typer.Option("--to", help="stop after this stage")] = None,  # noqa: UP045
    jobs: Annotated[int, typer.Option(min=1, help="worker processes")] = 1,
    dask: Annotated[Optional[str], typer.Option(help="a Dask scheduler, tcp://HOST:PORT, or local:N workers")] = None,  # noqa: UP045
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no log")] = False,
) -> None:
    """Makes a model directory from parallel text; a run that was killed goes on where it was."""
    from lattice_simp.pipeline.runner import logged_run

    with extra("train"):
        from lattice_simp.train.config import read_config
        from lattice_simp.train.pipeline import train as run_training

    try:
        given = read_config(config, settings or [])
        with logged_run(jobs, dask, quiet=quiet) as run:
            run_training(given, run, first=first, last=last)
    except KeyboardInterrupt:
        print("lattice-simp: interrupted; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(_INTERRUPTED) from None


app.command()(evaluate.evaluate)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and ends the program; the user's errors are one line on stderr."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:
        from lattice_simp import __version__

        print(f"lattice-simp {__version__}")
        sys.exit(0)
    try:
        code = app([word for word in given if word != DEBUG], "lattice-simp", standalone_mode=False, obj=DEBUG in given)
        sys.stdout.flush()
    except Exception as error:
        code = _report(error, debug=DEBUG in given)
    sys.exit(code if isinstance(code, int) else 0)


def _report(error: Exception, *, debug: bool) -> int:
    """Prints an error in one line; returns the exit code.

    Raises:
        Exception: an error that is none of the user's, as it came.
    """
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still buffered has nowhere to go
        return _BROKEN_PIPE
    if debug:
        print(getattr(error, "trace", "") or traceback.format_exc(), end="", file=sys.stderr)
    if type(error).__name__ == "NoArgsIsHelpError":  # the help has been shown
        return _BAD_INPUT
    if isinstance(error, _USAGE_ERROR):
        text = f"{error.format_message()} (--help shows how it is called)"
    elif isinstance(error, LatticeSimpError):
        text = str(error)
    elif isinstance(error, OSError):
        text = f"{error.filename or 'the output'}: {error.strerror or error}"
    elif isinstance(error, MemoryError):
        text = "out of memory"
    else:
        raise error
    print("lattice-simp:", " ".join(text.split()), file=sys.stderr)
    return _BAD_INPUT
