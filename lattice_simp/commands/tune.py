"""`lattice-simp tune`: weights by lattice MERT, minimum Bayes-risk parameters by grid search."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Optional

import typer

from lattice_simp.commands.options import (
    COST,
    FIRST_ID,
    IGNORE,
    PIECES,
    STDIN,
    command_app,
    ignored_labels,
    readable,
    refuse_idle,
    writable,
)
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.tune.metrics import TUNED_METRICS, TunedName, tuned_metric

if TYPE_CHECKING:
    from lattice_simp.core.lattice import Lattice
    from lattice_simp.core.symbols import SymbolTable
    from lattice_simp.tune.mert import MertResult

Optimizer = Literal["mert", "mira"]

app = command_app("Tune weights and minimum Bayes-risk decoding on a development set.")

SOURCE = typer.Option("--source", help="tokenised sentences of a development set, one a line")
REFERENCES = typer.Option("--reference", help="tokenised reference translations; may be given several times")
METRIC = typer.Option("--metric", help="what is tuned for; sari for simplification, where the source counts, too")
COMPARED = typer.Option("--source", help="tokenised sentences that the hypotheses were made of, for --metric sari")
START = typer.Option("--weights", help="a weights.tsv to start from")
OUTPUT = typer.Option("--output", "-o", help="a weights.tsv", callback=writable)
OPTIMIZER = typer.Option(
    help="mert: the best score on these lists; mira: averaged small steps, safer for many features"
)
RANDOM_DIRECTIONS, MERT_RESTARTS = 12, 3
DIRECTIONS = typer.Option(min=0, help="random directions beside the axes, of mert", show_default=str(RANDOM_DIRECTIONS))
RESTARTS = typer.Option(min=0, help="of mert", show_default=str(MERT_RESTARTS))
SEED = typer.Option(help="of the random directions, or of the sentences' order")
JOBS = typer.Option(min=1, help="processes for decoding, threads for optimising")


@app.command()
def weights(
    model: Annotated[Path, typer.Argument(help="a model directory; its weights are the start")],
    source: Annotated[Path, SOURCE],
    references: Annotated[list[Path], REFERENCES],
    output: Annotated[Path, OUTPUT],
    skeletons: Annotated[Optional[Path], typer.Option(help="JSON lines or bracket text: tunes with skeletons")] = None,  # noqa: UP045
    strategy: Annotated[Optional[str], typer.Option(help="gappy (with skeletons), skeleton-first, or plain")] = None,  # noqa: UP045
    beam: Annotated[float, typer.Option(help="nats that lattices keep")] = 5.0,
    max_arcs: Annotated[int, typer.Option(min=1, help="of a lattice")] = 1000,
    metric: Annotated[TunedName, METRIC] = "bleu",
    rounds: Annotated[int, typer.Option(min=1, help="of decoding and optimising")] = 8,
    directions: Annotated[int, DIRECTIONS] = RANDOM_DIRECTIONS,
    restarts: Annotated[int, typer.Option(min=0, help="of mert, in each round")] = 1,
    seed: Annotated[int, SEED] = 1,
    jobs: Annotated[int, JOBS] = 1,
    dask: Annotated[Optional[str], typer.Option(help="a Dask scheduler for decoding")] = None,  # noqa: UP045
) -> None:
    """Tunes all weights of a model together, that of the skeleton included, by lattice MERT."""
    from lattice_simp.commands.sentences import read_sentences
    from lattice_simp.translate.model_files import write_weights
    from lattice_simp.translate.strategies import STRATEGIES
    from lattice_simp.tune.decode import DecodeOptions, TuningSentence
    from lattice_simp.tune.mert import MertOptions
    from lattice_simp.tune.rounds import REACH, SEARCH_GAIN, start_weights, tune

    if strategy is not None and strategy not in STRATEGIES:
        raise LatticeSimpError(f"unknown strategy {strategy!r}; known are {', '.join(STRATEGIES)}")
    if strategy not in (None, "plain") and skeletons is None:
        raise LatticeSimpError(f"--strategy {strategy} needs --skeletons")
    if strategy == "plain":
        refuse_idle(["skeletons"], "with --strategy plain")
    sentences = read_sentences(str(source), skeletons, "0", None)
    own = _references(references, len(sentences), source)
    tuning = [TuningSentence(one.words, refs, one.masks) for one, refs in zip(sentences, own, strict=True)]
    decoding = DecodeOptions(model.resolve(), strategy, beam, max_arcs, jobs, dask)
    mert = MertOptions(seed=seed, random_directions=directions, restarts=restarts, min_gain=SEARCH_GAIN, reach=REACH)
    start = start_weights(model, skeletons=skeletons is not None and strategy != "plain")
    result = tune(tuning, start, decoding, metric=metric, mert=mert, max_rounds=rounds, say=_say)
    write_weights(output, result.weights)
    _say_gain(output, metric, result.rounds[0].score, result.score)


@app.command()
def mbr(
    model: Annotated[Path, typer.Argument(help="a model directory")],
    source: Annotated[Path, SOURCE],
    references: Annotated[list[Path], REFERENCES],
    beam: Annotated[Optional[float], typer.Option(help="nats that lattices keep; the model's own")] = None,  # noqa: UP045
    max_arcs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, help="that the posteriors are computed from; as translate's --mbr-max-arcs"),
    ] = None,
    write: Annotated[bool, typer.Option(help="put the best parameters into the model's settings.json")] = False,
    jobs: Annotated[int, JOBS] = 1,
) -> None:
    """Searches a grid of minimum Bayes-risk parameters: scale, precision, ratio; prints the table.

    The sentences are decoded as `lattice-simp translate` decodes them, so the BLEU of a point is what it gives there.
    """
    from lattice_simp import Decoder
    from lattice_simp.commands.sentences import read_sentences
    from lattice_simp.ops.mbr import MbrSettings
    from lattice_simp.translate.model_files import update_settings
    from lattice_simp.tune.mbr_grid import mbr_grid

    sentences = read_sentences(str(source), None, "0", None)
    own = _references(references, len(sentences), source)
    decoder = Decoder.load(model)
    kept = decoder.settings.beam if beam is None else beam
    fixed = decoder.settings.mbr or MbrSettings()
    fixed = fixed if max_arcs is None else replace(fixed, max_arcs=max_arcs)
    decoder = replace(decoder, settings=replace(decoder.settings, beam=kept, mbr=None))
    usable = [(one.words, refs) for one, refs in zip(sentences, own, strict=True) if one.words]
    if not usable:
        raise FormatError("holds no words", path=source, remedy="give a development set, one sentence a line")
    lattices = [decoder.translate(words).lattice for words, _ in usable]
    texts = [[" ".join(words) for words in refs] for _, refs in usable]
    grid = mbr_grid(lattices, texts, settings=fixed, jobs=jobs)
    is_better = grid.best.bleu > grid.best_path_bleu
    if is_better and write:
        update_settings(model, {"mbr": asdict(grid.best.settings), **({} if beam is None else {"beam": beam})})
    print("scale\tprecision\tratio\tBLEU")
    for point in sorted(grid.points, key=lambda point: -point.bleu):
        own_settings = point.settings
        print(f"{own_settings.scale}\t{own_settings.precision}\t{own_settings.ratio}\t{point.bleu:.2f}")
    _say(f"BLEU {grid.best_path_bleu:.2f} by cost, {grid.best.bleu:.2f} by the best point")
    if not is_better:
        _say("minimum Bayes risk gains nothing here: decide by the cost" + ("; nothing is written" if write else ""))


@app.command()
def lattices(
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="FILES", help="text lattices with features, one for each sentence; or a folder"),
    ],
    references: Annotated[list[Path], REFERENCES],
    start: Annotated[Path, START],
    output: Annotated[Path, OUTPUT],
    metric: Annotated[TunedName, METRIC] = "bleu",
    source: Annotated[Optional[Path], COMPARED] = None,  # noqa: UP045
    optimizer: Annotated[Optimizer, OPTIMIZER] = "mert",
    directions: Annotated[Optional[int], DIRECTIONS] = None,  # noqa: UP045
    restarts: Annotated[Optional[int], RESTARTS] = None,  # noqa: UP045
    seed: Annotated[int, SEED] = 1,
    ignore: IGNORE = None,
    jobs: Annotated[int, JOBS] = 1,
) -> None:
    """Tunes weights on lattices of any decoder (`from to word feature:value ...`, cost = sum of weight x value)."""
    from lattice_simp.core.symbols import SymbolTable
    from lattice_simp.formats import read
    from lattice_simp.translate.model_files import read_weights

    _refuse_idle(optimizer)
    files = [path for own in sources for path in (sorted(own.glob("*.txt")) if own.is_dir() else [own])]
    if not files:
        raise FormatError(
            "holds no lattices", path=sources[0], remedy="give a folder of files 000000.txt, 000001.txt, ..."
        )
    goal = _Goal(metric, files[0], references, source)
    symbols, names = SymbolTable(), tuple(read_weights(start))
    ignored = ignored_labels(ignore)
    own = [read(path, "features", symbols, feature_names=names).without_words(ignored) for path in files]
    search = _Search(optimizer, seed, directions, restarts, jobs)
    _minimise(own, symbols, goal, start, output, search)


@app.command()
def nbest(
    file: Annotated[str, typer.Argument(help="n-best lists with features, of any format, or - for stdin")],
    references: Annotated[list[Path], REFERENCES],
    start: Annotated[Path, START],
    output: Annotated[Path, OUTPUT],
    pieces: PIECES = "none",
    cost: COST = None,
    first_id: FIRST_ID = None,
    ignore: IGNORE = None,
    metric: Annotated[TunedName, METRIC] = "bleu",
    source: Annotated[Optional[Path], COMPARED] = None,  # noqa: UP045
    optimizer: Annotated[Optimizer, OPTIMIZER] = "mert",
    directions: Annotated[Optional[int], DIRECTIONS] = None,  # noqa: UP045
    restarts: Annotated[Optional[int], RESTARTS] = None,  # noqa: UP045
    seed: Annotated[int, SEED] = 1,
    jobs: Annotated[int, JOBS] = 1,
) -> None:
    """Tunes weights on n-best lists of any system; a feature of several values has the weights NAME_0, NAME_1, ...

    A weight TOTAL is that of the lists' old score, here as in `lattice-simp rescore nbest --weights`.
    """
    from lattice_simp.core.features import check_density
    from lattice_simp.core.symbols import SymbolTable
    from lattice_simp.formats.nbest import read_nbest
    from lattice_simp.rescore.nbest import with_total
    from lattice_simp.translate.model_files import read_weights
    from lattice_simp.tune.feature_lattice import nbest_lattice

    _refuse_idle(optimizer)
    goal = _Goal(metric, Path(STDIN if file == "-" else file), references, source)
    symbols, names = SymbolTable(), tuple(read_weights(start))
    with readable(file) as own_file:
        lists = read_nbest(own_file, first_id or 0, pieces=pieces, cost=cost, ignore=ignored_labels(ignore))
    lists = [with_total(entries, names) for entries in lists]
    unknown = next((name for entries in lists for own in entries for name in own.features if name not in names), None)
    if unknown is not None:
        raise FormatError(
            f"the feature {unknown!r} is not in {start}", path=goal.hypotheses, remedy="add a line with its weight"
        )
    every = [own for entries in lists for own in entries]
    check_density(len(names), [own.features for own in every], sum(max(len(own.tokens), 1) for own in every))
    own = [nbest_lattice(entries, names, symbols) for entries in lists]
    search = _Search(optimizer, seed, directions, restarts, jobs)
    _minimise(own, symbols, goal, start, output, search)


def _refuse_idle(optimizer: Optimizer) -> None:
    if optimizer != "mert":
        refuse_idle(["directions", "restarts"], f"on --optimizer {optimizer}")


@dataclass(frozen=True)
class _Goal:
    """What weights are tuned for: a metric, and the files that it compares those of `hypotheses` with.

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
            own = ", ".join(name for name, one in TUNED_METRICS.items() if one.needs_source)
            raise LatticeSimpError(f"--source has no effect on --metric {self.metric}; leave it out, or take {own}")


@dataclass(frozen=True)
class _Search:
    """How weights are looked for."""

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
    references = [[symbols.encode(words) for words in own] for own in columns]
    sources = None
    if goal.source is not None:
        lines = _references([goal.source], len(lattices), goal.hypotheses)
        sources = [symbols.encode(words) for (words,) in lines]
    weights = read_weights(start)
    result = search.function()(lattices, references, weights, metric=goal.metric, sources=sources)
    write_weights(output, result.weights)
    _say_gain(output, goal.metric, result.initial_score, result.score)


def _say_gain(output: Path, metric: str, before: float, after: float) -> None:
    _say(f"{output}: {tuned_metric(metric).name} {100 * before:.2f} before, {100 * after:.2f} after")


def _references(paths: Sequence[Path], count: int, source: Path) -> list[tuple[tuple[str, ...], ...]]:
    """Returns the lines of some files, by sentence, as tokens.

    Raises:
        FormatError: there are no sentences, or a file has not a line for each.
    """
    from lattice_simp.commands.whole_sentences import warn_of_whole_sentences
    from lattice_simp.core.marks import without_marks
    from lattice_simp.core.symbols import split_tokens
    from lattice_simp.support.textio import read_lines

    if not count:
        raise FormatError("the file is empty", path=source, remedy="give a development set, one sentence a line")
    columns = []
    for path in paths:
        lines = [without_marks(split_tokens(line)) for line in read_lines(path)]
        if len(lines) != count:
            message = f"has {len(lines)} lines for the {count} of {source}"
            raise FormatError(message, path=path, remedy="give files of equally many lines")
        warn_of_whole_sentences(lines, path)
        columns.append(lines)
    return list(zip(*columns, strict=True))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
