"""Stages that translate all sets with a system."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.files import read_records, sentence_file, write_records
from experiments.study.config import Study
from experiments.study.decoding import Sentences
from experiments.study.nbest import Nbest
from experiments.study.scoring import DECODER
from experiments.study.sentences import test_names
from experiments.study.systems import System
from experiments.study.tuning import Task, composer, needs, skeleton_costs
from lattice_simp.pipeline.shards import over_shards, run_all
from lattice_simp.pipeline.stage import Run, Stage, read_json
from lattice_simp.skeleton import Skeleton
from lattice_simp.support.textio import write_text
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import WEIGHTS, read_weights


@dataclass(frozen=True)
class Output:
    """A translation; `reachable`: whether it contains `skeleton`, a translation of its skeleton (None without any)."""

    words: str
    reachable: bool | None = None
    skeleton: str = ""


def write_outputs(path: Path, outputs: Iterable[Output]) -> None:
    """Writes one JSON object a line."""
    write_records(path, map(asdict, outputs))


def read_outputs(path: Path) -> list[Output]:
    """Reads a file of `write_outputs`."""
    return [Output(**record) for record in read_records(path)]


# ---------------------------------------------------------------- translations


def translations_stage(study: Study, system: System, sentences: Sentences) -> Stage:
    """Returns the stage that translates with a system's weights, and keeps its n-best lists.

    A system that decodes each sentence anew translates the development set only for rescoring.
    """
    weights = f"weights-{system.name}"
    if system.decodes_anew and not study.rescores(system):
        sentences = {name: sentences[name] for name in test_names(sentences)}
    work = partial(_translate, study, system, sentences)
    return Stage(
        f"translated-{system.name}", (*needs(system), weights), [study.rescored_hypotheses, study.beam], (), work
    )


def _translate(study: Study, system: System, sentences: Sentences, run: Run, folder: Path) -> dict[str, Any]:
    weights = read_weights(run.folders[f"weights-{system.name}"] / WEIGHTS)
    maker = _decoding_maker if system.decodes_anew else _composing_maker
    factory = partial(maker, study, system, dict(run.folders), weights, folder)
    tasks = [(name, number, sentence) for name in sentences for number, sentence in enumerate(sentences[name])]
    run_all(over_shards(run, factory, tasks, lambda task: sentence_file(folder, task[1], task[0]).exists()))
    failed = {}
    for name in sentences:
        outputs = [
            Output(**read_json(sentence_file(folder, number, name, "json"))) for number in range(len(sentences[name]))
        ]
        write_outputs(folder / f"{name}.jsonl", outputs)
        failed[f"failed_{name}"] = sum(output.reachable is False for output in outputs)
    return failed


def _keep(folder: Path, task: Task, nbest: Nbest, output: Output) -> None:
    name, number, _ = task
    write_text(sentence_file(folder, number, name, "json"), json.dumps(asdict(output), ensure_ascii=False))
    nbest.write(sentence_file(folder, number, name))


def _composing_maker(
    study: Study, system: System, folders: Mapping[str, Path], weights: Mapping[str, float], folder: Path
) -> Callable[[Task], None]:
    translate = composer(study, system, folders, weights, study.rescored_hypotheses)

    def work(task: Task) -> None:
        composed = translate(task)
        costs = Nbest(composed.nbest.words, -np.array(composed.costs)[:, None], (DECODER,))
        output = Output(composed.nbest.words[0], composed.reachable, composed.skeletons[0])
        _keep(folder, task, costs.with_features(composed.nbest), output)

    return work


def _decoding_maker(
    study: Study, system: System, folders: Mapping[str, Path], weights: dict[str, float], folder: Path
) -> Callable[[Task], None]:
    decoder = Decoder.load(folders["model"]).with_weights(weights)
    decoder = replace(decoder, settings=replace(decoder.settings, beam=study.beam, mbr=None))

    def work(task: Task) -> None:
        sentence = task[2]
        skeletons: list[Skeleton] = list(sentence.skeletons.get(system.skeleton or "", ())[:1])
        hypotheses = skeleton_costs(study, system, folders, sentence) if skeletons else None
        strategy = system.strategy if skeletons else "plain"
        result = decoder.translate(sentence.words, skeletons, strategy=strategy, skeleton_hypotheses=hypotheses)
        paths = result.nbest(study.rescored_hypotheses)
        costs = -np.array([path.cost for path in paths])[:, None]
        output = Output(paths[0].text, result.reachable)
        _keep(folder, task, Nbest([path.text for path in paths], costs, (DECODER,)), output)

    return work
