"""The stage that simplifies the sentences of a study, in several ways."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.files import write_lines
from experiments.simplify.systems import System
from experiments.study.sentences import SETS, set_files, test_set
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.skeleton.automatic import parse_sentences, parser_name
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.simplify.simplifier import Simplifier
from lattice_simp.systems.simplify.stages import cased_tokenisers
from lattice_simp.train.config import Config
from lattice_simp.train.tuning import read_texts

KINDS: Mapping[str, System] = {
    "joint": System(),
    "greedy": System("greedy"),
    "deletions": System(steps=("delete",)),
}
"""The kinds of simplification: all steps at once, one after the other, or only deletions, as in skeletons."""


def simplified_stage(config: Config, model: Path) -> Stage:
    """Returns the stage.

    Args:
        config: the config of the study's training run.
        model: the folder of a simplification model.
    """
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
