"""The stages: lattices of the Hiero system, and their n-best lists with the model's scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from experiments.causal.model import read_scorer
from experiments.files import sentence_file
from experiments.timing import cpu_time
from experiments.transformer.sets import SentenceSet
from experiments.transformer.stages import DECODED, Entry, Task, decoded_stage, each_sentence
from lattice_simp import nbest, read
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.rescore.causal import CausalSettings


def stages_of(
    sentences: SentenceSet, model: Path, values: Mapping[str, Any], settings: Mapping[str, CausalSettings]
) -> list[Stage]:
    """Returns the stages of a set, with a model that has its rules."""
    decoded = decoded_stage(sentences, model, values["beam"], values["max_arcs"])
    scored = [scored_stage(sentences, name, chosen, values) for name, chosen in settings.items()]
    return [decoded, *scored]


def scored_stage(sentences: SentenceSet, name: str, settings: CausalSettings, values: Mapping[str, Any]) -> Stage:
    """Returns the stage that scores the n-best lists of a set; `name` is the name of the scorer."""
    before = f"{DECODED}-{sentences.name}"

    def work(run: Run, folder: Path) -> dict[str, Any]:
        factory = partial(_scorer, settings, values["dtype"], values["nbest"], run.folders[before], folder)
        return each_sentence(run, folder, factory, sentences)

    chosen = [values["dtype"], values["nbest"], asdict(settings)]
    return Stage(f"{name}-{sentences.name}", (before,), chosen, (), work)


def read_lists(folders: Mapping[str, Path], sentences: SentenceSet, name: str) -> list[tuple[tuple[Entry, ...], float]]:
    """Returns the lists of a set with a scorer's costs, and the CPU seconds for the scores of each."""
    folder = folders[f"{name}-{sentences.name}"]
    values = [read_json(sentence_file(folder, number, ending="json")) for number in range(len(sentences.sources))]
    return [(tuple(Entry(*entry) for entry in value["entries"]), value["seconds"]) for value in values]


def _scorer(settings: CausalSettings, dtype: str, count: int, decoded: Path, folder: Path) -> Callable[[Task], None]:
    scorer = read_scorer(settings, dtype)

    def work(task: Task) -> None:
        number, words = task
        hypotheses = nbest(read(sentence_file(decoded, number, ending="fst")), count)
        with cpu_time() as scoring:
            costs = scorer.score(words, [hypothesis.tokens for hypothesis in hypotheses]).tolist()
        entries = [(path.text, path.cost, cost) for path, cost in zip(hypotheses, costs, strict=True)]
        write_json(
            sentence_file(folder, number, ending="json"), {"entries": entries, "seconds": round(scoring.seconds, 4)}
        )

    return work
