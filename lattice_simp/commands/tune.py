"""`lattice-simp tune`: weights by lattice MERT, minimum Bayes-risk parameters by grid search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from lattice_simp.commands.lattice_input import ignored_labels, require_hypotheses
from lattice_simp.commands.options import (
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
    say,
)
from lattice_simp.errors import FormatError, InvalidLatticeError, LatticeSimpError
from lattice_simp.support.textio import STDIN, readable
from lattice_simp.tune.metrics import TUNED_METRICS, TunedName, tuned_metric

if TYPE_CHECKING:
    from lattice_simp.core.lattice import Lattice
    from lattice_simp.core.symbols import SymbolTable
    from lattice_simp.tune.mert import MertResult

Optimizer = Literal["mert", "mira"]

app = command_app("Tune weights and minimum Bayes-risk decoding on a development set.")

RANDOM_DIRECTIONS, MERT_RESTARTS = 12, 3

Development: TypeAlias = Annotated[Source, Detail("tokenised")]
TokenisedReferences: TypeAlias = Annotated[References, Detail("tokenised")]
Compared: TypeAlias = Annotated[Source | None, Detail("tokenised, for --metric sari")]
Metric: TypeAlias = Annotated[
    TunedName,
    typer.Option("--metric", help="metric; to optimise (sari compares with the source, for simplification)"),
]
Start: TypeAlias = Annotated[Weights, Detail("to start from")]
WeightsFile: TypeAlias = Annotated[OutputFile, Detail("tuned weights (weights.tsv)")]
OptimizerName: TypeAlias = Annotated[
    Optimizer, typer.Option(help="mert (best score on these lists) or mira (averaged small steps; for many features)")
]
DIRECTIONS = typer.Option(
    "--directions", min=0, help="random directions in addition to the axes (mert)", show_default=str(RANDOM_DIRECTIONS)
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
    skeletons: Annotated[Skeletons, Detail("to tune with skeletons")] = None,
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
    from lattice_simp.commands.sentences import read_sentences
    from lattice_simp.translate.model_files import write_weights
    from lattice_simp.tune.decode import DecodeOptions, TuningSentence
    from lattice_simp.tune.mert import MertOptions
    from lattice_simp.tune.rounds import REACH, SEARCH_GAIN, TuningOptions, start_weights, tune

    if strategy not in (None, "plain") and skeletons is None:
        raise LatticeSimpError(f"--strategy {strategy} needs --skeletons")
    if strategy == "plain":
        refuse_idle(["skeletons", "skeleton_features"], "with --strategy plain")
    if skeletons is None:
        refuse_idle(["skeleton_features"], "without --skeletons")
    sentences = read_sentences(str(source), skeletons, "0", None)
    columns = _references(references, len(sentences), source)
    tuning = [
        TuningSentence(sentence.words, rows, sentence.masks) for sentence, rows in zip(sentences, columns, strict=True)
    ]
    _require_words(source, (sentence.words for sentence in sentences))
    decoding = DecodeOptions(model.resolve(), strategy, beam, max_arcs, jobs, dask)
    mert = MertOptions(seed=seed, random_directions=directions, restarts=restarts, min_gain=SEARCH_GAIN, reach=REACH)
    composed = skeletons is not None and strategy != "plain"
    start = start_weights(model, skeletons=composed, skeleton_features=skeleton_features)
    result = tune(tuning, start, decoding, TuningOptions(mert, rounds), metric=metric, say=say)
    write_weights(output, result.weights)
    _say_gain(output, metric, result.rounds[0].score, result.score)


def _require_words(source: Path, sentences: Iterable[Sequence[str]]) -> None:
    """Refuses a development set of blank lines."""
    if not any(sentences):
        raise FormatError("holds no words", path=source, remedy="give a development set, one sentence per line")


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
    from lattice_simp import Decoder
    from lattice_simp.commands.sentences import read_sentences
    from lattice_simp.ops.mbr import MbrSettings
    from lattice_simp.translate.model_files import update_settings
    from lattice_simp.tune.mbr_grid import mbr_grid

    sentences = read_sentences(str(source), None, "0", None)
    columns = _references(references, len(sentences), source)
    decoder = Decoder.load(model)
    kept = decoder.settings.beam if beam is None else beam
    fixed = decoder.settings.mbr or MbrSettings()
    fixed = fixed if max_arcs is None else replace(fixed, max_arcs=max_arcs)
    decoder = replace(decoder, settings=replace(decoder.settings, beam=kept, mbr=None))
    usable = [(sentence.words, rows) for sentence, rows in zip(sentences, columns, strict=True) if sentence.words]
    _require_words(source, (words for words, _ in usable))
    lattices = [decoder.translate(words).lattice for words, _ in usable]
    texts = [[" ".join(words) for words in rows] for _, rows in usable]
    grid = mbr_grid(lattices, texts, settings=fixed, jobs=jobs)
    is_better = grid.best.bleu > grid.best_path_bleu
    if is_better and write:
        update_settings(model, {"mbr": asdict(grid.best.settings), **({} if beam is None else {"beam": beam})})
    print("scale\tprecision\tratio\tBLEU")
    for point in sorted(grid.points, key=lambda point: -point.bleu):
        parameters = point.settings
        print(f"{parameters.scale}\t{parameters.precision}\t{parameters.ratio}\t{point.bleu:.2f}")
    say(f"BLEU {grid.best_path_bleu:.2f} by cost, {grid.best.bleu:.2f} with the best parameters")
    if not is_better:
        say("minimum Bayes risk does not improve BLEU here" + ("; nothing is written" if write else ""))


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
    from lattice_simp.core.symbols import SymbolTable
    from lattice_simp.formats import read
    from lattice_simp.translate.model_files import read_weights
    from lattice_simp.tune.feature_lattice import tuning_lattice

    _refuse_idle(optimizer)
    files = [path for place in sources for path in (_text_files(place) if place.is_dir() else [place])]
    if not files:
        remedy = "give a folder of files 0.txt, 1.txt, ..."
        raise FormatError("holds no lattices", path=sources[0], remedy=remedy)
    goal = _Goal(metric, files[0], references, source)
    symbols, names = SymbolTable(), tuple(read_weights(start))
    ignored = ignored_labels(ignore)
    read_lattices = []
    for path in files:
        lattice = read(path, "features", symbols, feature_names=names).without_words(ignored)
        require_hypotheses(lattice, path)
        try:
            narrowed = tuning_lattice(lattice, names, lattice.features.arcs, lattice.features.finals)
        except InvalidLatticeError as error:
            raise FormatError(str(error), path=path, remedy="scale the feature's values down") from None
        read_lattices.append(narrowed)
    search = _Search(optimizer, seed, directions, restarts, jobs)
    _minimise(read_lattices, symbols, goal, start, output, search)


@app.command()
def nbest(
    file: Annotated[str, typer.Argument(help="n-best lists with features, of any format, or - for stdin")],
    references: TokenisedReferences,
    start: Start,
    output: WeightsFile,
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

    Example: lattice-simp tune nbest dev.nbest --reference dev.de --weights start.tsv --output weights.tsv
    """
    from lattice_simp.commands.whole_sentences import first_piece, warn_of_pieces
    from lattice_simp.core.features import check_density
    from lattice_simp.core.symbols import SymbolTable
    from lattice_simp.formats.nbest import read_nbest
    from lattice_simp.rescore.nbest import with_total
    from lattice_simp.support.textio import read_lines
    from lattice_simp.translate.model_files import read_weights
    from lattice_simp.tune.feature_lattice import nbest_lattice

    _refuse_idle(optimizer)
    goal = _Goal(metric, Path(STDIN if file == "-" else file), references, source)
    symbols, names = SymbolTable(), tuple(read_weights(start))
    with readable(file) as copy:
        lists = read_nbest(copy, first_id or 0, pieces=pieces, cost=cost, ignore=ignored_labels(ignore))
    try:
        lists = [with_total(entries, names) for entries in lists]
    except LatticeSimpError as error:
        raise FormatError(str(error), path=goal.hypotheses) from error
    entries = [entry for entries in lists for entry in entries]
    unknown = dict.fromkeys(name for entry in entries for name in entry.features if name not in names)
    if unknown:
        message = f"{start} has no weight for {', '.join(unknown)}"
        raise FormatError(message, path=goal.hypotheses, remedy="add a line for each: feature<TAB>weight")
    check_density(
        len(names), [entry.features for entry in entries], sum(max(len(entry.tokens), 1) for entry in entries)
    )
    reference_tokens = (line.split() for path in references for line in read_lines(path))
    if pieces == "none" and first_piece(reference_tokens) is None:  # references in pieces are compared with pieces
        warn_of_pieces((entries[0].tokens for entries in lists if entries), file)
    list_lattices = [nbest_lattice(entries, names, symbols) for entries in lists]
    search = _Search(optimizer, seed, directions, restarts, jobs)
    _minimise(list_lattices, symbols, goal, start, output, search)


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
    from lattice_simp.lm import LanguageModel
    from lattice_simp.lm.mixture import mixed, mixture_weights, write_arpa
    from lattice_simp.support.textio import read_lines

    lines = [line for line in read_lines(text) if line.strip()]
    if not lines:
        raise FormatError("the file is empty", path=text, remedy="give a development text, one sentence per line")
    read = [LanguageModel.read(path) for path in models]
    result = mixture_weights(read, lines)
    write_arpa(output, *mixed(read, result.weights))
    print("model\tweight")
    for path, weight in zip(models, result.weights.tolist(), strict=True):
        print(f"{path}\t{weight:.4f}")
    say(f"{output}: perplexity {result.perplexities[0]:.2f} with equal weights, {result.perplexity:.2f} with these")


def _text_files(folder: Path) -> list[Path]:
    """Returns the text files of a folder in the order of the sentences that their names number."""
    from lattice_simp.formats.collections import natural_order

    return sorted(folder.glob("*.txt"), key=natural_order)


def _refuse_idle(optimizer: Optimizer) -> None:
    if optimizer != "mert":
        refuse_idle(["directions", "restarts"], f"with --optimizer {optimizer}")


@dataclass(frozen=True)
class _Goal:
    """The objective: a metric, the file of the hypotheses, and the files to compare it with.

    Raises:
        LatticeSimpError: a source is missing, or has no effect.
    """

    metric: str
    hypotheses: Path
    references: Sequence[Path]
    source: Path | None

    def __post_init__(self) -> None:
        measure = tuned_metric(self.metric)
        if measure.needs_source and self.source is None:
            raise LatticeSimpError(f"--metric {self.metric} needs --source, the sentences that were simplified")
        if self.source is not None and not measure.needs_source:
            needing = ", ".join(name for name, metric in TUNED_METRICS.items() if metric.needs_source)
            raise LatticeSimpError(
                f"--source has no effect with --metric {self.metric}; leave it out, or use {needing}"
            )


@dataclass(frozen=True)
class _Search:
    """The optimiser of weights and its options."""

    optimizer: Optimizer
    seed: int
    directions: int | None
    restarts: int | None
    jobs: int

    def function(self) -> Callable[..., MertResult]:
        """Returns the optimiser with its options."""
        from lattice_simp.tune.mert import MertOptions, minimize_error
        from lattice_simp.tune.mira import MiraOptions, learn_margins

        if self.optimizer == "mira":
            return partial(learn_margins, options=MiraOptions(seed=self.seed))
        directions = RANDOM_DIRECTIONS if self.directions is None else self.directions
        restarts = MERT_RESTARTS if self.restarts is None else self.restarts
        options = MertOptions(seed=self.seed, random_directions=directions, restarts=restarts, jobs=self.jobs)
        return partial(minimize_error, options=options)


def _minimise(
    lattices: Sequence[Lattice], symbols: SymbolTable, goal: _Goal, start: Path, output: Path, search: _Search
) -> None:
    from lattice_simp.translate.model_files import read_weights, write_weights

    columns = _references(goal.references, len(lattices), goal.hypotheses)
    references = [[symbols.encode(words) for words in rows] for rows in columns]
    sources = None
    if goal.source is not None:
        lines = _references([goal.source], len(lattices), goal.hypotheses)
        sources = [symbols.encode(words) for (words,) in lines]
    weights = read_weights(start)
    result = search.function()(lattices, references, weights, metric=goal.metric, sources=sources)
    write_weights(output, result.weights)
    _say_gain(output, goal.metric, result.initial_score, result.score)


def _say_gain(output: Path, metric: str, before: float, after: float) -> None:
    measure = tuned_metric(metric)
    shown = [f"{100.0 * measure.reported(score):.2f}" for score in (before, after)]
    say(f"{output}: {measure.name} {shown[0]} before, {shown[1]} after")


def _references(paths: Sequence[Path], count: int, source: Path) -> list[tuple[tuple[str, ...], ...]]:
    """Returns the tokens of each sentence's lines, one from each file.

    Raises:
        FormatError: there are no sentences, or a file has another number of lines or only blank ones.
    """
    from lattice_simp.commands.whole_sentences import warn_of_whole_sentences
    from lattice_simp.core.marks import without_marks
    from lattice_simp.core.symbols import split_tokens
    from lattice_simp.support.parallel import require_parallel
    from lattice_simp.support.textio import read_lines

    if not count:
        raise FormatError("the file is empty", path=source, remedy="give a development set, one sentence per line")
    columns = []
    for path in paths:
        lines = [without_marks(split_tokens(line)) for line in read_lines(path)]
        require_parallel(path, len(lines), source, count, "sentence")
        _require_words(path, lines)
        warn_of_whole_sentences(lines, path)
        columns.append(lines)
    return list(zip(*columns, strict=True))
