"""`lattice-simp simplify`: English sentences made simpler, with what was done to them."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Optional

import typer

from lattice_simp.commands.options import FAILED, INTERRUPTED, command_app
from lattice_simp.commands.sentence_run import Job, RunOptions, is_stream, name_run, run_sentences
from lattice_simp.commands.sentences import Sentence, read_sentences
from lattice_simp.commands.translate import model_text
from lattice_simp.commands.worker import Record, empty_record, nbest_entry
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.outcome import Function
from lattice_simp.support.textio import open_text
from lattice_simp.systems.simplify.explanation import explanation
from lattice_simp.systems.simplify.operations import OperationModel
from lattice_simp.systems.simplify.simplifier import OPERATIONS, STAGES, Search, Simplifier, Stage, most_unlike

app = command_app()


@app.command()
def simplify(
    context: typer.Context,
    model: Annotated[Path, typer.Argument(help="a folder that `lattice-simp train` made with a section simplify")],
    source: Annotated[Optional[str], typer.Option("--input", "-i", help="sentences, one a line; stdin")] = None,  # noqa: UP045
    output: Annotated[str, typer.Option("--output", "-o", help="simpler ones, one line for each")] = "-",
    tokenised: Annotated[bool, typer.Option("--tokenised", help="the input is tokens, and so is the output")] = False,
    search: Annotated[Search, typer.Option(help="all steps at once, or one after the other")] = "joint",
    steps: Annotated[str, typer.Option(help="what may be done")] = ",".join(STAGES),
    rerank: Annotated[int, typer.Option(min=0, help="of so many, take the one most unlike the source")] = 0,
    change: Annotated[bool, typer.Option("--change", help="the best that differs from the source")] = False,
    explain: Annotated[Optional[Path], typer.Option(help="JSON lines: what was done to each sentence")] = None,  # noqa: UP045
    nbest: Annotated[int, typer.Option(help="hypotheses for each sentence")] = 0,
    nbest_output: Annotated[Optional[str], typer.Option(help="where they go, in Moses format")] = None,  # noqa: UP045
    jobs: Annotated[int, typer.Option(min=1, help="worker processes")] = 1,
    dask: Annotated[Optional[str], typer.Option(help="a Dask cluster: tcp://HOST:PORT, local, or local:N")] = None,  # noqa: UP045
    resume: Annotated[bool, typer.Option("--resume", help="go on where a killed run stopped (needs --output)")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no progress, no summary")] = False,
) -> None:
    """Simplify English sentences. Example: lattice-simp simplify model < a.txt > simple.txt

    Sentences are split, words and phrases deleted, others replaced by simpler ones; the best of all combinations is
    found at once (--search joint), or step by step as in the paper (--search greedy). A sentence that cannot be parsed
    or is too long is told and passed through; an empty line stays.
    """
    if resume and is_stream(output):
        raise LatticeSimpError("--resume needs --output FILE: only a file can be continued")
    if nbest < 0 or (nbest > 0) != (nbest_output is not None):
        raise LatticeSimpError("--nbest needs --nbest-output FILE, and the other way round; the number is above 0")
    unknown = [step for step in steps.split(",") if step not in STAGES]
    if unknown:
        raise LatticeSimpError(f"--steps {steps}: {unknown[0]!r} is not one of {','.join(STAGES)}")
    OperationModel.read(model / OPERATIONS)  # refuses what is not a model before any line is read
    stages = tuple(stage for stage in STAGES if stage in steps.split(","))
    options = SimplifyOptions(model, search, stages, rerank, nbest, change)
    run = RunOptions(output, nbest_output, jobs, None, resume, quiet, debug=bool(context.obj), dask=dask)
    text = model_text(model, tokenised=tokenised)
    tokens = None
    if text is not None:  # parsers want the case that readers see
        tokens, run = replace(text[0], case="keep", casing={}).tokens, replace(run, text=text[1].text)
    sentences = read_sentences(source or "-", None, "0", None, tokens)
    explained = _Explained(explain)
    job = Job("simplifying", partial(make_simplifier, options), name_run(sentences, model, options), seen=explained.add)
    try:
        summary = run_sentences(sentences, job, run)
    except KeyboardInterrupt:
        kept = "the same command with --resume goes on from here" if output != "-" else "--output FILE keeps results"
        print(f"lattice-simp: interrupted; {kept}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    explained.write()
    if not quiet:
        print(f"{summary}{explained.counts}", file=sys.stderr)
    if summary.all_failed:
        raise typer.Exit(FAILED)


@dataclass(frozen=True)
class SimplifyOptions:
    """What every worker needs to know."""

    model: Path
    search: Search
    stages: tuple[Stage, ...]
    rerank: int
    nbest: int
    change: bool


def make_simplifier(options: SimplifyOptions) -> Function:
    """Loads the model in a worker; returns the function that simplifies one numbered sentence."""
    loaded = Simplifier.load(options.model)
    own = replace(loaded, search=options.search, stages=options.stages, change=options.change)
    return partial(_simplify, own, options)


def _simplify(simplifier: Simplifier, options: SimplifyOptions, task: tuple[int, Sentence]) -> Record:
    number, sentence = task
    if not sentence.words:
        return empty_record(number, options.nbest)
    found = simplifier.simplify(sentence.words, max(1, options.rerank, options.nbest))
    best = most_unlike(found[: options.rerank]) if options.rerank else found[0]
    if best.problem:
        raise LatticeSimpError(best.problem)
    entries = [nbest_entry(own.tokens, own.cost, own.features) for own in found[: options.nbest]]
    record = {"number": number, "line": best.text, "nbest": entries, "reachable": None, "explained": explanation(best)}
    return record if best.is_changed else {**record, "as_given": True}


class _Explained:
    """The explanations of a run: counted, and written once all sentences are done."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lines: list[str] = []
        self._counts = Counter[str]()

    def add(self, record: Record) -> None:
        """Takes the explanation of a sentence; of one that was passed through there is only its text."""
        found = record.get("explained", {"source": record["line"], "simple": record["line"]})
        for kind in ("splits", "deletions", "substitutions"):
            self._counts[kind] += len(found.get(kind, ()))
        if self._path is not None:
            self._lines.append(json.dumps(found, ensure_ascii=False) + "\n")

    @property
    def counts(self) -> str:
        """What was done, for people."""
        return "".join(f", {count} {kind}" for kind, count in self._counts.items())

    def write(self) -> None:
        """Writes the file, if there is one."""
        if self._path is not None:
            with open_text(str(self._path), "w") as file:
                file.writelines(self._lines)
