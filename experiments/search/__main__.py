"""`python -m experiments.search`: measures the losses of pruned search in nested grammars, in cost and in BLEU."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.experiment import Experiment, Results, program
from experiments.report import bleu_scores
from experiments.search.decoding import Record, System, decoded
from experiments.search.report import PLOTS, draw, page
from lattice_simp.metrics import Lines
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import model_tokenisers
from lattice_simp.train.config import Config, TestSet, read_config
from lattice_simp.train.pipeline import train
from lattice_simp.train.tuning import chosen_lines, read_texts

TRAIN, KEPT = "train.yaml", "decoded"
SHALLOW = "shallow-1"
"""The grammar whose weights all systems use."""


def search_errors(experiment: Experiment) -> Results:
    """Does the missing training and translation, and measures."""
    config = experiment.settings()
    training, models, tuned = trained(experiment, config)
    source, target = model_tokenisers(models[SHALLOW])
    exact, certain, folder = config["exact"], config["certain"], Path(config["work"]) / KEPT

    def translated(systems: Mapping[str, Any], test: TestSet) -> tuple[list[str], dict[str, list[Record]]]:
        texts, (references, *_) = read_texts(training, test)
        lines = chosen_lines(training, test, sum(1 for _ in read_lines(training.path(test.source))))
        tokens = dict(zip(lines, map(source.tokens, texts), strict=True))
        records = {}
        for name, values in systems.items():
            system = System(name, models[values["grammar"]], tuned, values["settings"])
            records[name] = decoded(system, test.name, tokens, folder, experiment.run)
        return references, records

    def lost(outputs: Mapping[str, Sequence[Record]]) -> dict[str, Any]:
        return {name: losses(records, outputs[exact], certain) for name, records in outputs.items()}

    references, outputs = translated({**config["systems"], **config["gaps"]}, TestSet(**config["development"]))
    rows = lost(outputs)
    figures: dict[str, Any] = {"development": {"sentences": len(references), "losses": rows}, "tests": {}}
    for values in config["tests"]:
        test = TestSet(**values)
        references, outputs = translated(config["systems"], test)
        lines = {name: [record["line"] for record in records] for name, records in outputs.items()}
        quality = bleu_scores(lines, Lines(list(map(target.tokens, references)), references), exact, target)
        figures["tests"][test.name] = {"sentences": len(references), "losses": lost(outputs), "quality": quality}
    nested = {name: rows[name] for name, values in config["systems"].items() if values["grammar"] != SHALLOW}
    draw(nested, experiment.output / PLOTS)
    return Results("Search errors in a nested grammar", figures, page(figures, config))


def trained(experiment: Experiment, config: Mapping[str, Any]) -> tuple[Config, dict[str, Path], Path]:
    """Trains a model with each grammar, and tunes the shallow one, whose search is exact.

    Returns:
        The training's config, the folder of each grammar's model, and the folder of the tuned weights.
    """
    folders = [f"{name}={json.dumps(config[name])}" for name in ("data", "work")]

    def training(grammar: str) -> Config:
        return read_config(experiment.folder / TRAIN, [f"rules.grammar={grammar}", *folders])

    shallow = train(training(SHALLOW), experiment.run, last="tune")
    models = {SHALLOW: shallow.folders["model"]}
    for grammar in {settings["grammar"] for settings in config["systems"].values()} - {SHALLOW}:
        models[grammar] = train(training(grammar), experiment.run, last="model").folders["model"]
    return training(SHALLOW), models, shallow.folders["tune"]


def losses(records: Sequence[Record], exact: Sequence[Record], certain: float) -> dict[str, Any]:
    """Returns costs, times and search errors of a system; optima whose gap is below `certain` nats are proven.

    `cost` of all sentences (nats) and `cpu_seconds` a sentence. Of the sentences with a proven optimum: the share of
    search errors (`errors`), the `mean_loss` and the `largest_loss` (nats), and the number of translations that
    `undercut` the optimum, which must be 0. `different`: the number of different strings, since an error may be another
    derivation of the same string. `reported_gap`: the mean of the optimality gaps that the system reports, and
    `reported_certain`: the number of those below `certain`.
    """
    optima = np.array([record["cost"] for record in exact])
    sure = np.array([record["gap"] < certain for record in exact])
    lost = np.array([record["cost"] for record in records])[sure] - optima[sure]
    gaps = [record["gap"] for record in records if record["gap"] is not None]
    return {
        "cost": round(sum(record["cost"] for record in records), 4),
        "cpu_seconds": round(float(np.mean([record["cpu_seconds"] for record in records])), 4),
        "certified": int(sure.sum()),
        "errors": round(float(np.mean(lost > certain)), 4) if len(lost) else None,
        "mean_loss": round(float(np.mean(lost)), 4) if len(lost) else None,
        "largest_loss": round(float(np.max(lost)), 4) if len(lost) else None,
        "undercut": int(np.sum(lost < -certain)),
        "different": sum(record["line"] != other["line"] for record, other in zip(records, exact, strict=True)),
        "reported_gap": round(float(np.mean(gaps)), 4) if gaps else None,
        "reported_certain": sum(gap < certain for gap in gaps),
    }


main = program(__file__, __doc__, search_errors)

if __name__ == "__main__":
    main()
