"""`lattice-simp paraphrase ...`: all sentences that the phrases of a set make."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import typer

from lattice_simp.commands.options import FAILED, INTERRUPTED, command_app, refuse_idle
from lattice_simp.commands.paraphrase_worker import AlignOptions, ExpandOptions, Work, make_worker
from lattice_simp.commands.sentence_run import Job, RunOptions, is_stream, name_run, run_sentences
from lattice_simp.commands.sentence_sets import read_parallel, read_sets
from lattice_simp.commands.sentences import Sentence
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.paraphrase.tree import Tree, joined_trees

app = command_app("Expand sets of sentences that mean the same: count, list, sample what their phrases make.")

Input = Annotated[
    Optional[str],  # noqa: UP045
    typer.Argument(help="sets: sentences with a blank line after each set, or JSON lines; stdin"),
]
Parallel = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--parallel", help="instead of INPUT: a file with a sentence of each set; give it several times"),
]
Output = Annotated[str, typer.Option("--output", "-o", help="the file to write, or - for stdout")]
Jobs = Annotated[int, typer.Option(min=1, help="worker processes")]
Resume = Annotated[bool, typer.Option("--resume", help="go on where a killed run stopped (needs --output)")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="no progress, no summary")]
Form = Annotated[
    Literal["text", "json"], typer.Option("--format", help="blocks of sentences, or JSON lines with costs")
]


@app.callback()
def paraphrase() -> None:
    """Expand sets of sentences that mean the same: count, list, sample what their phrases make."""


@app.command()
@takes_settings(ExpandOptions)
def expand(
    context: typer.Context,
    settings: dict[str, Any],
    source: Input = None,
    parallel: Parallel = None,
    output: Output = "-",
    limit: Annotated[int, typer.Option(min=1, help="sentences of each set to list, the best first")] = 100,
    form: Form = "text",
    lattices: Annotated[Optional[Path], typer.Option(help="a folder that receives each set's lattice, ID.fst")] = None,  # noqa: UP045
    jobs: Jobs = 1,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """List the sentences that each set's phrases make. Example: lattice-simp paraphrase expand sets.txt --limit 20

    The best under the language model come first; without one, those with the fewest substitutions. The set's own
    sentences are among them. Output is tokens; a set that fails is told and passed through.
    """
    work = Work("expand", ExpandOptions.of(settings), limit=limit, form=form, lattices=lattices)
    _run(work, _Run(source, parallel, output, jobs, resume, quiet, bool(context.obj)))


@app.command()
@takes_settings(ExpandOptions)
def count(
    context: typer.Context,
    settings: dict[str, Any],
    source: Input = None,
    parallel: Parallel = None,
    output: Output = "-",
    jobs: Jobs = 1,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Count the sentences of each set's expansion, exactly. Example: lattice-simp paraphrase count sets.txt

    A JSON line has the set's id, the numbers of sentences given, of equivalent phrases, of all and of new sentences,
    what each filter removed, the word links by kind, and the depth that was set because phrases recurse.
    """
    work = Work("count", ExpandOptions.of(settings))
    _run(work, _Run(source, parallel, output, jobs, resume, quiet, bool(context.obj)))


@app.command()
@takes_settings(ExpandOptions)
def sample(
    context: typer.Context,
    settings: dict[str, Any],
    source: Input = None,
    parallel: Parallel = None,
    output: Output = "-",
    n: Annotated[int, typer.Option("-n", min=1, help="sentences to draw from each set, with replacement")] = 5,
    seed: Annotated[int, typer.Option(help="of the random numbers")] = 0,
    weighted: Annotated[bool, typer.Option("--weighted", help="by their probabilities under --lm")] = False,
    form: Form = "text",
    jobs: Jobs = 1,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Draw sentences of each set's expansion at random. Example: lattice-simp paraphrase sample sets.txt -n 5

    All are equally probable, unless --weighted is given; the set's own sentences are among them.
    """
    options = ExpandOptions.of(settings)
    if weighted and options.lm is None:
        raise LatticeSimpError("--weighted needs --lm: without a model all sentences are equally probable")
    work = Work("sample", options, limit=n, form=form, seed=seed, weighted=weighted)
    _run(work, _Run(source, parallel, output, jobs, resume, quiet, bool(context.obj)))


@app.command()
@takes_settings(AlignOptions)
def align(
    context: typer.Context,
    settings: dict[str, Any],
    source: Input = None,
    parallel: Parallel = None,
    output: Output = "-",
    jobs: Jobs = 1,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Tell the equivalent phrases of each two sentences of a set. Example: lattice-simp paraphrase align sets.txt

    A JSON line for each set. Identical phrases are there, too (`identical`), and those that follow from smaller ones
    (`composed`).
    """
    alignment = settings.pop("alignment", {})
    work = Work("align", ExpandOptions.of({**settings, "paraphrase": {"alignment": alignment}}))
    _run(work, _Run(source, parallel, output, jobs, resume, quiet, bool(context.obj)))


@dataclass(frozen=True)
class _Run:
    """What is read, how much is done at once, and where it goes."""

    source: str | None
    parallel: list[str] | None
    output: str
    jobs: int
    resume: bool
    quiet: bool
    debug: bool


def _run(work: Work, chosen: _Run) -> None:
    """Does the work on all sets."""
    if work.options.lm is None:
        refuse_idle(["beam"], "without --lm")
    if not work.options.words.senses:
        refuse_idle(["wordnet"], "with --senses 0")
    if work.options.words.trees:
        refuse_idle(["tokenised"], "with --trees")
    if chosen.resume and is_stream(chosen.output):
        raise LatticeSimpError("--resume needs --output FILE: only a file can be continued")
    if chosen.parallel and chosen.source:
        raise LatticeSimpError("the sets come from INPUT or from --parallel files, not from both")
    work.options.words.thesaurus()  # what is wrong with it is wrong for all sets
    check, join = (Tree.from_brackets, joined_trees) if work.options.words.trees else (str, list)
    if chosen.parallel:
        sets = read_parallel(chosen.parallel, check, join)
    else:
        sets = read_sets(chosen.source or "-", check, join)
    work = replace(work, ids=tuple(own.id for own in sets))
    if work.lattices is not None:
        if len(set(work.ids)) < len(sets) or any("/" in own for own in work.ids):
            raise LatticeSimpError("--lattices names files by the sets' ids: give each set its own, without slashes")
        work.lattices.mkdir(parents=True, exist_ok=True)
    sentences = [Sentence(own.sentences, text=work.passed_through(own)) for own in sets]
    run = RunOptions(chosen.output, None, chosen.jobs, None, chosen.resume, chosen.quiet, chosen.debug)
    parts = {**name_run(sentences, Path(os.devnull), work), "model": work.options.files()}
    job = Job("paraphrasing", partial(make_worker, work), parts)
    try:
        report = run_sentences(sentences, job, run)
    except KeyboardInterrupt:
        kept = "the same command with --resume goes on from here" if chosen.output != "-" else "--output FILE keeps it"
        print(f"lattice-simp: interrupted; {kept}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if not chosen.quiet:
        print(f"{len(sets)} sets in {report.seconds:.1f} s, {report.failed} failed", file=sys.stderr)
    if report.all_failed:
        raise typer.Exit(FAILED)
