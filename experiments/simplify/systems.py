"""Our systems: their models, and their outputs on the test sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.files import output_file, parallel_corpus, write_lines
from experiments.simplify import corpora
from experiments.simplify.data import Config, TestSet
from experiments.timing import cpu_time
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.runner import Done
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.support.tables import grammar_path
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.simplify.simplifier import OPERATIONS, STAGES, Mode, Search, Simplifier, most_unlike
from lattice_simp.systems.simplify.simplifier import Stage as Step
from lattice_simp.systems.simplify.stages import SIMPLIFIER_STAGES
from lattice_simp.train import config as training
from lattice_simp.train.pipeline import train
from lattice_simp.translate.model_files import WEIGHTS

UNLIKE = 10
"""The number of hypotheses from which the system of that name takes the most unlike the source (Wubben et al. 2012)."""

COUNTS, PARSING, CPU_SECONDS = "counts.json", "parsing", "cpu_seconds"
"""The counts of operations by each system on each set, and the time of systems and parses."""


@dataclass(frozen=True)
class System:
    """A system: its search, its steps, the mode, and whether its model has a rule that swaps phrases."""

    search: Search = "joint"
    steps: tuple[Step, ...] = STAGES
    rerank: int = 1
    change: bool = False
    mode: Mode = "bold"
    swaps: bool = False


SYSTEMS: Mapping[str, System] = {
    "joint": System(),
    "greedy": System("greedy"),
    "joint, changed": System(change=True),
    "joint, most unlike": System(rerank=UNLIKE),
    "joint without splits": System(steps=("delete", "substitute")),
    "joint without deletions": System(steps=("split", "substitute")),
    "joint without substitutions": System(steps=("split", "delete")),
    "joint with reordering": System(swaps=True),
    "joint, changed with reordering": System(change=True, swaps=True),
    "greedy without splits": System("greedy", ("delete", "substitute")),
    "greedy without deletions": System("greedy", ("split", "substitute")),
    "greedy without substitutions": System("greedy", ("split", "delete")),
    "greedy with reordering": System("greedy", swaps=True),
    "substitutions alone": System(steps=("substitute",)),
    "cautious": System(mode="cautious"),
}
"""The systems by name; a new one is a line here."""


@dataclass(frozen=True)
class Model:
    """A trained model: its folder, and that of the last stage of its training."""

    folder: Path
    weights: Path


def trained(config: Config, name: str, folder: Path, run: Run, *, swaps: bool) -> tuple[Model, Done]:
    """Trains the model tuned on a development set, with a rule that swaps neighbouring phrases if `swaps`."""
    values = {
        **config["training"],
        "data": str(folder),
        "work": config["work"],
        "model": str(Path(config["work"]) / f"model-{name}{'-swaps' if swaps else ''}"),
        "corpora": [parallel_corpus(corpus) for corpus in config["corpora"]],
        "simplify": {
            "corpora": [parallel_corpus(corpus) for corpus in config["operations"]],
            "swaps": swaps,
            **config["models"][name],
        },
    }
    settings = training.Config.model_validate(values)
    done = train(settings, run, simplifier_stages=SIMPLIFIER_STAGES)
    return Model(settings.model_folder, done.folders["calibration"]), done


def systems_of(test_set: TestSet) -> dict[str, System]:
    """Returns our systems that run on a set."""
    return {name: SYSTEMS[name] for name in test_set.systems or SYSTEMS}


def outputs_stage(test_set: TestSet, models: Mapping[bool, Model]) -> Stage:
    """Returns the stage in which our systems, without and with swaps, simplify the sentences (tokens) of a set."""
    programs = sorted(Path(corpora.__file__).parents[2].glob("lattice_simp/systems/simplify/**/*.py"))
    tables = sorted(grammar_path("english/simpler_words.tsv").parent.glob("*.tsv"))
    systems = systems_of(test_set)
    settings = {name: str(system) for name, system in systems.items()}
    tuned = [path for model in models.values() for path in (model.weights / WEIGHTS, model.folder / OPERATIONS)]
    inputs = [test_set.given, *tuned, *programs, *tables]
    work = partial(_simplify, systems, test_set.given, models)
    return Stage(f"outputs-{test_set.name}", (), settings, inputs, work)


def _simplify(
    systems: Mapping[str, System], source: Path, models: Mapping[bool, Model], run: Run, folder: Path
) -> dict[str, Any]:
    loaded = {swaps: Simplifier.load(model.folder) for swaps, model in models.items()}
    sentences = [tuple(line.split()) for line in read_lines(source)]
    with cpu_time() as parsing:
        parses = _parsed(sentences)
    counts: dict[str, Any] = {PARSING: {CPU_SECONDS: parsing.seconds}}
    for name, system in systems.items():
        run.say(f"outputs: {name}")
        simplifier = replace(
            loaded[system.swaps], search=system.search, stages=system.steps, change=system.change, mode=system.mode
        )
        with cpu_time() as timer:
            chosen = [most_unlike(hypotheses) for hypotheses in simplifier.simplify_all(parses, system.rerank)]
        write_lines(output_file(folder, name), [penn(simplification.text) for simplification in chosen])
        counts[name] = {
            "splits": sum(len(entry.splits) for entry in chosen),
            "deletions": sum(len(entry.deletions) for entry in chosen),
            "substitutions": sum(len(entry.substitutions) for entry in chosen),
            "reorderings": sum(len(entry.reorderings) for entry in chosen),
            "passed through": sum(bool(entry.problem) for entry in chosen),
            CPU_SECONDS: timer.seconds,
        }
    write_json(folder / COUNTS, counts)
    return {"sentences": len(sentences)}


def _parsed(sentences: list[tuple[str, ...]]) -> list[Any]:
    from lattice_simp.text.english.spacy_parser import parse_sentences

    if not all(sentences):
        raise LatticeSimpError("an empty line among the sentences to simplify; remove it")
    return list(parse_sentences(sentences))


def read_counts(folder: Path) -> dict[str, Any]:
    """Returns the counts of the stage."""
    return read_json(folder / COUNTS)


def penn(text: str) -> str:
    """Writes brackets in the form of the test sets' files."""
    return " ".join({"(": "-LRB-", ")": "-RRB-"}.get(token, token) for token in text.split())
