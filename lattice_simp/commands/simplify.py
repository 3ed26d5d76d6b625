"""`lattice-simp simplify`: simplifies English sentences, and explains the operations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

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
from lattice_simp.commands.sentence_run import Job, RunOptions, end_run, line_place, name_run, resumable, run_sentences
from lattice_simp.commands.sentences import Sentence, english_text, model_text, read_sentences
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.plurals import counted
from lattice_simp.support.tasks.outcome import Function
from lattice_simp.support.textio import open_text
from lattice_simp.systems.simplify.explanation import explanation
from lattice_simp.systems.simplify.graphs.boxer import graphs_by_tokens
from lattice_simp.systems.simplify.graphs.graph import SemanticGraph
from lattice_simp.systems.simplify.operations import OperationModel
from lattice_simp.systems.simplify.simplifier import OPERATIONS, STAGES, Mode, Search, Simplifier, Stage, most_unlike

if TYPE_CHECKING:
    from lattice_simp.text.tokeniser import Tokeniser

app = command_app()


@app.command()
def simplify(
    context: typer.Context,
    model: Annotated[
        Path | None,
        typer.Argument(help="folder that `lattice-simp train` made with a section simplify; optional"),
    ] = None,
    source: SentenceFile = None,
    output: Annotated[Output, Detail("one line per sentence")] = "-",
    tokenised: Annotated[Tokenised, Detail("so is the output")] = False,
    mode: Annotated[Mode, typer.Option(help="make only safe changes, or all that the model proposes")] = "cautious",
    search: Annotated[Search, typer.Option(help="apply all steps jointly, or one after the other")] = "joint",
    steps: Annotated[str, typer.Option(help="steps to apply, separated by commas")] = ",".join(STAGES),
    rerank: Annotated[
        int, typer.Option(min=0, help="choose among this many results the one least similar to the source")
    ] = 0,
    change: Annotated[bool, typer.Option("--change", help="choose the best that is not the source")] = False,
    explain: Annotated[Path | None, typer.Option(help="JSON lines: the changes to each sentence")] = None,
    nbest: Annotated[int, typer.Option("--nbest", "-n", min=0, help="hypotheses per sentence")] = 0,
    nbest_output: NbestOutput = None,
    graphs: Annotated[Path | None, typer.Option(help="semantic graphs to use instead of parses")] = None,
    jobs: Jobs = 1,
    dask: Dask = None,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Simplify English sentences. Example: lattice-simp simplify < a.txt > simple.txt

    The command splits sentences, and deletes or replaces words and phrases. It finds the best of all combinations
    (--search joint), or applies one step after the other, as published (--search greedy). By default (--mode cautious)
    it parses its results, rejects broken sentences, and replaces words only by those of a table. With --mode bold it
    makes all changes that the model proposes. Sentences that cannot be parsed are reported; bold mode then only
    replaces words, cautious mode copies them to the output. Empty lines stay empty. --graphs reads graphs of sentences
    with the same tokens, and reports sentences without one.
    """
    run = RunOptions(output, nbest_output, jobs, None, resume, quiet, debug=bool(context.obj), dask=dask)
    run.check(nbest)
    unknown = [step for step in steps.split(",") if step not in STAGES]
    if unknown:
        raise LatticeSimpError(f"--steps {steps}: {unknown[0]!r} is not one of {','.join(STAGES)}")
    if model is not None and model.is_file():
        remedy = f"no model is needed: lattice-simp simplify < {model}"
        raise FormatError("is a file, not the folder of a model", path=model, remedy=remedy)
    if model is not None and model.is_dir() and not (model / OPERATIONS).exists():
        remedy = "no model is needed: lattice-simp simplify < FILE"
        raise FormatError(f"has no {OPERATIONS}, so it is not a simplification model", path=model, remedy=remedy)
    if model is not None:
        OperationModel.read(model / OPERATIONS)  # refuses a wrong folder before any line is read
    elif mode == "bold":
        raise LatticeSimpError("--mode bold needs a trained model (name its folder)")
    stages = tuple(stage for stage in STAGES if stage in steps.split(","))
    text = model_text(model, tokenised=tokenised) if model is not None else english_text(tokenised=tokenised)
    written = None if text is None else replace(text[1], case="keep", casing={})
    options = SimplifyOptions(model, search, stages, rerank, nbest, change, mode, graphs, written)
    tokens = None
    if text is not None:  # parsers need the original case
        tokens, run = replace(text[0], case="keep", casing={}).tokens, replace(run, text=text[1].text)
    sentences = read_sentences(source or "-", None, "0", None, tokens)
    explained = _Explained(explain)
    parts = name_run(sentences, model, options)
    if graphs is not None:
        parts["graphs"] = _matching(graphs, sentences)
    place = partial(line_place, source)
    job = Job("simplifying", partial(make_simplifier, options), parts, place, on_record=explained.add)
    with resumable(run):
        report = run_sentences(sentences, job, run)
    explained.write()
    end_run(report, run, f"{report}{explained.counts}")


@dataclass(frozen=True)
class SimplifyOptions:
    """The options of every worker."""

    model: Path | None
    search: Search
    stages: tuple[Stage, ...]
    rerank: int
    nbest: int
    change: bool
    mode: Mode
    graphs: Path | None = None
    text: Tokeniser | None = None


def _matching(path: Path, sentences: Sequence[Sentence]) -> str:
    """Returns a digest of the graphs of sentences.

    Raises:
        FormatError: the file is broken, or has a graph of none of the sentences.
    """
    graphs = graphs_by_tokens([path])
    matching = [graphs[sentence.words] for sentence in sentences if sentence.words in graphs]
    if not matching and any(sentence.words for sentence in sentences):
        remedy = "give the tokens of the graphs, with --tokenised"
        raise FormatError("none of the graphs has the tokens of a sentence", path=path, remedy=remedy)
    return blake2b(repr(matching).encode(), digest_size=12).hexdigest()


def make_simplifier(options: SimplifyOptions) -> Function:
    """Loads the model in a worker; returns the function that simplifies one numbered sentence."""
    loaded = Simplifier.untrained() if options.model is None else Simplifier.load(options.model)
    chosen = replace(loaded, search=options.search, stages=options.stages, change=options.change, mode=options.mode)
    graphs = None if options.graphs is None else graphs_by_tokens([options.graphs])
    return partial(_simplify, chosen, options, graphs)


_Graphs: TypeAlias = Mapping[tuple[str, ...], SemanticGraph]


def _simplify(
    simplifier: Simplifier, options: SimplifyOptions, graphs: _Graphs | None, task: tuple[int, Sentence]
) -> Record:
    number, sentence = task
    if not sentence.words:
        return empty_record(number, options.nbest)
    words = sentence.words
    source = words if graphs is None else graphs.get(words, SemanticGraph(words, (), ()))
    hypotheses = simplifier.simplify(source, max(1, options.rerank, options.nbest))
    best = most_unlike(hypotheses[: options.rerank]) if options.rerank else hypotheses[0]
    if best.problem:
        raise LatticeSimpError(best.problem)
    entries = [
        nbest_entry(hypothesis.tokens, hypothesis.cost, hypothesis.features)
        for hypothesis in hypotheses[: options.nbest]
    ]
    record: Record = {"number": number, "line": best.text, "nbest": entries, "reachable": None}
    record["explained"] = explanation(best)
    if options.text is not None and sentence.text is not None:
        record["text"] = options.text.text_like(best.text, sentence.text)
    if best.note:
        record["note"] = f"{best.note}; only words were replaced"
    return record if best.is_changed else {**record, "as_given": True}


class _Explained:
    """The explanations of a run: counted, and written once all sentences are done."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lines: list[str] = []
        self._counts = Counter[str]()
        self._noted = 0

    def add(self, record: Record) -> None:
        """Adds the explanation of a sentence, or only the text of a failed sentence."""
        steps = record.get("explained", {"source": record["line"], "simple": record["line"]})
        for kind in ("split", "deletion", "substitution", "reordering"):
            self._counts[kind] += len(steps.get(f"{kind}s", ()))
        self._noted += "note" in record
        if self._path is not None:
            self._lines.append(json.dumps(steps, ensure_ascii=False) + "\n")

    @property
    def counts(self) -> str:
        """The counts of the operations, for the summary."""
        operations = "".join(f", {counted(count, kind)}" for kind, count in self._counts.items())
        return f"{operations}; {self._noted} by substitution alone" if self._noted else operations

    def write(self) -> None:
        """Writes the file, if there is one."""
        if self._path is not None:
            with open_text(str(self._path), "w") as file:
                file.writelines(self._lines)
