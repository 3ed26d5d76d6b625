"""`lattice-simp paraphrase ...`: all sentences that the phrases of a set make."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import typer

from lattice_simp.commands.options import FAILED, INTERRUPTED, command_app
from lattice_simp.commands.sentence_run import Job, RunOptions, is_stream, name_run, run_sentences
from lattice_simp.commands.sentence_sets import SentenceSetLine, read_parallel, read_sets
from lattice_simp.commands.sentences import Sentence
from lattice_simp.commands.settings_options import takes_settings
from lattice_simp.commands.worker import Record
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats import write
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.sample import sample as draw
from lattice_simp.paraphrase.alignment import align_phrases
from lattice_simp.paraphrase.filters import FILTERS
from lattice_simp.paraphrase.links import link_words
from lattice_simp.paraphrase.network import SUBSTITUTIONS
from lattice_simp.paraphrase.paraphraser import Expansion, Paraphraser, ParaphraseSettings, parsed
from lattice_simp.paraphrase.synonyms import SENSES, WORDNET, Thesaurus
from lattice_simp.paraphrase.tree import Tree
from lattice_simp.pipeline.outcome import Function

if TYPE_CHECKING:
    from lattice_simp.lm import LanguageModel

app = command_app("Expand sets of sentences that mean the same: count, list, sample what their phrases make.")

LM_BEAM = 10.0
"""Nats above a set's best sentence that are kept, unless told otherwise."""

Input = Annotated[
    Optional[str],  # noqa: UP045
    typer.Argument(help="sets: sentences with a blank line after each set, or JSON lines; stdin"),
]
Parallel = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--parallel", help="instead of INPUT: a file of each set's next sentence; give it several times"),
]
Output = Annotated[str, typer.Option("--output", "-o", help="the file to write, or - for stdout")]
Trees = Annotated[bool, typer.Option("--trees", help="the sentences are Penn brackets; nothing is parsed")]
Tokenised = Annotated[bool, typer.Option("--tokenised", help="blanks separate the tokens of sentences")]
Filters = Annotated[str, typer.Option(help=f"conditions on sentences: some of {','.join(FILTERS)}; all; none")]
WordNet = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(help=f"the folder of WordNet's index files; {WORDNET} if it is there"),
]
Senses = Annotated[int, typer.Option(min=0, help="how many senses of a word count in WordNet; 0: no WordNet")]
Synonyms = Annotated[
    Path | None, typer.Option(help="a file of words that mean the same: a group a line, tabs between")
]
Model = Annotated[Optional[Path], typer.Option("--lm", help="a language model: ARPA or KenLM binary")]  # noqa: UP045
Beam = Annotated[float, typer.Option(min=0, help="with --lm: nats above a set's best sentence to keep")]
Limit = Annotated[int, typer.Option(min=1, help="sentences of each set to list, the best first")]
Jobs = Annotated[int, typer.Option(min=1, help="worker processes")]
Resume = Annotated[bool, typer.Option("--resume", help="go on where a killed run stopped (needs --output)")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="no progress, no summary")]
Lattices = Annotated[Optional[Path], typer.Option(help="a folder that receives each set's lattice, ID.fst")]  # noqa: UP045
Form = Annotated[
    Literal["text", "json"], typer.Option("--format", help="sentences in blocks, or JSON lines with costs")
]


@dataclass(frozen=True)
class RunChoices:
    """What is read, how much is done at once, and where it goes."""

    source: str | None
    parallel: list[str] | None
    output: str
    jobs: int
    resume: bool
    quiet: bool
    debug: bool


@dataclass(frozen=True)
class Work:
    """What every worker needs to know.

    Attributes:
        action: what is made of a set's expansion.
        ids: the names of the sets.
        settings: what was given of `ParaphraseSettings`, as nested dicts.
    """

    action: str
    ids: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    filters: str = "all"
    trees: bool = False
    tokenised: bool = False
    wordnet: Path | None = None
    senses: int = SENSES
    synonyms: Path | None = None
    lm: Path | None = None
    beam: float = LM_BEAM
    limit: int = 1
    form: str = "text"
    seed: int = 0
    weighted: bool = False
    lattices: Path | None = None

    @property
    def model(self) -> Path:
        """What else the results depend on, as `name_run` takes it."""
        return self.lm or Path()

    def paraphraser(self) -> Paraphraser:
        """Makes what expands sets."""
        given = dict(self.settings)
        inner = ParaphraseSettings.__dataclass_fields__["alignment"].default_factory
        assert callable(inner)
        alignment = replace(inner(), **given.pop("alignment", {}))
        names = {"all": tuple(FILTERS), "none": ()}.get(self.filters)
        chosen = tuple(self.filters.split(",")) if names is None else names
        return Paraphraser(ParaphraseSettings(alignment=alignment, filters=chosen, **given), self.thesaurus())

    def thesaurus(self) -> Thesaurus:
        """Reads WordNet, if it is there, and the groups of the user."""
        words = Thesaurus() if self.synonyms is None else Thesaurus.read(self.synonyms)
        if self.senses and (self.wordnet is not None or WORDNET.is_dir()):
            words = words.joined(Thesaurus.read_wordnet(self.wordnet or WORDNET, self.senses))
        return words


@app.callback()
def paraphrase() -> None:
    """Expand sets of sentences that mean the same: count, list, sample what their phrases make."""


@app.command()
@takes_settings(ParaphraseSettings)
def expand(
    context: typer.Context,
    settings: dict[str, Any],
    source: Input = None,
    parallel: Parallel = None,
    output: Output = "-",
    limit: Limit = 100,
    form: Form = "text",
    lattices: Lattices = None,
    lm: Model = None,
    beam: Beam = LM_BEAM,
    filters: Filters = "all",
    trees: Trees = False,
    tokenised: Tokenised = False,
    wordnet: WordNet = None,
    senses: Senses = SENSES,
    synonyms: Synonyms = None,
    jobs: Jobs = 1,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """List the sentences that each set's phrases make. Example: lattice-simp paraphrase expand sets.txt --limit 20

    The best under the language model come first; without one, those with the fewest substitutions. The set's own
    sentences are among them. Output is tokens; a set that fails is told and passed through.
    """
    shared = Work("expand", (), settings, filters, trees, tokenised, wordnet, senses, synonyms, lm, beam)
    work = replace(shared, limit=limit, form=form, lattices=lattices)
    _run(work, RunChoices(source, parallel, output, jobs, resume, quiet, bool(context.obj)))


@app.command()
@takes_settings(ParaphraseSettings)
def count(
    context: typer.Context,
    settings: dict[str, Any],
    source: Input = None,
    parallel: Parallel = None,
    output: Output = "-",
    lm: Model = None,
    beam: Beam = LM_BEAM,
    filters: Filters = "all",
    trees: Trees = False,
    tokenised: Tokenised = False,
    wordnet: WordNet = None,
    senses: Senses = SENSES,
    synonyms: Synonyms = None,
    jobs: Jobs = 1,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Count the sentences of each set's expansion, exactly, as JSON lines. Example: lattice-simp paraphrase count sets.txt

    A line has the set's id, the numbers of sentences given, of equivalent phrases, of all and of new sentences, what
    each filter removed, the word links by kind, and the depth that was set because phrases recurse.
    """
    work = Work("count", (), settings, filters, trees, tokenised, wordnet, senses, synonyms, lm, beam)
    _run(work, RunChoices(source, parallel, output, jobs, resume, quiet, bool(context.obj)))


@app.command()
@takes_settings(ParaphraseSettings)
def sample(
    context: typer.Context,
    settings: dict[str, Any],
    source: Input = None,
    parallel: Parallel = None,
    output: Output = "-",
    n: Annotated[int, typer.Option("-n", min=1, help="sentences to draw from each set, with replacement")] = 5,
    seed: Annotated[int, typer.Option(help="of the random numbers; each set has its own")] = 0,
    weighted: Annotated[bool, typer.Option("--weighted", help="by their probabilities under --lm")] = False,
    form: Form = "text",
    lm: Model = None,
    beam: Beam = LM_BEAM,
    filters: Filters = "all",
    trees: Trees = False,
    tokenised: Tokenised = False,
    wordnet: WordNet = None,
    senses: Senses = SENSES,
    synonyms: Synonyms = None,
    jobs: Jobs = 1,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Draw sentences of each set's expansion at random, all equally probable. Example: lattice-simp paraphrase sample sets.txt -n 5"""
    if weighted and lm is None:
        raise LatticeSimpError("--weighted needs --lm: without a model all sentences are equally probable")
    shared = Work("sample", (), settings, filters, trees, tokenised, wordnet, senses, synonyms, lm, beam)
    work = replace(shared, limit=n, form=form, seed=seed, weighted=weighted)
    _run(work, RunChoices(source, parallel, output, jobs, resume, quiet, bool(context.obj)))


@app.command()
@takes_settings(ParaphraseSettings)
def align(
    context: typer.Context,
    settings: dict[str, Any],
    source: Input = None,
    parallel: Parallel = None,
    output: Output = "-",
    trees: Trees = False,
    tokenised: Tokenised = False,
    wordnet: WordNet = None,
    senses: Senses = SENSES,
    synonyms: Synonyms = None,
    jobs: Jobs = 1,
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Tell the equivalent phrases of each pair of a set's sentences, as JSON lines. Example: lattice-simp paraphrase align sets.txt

    Identical phrases are there, too (`identical`), and those that follow from smaller ones (`composed`).
    """
    work = Work("align", (), settings, "none", trees, tokenised, wordnet, senses, synonyms)
    _run(work, RunChoices(source, parallel, output, jobs, resume, quiet, bool(context.obj)))


def _run(work: Work, chosen: RunChoices) -> None:
    """Does the work on all sets."""
    if chosen.resume and is_stream(chosen.output):
        raise LatticeSimpError("--resume needs --output FILE: only a file can be continued")
    if chosen.parallel and chosen.source:
        raise LatticeSimpError("the sets come from INPUT or from --parallel files, not from both")
    sets = read_parallel(chosen.parallel) if chosen.parallel else read_sets(chosen.source or "-")
    work = replace(work, ids=tuple(own.id for own in sets))
    if work.lattices is not None and len(set(work.ids)) < len(sets):
        raise LatticeSimpError("two sets have one id, but --lattices names files by them")
    work.paraphraser()  # what is wrong with the options is wrong for all sets
    sentences = [Sentence(own.sentences, text=_passed_through(own, work)) for own in sets]
    run = RunOptions(chosen.output, None, chosen.jobs, None, chosen.resume, chosen.quiet, chosen.debug)
    job = Job("paraphrasing", partial(make_worker, work), name_run(sentences, work.model, work))
    try:
        report = run_sentences(sentences, job, run)
    except KeyboardInterrupt:
        kept = (
            "the same command with --resume goes on from here"
            if chosen.output != "-"
            else "--output FILE keeps results"
        )
        print(f"lattice-simp: interrupted; {kept}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if not chosen.quiet:
        print(f"{len(sets)} sets in {report.seconds:.1f} s, {report.failed} failed", file=sys.stderr)
    if report.all_failed:
        raise typer.Exit(FAILED)


def _passed_through(own: SentenceSetLine, work: Work) -> str:
    """Returns what is written of a set that fails."""
    if work.action in ("expand", "sample") and work.form == "text":
        return _block(own.sentences)
    return json.dumps({"id": own.id, "failed": True}, ensure_ascii=False)


def _block(sentences: Iterable[str]) -> str:
    """Returns the lines of a set, which the end of its record follows as a blank line."""
    return "".join(f"{sentence}\n" for sentence in sentences)


def make_worker(work: Work) -> Function:
    """Loads what a worker needs; returns the function that does one numbered set."""
    model = None
    if work.lm is not None:
        from lattice_simp.lm import LanguageModel

        model = LanguageModel.read(work.lm)
    return partial(_one_set, work, work.paraphraser(), model)


def _one_set(work: Work, paraphraser: Paraphraser, model: LanguageModel | None, task: tuple[int, Sentence]) -> Record:
    number, sentence = task
    given = SentenceSetLine(work.ids[number], sentence.words)
    line = _ACTIONS[work.action](work, paraphraser, model, given)
    return {"number": number, "line": line, "nbest": [], "reachable": None}


def _trees(work: Work, given: SentenceSetLine) -> list[Tree]:
    if work.trees:
        return [Tree.from_brackets(sentence) for sentence in given.sentences]
    if work.tokenised:
        return parsed(given.sentences)
    from lattice_simp.skeleton.automatic.spacy_parser import tokenise

    return parsed([tokenise(sentence) for sentence in given.sentences])


def _expansion(
    work: Work, paraphraser: Paraphraser, model: LanguageModel | None, given: SentenceSetLine
) -> tuple[Expansion, Lattice]:
    """Returns the expansion, and its lattice within the model's beam."""
    found = paraphraser.expand_trees(_trees(work, given))
    if model is None:
        return found, found.lattice
    from lattice_simp.ops.apply_lm import apply_lm

    return found, apply_lm(found.lattice, {"LM": (model, 1.0)}, beam=work.beam)


def _expand(work: Work, paraphraser: Paraphraser, model: LanguageModel | None, given: SentenceSetLine) -> str:
    if not given.sentences:
        return _listed(work, given, [], 0)
    found, lattice = _expansion(work, paraphraser, model, given)
    if work.lattices is not None:
        work.lattices.mkdir(parents=True, exist_ok=True)
        write(lattice, work.lattices / f"{given.id}.fst")
    ranked = lattice if model is not None else found.by_substitutions()
    return _listed(work, given, nbest(ranked, work.limit), found.count)


def _sample(work: Work, paraphraser: Paraphraser, model: LanguageModel | None, given: SentenceSetLine) -> str:
    if not given.sentences:
        return _listed(work, given, [], 0)
    found, lattice = _expansion(work, paraphraser, model, given)
    seed = work.seed + work.ids.index(given.id)
    return _listed(work, given, draw(lattice, work.limit, seed=seed, uniform=not work.weighted), found.count)


def _listed(work: Work, given: SentenceSetLine, paths: list[Hypothesis], total: int) -> str:
    if work.form == "text":
        return _block(path.text for path in paths)
    rows = [
        {"text": path.text, "substitutions": -round(path.features[SUBSTITUTIONS]), "cost": path.cost} for path in paths
    ]
    return json.dumps({"id": given.id, "count": total, "sentences": rows}, ensure_ascii=False)


def _count(work: Work, paraphraser: Paraphraser, model: LanguageModel | None, given: SentenceSetLine) -> str:
    if not given.sentences:
        return json.dumps({"id": given.id, "given": 0, "phrases": 0, "sentences": 0, "new": 0})
    found, lattice = _expansion(work, paraphraser, model, given)
    record = {
        "id": given.id,
        "given": len(set(found.sentences)),
        "phrases": len(found.grammar.pairs),
        "sentences": found.count,
        "new": found.new,
        "removed": dict(found.removed),
        "links": dict(found.grammar.links),
        "bounded": found.bounded,
    }
    if model is not None:
        from lattice_simp.ops.count_paths import count_paths

        record["within_beam"] = count_paths(lattice)
    return json.dumps(record, ensure_ascii=False)


def _align(work: Work, paraphraser: Paraphraser, model: LanguageModel | None, given: SentenceSetLine) -> str:
    trees = _trees(work, given) if given.sentences else []
    pairs = []
    for one, other in combinations(range(len(trees)), 2):
        links = link_words(trees[one], trees[other], paraphraser.thesaurus)
        for pair in align_phrases(trees[one], trees[other], links, paraphraser.settings.alignment):
            pairs.append(
                {
                    "sentences": [one, other],
                    "category": pair.category,
                    "phrases": [
                        " ".join(trees[one].phrase(pair.nodes[0])),
                        " ".join(trees[other].phrase(pair.nodes[1])),
                    ],
                    "spans": [pair.first, pair.second],
                    "links": pair.links,
                    "identical": pair.identical,
                    "composed": pair.composed,
                }
            )
    return json.dumps({"id": given.id, "pairs": pairs}, ensure_ascii=False)


_Action = Callable[[Work, Paraphraser, "LanguageModel | None", SentenceSetLine], str]

_ACTIONS: Mapping[str, _Action] = {"expand": _expand, "count": _count, "sample": _sample, "align": _align}
