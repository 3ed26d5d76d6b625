"""The stages: lattices of the Hiero system, n-best lists with the network's scores, search in the lattices, choices."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from experiments.files import sentence_file
from experiments.network import read_network, translated
from experiments.timing import cpu_time
from experiments.transformer.sets import VALIDATION, SentenceSet
from lattice_simp import Decoder, Hypothesis, Lattice, determinize, nbest, prune, read, write
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.metrics import bleu_tok
from lattice_simp.pipeline.shards import over_shards, run_all
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.rescore.lattice_search import LATTICE, rescore_lattice
from lattice_simp.rescore.lattice_search import MODEL as MODEL_SCORE
from lattice_simp.rescore.neural.scorer import TranslationScorer
from lattice_simp.rescore.neural.settings import TrainingSettings, read_settings
from lattice_simp.rescore.neural.training import MODEL, train
from lattice_simp.translate.model_files import WEIGHTS, read_weights
from lattice_simp.tune.feature_lattice import nbest_lattice
from lattice_simp.tune.mert import MertOptions, minimize_error

FINISHED = "finished.json"
"""The file of a finished run with its settings. A longer run continues from there."""


def network_settings(training: Path, languages: tuple[str, str], work: Path) -> TrainingSettings:
    """Reads the settings of a training run with text and folder inside `work`."""
    files = {"output": "training"}
    for side, language in zip(("source", "target"), languages, strict=True):
        files |= {side: f"text/train.{language}", f"development_{side}": f"text/{VALIDATION}.{language}"}
    overrides = [f"{name}={os.path.relpath(work / file, training.parent)}" for name, file in files.items()]
    return read_settings(training, overrides)


def trained_network(settings: TrainingSettings, run: Run) -> Path:
    """Trains a network, or resumes its training; returns the folder of its CTranslate2 model."""
    folder = Path(settings.output)
    marker, configured = folder / FINISHED, settings.model_dump(mode="json")
    if marker.is_file() and read_json(marker) == configured:
        run.say(f"network: done before ({settings.updates:,} updates)")
        return folder / MODEL
    run.begin("network")
    model = train(settings, run.say)
    write_json(marker, configured)
    return model


DECODED, SCORED, SEARCHED = "decoded", "scored", "searched"

Task = tuple[int, tuple[str, ...]]
"""A sentence's number in its set, and its tokens."""


@dataclass(frozen=True)
class Search:
    """The beam (nats) and the arcs of a lattice, the length of a list, the network's beam, and CTranslate2's type."""

    beam: float
    max_arcs: int
    nbest: int
    translation_beam: int
    compute_type: str


@dataclass(frozen=True)
class LatticeSearch:
    """A search in a lattice: the number of prefixes of a state, and the weights of the two costs."""

    name: str
    beam: int
    lattice_weight: float
    model_weight: float


@dataclass(frozen=True)
class Entry:
    """A hypothesis of a list, with the costs of both (nats)."""

    words: str
    lattice_cost: float
    model_cost: float

    def cost(self, lattice_weight: float, model_weight: float) -> float:
        """Returns the weighted sum."""
        return lattice_weight * self.lattice_cost + model_weight * self.model_cost


@dataclass(frozen=True)
class Scored:
    """A sentence's list, the arcs of its lattice, the network's own translation, and the CPU seconds of each step."""

    entries: tuple[Entry, ...]
    arcs: int
    own: str
    decoding: float
    scoring: float
    translating: float


@dataclass(frozen=True)
class Searched:
    """The best hypothesis of a search in a lattice, its weighted cost, and CPU seconds."""

    words: str
    cost: float
    seconds: float


# ---------------------------------------------------------------- the stages


def stages_of(
    sentences: SentenceSet, model: Path, network: Path, search: Search, searches: Sequence[LatticeSearch]
) -> list[Stage]:
    """Returns the stages of a set, with a model that has its rules."""
    return [
        decoded_stage(sentences, model, search.beam, search.max_arcs),
        scored_stage(sentences, network, search),
        searched_stage(sentences, network, search.compute_type, searches),
    ]


def decoded_stage(sentences: SentenceSet, model: Path, beam: float, max_arcs: int) -> Stage:
    """Returns the stage that translates a set with the Hiero system, and writes the lattices."""

    def work(run: Run, folder: Path) -> dict[str, Any]:
        weights = read_weights(run.folders["tune"] / WEIGHTS)
        return each_sentence(run, folder, partial(_decoder, model, weights, beam, max_arcs, folder), sentences)

    values = [model.name, beam, max_arcs, sentences.sources]
    return Stage(f"{DECODED}-{sentences.name}", ("tune",), values, (), work)


def scored_stage(sentences: SentenceSet, network: Path, search: Search) -> Stage:
    """Returns the stage that scores n-best lists with the network, and translates with it alone."""
    before = f"{DECODED}-{sentences.name}"

    def work(run: Run, folder: Path) -> dict[str, Any]:
        return each_sentence(run, folder, partial(_scorer, network, search, run.folders[before], folder), sentences)

    return Stage(f"{SCORED}-{sentences.name}", (before,), asdict(search), [network / "model.bin"], work)


def searched_stage(sentences: SentenceSet, network: Path, compute: str, searches: Sequence[LatticeSearch]) -> Stage:
    """Returns the stage that searches the lattices with the network."""
    before = f"{DECODED}-{sentences.name}"

    def work(run: Run, folder: Path) -> dict[str, Any]:
        factory = partial(_searcher, network, compute, searches, run.folders[before], folder)
        return each_sentence(run, folder, factory, sentences)

    values = [compute, [asdict(search) for search in searches]]
    return Stage(f"{SEARCHED}-{sentences.name}", (before,), values, [network / "model.bin"], work)


def read_scored(folders: Mapping[str, Path], sentences: SentenceSet) -> list[Scored]:
    """Reads the results of the stage `scored` for a set."""
    scored = []
    for values in _read(folders[f"{SCORED}-{sentences.name}"], sentences):
        entries = tuple(Entry(*entry) for entry in values.pop("entries"))
        scored.append(Scored(entries, **values))
    return scored


def read_searched(folders: Mapping[str, Path], sentences: SentenceSet) -> list[dict[str, Searched]]:
    """Reads the results of each search for each sentence of a set."""
    folder = folders[f"{SEARCHED}-{sentences.name}"]
    return [{name: Searched(**result) for name, result in values.items()} for values in _read(folder, sentences)]


# ---------------------------------------------------------------- sentences


def each_sentence(
    run: Run, folder: Path, factory: Callable[[], Callable[[Task], None]], sentences: SentenceSet
) -> dict[str, Any]:
    """Processes the unfinished sentences."""
    tasks = [(number, tuple(line.split())) for number, line in enumerate(sentences.sources)]
    run_all(over_shards(run, factory, tasks, lambda task: sentence_file(folder, task[0], ending="json").exists()))
    return {"sentences": len(tasks)}


def _decoder(
    model: Path, weights: dict[str, float], beam: float, max_arcs: int, folder: Path
) -> Callable[[Task], None]:
    decoder = Decoder.load(model).with_weights(weights)

    def work(task: Task) -> None:
        number, words = task
        with cpu_time() as decoding:
            lattice = prune(_strings(decoder, words, beam), max_arcs=max_arcs)
        write(lattice, sentence_file(folder, number, ending="fst"))
        record = {"decoding": round(decoding.seconds, 4), "arcs": lattice.num_arcs}
        write_json(sentence_file(folder, number, ending="json"), record)

    return work


def _strings(decoder: Decoder, words: Sequence[str], beam: float) -> Lattice:
    """Returns the lattice of a sentence's translations with one path for each string, merging its derivations."""
    return determinize(decoder.lattice(words, beam).project_output())


def _scorer(network: Path, search: Search, decoded: Path, folder: Path) -> Callable[[Task], None]:
    scorer = read_network(network, search.compute_type)

    def work(task: Task) -> None:
        number, words = task
        hypotheses = nbest(read(sentence_file(decoded, number, ending="fst")), search.nbest)
        with cpu_time() as scoring:
            costs = scorer.score(words, [path.tokens for path in hypotheses]).tolist()
        with cpu_time() as translating:
            line = translated(scorer, words, search.translation_beam)
        entries = tuple((path.text, path.cost, cost) for path, cost in zip(hypotheses, costs, strict=True))
        seconds = {"scoring": round(scoring.seconds, 4), "translating": round(translating.seconds, 4)}
        before = read_json(sentence_file(decoded, number, ending="json"))
        write_json(sentence_file(folder, number, ending="json"), {"entries": entries, "own": line, **seconds, **before})

    return work


def _searcher(
    network: Path, compute_type: str, searches: Sequence[LatticeSearch], decoded: Path, folder: Path
) -> Callable[[Task], None]:
    scorer = read_network(network, compute_type)

    def work(task: Task) -> None:
        number, words = task
        lattice = read(sentence_file(decoded, number, ending="fst"))
        results = {search.name: asdict(_search_lattice(lattice, words, scorer, search)) for search in searches}
        write_json(sentence_file(folder, number, ending="json"), results)

    return work


def _search_lattice(lattice: Lattice, words: Sequence[str], scorer: TranslationScorer, how: LatticeSearch) -> Searched:
    with cpu_time() as searching:
        best = rescore_lattice(
            lattice, words, scorer, beam=how.beam, model_weight=how.model_weight, lattice_weight=how.lattice_weight
        )[0]
    return Searched(best.text, best.cost, round(searching.seconds, 4))


def _read(folder: Path, sentences: SentenceSet) -> Iterator[dict[str, Any]]:
    for number in range(len(sentences.sources)):
        yield read_json(sentence_file(folder, number, ending="json"))


SCORES = (LATTICE, MODEL_SCORE)


def tuned_weight(lists: Sequence[Sequence[Entry]], sentences: SentenceSet) -> dict[str, float]:
    """Returns the network's weight with the highest BLEU of n-best lists; the weight of the Hiero system's cost is 1.

    Returns:
        The `weight`, and BLEU (0 to 100) on the same lists with the weight 1 (`before`) and with this one (`after`).
    """
    symbols = SymbolTable()
    lattices = []
    for entries in lists:
        features = [{LATTICE: -entry.lattice_cost, MODEL_SCORE: -entry.model_cost} for entry in entries]
        words = [tuple(entry.words.split()) for entry in entries]
        hypotheses = [Hypothesis(tokens, 0.0, scores) for tokens, scores in zip(words, features, strict=True)]
        lattices.append(nbest_lattice(hypotheses, SCORES, symbols))
    references = [[symbols.encode(words)] for words in sentences.references_as_words]
    options = MertOptions(fixed=frozenset((LATTICE,)), signs={MODEL_SCORE: 1})
    result = minimize_error(lattices, references, dict.fromkeys(SCORES, 1.0), options)
    return {"weight": result.weights[MODEL_SCORE], "before": 100 * result.initial_score, "after": 100 * result.score}


def beam_figures(
    searches: Sequence[LatticeSearch], searched: Sequence[dict[str, Searched]], sentences: SentenceSet
) -> dict[str, dict[str, Any]]:
    """Returns the mean cost, the BLEU on tokens, and the CPU seconds per sentence of each search."""
    references = [list(sentences.references.tokens or ())]
    figures = {}
    for search in searches:
        results = [sentence[search.name] for sentence in searched]
        figures[search.name] = {
            "beam": search.beam,
            "cost": round(sum(result.cost for result in results) / len(results), 4),
            "bleu": round(bleu_tok().corpus_score([result.words for result in results], references), 4),
            "seconds": round(sum(result.seconds for result in results) / len(results), 4),
        }
    return figures
