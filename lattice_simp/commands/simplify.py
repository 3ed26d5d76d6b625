"""`lattice-simp simplify`: English sentences made simpler, with what was done to them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lattice_simp.commands.options import (
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
from lattice_simp.commands.records import Record, empty_record, nbest_entry
from lattice_simp.commands.sentence_run import Job, RunOptions, end_run, name_run, resumable, run_sentences
from lattice_simp.commands.sentences import Sentence, english_text, model_text, read_sentences
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.tasks.outcome import Function
from lattice_simp.support.textio import open_text
from lattice_simp.systems.simplify.explanation import explanation
from lattice_simp.systems.simplify.operations import OperationModel
from lattice_simp.systems.simplify.simplifier import OPERATIONS, STAGES, Mode, Search, Simplifier, Stage, most_unlike

app = command_app()


@app.command()
def simplify(
    context: typer.Context,
    model: Annotated[
        Path | None,
        typer.Argument(help="folder that `lattice-simp train` made with a section simplify; none is needed"),
    ] = None,
    source: SentenceFile = None,
    output: Annotated[Output, Detail("one line per sentence")] = "-",
    tokenised: Annotated[Tokenised, Detail("so is the output")] = False,
    mode: Annotated[Mode, typer.Option(help="make only sound changes, or all that the model proposes")] = "cautious",
    search: Annotated[Search, typer.Option(help="apply all steps jointly, or one after the other")] = "joint",
    steps: Annotated[str, typer.Option(help="steps to apply, separated by commas")] = ",".join(STAGES),
    rerank: Annotated[int, typer.Option(min=0, help="choose the least similar to the source of this many")] = 0,
    change: Annotated[bool, typer.Option("--change", help="choose the best that differs from the source")] = False,
    explain: Annotated[Path | None, typer.Option(help="JSON lines: the changes to each sentence")] = None,
    nbest: Annotated[int, typer.Option("--nbest", "-n", min=0, help="hypotheses per sentence")] = 0,
    nbest_output: NbestOutput = None,
    jobs: Jobs = 1,
    dask: Dask = None,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Simplify English sentences. Example: lattice-simp simplify < a.txt > simple.txt

    The command splits sentences, and deletes or replaces words and phrases. It finds the best of all combinations
    (--search joint), or applies one step after the other, as published (--search greedy). It parses its results and
    keeps only changes after which they are still sentences, and replaces words only by those of a table; with
    --mode bold it makes all changes that the model proposes. Sentences that cannot be parsed or are too long are
    reported and copied to the output; empty lines stay empty.
    """
    run = RunOptions(output, nbest_output, jobs, None, resume, quiet, debug=bool(context.obj), dask=dask)
    run.check(nbest)
    unknown = [step for step in steps.split(",") if step not in STAGES]
    if unknown:
        raise LatticeSimpError(f"--steps {steps}: {unknown[0]!r} is not one of {','.join(STAGES)}")
    if model is not None:
        OperationModel.read(model / OPERATIONS)  # refuses other folders before any line is read
    elif mode == "bold":
        raise LatticeSimpError("--mode bold needs a trained model (name its folder)")
    stages = tuple(stage for stage in STAGES if stage in steps.split(","))
    options = SimplifyOptions(model, search, stages, rerank, nbest, change, mode)
    text = model_text(model, tokenised=tokenised) if model is not None else english_text(tokenised=tokenised)
    tokens = None
    if text is not None:  # parsers need the original case
        tokens, run = replace(text[0], case="keep", casing={}).tokens, replace(run, text=text[1].text)
    sentences = read_sentences(source or "-", None, "0", None, tokens)
    explained = _Explained(explain)
    job = Job("simplifying", partial(make_simplifier, options), name_run(sentences, model, options), seen=explained.add)
    with resumable(run):
        report = run_sentences(sentences, job, run)
    explained.write()
    end_run(report, run, f"{report}{explained.counts}")


@dataclass(frozen=True)
class SimplifyOptions:
    """What every worker needs to know."""

    model: Path | None
    search: Search
    stages: tuple[Stage, ...]
    rerank: int
    nbest: int
    change: bool
    mode: Mode


def make_simplifier(options: SimplifyOptions) -> Function:
    """Loads the model in a worker; returns the function that simplifies one numbered sentence."""
    loaded = Simplifier.untrained() if options.model is None else Simplifier.load(options.model)
    chosen = replace(loaded, search=options.search, stages=options.stages, change=options.change, mode=options.mode)
    return partial(_simplify, chosen, options)


def _simplify(simplifier: Simplifier, options: SimplifyOptions, task: tuple[int, Sentence]) -> Record:
    number, sentence = task
    if not sentence.words:
        return empty_record(number, options.nbest)
    hypotheses = simplifier.simplify(sentence.words, max(1, options.rerank, options.nbest))
    best = most_unlike(hypotheses[: options.rerank]) if options.rerank else hypotheses[0]
    if best.problem:
        raise LatticeSimpError(best.problem)
    entries = [
        nbest_entry(hypothesis.tokens, hypothesis.cost, hypothesis.features)
        for hypothesis in hypotheses[: options.nbest]
    ]
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
        steps = record.get("explained", {"source": record["line"], "simple": record["line"]})
        for kind in ("splits", "deletions", "substitutions"):
            self._counts[kind] += len(steps.get(kind, ()))
        if self._path is not None:
            self._lines.append(json.dumps(steps, ensure_ascii=False) + "\n")

    @property
    def counts(self) -> str:
        """What was done, for people."""
        return "".join(f", {count} {kind}" for kind, count in self._counts.items())

    def write(self) -> None:
        """Writes the file, if there is one."""
        if self._path is not None:
            with open_text(str(self._path), "w") as file:
                file.writelines(self._lines)
