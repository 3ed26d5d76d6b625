"""`lattice-simp rescore`: train models that score hypotheses, add their scores to n-best lists, search lattices."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from lattice_simp.commands.options import (
    COST,
    FIRST_ID,
    IGNORE,
    PIECES,
    command_app,
    ignored_labels,
    named_path,
    readable,
    refuse_idle,
)
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.rescore import read_scorers
from lattice_simp.rescore.kind import TrainingOptions
from lattice_simp.rescore.scorer import reads_source
from lattice_simp.rescore.table import trained_kinds
from lattice_simp.support.extras import extra

if TYPE_CHECKING:
    from lattice_simp.core.hypothesis import Hypothesis
    from lattice_simp.rescore.scorer import Scorer

app = command_app("Train models that score hypotheses; score n-best lists and lattices.")

SOURCE = typer.Option("--source", help="the tokenised source sentences, one a line")
MODELS = typer.Option(
    "--model", "-m", help="PATH or NAME=PATH: a .scorer file, an ARPA file or KenLM binary, a CTranslate2 folder"
)
OUTPUT = typer.Option("--output", "-o", help="n-best lists in Moses format, or with --best lines")
LATTICES = Annotated[
    Path, typer.Argument(help="lattices 0.fst.gz, 1.fst.gz, ... (or .fst), as `translate --lattices` writes")
]
MODEL_WEIGHTS = Annotated[
    Optional[list[float]],  # noqa: UP045
    typer.Option("--model-weight", help="of each model in turn; 1 if not given"),
]
LATTICE_WEIGHT = Annotated[float, typer.Option(help="of the lattice's costs; 0 to search by the models alone")]
COUNT = Annotated[int, typer.Option("--nbest", "-n", min=1, help="hypotheses for each sentence")]
BEST = typer.Option("--best", help="write the best line of each sentence instead of n-best lists")


TRAINED = f"{', '.join(trained_kinds())}; all if not given"


@app.command()
def nbest(
    file: Annotated[str, typer.Argument(help="n-best lists of any format, or - for stdin")],
    models: Annotated[list[str], MODELS],
    source: Annotated[Optional[Path], SOURCE] = None,  # noqa: UP045
    weights: Annotated[Optional[Path], typer.Option(help="weights.tsv: sorts by the weighted sum of features")] = None,  # noqa: UP045
    pieces: PIECES = "none",
    cost: COST = None,
    first_id: FIRST_ID = None,
    ignore: IGNORE = None,
    output: Annotated[str, OUTPUT] = "-",
    best: Annotated[bool, BEST] = False,
) -> None:
    """Adds a feature for each model to n-best lists. Tune the weights with `lattice-simp tune nbest`.

    Models of the target language alone (n-gram and class models) need no --source. With --pieces, they score the words
    that the pieces make, and these are written.

    Example: lattice-simp rescore nbest full.nbest --source dev.en --model build/bilingual.scorer -o scored.nbest
    """
    from lattice_simp.commands.whole_sentences import checked_lists
    from lattice_simp.formats.nbest import stream_nbest
    from lattice_simp.rescore.nbest import score_nbest, weighted_nbest
    from lattice_simp.translate.model_files import read_weights

    if best and weights is None:
        raise LatticeSimpError("--best needs --weights: without them the models do not change the order")
    scorers = read_models(models)
    own = None if weights is None else read_weights(weights)
    needing = [name for name, scorer in scorers.items() if reads_source(scorer)]
    if source is None and needing:
        raise LatticeSimpError(f"{', '.join(needing)}: scored for the source sentences; give them with --source")
    lines = None if source is None else _source_lines(source)

    def scored(lists: Iterator[tuple[int, list[Hypothesis]]]) -> Iterator[tuple[int, list[Hypothesis]]]:
        for number, entries in lists:
            if lines is not None and number >= len(lines):
                remedy = f"{source} has {len(lines)}; where ids begin with 1, --first-id 1"
                raise FormatError(f"the list has a sentence {number + (first_id or 0)}", path=file, remedy=remedy)
            done = score_nbest([] if lines is None else lines[number], entries, scorers)
            yield number, done if own is None else weighted_nbest(done, own)

    with readable(file) as own_file:
        lists = stream_nbest(own_file, first_id or 0, pieces=pieces, cost=cost, ignore=ignored_labels(ignore))
        found = scored(checked_lists(lists, file))
        _write(found, output, best, None if lines is None else len(lines), first_id or 0)


@app.command()
def lattices(
    folder: LATTICES,
    source: Annotated[Path, SOURCE],
    models: Annotated[list[str], MODELS],
    model_weights: MODEL_WEIGHTS = None,
    lattice_weight: LATTICE_WEIGHT = 1.0,
    beam: Annotated[int, typer.Option(min=1, help="prefixes that each state keeps")] = 12,
    count: COUNT = 1,
    output: Annotated[str, OUTPUT] = "-",
    best: Annotated[bool, BEST] = False,
) -> None:
    """Searches lattices with models of unbounded memory, by a beam. Tune the weights with `lattice-simp tune nbest`.

    N-gram models are applied exactly by `lattice-simp lattice lm`. The features are Lattice and one for each model.

    Example: lattice-simp rescore lattices out --source dev.en --model build/bilingual.scorer --nbest 100 -o new.nbest
    """
    from lattice_simp.core.marks import MARKS
    from lattice_simp.formats import read
    from lattice_simp.rescore.combine import combine
    from lattice_simp.rescore.lattice_search import LATTICE, rescore_lattice
    from lattice_simp.rescore.nbest import score_nbest
    from lattice_simp.rescore.scorer import PrefixScorer

    scorers = read_models(models)
    for name, scorer in scorers.items():
        if not isinstance(scorer, PrefixScorer):
            raise LatticeSimpError(f"{name} needs whole hypotheses; use it with `lattice-simp rescore nbest`")
    if beam < count:
        refuse_idle(["beam"], f"below --nbest {count}, which as many prefixes are kept for")
    _refuse_idle_count(best)
    joint = combine(list(zip(scorers.values(), _weights(scorers, model_weights), strict=True)))
    assert isinstance(joint, PrefixScorer)
    lines = _source_lines(source)

    def searched() -> Iterator[tuple[int, list[Hypothesis]]]:
        for number, words in enumerate(lines):
            lattice = read(_lattice_path(folder, number)).without_words(MARKS)
            found = rescore_lattice(
                lattice, words, joint, n=count, beam=max(beam, count), lattice_weight=lattice_weight
            )
            entries = [replace(own, features={"Lattice": own.features[LATTICE]}) for own in found]
            yield number, score_nbest(words, entries, scorers)

    _write(searched(), output, best, len(lines))


@app.command()
def joint(
    folder: LATTICES,
    source: Annotated[Path, SOURCE],
    models: Annotated[list[str], typer.Option("--model", "-m", help="PATH or NAME=PATH of a joint model")],
    model_weights: MODEL_WEIGHTS = None,
    lattice_weight: LATTICE_WEIGHT = 1.0,
    count: COUNT = 1,
    output: Annotated[str, OUTPUT] = "-",
    best: Annotated[bool, BEST] = False,
    lattices: Annotated[
        Path | None, typer.Option(help="a folder for the lattices with their new costs, OpenFst, ids from 0")
    ] = None,
) -> None:
    """Applies joint models exactly to lattices of `translate --word-arcs affiliated`, given each word's source token.

    Nothing within the lattices is lost. The features are Lattice and JointAligned (NAMEAligned for each model NAME).

    Example: lattice-simp rescore joint out --source dev.en --model build/joint.scorer --nbest 100 -o new.nbest
    """
    from lattice_simp.formats import read, write
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
    lines = _source_lines(source)
    if lattices is not None:
        lattices.mkdir(parents=True, exist_ok=True)

    def searched() -> Iterator[tuple[int, list[Hypothesis]]]:
        for number, words in enumerate(lines):
            path = _lattice_path(folder, number)
            try:
                scored = apply_weighted(read(path), words, weighted, lattice_weight)
            except LatticeSimpError as error:
                raise LatticeSimpError(f"{path}: {error}") from None
            if lattices is not None:
                write(scored, lattices / f"{number}.fst.gz")
            yield number, best_paths(scored, count)

    _write(searched(), output, best, len(lines))


@app.command()
def train(
    work: Annotated[Path, typer.Argument(help="the work folder of `lattice-simp train CONFIG --to lexical`")],
    output: Annotated[Path, typer.Option("--output", "-o", help="a folder for NAME.scorer files")],
    models: Annotated[Optional[list[str]], typer.Option("--model", "-m", help=TRAINED)] = None,  # noqa: UP045
    classes: Annotated[int, typer.Option(min=1, help="word classes of the class model")] = 300,
    order: Annotated[int, typer.Option(min=2, max=6, help="of its n-grams")] = 5,
    sweeps: Annotated[int, typer.Option(min=0, help="of the exchange algorithm, at most")] = 10,
    least_triple: Annotated[int, typer.Option(min=1, help="rarer events of the bilingual model are dropped")] = 2,
) -> None:
    """Trains models on an aligned corpus: bilingual (the strongest), model1 (both directions), class.

    Example: lattice-simp rescore train build/en-fr --output build/en-fr/scorers
    """
    with extra("train"):
        from lattice_simp.train import scorers

    kinds = trained_kinds(models or [])
    for kind, options_of_kind in (("class", ["classes", "order", "sweeps"]), ("bilingual", ["least_triple"])):
        if kind not in kinds:
            refuse_idle(options_of_kind, f"without --model {kind}")
    folders = scorers.stage_folders(work, ["number", *(stage for kind in kinds.values() for stage in kind.needs)])
    options = TrainingOptions(
        least_triple=least_triple, classes=classes, order=order, sweeps=sweeps, progress=_say_sweep
    )
    output.mkdir(parents=True, exist_ok=True)
    for name in kinds:
        path = output / f"{name}.scorer"
        scorers.train_scorer(name, folders, options).write(path)
        _say(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


@app.command("train-neural")
def train_neural(
    config: Annotated[Path, typer.Argument(help="a YAML file: source, target, output, and settings of the training")],
    settings: Annotated[Optional[list[str]], typer.Option("--set", help="name=value")] = None,  # noqa: UP045
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no log")] = False,
) -> None:
    """Trains a small Transformer on tokenised lines (extra `neural-training`); a run that was killed goes on.

    Example: lattice-simp rescore train-neural neural.yaml --set updates=2000
    """
    with extra("neural-training"):
        from lattice_simp.rescore.neural.settings import read_settings
        from lattice_simp.rescore.neural.training import train as train_model

    folder = train_model(read_settings(config, settings or []), say=(lambda text: None) if quiet else _say)
    _say(f"model: {folder}")


@app.command("train-joint")
def train_joint(
    config: Annotated[Path, typer.Argument(help="a YAML file: work, output, and settings of the training")],
    settings: Annotated[Optional[list[str]], typer.Option("--set", help="name=value")] = None,  # noqa: UP045
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no log")] = False,
) -> None:
    """Trains a neural joint model on a training run's alignments (extra `neural-training`); a killed run goes on.

    Example: lattice-simp rescore train-joint joint.yaml --set epochs=1
    """
    with extra("neural-training"):
        from lattice_simp.rescore.joint.settings import read_settings
        from lattice_simp.rescore.joint.training import train as train_model
    from lattice_simp.train.scorers import StageCorpus, stage_folders

    own = read_settings(config, settings or [])
    corpus = StageCorpus(stage_folders(own.work, ("number", "align")))
    model = train_model(own, corpus, say=(lambda text: None) if quiet else _say)
    _say(f"model: {model}")


def _refuse_idle_count(best: bool) -> None:
    if best:
        refuse_idle(["count"], "with --best, which writes one line for each sentence")


def read_models(given: Sequence[str]) -> dict[str, Scorer]:
    """Reads models given as PATH or NAME=PATH; returns the scorers by feature name, which must differ."""
    scorers: dict[str, Scorer] = {}
    for text in given:
        name, path = named_path(text)
        own = dict(read_scorers(path))
        if name:
            own = {name if len(own) == 1 else f"{name}{usual}": scorer for usual, scorer in own.items()}
        for feature, scorer in own.items():
            if feature in scorers:
                raise LatticeSimpError(f"two models are called {feature}; name one with --model NAME=PATH")
            scorers[feature] = scorer
    return scorers


def _weights(scorers: Mapping[str, Scorer], given: Sequence[float] | None) -> list[float]:
    """Returns the weight of each model."""
    weights = list(given or [1.0] * len(scorers))
    if len(weights) != len(scorers):
        raise LatticeSimpError(f"{len(weights)} model weights for the {len(scorers)} models {', '.join(scorers)}")
    return weights


def _lattice_path(folder: Path, number: int) -> Path:
    for path in (folder / f"{number}.fst.gz", folder / f"{number}.fst"):
        if path.is_file():
            return path
    raise FormatError(f"holds no lattice {number}.fst.gz", path=folder, remedy="one for each source line is needed")


def _source_lines(path: Path) -> list[list[str]]:
    from lattice_simp.core.symbols import split_tokens
    from lattice_simp.support.textio import read_lines

    return [split_tokens(line) for line in read_lines(path)]


def _write(
    groups: Iterator[tuple[int, list[Any]]], output: str, best: bool, count: int | None, first_id: int = 0
) -> None:
    """Writes n-best lists as they come, or one line for each of `count` sentences (None: of those in the lists)."""
    from lattice_simp.formats.nbest import write_nbest
    from lattice_simp.support.textio import open_text

    if not best:
        write_nbest(groups, output, first_id=first_id)
        return
    found = {number: entries[0].text if entries else "" for number, entries in groups}
    lines = [found.get(number, "") for number in range(max(found, default=-1) + 1 if count is None else count)]
    with open_text(output, "w") as file:
        file.writelines(f"{line}\n" for line in lines)


def _say_sweep(sweep: int, moves: int, likelihood: float) -> None:
    _say(f"sweep {sweep}: {moves:,} words moved, log-likelihood {likelihood:,.0f}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
