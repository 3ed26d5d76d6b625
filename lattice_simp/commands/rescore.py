"""`lattice-simp rescore`: train models that score hypotheses, add their scores to n-best lists, search lattices."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from lattice_simp.commands.lattice_input import ignored_labels, named, require_hypotheses
from lattice_simp.commands.losses import IN_TEXT, Losses, write_lists
from lattice_simp.commands.options import (
    Cost,
    Detail,
    FirstId,
    Ignore,
    LatticeFolder,
    Models,
    Nbest,
    Output,
    OutputFolder,
    Overrides,
    Pieces,
    Quiet,
    Source,
    Weights,
    command_app,
    named_path,
    refuse_idle,
    say,
)
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.list_lines import Sentence
from lattice_simp.rescore import read_scorers
from lattice_simp.rescore.kind import TrainingOptions
from lattice_simp.rescore.scorer import reads_source
from lattice_simp.rescore.table import trained_kinds
from lattice_simp.support.extras import extra
from lattice_simp.support.plurals import counted
from lattice_simp.support.textio import readable

if TYPE_CHECKING:
    from lattice_simp.core.hypothesis import Hypothesis
    from lattice_simp.core.lattice import Lattice
    from lattice_simp.rescore.scorer import Scorer

app = command_app("Train models that score hypotheses; score n-best lists and lattices.")

_LATTICE_NAME = re.compile(r"(\d+)\.fst(\.gz)?", re.ASCII)

SourceLines: TypeAlias = Annotated[Source, Detail("tokenised")]
ScorerModels: TypeAlias = Annotated[Models, Detail(".scorer, ARPA or KenLM file, CTranslate2 or transformers folder")]
Lists: TypeAlias = Annotated[Output, Detail("n-best lists in Moses format, or with --best one line per sentence")]
Folder: TypeAlias = Annotated[
    Path, typer.Argument(help="lattices 0.fst.gz, 1.fst.gz, ... (or .fst), as `translate --lattices` writes them")
]
ModelWeights: TypeAlias = Annotated[
    list[float] | None, typer.Option("--model-weight", help="weight of each model, in order (default: 1)")
]
LatticeWeight: TypeAlias = Annotated[float, typer.Option(help="weight of the lattice's costs")]
Best: TypeAlias = Annotated[bool, typer.Option("--best", help="write the best line per sentence, not n-best lists")]

TRAINED = f"kind of model to train: {', '.join(trained_kinds())} (repeatable; default: all)"


@app.command()
def nbest(
    file: Annotated[str, typer.Argument(help="n-best lists of any format, or - for stdin")],
    models: Annotated[ScorerModels | None, Detail("not needed to apply --weights to the features of the lists")] = None,
    source: Annotated[Source | None, Detail("tokenised")] = None,
    weights: Annotated[Weights | None, Detail("to compute the total of each hypothesis, and to sort by it")] = None,
    pieces: Pieces = "none",
    cost: Cost = None,
    first_id: FirstId = None,
    ignore: Ignore = None,
    output: Lists = "-",
    best: Best = False,
) -> None:
    """Add a feature for each model to n-best lists. Tune the weights with `lattice-simp tune nbest`.

    With --weights, the total of a hypothesis becomes the weighted sum of its features. Models of the target language
    only (n-gram and class models) need no --source. With --pieces, models score words joined from pieces, and the
    output holds words.

    Example: lattice-simp rescore nbest full.nbest --source dev.en --model build/bilingual.scorer -o scored.nbest
    """
    from lattice_simp.commands.whole_sentences import checked_lists
    from lattice_simp.formats.nbest import stream_sentences
    from lattice_simp.rescore.nbest import score_nbest, weighted_nbest
    from lattice_simp.translate.model_files import read_weights

    if not models and weights is None:
        raise LatticeSimpError("nothing to do: give models with --model, or --weights for the features of the lists")
    if best and weights is None:
        raise LatticeSimpError("--best needs --weights: without them, the models do not change the order")
    scorers = read_models(models or [])
    weighted = None if weights is None else read_weights(weights)
    needing = [name for name, scorer in scorers.items() if reads_source(scorer)]
    if source is None and needing:
        raise LatticeSimpError(f"{', '.join(needing)}: the model needs source sentences; give them with --source")
    lines = None if source is None else _source_lines(source)

    def scored(lists: Iterator[Sentence]) -> Iterator[Sentence]:
        for sentence in lists:
            number = sentence.number
            if lines is not None and number >= len(lines):
                remedy = f"{source} has {counted(len(lines), 'line')}; if ids begin with 1, give --first-id 1"
                raise FormatError(f"the list has a sentence {number + (first_id or 0)}", path=file, remedy=remedy)
            try:
                rescored = score_nbest([] if lines is None else lines[number], sentence.hypotheses, scorers)
                entries = rescored if weighted is None else weighted_nbest(rescored, weighted)
            except LatticeSimpError as error:
                message = f"{named(file)}: sentence {number + (first_id or 0)}: {error}"
                raise LatticeSimpError(message) from error
            yield sentence._replace(hypotheses=entries)

    with readable(file) as copy:
        lists = stream_sentences(copy, first_id or 0, pieces=pieces, cost=cost, ignore=ignored_labels(ignore))
        groups = scored(checked_lists(lists, file))
        _write(groups, output, best, None if lines is None else len(lines), first_id or 0)


@app.command()
def lattices(
    folder: Folder,
    source: SourceLines,
    models: ScorerModels,
    model_weights: ModelWeights = None,
    lattice_weight: LatticeWeight = 1.0,
    prefixes: Annotated[int, typer.Option(min=1, help="number of prefixes to keep per state")] = 12,
    count: Nbest = 1,
    output: Lists = "-",
    best: Best = False,
) -> None:
    """Rescore lattices with models of unbounded context, by beam search.

    The features are Lattice and one for each model; tune their weights with `lattice-simp tune nbest`. For n-gram
    models, `lattice-simp lattice lm` is exact.

    Example: lattice-simp rescore lattices out --source dev.en --model build/bilingual.scorer --nbest 100 -o new.nbest
    """
    from lattice_simp.core.marks import MARKS
    from lattice_simp.rescore.combine import combine
    from lattice_simp.rescore.lattice_search import LATTICE, rescore_lattice
    from lattice_simp.rescore.nbest import score_nbest
    from lattice_simp.rescore.scorer import PrefixScorer

    scorers = read_models(models)
    for name, scorer in scorers.items():
        if not isinstance(scorer, PrefixScorer):
            raise LatticeSimpError(f"{name} needs complete hypotheses; use it with `lattice-simp rescore nbest`")
    if prefixes < count:
        refuse_idle(["prefixes"], f"below --nbest {count}, which keeps as many prefixes")
    _refuse_idle_count(best)
    joint = combine(list(zip(scorers.values(), _weights(scorers, model_weights), strict=True)))
    assert isinstance(joint, PrefixScorer)
    lines = _lattice_lines(folder, source)
    beam = max(prefixes, count)

    def search(number: int, words: list[str], lattice: Lattice) -> list[Hypothesis]:
        lattice = lattice.without_words(MARKS)
        paths = rescore_lattice(lattice, words, joint, n=count, beam=beam, lattice_weight=lattice_weight)
        entries = [replace(path, features={"Lattice": path.features[LATTICE]}) for path in paths]
        return score_nbest(words, entries, scorers)

    _write(_searched(folder, lines, search), output, best, len(lines))


@app.command()
def joint(
    folder: Folder,
    source: SourceLines,
    models: Annotated[Models, Detail("joint models")],
    model_weights: ModelWeights = None,
    lattice_weight: LatticeWeight = 1.0,
    count: Nbest = 1,
    output: Lists = "-",
    best: Best = False,
    lattices: Annotated[LatticeFolder, Detail("with new costs; OpenFst, numbered from 0")] = None,
) -> None:
    """Apply joint models exactly to lattices of `translate --word-arcs affiliated`, given each word's source token.

    The features are Lattice and JointAligned (NAMEAligned for each model NAME).

    Example: lattice-simp rescore joint out --source dev.en --model build/joint.scorer --nbest 100 -o new.nbest
    """
    from lattice_simp.ops.nbest import nbest as best_paths
    from lattice_simp.rescore import JointScorer
    from lattice_simp.rescore.joint.lattice import apply_weighted

    scorers = read_models(models)
    weighted = {}
    for (name, scorer), weight in zip(scorers.items(), _weights(scorers, model_weights), strict=True):
        if not isinstance(scorer, JointScorer):
            raise LatticeSimpError(f"{name} is not a joint model; use it with `lattice-simp rescore lattices`")
        weighted[f"{name}Aligned"] = (scorer.model, weight)
    _refuse_idle_count(best)
    lines = _lattice_lines(folder, source)
    losses = Losses()
    if lattices is not None:
        lattices.mkdir(parents=True, exist_ok=True)

    def search(number: int, words: list[str], lattice: Lattice) -> list[Hypothesis]:
        scored = apply_weighted(lattice, words, weighted, lattice_weight)
        if lattices is not None:
            losses.write(scored, lattices / f"{number}.fst.gz")
        return best_paths(scored, count)

    _write(_searched(folder, lines, search), output, best, len(lines))
    if lattices is not None:
        losses.print(lattices)


@app.command()
def train(
    work: Annotated[Path, typer.Argument(help="work folder of `lattice-simp train CONFIG --to lexical`")],
    output: Annotated[OutputFolder, Detail("of the NAME.scorer files")],
    models: Annotated[list[str] | None, typer.Option("--kind", "-k", help=TRAINED)] = None,
    classes: Annotated[int, typer.Option(min=1, help="number of word classes of the class model")] = 300,
    order: Annotated[int, typer.Option(min=2, max=6, help="n-gram order of the class model")] = 5,
    sweeps: Annotated[int, typer.Option(min=0, help="maximum sweeps of the exchange algorithm")] = 10,
    least_triple: Annotated[int, typer.Option(min=1, help="minimum count of events in the bilingual model")] = 2,
) -> None:
    """Train models on an aligned corpus: bilingual (the strongest), model1 (both directions), class.

    Example: lattice-simp rescore train build/en-fr --output build/en-fr/scorers
    """
    with extra("train"):
        from lattice_simp.train import scorers

    kinds = trained_kinds(models or [])
    for kind, options_of_kind in (("class", ["classes", "order", "sweeps"]), ("bilingual", ["least_triple"])):
        if kind not in kinds:
            refuse_idle(options_of_kind, f"without --kind {kind}")
    folders = scorers.stage_folders(work, ["number", *(stage for kind in kinds.values() for stage in kind.needs)])
    options = TrainingOptions(
        least_triple=least_triple, classes=classes, order=order, sweeps=sweeps, progress=_say_sweep
    )
    output.mkdir(parents=True, exist_ok=True)
    for name in kinds:
        path = output / f"{name}.scorer"
        scorers.train_scorer(name, folders, options).write(path)
        say(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


@app.command("train-neural")
def train_neural(
    config: Annotated[Path, typer.Argument(help="YAML file with source, target, output and training settings")],
    settings: Overrides = None,
    quiet: Quiet = False,
) -> None:
    """Train a small Transformer on tokenised lines (extra `neural-training`).

    The same command continues an interrupted run.

    Example: lattice-simp rescore train-neural neural.yaml --set updates=2000
    """
    with extra("neural-training"):
        from lattice_simp.rescore.neural.settings import read_settings
        from lattice_simp.rescore.neural.training import train as train_model

    folder = train_model(read_settings(config, settings or []), say=(lambda text: None) if quiet else say)
    say(f"model: {folder}")


@app.command("train-joint")
def train_joint(
    config: Annotated[Path, typer.Argument(help="YAML file with work, output and training settings")],
    settings: Overrides = None,
    quiet: Quiet = False,
) -> None:
    """Train a neural joint model on a training run's alignments (extra `neural-training`).

    The same command continues an interrupted run.

    Example: lattice-simp rescore train-joint joint.yaml --set epochs=1
    """
    with extra("neural-training"):
        from lattice_simp.rescore.joint.settings import read_settings
        from lattice_simp.rescore.joint.training import train as train_model
    from lattice_simp.train.scorers import StageCorpus, stage_folders

    chosen = read_settings(config, settings or [])
    corpus = StageCorpus(stage_folders(chosen.work, ("number", "align")))
    model = train_model(chosen, corpus, say=(lambda text: None) if quiet else say)
    say(f"model: {model}")


def _refuse_idle_count(best: bool) -> None:
    if best:
        refuse_idle(["count"], "with --best, which writes one line per sentence")


def read_models(models: Sequence[str]) -> dict[str, Scorer]:
    """Reads models from PATH or NAME=PATH; returns the scorers by their feature names.

    Raises:
        LatticeSimpError: two models have the same name, or a file is broken.
    """
    scorers: dict[str, Scorer] = {}
    for text in models:
        name, path = named_path(text)
        loaded = dict(read_scorers(path))
        if name:
            loaded = {name if len(loaded) == 1 else f"{name}{usual}": scorer for usual, scorer in loaded.items()}
        for feature, scorer in loaded.items():
            if feature in scorers:
                raise LatticeSimpError(f"two models are named {feature}; rename one with --model NAME=PATH")
            scorers[feature] = scorer
    return scorers


def _weights(scorers: Mapping[str, Scorer], chosen: Sequence[float] | None) -> list[float]:
    """Returns the weight of each model."""
    weights = list(chosen or [1.0] * len(scorers))
    if len(weights) != len(scorers):
        raise LatticeSimpError(
            f"{counted(len(weights), 'model weight')} for {counted(len(scorers), 'model')}: {', '.join(scorers)}"
        )
    return weights


def _searched(
    folder: Path, lines: list[list[str]], search: Callable[[int, list[str], Lattice], list[Hypothesis]]
) -> Iterator[Sentence]:
    """Yields what a search finds in the lattice of each sentence; none for an empty line, which has no lattice.

    Raises:
        FormatError: a line has no lattice.
        LatticeSimpError: a lattice cannot be searched; the message names its file.
    """
    from lattice_simp.formats import read

    for number, words in enumerate(lines):
        paths = (folder / f"{number}.fst.gz", folder / f"{number}.fst")
        path = next((path for path in paths if path.is_file()), None)
        if path is None and words:
            remedy = "give a lattice for each source line"
            raise FormatError(f"holds no lattice {number}.fst.gz", path=folder, remedy=remedy)
        found: list[Hypothesis] = []
        if path is not None:
            lattice = read(path)
            require_hypotheses(lattice, path)
            try:
                found = search(number, words, lattice)
            except LatticeSimpError as error:
                raise LatticeSimpError(f"{path}: {error}") from error
        yield Sentence(number, found)


def _lattice_lines(folder: Path, source: Path) -> list[list[str]]:
    """Reads the source line of each lattice.

    Raises:
        FormatError: the folder has lattices beyond the lines.
    """
    lines = _source_lines(source)
    names = (_LATTICE_NAME.fullmatch(path.name) for path in folder.glob("*.fst*"))
    last = max((int(name[1]) for name in names if name), default=-1)
    if last >= len(lines):
        message = f"has {counted(len(lines), 'line')}, but {folder} holds the lattice {last}, counted from 0"
        raise FormatError(message, path=source, remedy="give a source line for each lattice")
    return lines


def _source_lines(path: Path) -> list[list[str]]:
    from lattice_simp.core.symbols import split_tokens
    from lattice_simp.support.textio import read_lines

    return [split_tokens(line) for line in read_lines(path)]


def _write(sentences: Iterator[Sentence], output: str, best: bool, count: int | None, first_id: int = 0) -> None:
    """Writes n-best lists as they come, or one line for each of `count` sentences (None: each list)."""
    from lattice_simp.support.textio import open_text

    losses = Losses()
    if not best:
        write_lists(sentences, output, first_id=first_id)
        return
    watched = losses.watched(sentences, IN_TEXT)
    texts = {number: entries[0].text if entries else "" for number, entries, *_ in watched}
    lines = [texts.get(number, "") for number in range(max(texts, default=-1) + 1 if count is None else count)]
    with open_text(output, "w") as file:
        file.writelines(f"{line}\n" for line in lines)
    losses.print(output)


def _say_sweep(sweep: int, moves: int, likelihood: float) -> None:
    say(f"sweep {sweep}: {counted(moves, 'word')} moved, log-likelihood {likelihood:,.0f}")
