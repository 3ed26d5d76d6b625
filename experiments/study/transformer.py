"""The stage in which the Transformer, a part of the stronger model, translates all sets alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from experiments.files import sentence_file
from experiments.network import read_network, translated
from experiments.study.decoding import Sentences
from experiments.study.rescoring import ListTask, list_tasks
from experiments.study.scoring import TRANSFORMER
from experiments.study.systems import ALONE
from experiments.study.translating import Output, write_outputs
from lattice_simp.pipeline.shards import over_shards, run_all
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json

BEAM = 5
"""The number of hypotheses that the Transformer keeps at each step."""


def alone_stage(sentences: Sentences) -> Stage:
    """Returns the stage that translates all sets with the Transformer alone, by beam search."""
    return Stage(f"translated-{ALONE.name}", ("scorers",), [BEAM], (), partial(_translate, sentences))


def _translate(sentences: Sentences, run: Run, folder: Path) -> dict[str, Any]:
    factory = partial(_translator, run.folders["scorers"] / TRANSFORMER, folder)
    done = over_shards(run, factory, list_tasks(sentences), lambda task: _file(folder, task).exists())
    run_all(done)
    for name, entries in sentences.items():
        lines = [read_json(_file(folder, (name, number, ()))) for number in range(len(entries))]
        write_outputs(folder / f"{name}.jsonl", map(Output, lines))
    return {}


def _file(folder: Path, task: ListTask) -> Path:
    return sentence_file(folder, task[1], task[0], "json")


def _translator(model: Path, folder: Path) -> Callable[[ListTask], None]:
    network = read_network(model, "default")

    def work(task: ListTask) -> None:
        write_json(_file(folder, task), translated(network, task[2], BEAM))

    return work
