"""`lattice-simp paraphrase ...`: all sentences that the phrases of a set form."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from lattice_simp.commands.inputs.sentence_sets import SentenceSetLine, read_parallel, read_sets
from lattice_simp.commands.inputs.sentences import Sentence
from lattice_simp.commands.running.records import Record
from lattice_simp.commands.running.sentences import (
    Job,
    RunOptions,
    end_run,
    line_place,
    name_run,
    resumable,
    run_sentences,
)
from lattice_simp.commands.runs.paraphrase import AlignOptions, ExpandOptions, Work, make_worker, parses_of
from lattice_simp.commands.shared.options import (
    Detail,
    Jobs,
    LatticeFolder,
    Output,
    Quiet,
    Resume,
    Seed,
    command_app,
    refuse_idle,
)
from lattice_simp.commands.shared.settings_options import takes_settings
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.plurals import counted
from lattice_simp.systems.paraphrase.tree import joined_trees

app = command_app(
    "Expand sets of sentences with the same meaning: count, list or sample the sentences that their phrases can form."
)

Input: TypeAlias = Annotated[
    str | None,
    typer.Argument(help="sets of sentences: blocks with a blank line between, or JSON lines (default: stdin)"),
]
Parallel: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--parallel", help="file with a sentence of each set, instead of the argument (repeatable)"),
]
Form: TypeAlias = Annotated[
    Literal["text", "json"], typer.Option("--to", help="output format; blocks of sentences, or JSON lines with costs")
]
Limit: TypeAlias = Annotated[int, typer.Option("--limit", "-n", min=1, help="sentences per set")]

_PANELS = dict.fromkeys(("words", "paraphrase", "alignment", "conditions", "filters"), "Paraphrases")


@app.callback()
def paraphrase() -> None:
    """Count, list or sample the sentences that the phrases of sentences with the same meaning can form."""


@app.command()
@takes_settings(ExpandOptions, _PANELS)
def expand(
    context: typer.Context,
    settings: dict[str, Any],
    source: Input = None,
    parallel: Parallel = None,
    output: Output = "-",
    limit: Annotated[Limit, Detail("the best first")] = 100,
    form: Form = "text",
    lattices: Annotated[LatticeFolder, Detail("ID.fst for each set")] = None,
    jobs: Jobs = 1,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """List the sentences that each set's phrases form. Example: lattice-simp paraphrase expand sets.txt --limit 20

    The best under the language model come first; without one, those with the fewest substitutions. They include the
    set's own sentences. Output is tokens; a set that fails is reported and copied to the output.
    """
    work = Work("expand", ExpandOptions.of(settings), limit=limit, form=form, lattices=lattices)
    _run(work, source, parallel, RunOptions(output, None, jobs, None, resume, quiet, bool(context.obj)))


@app.command()
@takes_settings(ExpandOptions, _PANELS)
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

    Each JSON line holds the set's id, the numbers of input sentences, of equivalent phrases, of all and of new
    sentences, of sentences that each filter removed, of word links by kind, and the depth limit of recursive phrases.
    """
    work = Work("count", ExpandOptions.of(settings))
    _run(work, source, parallel, RunOptions(output, None, jobs, None, resume, quiet, bool(context.obj)))


@app.command()
@takes_settings(ExpandOptions, _PANELS)
def sample(
    context: typer.Context,
    settings: dict[str, Any],
    source: Input = None,
    parallel: Parallel = None,
    output: Output = "-",
    limit: Annotated[Limit, Detail("drawn with replacement")] = 5,
    seed: Seed = 0,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="draw sentences in proportion to their probability under --lm")
    ] = False,
    form: Form = "text",
    jobs: Jobs = 1,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Draw random sentences from each set's expansion. Example: lattice-simp paraphrase sample sets.txt -n 5

    All are equally probable unless --weighted is given. They include the set's own sentences.
    """
    options = ExpandOptions.of(settings)
    if weighted and options.lm is None:
        raise LatticeSimpError("--weighted needs --lm: without a model, all sentences are equally probable")
    work = Work("sample", options, limit=limit, form=form, seed=seed, weighted=weighted)
    _run(work, source, parallel, RunOptions(output, None, jobs, None, resume, quiet, bool(context.obj)))


@app.command()
@takes_settings(AlignOptions, _PANELS)
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
    """Print the equivalent phrases of each pair of sentences of a set. Example: lattice-simp paraphrase align sets.txt

    The output has a JSON line for each set. It includes identical phrases (`identical`) and those that follow from
    smaller ones (`composed`).
    """
    alignment = settings.pop("alignment", {})
    work = Work("align", ExpandOptions.of({**settings, "paraphrase": {"alignment": alignment}}))
    _run(work, source, parallel, RunOptions(output, None, jobs, None, resume, quiet, bool(context.obj)))


def _run(work: Work, source: str | None, parallel: Sequence[str] | None, run: RunOptions) -> None:
    """Runs an action on all sets of a file, or of parallel files."""
    if work.options.lm is None:
        refuse_idle(["beam"], "without --lm")
    if not work.options.words.senses:
        refuse_idle(["wordnet"], "with --senses 0")
    if work.options.words.trees:
        refuse_idle(["tokenised"], "with --trees")
    run.check()
    if parallel and source:
        raise LatticeSimpError("give the sets as an argument or with --parallel, not both")
    files = work.options.files()
    work.options.words.thesaurus()  # its errors concern all sets
    check, join = (parses_of, joined_trees) if work.options.words.trees else (str, list)
    sets = read_parallel(parallel, check, join) if parallel else read_sets(source or "-", check, join)
    work = replace(work, ids=tuple(line.id for line in sets))
    if work.lattices is not None:
        if len(set(work.ids)) < len(sets) or any("/" in name for name in work.ids):
            raise LatticeSimpError("--lattices names files by the sets' ids: give each set its own id, without slashes")
        work.lattices.mkdir(parents=True, exist_ok=True)
    sentences = [Sentence(line.sentences, text=work.passed_through(line)) for line in sets]
    parts = {**name_run(sentences, Path(os.devnull), work), "model": files}
    unchanged = list[Record]()
    place = partial(_place, parallel[0] if parallel else source, sets)
    job = Job("paraphrasing", partial(make_worker, work), parts, place, on_record=partial(_add_unchanged, unchanged))
    with resumable(run):
        report = run_sentences(sentences, job, run)
    summary = f"{counted(len(sets), 'set')} in {report.seconds:.1f} s, {report.failed} failed"
    if unchanged:
        sizes = [len(sets[record["number"]].sentences) for record in unchanged]
        summary += f"; {_nothing_new(sizes, any(record.get('removed') for record in unchanged))}"
    end_run(report, run, summary)


def _place(source: str | None, sets: Sequence[SentenceSetLine], number: int) -> str:
    """Returns the file and the line where a set begins."""
    return line_place(source, sets[number].line - 1)


def _add_unchanged(unchanged: list[Record], record: Record) -> None:
    """Adds the record of a set whose phrases form no new sentence."""
    if record.get("new") == 0:
        unchanged.append(record)


def _nothing_new(sizes: Sequence[int], is_filtered: bool) -> str:
    """Says which sets have no new sentences, and why, from their numbers of sentences and what filters did."""
    text = f"{counted(len(sizes), 'set')} without new sentences"
    if max(sizes) < 2:
        return f"{text}: a set needs two sentences or more, in lines without a blank line between (or --senses)"
    if is_filtered:
        return f"{text}: the filters removed them; `lattice-simp paraphrase count` shows how many each filter removed"
    return f"{text}: no phrase has an equivalent in another context; `lattice-simp paraphrase align` lists those found"
