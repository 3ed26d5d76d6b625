"""Our systems: their models, and what they make of the test sets."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.simplify import corpora
from experiments.simplify.data import Config
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.runner import Done
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.systems.simplify.simplifier import STAGES, Search, Simplifier, most_unlike
from lattice_simp.systems.simplify.simplifier import Stage as Step
from lattice_simp.systems.simplify.stages import SIMPLIFIER_STAGES
from lattice_simp.train import config as training
from lattice_simp.train.pipeline import train

UNLIKE = 10
"""Of so many hypotheses the one most unlike the source is taken, by the system of that name (Wubben et al. 2012)."""

COUNTS, PARSING, CPU_SECONDS = "counts.json", "parsing", "cpu_seconds"
"""What was done to each set by each system, and what that and the parses took."""


@dataclass(frozen=True)
class System:
    """A way to search, and its steps."""

    search: Search = "joint"
    steps: tuple[Step, ...] = STAGES
    rerank: int = 1
    change: bool = False


SYSTEMS: Mapping[str, System] = {
    "joint": System(),
    "greedy": System("greedy"),
    "joint, changed": System(change=True),
    "joint, most unlike": System(rerank=UNLIKE),
    "joint without splits": System(steps=("delete", "substitute")),
    "joint without deletions": System(steps=("split", "substitute")),
    "joint without substitutions": System(steps=("split", "delete")),
    "greedy without splits": System("greedy", ("delete", "substitute")),
    "greedy without deletions": System("greedy", ("split", "substitute")),
    "greedy without substitutions": System("greedy", ("split", "delete")),
    "substitutions alone": System(steps=("substitute",)),
}
"""By name; a further one is a line here."""


def trained(config: Config, name: str, folder: Path, run: Run) -> tuple[training.Config, Done]:
    """Trains the model that is tuned on one of the development sets, unless that is done.

    Args:
        name: of the development set.
        folder: of the corpora.
    """
    values = {
        **config["training"],
        "data": str(folder),
        "work": config["work"],
        "model": str(Path(config["work"]) / f"model-{name}"),
        "corpora": [_corpus(own) for own in config["corpora"]],
        "simplify": {
            "corpora": [_corpus(own) for own in config["operations"]],
            **config["models"][name],
        },
    }
    given = training.Config.model_validate(values)
    return given, train(given, run, simplifier_stages=SIMPLIFIER_STAGES)


def _corpus(name: str) -> dict[str, str]:
    return {"name": name, "source": f"{name}.source", "target": f"{name}.target"}


def outputs_stage(name: str, source: Path, model: Path, weights: Path) -> Stage:
    """Returns the stage in which all systems simplify a set's sentences, given as tokens.

    Args:
        name: of the set.
        model, weights: of the model, and the folder of its last stage.
    """
    programs = sorted(Path(corpora.__file__).parents[2].glob("lattice_simp/systems/simplify/**/*.py"))
    settings = {own: str(system) for own, system in SYSTEMS.items()}
    inputs = [source, weights / "weights.tsv", model / "operations.tsv", *programs]
    return Stage(f"outputs-{name}", (), settings, inputs, partial(_simplify, source, model))


def _simplify(source: Path, model: Path, run: Run, folder: Path) -> dict[str, Any]:
    loaded = Simplifier.load(model)
    sentences = [tuple(line.split()) for line in read_lines(source)]
    begin = time.process_time()
    parses = _parsed(sentences)
    counts: dict[str, Any] = {PARSING: {CPU_SECONDS: time.process_time() - begin}}
    for name, system in SYSTEMS.items():
        run.say(f"outputs: {name}")
        begin = time.process_time()
        simplifier = replace(loaded, search=system.search, stages=system.steps, change=system.change, mode="bold")
        found = [most_unlike(own) for own in simplifier.simplify_all(parses, system.rerank)]
        with open_text(str(folder / file_name(name)), "w") as file:
            file.writelines(penn(own.text) + "\n" for own in found)
        counts[name] = {
            "splits": sum(len(own.splits) for own in found),
            "deletions": sum(len(own.deletions) for own in found),
            "substitutions": sum(len(own.substitutions) for own in found),
            "passed through": sum(bool(own.problem) for own in found),
            CPU_SECONDS: time.process_time() - begin,
        }
    write_json(folder / COUNTS, counts)
    return {"sentences": len(sentences)}


def _parsed(sentences: list[tuple[str, ...]]) -> list[Any]:
    from lattice_simp.text.english.spacy_parser import parse_sentences

    if not all(sentences):
        raise LatticeSimpError("an empty line among the sentences to simplify; remove it")
    return list(parse_sentences(sentences))


def read_counts(folder: Path) -> dict[str, Any]:
    """Returns what the stage has counted."""
    return read_json(folder / COUNTS)


def file_name(system: str) -> str:
    """Returns the name of a system's output file."""
    return system.replace(",", "").replace(" ", "-") + ".txt"


def penn(text: str) -> str:
    """Writes brackets as the files of the test sets do."""
    return " ".join({"(": "-LRB-", ")": "-RRB-"}.get(token, token) for token in text.split())
