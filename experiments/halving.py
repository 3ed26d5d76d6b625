"""Shared by experiments that train small systems and cross-validate on the halves of a development set."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from lattice_simp.pipeline.experiment import stage_costs
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.train.config import Config, read_config

TRAIN = "train.yaml"
"""The training config of such an experiment; its other settings override fields."""

HALVES = (0, 1)

Records = Mapping[str, Mapping[str, Any]]


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Writes lines to a file."""
    with open_text(path, "w") as file:
        file.writelines(f"{line}\n" for line in lines)


def write_corpora(settings: Mapping[str, Any], folder: Path, work: Path) -> Config:
    """Writes the first pairs of each corpus of an experiment's training, as many as its settings say.

    Returns:
        The training config, which locates the other texts.
    """
    config = read_config(folder / TRAIN, [f"data={json.dumps(settings['data'])}"])
    work.mkdir(parents=True, exist_ok=True)
    for corpus in config.corpora:
        for side, path in (("source", corpus.source), ("target", corpus.target)):
            lines = islice(read_lines(config.path(path)), settings["pairs"][corpus.name])
            write_lines(work / f"{corpus.name}.{side}", lines)
    return config


def read_training(
    settings: Mapping[str, Any], folder: Path, work: Path, name: str, values: Mapping[str, Any], changes: Iterable[str]
) -> Config:
    """Returns the config of an experiment's training on the written corpora, with rules for the sources of both halves.

    Args:
        settings: the settings of the experiment.
        folder: the folder of its training config.
        work: the folder of the corpora and the halves.
        name: the name of the model.
        values: the values of other fields.
        changes: other overrides, `name=value`.
    """
    sides = ("source", "target")
    every = {
        "work": str(work),
        "model": str(work / "models" / name),
        "corpora": [
            {"name": corpus, **{side: str(work / f"{corpus}.{side}") for side in sides}} for corpus in settings["pairs"]
        ],
        "rules.only_for": [str(work / f"half{half}.source") for half in HALVES],
        **values,
    }
    return read_config(folder / TRAIN, [*(f"{field}={json.dumps(value)}" for field, value in every.items()), *changes])


def length_of(outputs: list[str], references: list[str]) -> float:
    """Returns the ratio of the outputs' tokens to the references'."""
    tokens, expected = (sum(len(line.split()) for line in lines) for lines in (outputs, references))
    return tokens / expected


def by_key(records: Records) -> Records:
    """Returns the records of stages under names that distinguish runs with different settings."""
    return {f"{stage}.{record['key']}": record for stage, record in records.items()}


def summed_costs(records: Records) -> dict[str, dict[str, Any]]:
    """Returns the total costs of all stages of each name (`by_key`); systems share identical stages."""
    summed: dict[str, dict[str, Any]] = {}
    for name, cost in stage_costs(records).items():
        before = summed.get(name.partition(".")[0], dict.fromkeys(cost, 0))
        both = {key: (max if key == "peak_mb" else sum)((before[key], cost[key])) for key in cost}
        summed[name.partition(".")[0]] = {key: round(value, 2) for key, value in both.items()}
    return summed
