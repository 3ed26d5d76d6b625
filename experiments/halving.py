"""Shared by experiments that train small systems and cross-validate on the halves of a development set."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice, starmap
from pathlib import Path
from typing import Any

from experiments.experiment import added_costs, stage_costs
from experiments.files import write_lines
from experiments.report import RANDOMISATION, Figures, bleu_scores, gain_cells
from lattice_simp.metrics import Lines, length_ratio
from lattice_simp.metrics.table import Cell, Table, as_markdown
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import model_tokenisers
from lattice_simp.train.config import Config, TestSet, read_config

TRAIN = "train.yaml"
"""The training config of such an experiment; its other settings override fields."""

HALVES = (0, 1)

Records = Mapping[str, Mapping[str, Any]]


def write_corpora(settings: Mapping[str, Any], folder: Path, work: Path) -> Config:
    """Writes the first pairs of each corpus, as many as the settings say; returns the training config."""
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
    """Returns the config of a model's training on the written corpora, with rules for both halves."""
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


def half_set(work: Path, half: int, lines: int | None = None) -> TestSet:
    """Returns a half of the development set, or evenly spread lines of it."""
    source, reference = (work / f"half{half}.{side}" for side in ("source", "reference"))
    return TestSet(name=f"half{half}", source=source, references=(reference,), lines=lines)


def write_half(work: Path, half: int, source: Iterable[str], reference: Iterable[str]) -> None:
    """Writes the files of `half_set`."""
    write_lines(work / f"half{half}.source", source)
    write_lines(work / f"half{half}.reference", reference)


def joined(halves: Sequence[Lines]) -> Lines:
    """Returns the references of both halves, one after the other."""
    sides = zip(*((half.tokens or (), half.text or ()) for half in halves), strict=True)
    return Lines(*map(list, starmap(chain, sides)))


def add_scores(
    systems: Mapping[str, dict[str, Any]],
    outputs: Mapping[str, Sequence[str]],
    references: Lines,
    baselines: Mapping[str, str],
    model: Path,
) -> None:
    """Adds to the figures of systems their scores against each baseline, under its key, and their length ratio."""
    tokeniser = model_tokenisers(model)[1]
    for key, baseline in baselines.items():
        for name, scores in bleu_scores(outputs, references, baseline, tokeniser).items():
            systems[name][key] = scores
    for name, lines in outputs.items():
        systems[name]["length"] = length_ratio().corpus_score(lines, [references.tokens or ()])


def quality_table(figures: Figures, baselines: Mapping[str, str], notes: str = "", counts: Iterable[str] = ()) -> str:
    """Returns the table of the systems' scores on both halves, each translated with the settings tuned on the other.

    Args:
        figures: the results, with `systems` and the number of `sentences`.
        baselines: for each baseline the key of the scores whose gains are over it; the first one has no gains.
        notes: notes on columns.
        counts: names of numbers of each half, whose sums are columns.
    """
    first, *_ = baselines
    systems = figures["systems"]
    metrics = list(systems[first]["scores"])
    rows = []
    for name, system in systems.items():
        cells = [Cell(name), *(Cell(sum(half[count] for half in system["halves"])) for count in counts)]
        cells.append(Cell(system["length"], 3))
        for metric in metrics:
            cells.append(Cell(system["scores"][metric]["value"]))
            for scores in baselines.values():
                cells += gain_cells(system["scores" if name == first else scores][metric])
        rows.append(tuple(cells))
    gains = [text for name in baselines for text in ("gain" if name == first else f"over {name}", "p")]
    columns = ["system", *counts, "length", *(text for metric in metrics for text in (metric, *gains))]
    about = (
        f"{figures['sentences']} sentences of the development set; each half is translated with the settings tuned on "
        "the other",
        f"gains are over {' and over '.join(baselines)}; {RANDOMISATION.description}",
        f"{notes}length: tokens of the output over those of the references",
    )
    return as_markdown(Table("Quality, cross-validated", tuple(columns), tuple(rows), about))


def by_key(records: Records) -> Records:
    """Returns the records of stages under names that distinguish runs with different settings."""
    return {f"{stage}.{record['key']}": record for stage, record in records.items()}


def summed_costs(records: Records) -> dict[str, dict[str, Any]]:
    """Returns the total costs of all stages of each name (`by_key`); systems share identical stages."""
    costs: dict[str, list[Mapping[str, Any]]] = {}
    for name, cost in stage_costs(records).items():
        costs.setdefault(name.partition(".")[0], []).append(cost)
    return {name: {key: round(value, 2) for key, value in added_costs(group).items()} for name, group in costs.items()}
