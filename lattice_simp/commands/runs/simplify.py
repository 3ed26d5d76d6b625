"""The run of `lattice-simp simplify`: reads sentences, simplifies them, and writes what was done to each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lattice_simp.commands.inputs.sentences import Sentence, english_text, model_text, read_sentences
from lattice_simp.commands.running.records import Record, empty_record, nbest_entry
from lattice_simp.commands.running.sentences import (
    Job,
    RunOptions,
    end_run,
    line_place,
    name_run,
    resumable,
    run_sentences,
)
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


@dataclass(frozen=True)
class SimplifyOptions:
    """The options of every worker.

    Attributes:
        model: the folder of the model; None for simplification by tables alone.
        search, stages, change, mode: as those of `Simplifier`.
        rerank: the number of results among which to choose the one least similar to the source; 0 for the best.
        nbest: the number of hypotheses to list for each sentence.
        graphs: a file of semantic graphs to use instead of parses.
        text: the tokeniser that makes text of simple tokens; None for tokens.
    """

    model: Path | None
    search: Search
    stages: tuple[Stage, ...]
    rerank: int
    nbest: int
    change: bool
    mode: Mode
    graphs: Path | None = None
    text: Tokeniser | None = None

    def check(self) -> None:
        """Checks the model before any line is read.

        Raises:
            LatticeSimpError: there is none, but the mode needs one; or its folder is that of something else.
        """
        if self.model is None:
            if self.mode == "bold":
                raise LatticeSimpError("--mode bold needs a trained model (name its folder)")
            return
        if not (self.model / OPERATIONS).exists():
            fault = f"has no {OPERATIONS}, so it is not a simplification model"
            if not self.model.is_dir():
                fault = "is a file, not the folder of a model" if self.model.is_file() else "does not exist"
            remedy = f"no model is needed: lattice-simp simplify < {self.model if self.model.is_file() else 'FILE'}"
            raise FormatError(fault, path=self.model, remedy=remedy)
        OperationModel.read(self.model / OPERATIONS)


def chosen_stages(steps: str) -> tuple[Stage, ...]:
    """Returns the stages of a comma-separated list, in the order in which they are applied.

    >>> chosen_stages("substitute,split")
    ('split', 'substitute')

    Raises:
        LatticeSimpError: one is unknown.
    """
    names = steps.split(",")
    if unknown := [name for name in names if name not in STAGES]:
        raise LatticeSimpError(f"--steps {steps}: {unknown[0]!r} is not one of {','.join(STAGES)}")
    return tuple(stage for stage in STAGES if stage in names)


def run_simplification(
    source: str | None, options: SimplifyOptions, run: RunOptions, explain: Path | None, *, tokenised: bool
) -> None:
    """Simplifies sentences and writes the output; see `run_sentences`.

    The tokeniser of the options' text follows from the model. `explain` is a file for the changes to each sentence.
    """
    options.check()
    model = options.model
    text = model_text(model, tokenised=tokenised) if model is not None else english_text(tokenised=tokenised)
    tokens = None
    if text is not None:  # parsers need the original case
        cased = [replace(side, case="keep", casing={}) for side in text]
        tokens, run = cased[0].retokenised, replace(run, text=text[1].text)
        options = replace(options, text=cased[1])
    sentences = read_sentences(source or "-", None, "0", None, tokens)
    explained = _Explained(explain)
    parts = name_run(sentences, model, options)
    if options.graphs is not None:
        parts["graphs"] = _matching(options.graphs, sentences)
    place = partial(line_place, source)
    job = Job("simplifying", partial(make_simplifier, options), parts, place, on_record=explained.add)
    with resumable(run):
        report = run_sentences(sentences, job, run)
    explained.write()
    end_run(report, run, f"{report}{explained.counts}")


def _matching(path: Path, sentences: Sequence[Sentence]) -> str:
    """Returns a digest of the graphs of sentences."""
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


_KINDS = ("split", "deletion", "substitution", "reordering")
"""The kinds of changes, each a list in the explanation of a sentence."""


class _Explained:
    """The explanations of a run: counted, and written once all sentences are done."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lines: list[str] = []
        self._counts = Counter[str]()
        self._noted = 0

    def add(self, record: Record) -> None:
        """Adds the explanation of a sentence; an empty or failed one has no changes."""
        copied = {"source": record["line"], "simple": record["line"], **{f"{kind}s": [] for kind in _KINDS}}
        steps = record.get("explained", copied)
        for kind in _KINDS:
            self._counts[kind] += len(steps[f"{kind}s"])
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
