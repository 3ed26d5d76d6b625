"""Translates sentences with each system; records are written sentence by sentence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from experiments.timing import cpu_time
from lattice_simp import Decoder, __version__
from lattice_simp.commands.running.journal import Journal
from lattice_simp.pipeline.stage import Run
from lattice_simp.support.tasks.batch import all_results
from lattice_simp.translate.model_files import WEIGHTS, read_weights

Record = dict[str, Any]
"""The record of a sentence: its `number` in the set's file, `line`, `cost` and `gap` (nats), `cpu_seconds`."""


@dataclass(frozen=True)
class System:
    """A model and tuned weights (folders of stages, whose names identify their content), and changes of settings."""

    name: str
    model: Path
    tuned: Path
    settings: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Identifies everything on which translations depend."""
        parts = (__version__, self.model.name, self.tuned.name, self.settings)
        return hashlib.blake2b(repr(parts).encode(), digest_size=6).hexdigest()


def decoded(system: System, name: str, sentences: Mapping[int, str], folder: Path, run: Run) -> list[Record]:
    """Translates the sentences of a set, by their numbers in its file, that have no record in the folder yet."""
    path = folder / f"{name}.{system.name.replace(' ', '-').replace(',', '')}.{system.key}"
    folder.mkdir(parents=True, exist_ok=True)
    with Journal(path, {"system": system.key}, resume=True) as journal:
        todo = [(number, (number, words)) for number, words in sentences.items() if number not in journal]
        factory = partial(make_translator, system, next(iter(sentences.values())))
        run.begin(f"{name}, {system.name}")
        for done, (_, record) in enumerate(all_results(todo, factory, jobs=run.jobs, what="line"), start=1):
            journal.add(record)
            run.progress(done, len(todo))
        return [journal[number] for number in sentences]


def make_translator(system: System, first: str) -> Callable[[tuple[int, str]], Record]:
    """Returns the function that translates numbered sentences; compiles the kernels with the sentence `first`."""
    decoder = Decoder.load(system.model).with_weights(read_weights(system.tuned / WEIGHTS))
    decoder = decoder.with_settings(system.settings)
    decoder.translate(first)
    return partial(_translated, decoder)


def _translated(decoder: Decoder, task: tuple[int, str]) -> Record:
    number, words = task
    with cpu_time() as timer:
        result = decoder.translate(words)
        best = result.best
    return {
        "number": number,
        "line": best.text,
        "cost": best.cost,
        "gap": result.optimality_gap,
        "cpu_seconds": round(timer.seconds, 4),
    }
