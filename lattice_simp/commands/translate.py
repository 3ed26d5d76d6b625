"""`lattice-simp translate`: many sentences, in parallel, with a journal for runs that are killed."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from lattice_simp.commands.batch import Function, Outcome, in_order, run_batch
from lattice_simp.commands.journal import Journal
from lattice_simp.commands.sentences import Sentence
from lattice_simp.formats.textio import open_text


@dataclass(frozen=True)
class TranslateOptions:
    """What every worker needs to know; the fields are the command's options."""

    model: Path
    strategy: str | None = None
    nbest: int = 0
    lattices: Path | None = None
    beam: float | None = None
    loops: str | None = None
    gaps: str | None = None
    skeleton_weight: float | None = None
    skeleton_hypotheses: int | None = None
    edits: bool = False


@dataclass
class Summary:
    """Counts of a run."""

    sentences: int = 0
    failed: int = 0
    reachable: int = 0
    unreachable: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        text = f"{self.sentences} sentences in {self.seconds:.1f} s, {self.failed} failed (passed through)"
        if self.reachable + self.unreachable:
            text += f"; skeleton found in {self.reachable}, not found in {self.unreachable} (plain translation)"
        return text


def make_translator(options: TranslateOptions) -> Function:
    """Loads the model in a worker; gives the function that translates one numbered sentence."""
    from lattice_simp import Decoder, EditCosts

    decoder = Decoder.load(options.model)
    skeleton = decoder.settings.skeleton
    changes: dict[str, Any] = {"loops": options.loops, "gaps": options.gaps, "weight": options.skeleton_weight}
    changes |= {"hypotheses": options.skeleton_hypotheses, "edits": EditCosts() if options.edits else None}
    skeleton = replace(skeleton, **{name: value for name, value in changes.items() if value is not None})
    settings = replace(decoder.settings, skeleton=skeleton)
    if options.beam is not None:
        settings = replace(settings, beam=options.beam)
    return partial(_translate, replace(decoder, settings=settings), options)


def _translate(decoder: Any, options: TranslateOptions, task: tuple[int, Sentence]) -> dict[str, Any]:
    """Gives the journal record of one sentence."""
    from lattice_simp.skeleton import Skeleton

    number, sentence = task
    if not sentence.words:
        return {"number": number, "line": "", "nbest": [], "reachable": None}
    skeletons = [Skeleton.from_mask(mask, sentence.words) for mask in sentence.masks]
    given = list(sentence.hypotheses) if sentence.hypotheses else None
    result = decoder.translate(sentence.words, skeletons or None, strategy=options.strategy, skeleton_hypotheses=given)
    paths = result.nbest(max(1, options.nbest))
    if options.lattices:
        result.lattice.write(options.lattices / f"{number}.fst.gz")
    entries = [
        {"words": path.words, "features": result.features(path), "total": -path.cost} for path in paths[: options.nbest]
    ]
    return {"number": number, "line": paths[0].words, "nbest": entries, "reachable": result.reachable}


def translate_all(
    sentences: list[Sentence],
    options: TranslateOptions,
    *,
    output: str,
    nbest_output: Path | None,
    jobs: int,
    time_limit: float | None,
    resume: bool,
    quiet: bool,
) -> Summary:
    """Translates sentences, writes lines (and n-best lists) in their order, and gives the counts.

    With an output file, finished sentences go to a journal first; `resume` continues it.
    """
    begin = time.monotonic()
    summary = Summary(sentences=len(sentences))
    if options.lattices:
        options.lattices.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        journal = None
        if output != "-":
            journal = stack.enter_context(Journal(Path(output), run_name(sentences, options), resume=resume))
        progress = stack.enter_context(_progress(quiet))
        bar = progress.add_task("translating", total=len(sentences))
        records = _records(sentences, options, journal, jobs, time_limit)
        counted = _counted(records, sentences, summary, lambda: progress.advance(bar))
        if journal is None:
            _write_stream(counted, nbest_output)
        else:
            _write_files(list(counted), Path(output), nbest_output)
            journal.remove()
    summary.seconds = time.monotonic() - begin
    return summary


def run_name(sentences: Iterable[Sentence], options: TranslateOptions) -> str:
    """Names a run by its input, its options and its model's files (names, sizes, times)."""
    digest = hashlib.blake2b(digest_size=12)
    files = sorted(path for path in options.model.iterdir() if path.is_file()) if options.model.is_dir() else []
    stats = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    for part in chain([asdict(options), stats], sentences):
        digest.update(repr(part).encode())
    return digest.hexdigest()


def _records(
    sentences: list[Sentence], options: TranslateOptions, journal: Journal | None, jobs: int, limit: float | None
) -> Iterator[dict[str, Any]]:
    """Yields the records in order; new ones enter the journal as they come."""
    known = dict(journal.records) if journal else {}
    todo = [(number, (number, sentence)) for number, sentence in enumerate(sentences) if number not in known]

    def entered(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        for outcome in outcomes:
            if outcome.failure is None and journal is not None:
                journal.add(outcome.result)
            yield outcome

    outcomes = entered(run_batch(todo, partial(make_translator, options), jobs=jobs, time_limit=limit)) if todo else ()
    fresh = in_order(outcomes, [number for number, _ in todo])
    for number in range(len(sentences)):
        if number in known:
            yield known[number]
            continue
        outcome = next(fresh)
        yield outcome.result or {"number": number, "failure": outcome.failure, "trace": outcome.trace}
    for _ in fresh:
        pass


def _counted(
    records: Iterable[dict[str, Any]], sentences: list[Sentence], summary: Summary, advance: Any
) -> Iterator[dict[str, Any]]:
    """Counts, reports failures on stderr, and lets failed sentences pass through."""
    for record in records:
        advance()
        if record.get("failure"):
            summary.failed += 1
            print(f"line {record['number'] + 1}: {record['failure']}; passed through", file=sys.stderr)
            words = " ".join(sentences[record["number"]].words)
            record = {"number": record["number"], "line": words, "nbest": [], "reachable": None}
        summary.reachable += record["reachable"] is True
        summary.unreachable += record["reachable"] is False
        yield record


def _nbest_group(record: dict[str, Any]) -> tuple[int, list[Any]]:
    from lattice_simp.formats.nbest import Hypothesis

    features: list[dict[str, tuple[float, ...]]] = [
        {name: (value,) for name, value in entry["features"].items()} for entry in record["nbest"]
    ]
    entries = [
        Hypothesis(record["number"], entry["words"], own, entry["total"])
        for entry, own in zip(record["nbest"], features, strict=True)
    ]
    return record["number"], entries


def _write_stream(records: Iterable[dict[str, Any]], nbest_output: Path | None) -> None:
    """Writes each line to stdout as soon as it is there."""
    from lattice_simp.formats.nbest import write_nbest

    groups = []
    for record in records:
        sys.stdout.write(record["line"] + "\n")
        sys.stdout.flush()
        groups.append(_nbest_group(record))
    if nbest_output:
        write_nbest(groups, nbest_output)


def _write_files(records: list[dict[str, Any]], output: Path, nbest_output: Path | None) -> None:
    from lattice_simp.formats.nbest import write_nbest

    if nbest_output:
        write_nbest((_nbest_group(record) for record in records), nbest_output)
    with open_text(output, "w") as file:
        for record in records:
            file.write(record["line"] + "\n")


class _RateColumn(ProgressColumn):
    """Sentences a second."""

    def render(self, task: Task) -> Text:
        return Text("" if not task.speed else f"{task.speed:.2f}/s")


def _progress(quiet: bool) -> Progress:
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _RateColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, disable=quiet or not console.is_terminal)
