"""The stages that make a simplification model of a complex-simple one: operations, and weights of everything together.

The stages before them are those of any other model: complex text is the source language, simple text the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.stage import Run, Stage, write_json
from lattice_simp.pipeline.tasks import all_results
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.simplify.analysis import analyse
from lattice_simp.systems.simplify.operations import OperationModel
from lattice_simp.systems.simplify.simplifier import MAX_TOKENS, OPERATIONS, Simplifier
from lattice_simp.systems.simplify.training import (
    TrainingGraph,
    expectation_maximisation,
    training_graph,
    training_lattice,
)
from lattice_simp.systems.simplify.tuning import tune_simplifier, with_start_weights
from lattice_simp.text.english.spacy_parser import parse_sentences
from lattice_simp.text.tokeniser import Tokeniser, tokenisers
from lattice_simp.train.config import Config, Corpus, TestSet
from lattice_simp.train.model import link_or_copy
from lattice_simp.train.tuning import ROUNDS, finish_model, read_texts, test_set_files
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import WEIGHTS, write_weights
from lattice_simp.tune.mert import MertOptions
from lattice_simp.tune.rounds import REACH, SEARCH_GAIN

LIKELIHOODS = "likelihoods.json"

PAIRS_PER_TASK = 200


def operations_stage(config: Config) -> Stage:
    """Returns the stage that estimates the probabilities of splits and deletions on the training corpora."""
    assert config.simplify is not None
    files = [config.path(path) for corpus in _corpora(config) for path in (corpus.source, corpus.target)]
    values = {"text": config.text.model_dump(), "iterations": config.simplify.iterations}
    return Stage("operations", (), values, files, partial(_operations, config))


def _operations(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    assert config.simplify is not None
    tasks = list(enumerate(_batches(config)))
    graphs: dict[int, list[TrainingGraph]] = {}
    found = all_results(tasks, partial(_graph_maker, *cased_tokenisers(config)), jobs=run.jobs, cluster=run.cluster)
    for done, (number, result) in enumerate(found, start=1):
        graphs[number] = result
        run.progress(done, len(tasks))
    lattice = training_lattice(graph for number in sorted(graphs) for graph in graphs[number])
    model, iterations = OperationModel(), config.simplify.iterations
    likelihoods = list[float]()
    for likelihood, estimate in expectation_maximisation(lattice, iterations):
        likelihoods.append(likelihood)
        model = estimate
        run.progress(len(likelihoods), iterations)
    model.write(folder / OPERATIONS)
    write_json(folder / LIKELIHOODS, likelihoods)
    return {"features": len(model.counts), "pairs": sum(map(len, graphs.values())), "arcs": lattice.num_arcs}


def _corpora(config: Config) -> tuple[Corpus, ...]:
    assert config.simplify is not None
    return config.simplify.corpora or config.corpora


def _batches(config: Config) -> Iterator[list[tuple[str, str]]]:
    for corpus in _corpora(config):
        pairs = zip(read_lines(config.path(corpus.source)), read_lines(config.path(corpus.target)), strict=True)
        while batch := list(islice(pairs, PAIRS_PER_TASK)):
            yield batch


def cased_tokenisers(config: Config) -> tuple[Tokeniser, Tokeniser]:
    """Returns the tokenisers of a config but for the case of words, which parsers want as readers see it."""
    return tokenisers(config.text.model_copy(update={"case": "keep"}))


def _graph_maker(source: Tokeniser, target: Tokeniser) -> Callable[[Sequence[tuple[str, str]]], list[TrainingGraph]]:
    def work(pairs: Sequence[tuple[str, str]]) -> list[TrainingGraph]:
        tokens = [(as_tokens(source.tokens(one)), as_tokens(target.tokens(other))) for one, other in pairs]
        usable = [(one, other) for one, other in tokens if 0 < len(one) <= MAX_TOKENS and other]
        different = list(dict.fromkeys(one for one, _ in usable))
        analyses = dict(zip(different, map(analyse, parse_sentences(different)), strict=True))
        return [training_graph(analyses[one], other) for one, other in usable]

    return work


def weights_stage(config: Config) -> Stage:
    """Returns the stage that tunes all weights of the simplifier together on the development set."""
    given = config.simplify
    development = [] if given is None or given.development is None else [given.development]
    files = [path for test in development for path in test_set_files(config, test)]
    own = {} if given is None else given.model_dump(mode="json", exclude={"corpora", "iterations", "simplicity"})
    values = {"simplify": own, "text": config.text.model_dump()}
    publish = partial(_publish, config)
    return Stage("simplifier", ("model", "operations"), values, files, partial(_tune, config), publish=publish)


def _tune(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    given = config.simplify
    assert given is not None
    operations = OperationModel.read(run.folders["operations"] / OPERATIONS)
    simplifier = with_start_weights(Simplifier(operations, Decoder.load(run.folders["model"])))
    if given.development is None:
        write_weights(folder / WEIGHTS, dict(simplifier.decoder.weights))
        return {}
    sentences, references = development_set(config, given.development)
    analyses = list(map(analyse, parse_sentences(sentences)))
    mert = MertOptions(given.seed, given.random_directions, given.restarts, min_gain=SEARCH_GAIN, reach=REACH)
    result = tune_simplifier(
        simplifier,
        analyses,
        references,
        metric=given.metric,
        max_rounds=given.max_rounds,
        mert=mert,
        say=run.say,
        progress=run.progress,
    )
    made = [{"weights": one.weights, "score": one.score, "expected": one.expected} for one in result.rounds]
    write_json(folder / ROUNDS, made)
    write_weights(folder / WEIGHTS, {**simplifier.decoder.weights, **result.weights})
    return {"rounds": len(made), "score_before": made[0]["score"], "score_after": result.score}


def development_set(config: Config, test: TestSet) -> tuple[list[tuple[str, ...]], list[list[tuple[str, ...]]]]:
    """Returns the tokens of the complex sentences, and those of each one's references, cased as the model's output.

    Raises:
        LatticeSimpError: no sentence is left that can be parsed.
    """
    own, other = cased_tokenisers(config)
    sources, references = read_texts(config, test)
    found = []
    for source, *lines in zip(sources, *references, strict=True):
        tokens = as_tokens(own.tokens(source))
        if 0 < len(tokens) <= MAX_TOKENS:
            found.append((tokens, [_as_output(as_tokens(other.tokens(line))) for line in lines]))
    if not found:
        raise LatticeSimpError("the development set holds no sentences to tune on")
    return [tokens for tokens, _ in found], [lines for _, lines in found]


def _as_output(reference: tuple[str, ...]) -> tuple[str, ...]:
    """Writes a reference's first word as a model without sentence-initial capitals would."""
    first = reference[:1]
    lowered = tuple(word.lower() if word[1:].islower() or len(word) == 1 else word for word in first)
    return reference if first == ("I",) else (*lowered, *reference[1:])


def _publish(config: Config, run: Run) -> None:
    finish_model(run.folders["model"], run.folders["simplifier"], config.model_folder)
    link_or_copy(run.folders["operations"] / OPERATIONS, config.model_folder / OPERATIONS)
    run.say(f"simplifier: {config.model_folder}")


SIMPLIFIER_STAGES = {"operations": operations_stage, "simplifier": weights_stage}
"""The stages of training that make a model a simplifier, by name, in order."""
