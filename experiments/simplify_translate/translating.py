"""The stages that simplify the sentences of a study, translate full and simplified ones, and compose both."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.files import output_file, sentence_file, write_lines
from experiments.simplify.systems import System as Simplification
from experiments.study.decoding import read_space
from experiments.study.measuring import references_of
from experiments.study.sentences import DEVELOPMENT, SETS, TEST, StudySentence, set_files, test_set
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.metrics import Lines, bleu_tok, measure
from lattice_simp.ops.compose_gappy import EditCosts
from lattice_simp.ops.nbest import nbest
from lattice_simp.pipeline.shards import results_in_order
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.skeleton.automatic import parse_sentences, parser_name
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.simplify.simplifier import Simplifier
from lattice_simp.systems.simplify.stages import cased_tokenisers
from lattice_simp.train.config import Config
from lattice_simp.train.tuning import read_texts
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.gappy_composition import compose_with_skeletons
from lattice_simp.translate.model_files import WEIGHTS, read_weights
from lattice_simp.translate.settings import SkeletonSettings
from lattice_simp.tune.scores import lattice_under

KINDS: Mapping[str, Simplification] = {
    "joint": Simplification(),
    "greedy": Simplification("greedy"),
    "deletions": Simplification(steps=("delete",)),
}
"""The kinds of simplification: all steps at once, one after the other, or only deletions, as in skeletons."""


def simplified_stage(config: Config, model: Path) -> Stage:
    """Returns the stage that simplifies the sets of a study with a model."""
    files = set_files(config, SETS)
    files += sorted(path for path in model.iterdir() if path.is_file())
    settings = [{name: str(kind) for name, kind in KINDS.items()}, parser_name()]
    return Stage("simplified", ("prepare",), settings, files, partial(_simplify, config, model))


def simplified_file(folder: Path, name: str, kind: str) -> Path:
    """Returns the file of a set's sentences, one on each line, as tokens of the study's text."""
    return folder / f"{name}.{kind}.txt"


def read_simplified(folder: Path, name: str) -> dict[str, list[tuple[str, ...]]]:
    """Returns the tokens of each sentence, by kind."""
    return {kind: [tuple(line.split()) for line in read_lines(simplified_file(folder, name, kind))] for kind in KINDS}


def _simplify(config: Config, model: Path, run: Run, folder: Path) -> dict[str, Any]:
    loaded = Simplifier.load(model)
    cased = cased_tokenisers(config)[0]
    counts: dict[str, Any] = {}
    for name in SETS:
        sources = [tuple(cased.tokens(line).split()) for line in read_texts(config, test_set(config, name))[0]]
        parses = list(parse_sentences(sources))
        for kind, system in KINDS.items():
            simplifier = replace(loaded, search=system.search, stages=system.steps, mode="bold")
            simplified = [results[0] for results in simplifier.simplify_all(parses)]
            lines = [_in_case(result.text, config) for result in simplified]
            write_lines(simplified_file(folder, name, kind), lines)
            counts[f"{name}, {kind}"] = {
                "changed": sum(result.is_changed for result in simplified),
                "words": sum(len(result.tokens) for result in simplified) / sum(map(len, sources)),
            }
            run.say(f"simplified: {name}, {kind}: {json.dumps(counts[f'{name}, {kind}'])}")
    return counts


def _in_case(text: str, config: Config) -> str:
    return text.lower() if config.text.case == "lower" else text


PLAIN = "plain"
CHOSEN = "chosen.json"


@dataclass(frozen=True)
class Search:
    """The sizes of searches: hypotheses without and with deviations, the beam in nats, and the weights to try."""

    hypotheses: int
    edited_hypotheses: int
    beam: float
    weights: tuple[float, ...]

    def composition(self, system: System, weight: float) -> SkeletonSettings:
        """Returns the settings of a system's composition."""
        count = self.edited_hypotheses if system.edits else self.hypotheses
        return SkeletonSettings(count, weight=weight, beam=self.beam, edits=EditCosts() if system.edits else None)


@dataclass(frozen=True)
class System:
    """A way to use simplified sentences: translated alone, or composed as skeletons, perhaps with deviations."""

    kind: str
    composed: bool = False
    edits: bool = False

    @property
    def name(self) -> str:
        """The name of its row."""
        how = "gappy with edits" if self.edits else "gappy" if self.composed else "translated plainly"
        return f"{self.kind}, {how}"


SYSTEMS = tuple(
    System(kind, composed, edits) for composed, edits in ((False, False), (True, False), (True, True)) for kind in KINDS
)

Output = tuple[str, bool]
"""A translation, and whether it contains one of the simplified sentence; otherwise it is the plain system's."""


def weights_stage(search: Search, sentences: Sequence[StudySentence], model: Path) -> Stage:
    """Returns the stage that chooses each system's weight on the development set, by BLEU on tokens."""
    work = partial(_choose, search, sentences, model)
    return Stage("simplified-weights", _BEFORE, [str(search), model.name], (), work)


def translated_stage(search: Search, model: Path) -> Stage:
    """Returns the stage that translates the test set with all systems."""
    work = partial(_translate_test, search, model)
    return Stage("simplified-translated", (*_BEFORE, "simplified-weights"), [str(search), model.name], (), work)


_BEFORE = ("tune", "spaces", "simplified")


def _choose(search: Search, sentences: Sequence[StudySentence], model: Path, run: Run, folder: Path) -> dict[str, Any]:
    systems = [(system, weight) for system in SYSTEMS for weight in (search.weights if system.composed else (0.0,))]
    outputs = _translations(search, systems, DEVELOPMENT, model, run)
    lines = {row: Lines(tokens=[words for words, _ in records]) for row, records in outputs.items()}
    metric = bleu_tok()
    measured = measure(lines, [references_of(list(sentences))], [metric])
    scores = {row: float(metric.score(rows[0].sum(axis=0))) for row, rows in measured.statistics.items()}
    chosen = {}
    for system in SYSTEMS:
        by_weight = {weight: scores[_row(system, weight)] for other, weight in systems if other == system}
        chosen[system.name] = max(by_weight, key=lambda weight: by_weight[weight])
    write_json(folder / CHOSEN, chosen)
    return {"weights": chosen, "bleu": scores}


def _translate_test(search: Search, model: Path, run: Run, folder: Path) -> dict[str, Any]:
    chosen = read_chosen(run.folders["simplified-weights"])
    systems = [(system, chosen[system.name]) for system in SYSTEMS]
    outputs = _translations(search, systems, TEST, model, run)
    named = {PLAIN: outputs[PLAIN]} | {system.name: outputs[_row(system, weight)] for system, weight in systems}
    for name, records in named.items():
        write_lines(output_file(folder, name), [words for words, _ in records])
    return {"failed": {name: sum(not contained for _, contained in records) for name, records in named.items()}}


def read_chosen(folder: Path) -> dict[str, float]:
    """Returns the weight of each system."""
    return read_json(folder / CHOSEN)


def _row(system: System, weight: float) -> str:
    return f"{system.name}, {weight}" if system.composed else system.name


# ---------------------------------------------------------------- sentences


Task = tuple[Path, Mapping[str, tuple[str, ...]]]
"""The file of a sentence's space, and the sentence's tokens after each kind of simplification."""


def _translations(
    search: Search, systems: Sequence[tuple[System, float]], name: str, model: Path, run: Run
) -> dict[str, list[Output]]:
    """Translates a set; returns the outputs by row, including those of the plain system."""
    simplified = read_simplified(run.folders["simplified"], name)
    tasks: list[Task] = [
        (sentence_file(run.folders["spaces"], number, name), dict(zip(simplified, sentences, strict=True)))
        for number, sentences in enumerate(zip(*simplified.values(), strict=True))
    ]
    factory = partial(_translator, search, systems, model, run.folders["tune"])
    results: list[dict[str, Output]] = results_in_order(run, factory, tasks, "sentence")
    return {row: [outputs[row] for outputs in results] for row in results[0]}


def _translator(
    search: Search, systems: Sequence[tuple[System, float]], model: Path, tuned: Path
) -> Callable[[Task], dict[str, Output]]:
    weights = read_weights(tuned / WEIGHTS)
    decoder = Decoder.load(model).with_weights(weights)

    def work(task: Task) -> dict[str, Output]:
        space, simplified = task
        full = lattice_under(read_space(space), weights)
        plain = nbest(full, 1)[0].text
        lists = {text: decoder.exact_nbest(text, search.hypotheses)[1] for text in set(simplified.values())}
        outputs: dict[str, Output] = {PLAIN: (plain, True)}
        for system, weight in systems:
            hypotheses = lists[simplified[system.kind]]
            if not system.composed:
                outputs[_row(system, weight)] = (hypotheses[0].text, True)
                continue
            how = search.composition(system, weight)
            joint = compose_with_skeletons(full, [_costs_alone(hypotheses[: how.hypotheses])], how, search.beam)
            outputs[_row(system, weight)] = (plain, False) if joint.empty else (nbest(joint, 1)[0].text, True)
        return outputs

    return work


def _costs_alone(hypotheses: Iterable[Hypothesis]) -> list[Hypothesis]:
    return [Hypothesis(path.tokens, path.cost) for path in hypotheses]
