"""The stages that turn a complex-to-simple translation model into a simplifier: operations, all weights, calibration.

The earlier stages are those of any translation model, with complex text as source and simple text as target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.shards import results_in_order
from lattice_simp.pipeline.stage import Run, Stage, write_json
from lattice_simp.support.tables import grammar_path
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.simplify.analysis import MAX_TOKENS, Analysis, analyse, analyses
from lattice_simp.systems.simplify.calibration import calibrated
from lattice_simp.systems.simplify.graphs.boxer import graphs_by_tokens
from lattice_simp.systems.simplify.graphs.graph import SemanticGraph
from lattice_simp.systems.simplify.operations import OperationModel
from lattice_simp.systems.simplify.simplifier import OPERATIONS, Simplifier
from lattice_simp.systems.simplify.training import (
    TrainingGraph,
    expectation_maximisation,
    training_graph,
    training_lattice,
)
from lattice_simp.systems.simplify.tuning import tune_simplifier, with_start_weights
from lattice_simp.text.english.spacy_parser import parse_sentences
from lattice_simp.text.tokeniser import Tokeniser, tokenisers
from lattice_simp.train.config import Config, Corpus, Simplify, TestSet
from lattice_simp.train.model import link_or_copy
from lattice_simp.train.tuning import ROUNDS, finish_model, read_texts, test_set_files
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import WEIGHTS, read_weights, write_weights
from lattice_simp.tune.mert import MertOptions
from lattice_simp.tune.rounds import REACH, SEARCH_GAIN, TuningOptions

LIKELIHOODS = "likelihoods.json"

PAIRS_PER_TASK = 200


def operations_stage(config: Config) -> Stage:
    """Returns the stage that estimates the probabilities of splits and deletions on the training corpora."""
    assert config.simplify is not None
    files = [config.path(path) for corpus in _corpora(config) for path in (corpus.source, corpus.target)]
    files += _graph_files(config)
    values = {"text": config.text.model_dump(), "iterations": config.simplify.iterations}
    return Stage("operations", (), values, files, partial(_operations, config))


def _operations(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    assert config.simplify is not None
    factory = partial(_graph_maker, *cased_tokenisers(config), _graph_files(config))
    graphs: list[TrainingGraph] = [*chain.from_iterable(results_in_order(run, factory, _batches(config)))]
    lattice = training_lattice(graphs)
    model, iterations = OperationModel(), config.simplify.iterations
    likelihoods = list[float]()
    for likelihood, estimate in expectation_maximisation(lattice, iterations):
        likelihoods.append(likelihood)
        model = estimate
        run.progress(len(likelihoods), iterations)
    model.write(folder / OPERATIONS)
    write_json(folder / LIKELIHOODS, likelihoods)
    return {"features": len(model.counts), "pairs": len(graphs), "arcs": lattice.num_arcs}


def _corpora(config: Config) -> tuple[Corpus, ...]:
    assert config.simplify is not None
    return config.simplify.corpora or config.corpora


def _batches(config: Config) -> Iterator[list[tuple[str, str]]]:
    for corpus in _corpora(config):
        pairs = zip(read_lines(config.path(corpus.source)), read_lines(config.path(corpus.target)), strict=True)
        while batch := list(islice(pairs, PAIRS_PER_TASK)):
            yield batch


def cased_tokenisers(config: Config) -> tuple[Tokeniser, Tokeniser]:
    """Returns the tokenisers of a config, which keep the case of words because parsers need it."""
    return tokenisers(config.text.model_copy(update={"case": "keep"}))


def _graph_files(config: Config) -> list[Path]:
    return [] if config.simplify is None else [config.path(path) for path in config.simplify.graphs]


_Analyse: TypeAlias = Callable[[Sequence[tuple[str, ...]]], Iterator[Analysis]]


def _analyser(graph_files: Sequence[Path]) -> _Analyse:
    """Returns the function that analyses sentences, by their graphs if there are files of graphs."""
    graphs = graphs_by_tokens(graph_files)

    def by_graphs(sentences: Sequence[tuple[str, ...]]) -> Iterator[Analysis]:
        return analyses(graphs.get(tokens, SemanticGraph(tokens, (), ())) for tokens in sentences)

    return by_graphs if graph_files else lambda sentences: map(analyse, parse_sentences(sentences))


def _graph_maker(
    source: Tokeniser, target: Tokeniser, graph_files: Sequence[Path]
) -> Callable[[Sequence[tuple[str, str]]], list[TrainingGraph]]:
    analysed = _analyser(graph_files)

    def work(pairs: Sequence[tuple[str, str]]) -> list[TrainingGraph]:
        tokens = [
            (as_tokens(source.tokens(complex_side)), as_tokens(target.tokens(simple_side)))
            for complex_side, simple_side in pairs
        ]
        usable = [
            (complex_side, simple_side)
            for complex_side, simple_side in tokens
            if 0 < len(complex_side) <= MAX_TOKENS and simple_side
        ]
        different = list(dict.fromkeys(complex_side for complex_side, _ in usable))
        analysis_of = dict(zip(different, analysed(different), strict=True))
        return [training_graph(analysis_of[complex_side], simple_side) for complex_side, simple_side in usable]

    return work


def weights_stage(config: Config) -> Stage:
    """Returns the stage that tunes all weights of the simplifier together on the development set."""
    settings = config.simplify
    development = [] if settings is None or settings.development is None else [settings.development]
    files = [path for test in development for path in test_set_files(config, test)] + _graph_files(config)
    files += sorted(grammar_path("english/simpler_words.tsv").parent.glob("*.tsv"))  # choices of the bold mode
    excluded_fields = {"corpora", "graphs", "iterations", "simplicity", "swaps", "calibrate", "calibration"}
    fields = {} if settings is None else settings.model_dump(mode="json", exclude=excluded_fields)
    values = {"simplify": fields, "text": config.text.model_dump()}
    return Stage("simplifier", ("model", "operations"), values, files, partial(_tune, config), version=2)


def _tune(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    settings = config.simplify
    assert settings is not None
    simplifier = with_start_weights(_loaded(settings, run))
    if settings.development is None:
        write_weights(folder / WEIGHTS, dict(simplifier.decoder.weights))
        return {}
    sentences, references = development_set(config, settings.development)
    analysed = list(_analyser(_graph_files(config))(sentences))
    mert = MertOptions(settings.seed, settings.random_directions, settings.restarts, min_gain=SEARCH_GAIN, reach=REACH)
    result = tune_simplifier(
        simplifier,
        analysed,
        references,
        TuningOptions(mert, settings.max_rounds),
        metric=settings.metric,
        say=run.say,
        progress=run.progress,
    )
    rounds = [{"weights": step.weights, "score": step.score, "expected": step.expected} for step in result.rounds]
    write_json(folder / ROUNDS, rounds)
    write_weights(folder / WEIGHTS, {**simplifier.decoder.weights, **result.weights})
    return {"rounds": len(rounds), "score_before": rounds[0]["score"], "score_after": result.score}


def _loaded(settings: Simplify, run: Run) -> Simplifier:
    operations = OperationModel.read(run.folders["operations"] / OPERATIONS)
    return Simplifier(operations, Decoder.load(run.folders["model"]), change=settings.change, mode="bold")


def calibration_stage(config: Config) -> Stage:
    """Returns the stage that calibrates the share of split sentences to that of references."""
    test = _calibration_set(config)
    files = [] if test is None else test_set_files(config, test) + _graph_files(config)
    change = config.simplify is not None and config.simplify.change
    values = [None if test is None else test.model_dump(mode="json"), config.text.model_dump(), change]
    needs = ("model", "operations", "simplifier")
    publish = partial(_publish, config)
    return Stage("calibration", needs, values, files, partial(_calibrate, config, test), publish=publish)


def _calibration_set(config: Config) -> TestSet | None:
    settings = config.simplify
    return None if settings is None or not settings.calibrate else settings.calibration or settings.development


def _calibrate(config: Config, test: TestSet | None, run: Run, folder: Path) -> dict[str, Any]:
    assert config.simplify is not None
    loaded, rate = _loaded(config.simplify, run), {}
    tuned = replace(loaded, decoder=loaded.decoder.with_weights(read_weights(run.folders["simplifier"] / WEIGHTS)))
    if test is not None:
        sentences, references = development_set(config, test)
        tuned, share = calibrated(tuned, list(_analyser(_graph_files(config))(sentences)), references)
        rate = {"split_rate": share}
    tuned.operations.write(folder / OPERATIONS)
    write_weights(folder / WEIGHTS, dict(tuned.decoder.weights))
    return rate


def development_set(config: Config, test: TestSet) -> tuple[list[tuple[str, ...]], list[list[tuple[str, ...]]]]:
    """Returns the tokenised complex sentences and the references of each, cased like the model's output.

    Raises:
        LatticeSimpError: no sentence can be parsed.
    """
    source_tokeniser, target_tokeniser = cased_tokenisers(config)
    sources, references = read_texts(config, test)
    pairs = []
    for source, *lines in zip(sources, *references, strict=True):
        tokens = as_tokens(source_tokeniser.tokens(source))
        if 0 < len(tokens) <= MAX_TOKENS:
            pairs.append((tokens, [_as_output(as_tokens(target_tokeniser.tokens(line))) for line in lines]))
    if not pairs:
        raise LatticeSimpError("the development set holds no sentences to tune on")
    return [tokens for tokens, _ in pairs], [lines for _, lines in pairs]


def _as_output(reference: tuple[str, ...]) -> tuple[str, ...]:
    """Writes a reference's first word as a model without sentence-initial capitals would."""
    first = reference[:1]
    lowered = tuple(word.lower() if word[1:].islower() or len(word) == 1 else word for word in first)
    return reference if first == ("I",) else (*lowered, *reference[1:])


def _publish(config: Config, run: Run) -> None:
    finish_model(run.folders["model"], run.folders["calibration"], config.model_folder)
    link_or_copy(run.folders["calibration"] / OPERATIONS, config.model_folder / OPERATIONS)
    run.say(f"simplifier: {config.model_folder}")


SIMPLIFIER_STAGES = {
    "operations": operations_stage,
    "simplifier": weights_stage,
    "calibration": calibration_stage,
}
"""The training stages of a simplifier by name, in order."""
