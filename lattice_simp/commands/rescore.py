"""`lattice-simp rescore`: train models that score hypotheses, add their scores to n-best lists, search lattices."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from lattice_simp.commands.shared.label_options import ListFile, ignored_labels
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import (
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
    refuse_idle,
)
from lattice_simp.errors import LatticeSimpError
from lattice_simp.rescore.kind import TrainingOptions
from lattice_simp.rescore.table import trained_kinds
from lattice_simp.support.extras import extra
from lattice_simp.support.plurals import counted

app = command_app("Train models that score hypotheses; score n-best lists and lattices.")

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
    weights: Annotated[Weights | None, Detail("compute the total of each hypothesis, and sort by it")] = None,
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
    from lattice_simp.commands.runs.rescore import ListRescoring, RescoredFile

    if not models and weights is None:
        raise LatticeSimpError("nothing to do: give models with --model, or --weights for the features of the lists")
    if best and weights is None:
        raise LatticeSimpError("--best needs --weights: without them, the models do not change the order")
    lists = ListFile(file, first_id or 0, pieces, cost, ignored_labels(ignore))
    ListRescoring.read(lists, models or [], weights, source).write(RescoredFile(output, best))


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
    """Rescore lattices with models that score whole hypotheses, such as neural models, by beam search.

    The features are Lattice and one for each model; tune their weights with `lattice-simp tune nbest`. For n-gram
    models, `lattice-simp lattice lm` is exact.

    Example: lattice-simp rescore lattices out --source dev.en --model build/bilingual.scorer --nbest 100 -o new.nbest
    """
    from lattice_simp.commands.runs.rescore import LatticeRescoring, RescoredFile

    if prefixes < count:
        refuse_idle(["prefixes"], f"below --nbest {count}, which keeps as many prefixes")
    _refuse_idle_count(best)
    file = RescoredFile(output, best)
    rescoring = LatticeRescoring(folder, source, models, model_weights, lattice_weight, count, file)
    rescoring.search_prefixes(max(prefixes, count))


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
    from lattice_simp.commands.runs.rescore import LatticeRescoring, RescoredFile

    _refuse_idle_count(best)
    file = RescoredFile(output, best)
    LatticeRescoring(folder, source, models, model_weights, lattice_weight, count, file).apply_joint(lattices)


@app.command()
def train(
    work: Annotated[Path, typer.Argument(help="work folder of `lattice-simp train CONFIG --to lexical`")],
    output: Annotated[OutputFolder, Detail("holds the files NAME.scorer")],
    models: Annotated[list[str] | None, typer.Option("--kind", "-k", help=TRAINED)] = None,
    classes: Annotated[int, typer.Option(min=1, help="number of word classes of the class model")] = 300,
    order: Annotated[int, typer.Option(min=2, max=6, help="n-gram order of the class model")] = 5,
    sweeps: Annotated[int, typer.Option(min=0, help="maximum passes over the words that assign them to classes")] = 10,
    least_triple: Annotated[int, typer.Option(min=1, help="minimum count of word triples in the bilingual model")] = 2,
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


def _say_sweep(sweep: int, moves: int, likelihood: float) -> None:
    say(f"sweep {sweep}: {counted(moves, 'word')} moved, log-likelihood {likelihood:,.0f}")
