"""Runs a function on many sentences, in parallel and in order, with a journal for killed runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import typer

from lattice_simp.commands.inputs.sentences import Sentence
from lattice_simp.commands.running.journal import Journal
from lattice_simp.commands.running.line_output import STDOUT, Result, is_stream, write_lines
from lattice_simp.commands.running.records import Record
from lattice_simp.commands.running.report import Report
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import interrupt_hint
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.exit_status import FAILED
from lattice_simp.support.tasks import Outcome, in_order, run_tasks
from lattice_simp.support.tasks.outcome import Factory
from lattice_simp.support.textio import STDIN, open_text


@dataclass(frozen=True)
class Job:
    """The work on each sentence.

    Attributes:
        what: the label of the progress bar.
        factory: makes the function of a worker, from a numbered sentence to its record.
        parts: digests of everything that the results depend on, which identify the run.
        place: returns the file and the line of a sentence, by its number.
        discard: called with the number of each failed sentence.
        on_record: called with each record, in the order of the sentences.
    """

    what: str
    factory: Factory
    parts: Mapping[str, str]
    place: Callable[[int], str]
    discard: Callable[[int], None] = lambda number: None
    on_record: Callable[[Record], None] = lambda record: None


@dataclass(frozen=True)
class RunOptions:
    """The options of a run, of which only the time limit affects a translation's tokens.

    `stats` is a file for further facts about each sentence, and `text` converts tokens to the output's text.
    """

    output: str = STDOUT
    nbest_output: str | None = None
    jobs: int = 1
    time_limit: float | None = None
    resume: bool = False
    quiet: bool = False
    debug: bool = False
    dask: str | None = None
    text: Callable[[str], str] = str
    stats: str | None = None

    def check(self, nbest: int = 0) -> None:
        """Checks the options before any work is done; `nbest` is the number of hypotheses to list for each sentence.

        Raises:
            LatticeSimpError: an option is missing, which the message names.
        """
        if self.resume and is_stream(self.output):
            raise LatticeSimpError("--resume needs --output FILE: only a file can be continued")
        if nbest < 0 or (nbest > 0) != (self.nbest_output is not None):
            raise LatticeSimpError("give --nbest N (above 0) and --nbest-output FILE together")


@contextmanager
def resumable(run: RunOptions) -> Iterator[None]:
    """Adds a hint on how to continue the run to a Ctrl-C in the block."""
    is_kept = run.output != STDOUT
    with interrupt_hint("run the same command with --resume to continue" if is_kept else "--output FILE keeps results"):
        yield


def end_run(report: Report, run: RunOptions, summary: str | None = None, *, strict: bool = False) -> None:
    """Prints the summary of a run, by default the report; ends the command with an error if sentences failed.

    Raises:
        typer.Exit: all sentences failed or, if `strict`, one of them.
    """
    if not run.quiet:
        say(report if summary is None else summary)
    if report.all_failed:
        say("lattice-simp: every sentence failed; see the reasons above")
    if report.all_failed or (strict and report.failed):
        raise typer.Exit(FAILED)


def line_place(source: str | Path | None, number: int) -> str:
    """Returns the file and the line of a sentence; no file is standard input.

    >>> line_place("a.txt", 0), line_place(None, 1)
    ('a.txt:1', '<stdin>:2')
    """
    return f"{STDIN if source is None or str(source) == '-' else source}:{number + 1}"


def run_sentences(sentences: Sequence[Sentence], job: Job, run: RunOptions) -> Report:
    """Runs a job on sentences, writes lines (and n-best lists) in their order, and returns the counts.

    With an output file, finished sentences go to a journal first, which a later run may continue. Failed ones do not,
    so that the later run tries them again.

    Raises:
        LatticeSimpError: the model, the output or the journal cannot be used.
    """
    lengths = [len(sentence.words) for sentence in sentences]
    new_report = partial(Report, job.what, lengths, job.place, quiet=run.quiet, debug=run.debug)
    if is_stream(run.output):
        with new_report() as report:
            numbers = range(len(sentences))
            outcomes = in_order(_outcomes(numbers, sentences, job, run, report), numbers)
            records = (_finished(outcome.number, outcome.result, sentences, run) for outcome in outcomes)
            _write(records, job, run, report)
        return report
    with Journal(Path(run.output), job.parts, resume=run.resume) as journal:
        todo = [number for number in range(len(sentences)) if number not in journal]
        with new_report(len(sentences) - len(todo)) as report:
            for outcome in _outcomes(todo, sentences, job, run, report):
                if outcome.failure is None:
                    journal.add(outcome.result)
        numbers = range(len(sentences))
        records = (_finished(number, journal.get(number), sentences, run) for number in numbers)
        _write(records, job, run, report)
        journal.remove()
        return report


def _outcomes(
    numbers: Iterable[int], sentences: Sequence[Sentence], job: Job, run: RunOptions, report: Report
) -> Iterator[Outcome]:
    """Yields outcomes as they come, and reports them."""
    tasks = [(number, (number, sentences[number])) for number in numbers]
    if not tasks:
        return
    for outcome in run_tasks(tasks, job.factory, jobs=run.jobs, time_limit=run.time_limit, cluster=run.dask):
        report.finished(outcome)
        if outcome.failure is not None:
            job.discard(outcome.number)
        yield outcome


def _finished(number: int, record: Record | None, sentences: Sequence[Sentence], run: RunOptions) -> Record:
    """Returns the record to write for a sentence; for a failed one (None), its line is the source."""
    sentence = sentences[number]
    if record is not None and not (record.get("as_given") and sentence.text is not None):
        line = record["text"] if "text" in record else run.text(record["line"])
    else:
        line = " ".join(sentence.words) if sentence.text is None else sentence.text
    record = {"number": number, "nbest": [], "reachable": None} if record is None else record
    return {**record, "line": line, "name": sentence.name}


# ---------------------------------------------------------------- writing


def _write(records: Iterable[Record], job: Job, run: RunOptions, report: Report) -> None:
    """Writes ordered records: lines, n-best lists, and statistics."""
    with ExitStack() as stack:
        if run.stats is not None:
            records = _with_stats(records, stack.enter_context(open_text(run.stats, "w")))
        write_lines(_results(records, job, report), run.output, run.nbest_output)


def _results(records: Iterable[Record], job: Job, report: Report) -> Iterator[Result]:
    """Counts each record, and yields its number, its line and its hypotheses."""
    for record in records:
        job.on_record(record)
        report.count(record)
        entries = [Hypothesis(as_tokens(row["words"]), row["cost"], row["features"]) for row in record["nbest"]]
        yield Result(record["number"], record["line"], entries, record.get("name"))


STATS = ("number", "cost", "optimality_gap", "reachable", "terms", "unknown")
"""The entries of --stats for a sentence; unknown values, and all values of a failed sentence, are null. The gap is not
a feature of n-best lists, since tuning treats every name in a list as a feature.
"""


def _with_stats(records: Iterable[Record], file: TextIO) -> Iterator[Record]:
    """Writes a JSON line for each record, and passes it on."""
    for record in records:
        file.write(json.dumps({name: record.get(name) for name in STATS}, ensure_ascii=False) + "\n")
        yield record


# ---------------------------------------------------------------- names of runs


def name_run(sentences: Iterable[Sentence], model: Path | None, options: Any) -> dict[str, str]:
    """Identifies a run by its input, its options, and the names, sizes and times of the files of the user's model, if
    any.

    The options are a dataclass; its field `model` is ignored.
    """
    files = sorted(path for path in model.iterdir() if path.is_file()) if model and model.is_dir() else []
    stats = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    chosen = [(field.name, str(getattr(options, field.name))) for field in fields(options) if field.name != "model"]
    return {"input": _digest(map(_content, sentences)), "model": _digest(stats), "options": _digest(chosen)}


def _content(sentence: Sentence) -> object:
    lattice = sentence.lattice
    if lattice is None:
        return sentence
    arrays = (lattice.offsets, lattice.olabels, lattice.weights, lattice.nextstates, lattice.finals)
    matrices = (lattice.features.arcs, lattice.features.finals)
    words = list(lattice.symbols)
    return sentence, words, list(lattice.features), [array.tobytes() for array in arrays + matrices]


def _digest(parts: Iterable[object]) -> str:
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        digest.update(repr(part).encode())
        digest.update(b"\n")
    return digest.hexdigest()
