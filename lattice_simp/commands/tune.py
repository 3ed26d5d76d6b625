"""`lattice-simp tune`: weights by lattice MERT, minimum Bayes-risk parameters by grid search."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from lattice_simp.commands.shared.label_options import ListFile, ignored_labels
from lattice_simp.commands.shared.options import (
    BEAM,
    MAX_ARCS,
    Beam,
    Cost,
    Dask,
    Detail,
    FirstId,
    Ignore,
    Jobs,
    MaxArcs,
    OutputFile,
    Pieces,
    References,
    Seed,
    Skeletons,
    Source,
    Strategy,
    Weights,
    command_app,
    refuse_idle,
)
from lattice_simp.errors import LatticeSimpError
from lattice_simp.tune.metrics import TunedName

if TYPE_CHECKING:
    from lattice_simp.tune.mert import MertResult

Optimizer = Literal["mert", "mira"]

app = command_app("Tune weights and minimum Bayes-risk decoding on a development set.")

RANDOM_DIRECTIONS, MERT_RESTARTS = 12, 3

Development: TypeAlias = Annotated[Source, Detail("tokenised")]
TokenisedReferences: TypeAlias = Annotated[References, Detail("tokenised")]
Compared: TypeAlias = Annotated[Source | None, Detail("tokenised, for --metric sari")]
Metric: TypeAlias = Annotated[
    TunedName,
    typer.Option("--metric", help="metric; the objective (sari compares with the source, for simplification)"),
]
_START = "the initial weights, a line NAME<TAB>NUMBER for each feature"
Start: TypeAlias = Annotated[Weights, Detail(_START)]
WeightsFile: TypeAlias = Annotated[OutputFile, Detail("tuned weights (weights.tsv)")]
OptimizerName: TypeAlias = Annotated[
    Optimizer, typer.Option(help="mert (best score on these lists) or mira (averaged small steps; for many features)")
]
DIRECTIONS = typer.Option(
    "--directions",
    min=0,
    help="random search directions besides one for each feature (mert)",
    show_default=str(RANDOM_DIRECTIONS),
)
RESTARTS = typer.Option("--restarts", min=0, help="random restarts (mert)", show_default=str(MERT_RESTARTS))
Directions: TypeAlias = Annotated[int | None, DIRECTIONS]
Restarts: TypeAlias = Annotated[int | None, RESTARTS]


@app.command()
def weights(
    model: Annotated[Path, typer.Argument(help="model directory; tuning starts from its weights")],
    source: Development,
    references: TokenisedReferences,
    output: WeightsFile,
    skeletons: Annotated[Skeletons, Detail("the weight of the skeleton is then tuned, too")] = None,
    skeleton_features: Annotated[
        bool, typer.Option("--skeleton-features", help="tune a weight for each feature of the skeleton's translation")
    ] = False,
    strategy: Strategy = None,
    beam: Annotated[float, BEAM] = 5.0,
    max_arcs: Annotated[int, MAX_ARCS] = 1000,
    metric: Metric = "bleu",
    rounds: Annotated[int, typer.Option(min=1, help="maximum rounds of decoding and optimising")] = 8,
    directions: Annotated[int, DIRECTIONS] = RANDOM_DIRECTIONS,
    restarts: Annotated[int, RESTARTS, Detail("in each round", default="1")] = 1,
    seed: Seed = 1,
    jobs: Jobs = 1,
    dask: Dask = None,
) -> None:
    """Tune all weights of a model together, including those of the skeleton, by lattice MERT.

    Example: lattice-simp tune weights model --source dev.en --reference dev.de --output weights.tsv
    """
    from lattice_simp.commands.runs.tune import DevelopmentSet, tune_model
    from lattice_simp.tune.decode import DecodeOptions
    from lattice_simp.tune.mert import MertOptions
    from lattice_simp.tune.rounds import REACH, SEARCH_GAIN, TuningOptions

    if strategy not in (None, "plain") and skeletons is None:
        raise LatticeSimpError(f"--strategy {strategy} needs --skeletons")
    if strategy == "plain":
        refuse_idle(["skeletons", "skeleton_features"], "with --strategy plain")
    if skeletons is None:
        refuse_idle(["skeleton_features"], "without --skeletons")
    mert = MertOptions(seed=seed, random_directions=directions, restarts=restarts, min_gain=SEARCH_GAIN, reach=REACH)
    tune_model(
        DevelopmentSet(source, references),
        output,
        DecodeOptions(model.resolve(), strategy, beam, max_arcs, jobs, dask),
        TuningOptions(mert, rounds),
        metric=metric,
        skeletons=skeletons,
        skeleton_features=skeleton_features,
    )


@app.command()
def mbr(
    model: Annotated[Path, typer.Argument(help="model directory")],
    source: Development,
    references: TokenisedReferences,
    beam: Annotated[Beam, Detail("default: the model's setting")] = None,
    max_arcs: Annotated[MaxArcs, Detail("as --mbr-max-arcs of translate")] = None,
    write: Annotated[bool, typer.Option(help="store the best parameters in the model's settings.json")] = False,
    jobs: Jobs = 1,
) -> None:
    """Search a grid of minimum Bayes-risk parameters (scale, precision, ratio) and print the table.

    Decoding is the same as in `lattice-simp translate`.

    Example: lattice-simp tune mbr model --source dev.en --reference dev.de --write
    """
    from lattice_simp.commands.runs.tune import DevelopmentSet, search_mbr_settings

    development = DevelopmentSet(source, references)
    search_mbr_settings(development, model, beam=beam, max_arcs=max_arcs, write=write, jobs=jobs)


@app.command()
def lattices(
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="FILES", help="text lattices with features, one per sentence, or a folder of them"),
    ],
    references: TokenisedReferences,
    start: Start,
    output: WeightsFile,
    metric: Metric = "bleu",
    source: Compared = None,
    optimizer: OptimizerName = "mert",
    directions: Directions = None,
    restarts: Restarts = None,
    seed: Seed = 1,
    ignore: Ignore = None,
    jobs: Jobs = 1,
) -> None:
    """Tune weights on lattices of any decoder (`from to word feature:value ...`, cost = sum of weight x value).

    Example: lattice-simp tune lattices features/ --reference dev.de --weights start.tsv --output weights.tsv
    """
    from lattice_simp.commands.runs.tune import WeightTuning

    optimise = _optimiser(optimizer, seed, directions, restarts, jobs)
    WeightTuning(metric, references, source, start, output, optimise).of_lattices(sources, ignored_labels(ignore))


@app.command()
def nbest(
    file: Annotated[str, typer.Argument(help="n-best lists with features, of any format, or - for stdin")],
    references: TokenisedReferences,
    output: WeightsFile,
    start: Annotated[Weights | None, Detail(_START + "; default: 1 for each feature")] = None,
    pieces: Pieces = "none",
    cost: Cost = None,
    first_id: FirstId = None,
    ignore: Ignore = None,
    metric: Metric = "bleu",
    source: Compared = None,
    optimizer: OptimizerName = "mert",
    directions: Directions = None,
    restarts: Restarts = None,
    seed: Seed = 1,
    jobs: Jobs = 1,
) -> None:
    """Tune weights on n-best lists of any system. A feature with several values has the weights NAME_0, NAME_1, ...

    The weight TOTAL is that of the lists' original score, as in `lattice-simp rescore nbest --weights`.

    Example: lattice-simp tune nbest dev.nbest --reference dev.de --output weights.tsv
    """
    from lattice_simp.commands.runs.tune import WeightTuning

    optimise = _optimiser(optimizer, seed, directions, restarts, jobs)
    lists = ListFile(file, first_id or 0, pieces, cost, ignored_labels(ignore))
    WeightTuning(metric, references, source, start, output, optimise).of_lists(lists)


@app.command()
def mixture(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODELS", help="language models (ARPA), with the same kind of tokens")
    ],
    text: Annotated[Path, typer.Option("--development", help="text to optimise the weights for; tokenised")],
    output: Annotated[OutputFile, Detail("the mixture (ARPA)")],
) -> None:
    """Mix language models linearly, with the weights that give a text the least perplexity, and print the weights.

    Example: lattice-simp tune mixture news.arpa.gz talks.arpa.gz --development dev.de --output mixed.arpa.gz
    """
    from lattice_simp.commands.runs.tune import mix_models

    mix_models(models, text, output)


def _optimiser(
    optimizer: Optimizer, seed: int, directions: int | None, restarts: int | None, jobs: int
) -> Callable[..., MertResult]:
    """Returns the optimiser of weights with its options."""
    from lattice_simp.tune.mert import MertOptions, minimize_error
    from lattice_simp.tune.mira import MiraOptions, learn_margins

    if optimizer == "mira":
        refuse_idle(["directions", "restarts"], "with --optimizer mira")
        return partial(learn_margins, options=MiraOptions(seed=seed))
    directions = RANDOM_DIRECTIONS if directions is None else directions
    restarts = MERT_RESTARTS if restarts is None else restarts
    options = MertOptions(seed=seed, random_directions=directions, restarts=restarts, jobs=jobs)
    return partial(minimize_error, options=options)
