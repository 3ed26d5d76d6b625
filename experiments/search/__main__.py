"""`python -m experiments.search`: measures the losses of pruned search in nested grammars, in cost and in BLEU."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.experiment import Experiment, Results, program
from experiments.report import bleu_scores
from experiments.search.decoding import Record, System, decoded
from experiments.search.report import PLOTS, draw, page
from lattice_simp.metrics import Lines
from lattice_simp.support.textio import read_lines
from lattice_simp.text.tokeniser import Tokeniser, model_tokenisers
from lattice_simp.train.config import Config, TestSet, read_config
from lattice_simp.train.pipeline import train
from lattice_simp.train.tuning import chosen_lines, read_texts


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


TRAIN, KEPT = "train.yaml", "decoded"
SHALLOW = "shallow-1"
"""The grammar whose weights all systems use."""


@dataclass(frozen=True)
class Sentences:
    """A set: tokens by line number in the file, and the references."""

    name: str
    tokens: Mapping[int, str]
    references: Sequence[str]


@dataclass(frozen=True)
class Trained:
    """The training's config, the folder of each grammar's model, and the folder of the tuned weights."""

    config: Config
    models: Mapping[str, Path]
    tuned: Path

    def system(self, name: str, settings: Mapping[str, Any]) -> System:
        """Returns a system of the experiment's config."""
        return System(name, self.models[settings["grammar"]], self.tuned, settings["settings"])


def search_errors(experiment: Experiment) -> Results:
    """Does the missing training and translation, and measures."""
    config = experiment.settings()
    models = trained(experiment, config)
    source, target = model_tokenisers(models.models[SHALLOW])
    folder = Path(config["work"]) / KEPT

    def translated(systems: Mapping[str, Any], test: Mapping[str, Any]) -> tuple[Sentences, dict[str, list[Record]]]:
        sentences = read_set(models.config, TestSet(**test), source)
        records = {
            name: decoded(models.system(name, settings), sentences.name, sentences.tokens, folder, experiment.run)
            for name, settings in systems.items()
        }
        return sentences, records

    exact, certain = config["exact"], config["certain"]
    development, outputs = translated({**config["systems"], **config["gaps"]}, config["development"])
    rows = {name: losses(records, outputs[exact], certain) for name, records in outputs.items()}
    figures: dict[str, Any] = {"development": {"sentences": len(development.references), "losses": rows}, "tests": {}}
    for test in config["tests"]:
        sentences, outputs = translated(config["systems"], test)
        figures["tests"][sentences.name] = tested(sentences, outputs, exact, certain, target)
    nested = {name: rows[name] for name, settings in config["systems"].items() if settings["grammar"] != SHALLOW}
    draw(nested, experiment.output / PLOTS)
    return Results("Search errors in a nested grammar", figures, page(figures, config))


def trained(experiment: Experiment, config: Mapping[str, Any]) -> Trained:
    """Trains a model with each grammar, and tunes the shallow one, whose search is exact."""
    folders = [f"{name}={json.dumps(config[name])}" for name in ("data", "work")]

    def training(grammar: str) -> Config:
        return read_config(experiment.folder / TRAIN, [f"rules.grammar={grammar}", *folders])

    shallow = train(training(SHALLOW), experiment.run, last="tune")
    models = {SHALLOW: shallow.folders["model"]}
    for grammar in {settings["grammar"] for settings in config["systems"].values()} - {SHALLOW}:
        models[grammar] = train(training(grammar), experiment.run, last="model").folders["model"]
    return Trained(training(SHALLOW), models, shallow.folders["tune"])


def read_set(training: Config, test: TestSet, tokeniser: Tokeniser) -> Sentences:
    """Reads a set, whose sentences keep the numbers of their lines in the file."""
    texts, references = read_texts(training, test)
    lines = chosen_lines(training, test, sum(1 for _ in read_lines(training.path(test.source))))
    tokens = dict(zip(lines, map(tokeniser.tokens, texts), strict=True))
    return Sentences(test.name, tokens, references[0])


def tested(
    test: Sentences, outputs: Mapping[str, Sequence[Record]], exact: str, certain: float, tokeniser: Tokeniser
) -> dict[str, Any]:
    """Measures the systems on a test set."""
    lines = {name: [record["line"] for record in records] for name, records in outputs.items()}
    reference = Lines([tokeniser.tokens(line) for line in test.references], test.references)
    return {
        "sentences": len(test.references),
        "losses": {name: losses(records, outputs[exact], certain) for name, records in outputs.items()},
        "quality": bleu_scores(lines, reference, exact, tokeniser),
    }


main = program(__file__, __doc__, search_errors)

if __name__ == "__main__":
    main()
