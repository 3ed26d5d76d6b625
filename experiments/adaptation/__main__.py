"""`python -m experiments.adaptation`: gains of training settings for several corpora on a development set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments import halving
from experiments.adaptation.report import page
from experiments.experiment import Experiment, Results, program
from experiments.files import write_lines
from experiments.report import read_references
from lattice_simp.core.symbols import as_tokens
from lattice_simp.lm import LanguageModel
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.support.textio import read_lines
from lattice_simp.train.config import Config, TestSet
from lattice_simp.train.model import ARPA
from lattice_simp.train.pipeline import train
from lattice_simp.train.rules.table import PROVENANCE
from lattice_simp.train.tuning import read_test_set, read_texts, translate_lines
from lattice_simp.translate.model_files import WEIGHTS, read_weights

OUTPUT = "output.txt"


def adaptation(experiment: Experiment) -> Results:
    """Does the missing training, tuning and translation, and measures all systems."""
    settings = experiment.settings()
    work = Path(settings["work"]).absolute()
    write_texts(settings, experiment.folder, work)
    outputs: dict[str, list[str]] = {}
    records: dict[str, Mapping[str, Any]] = {}
    figures: dict[str, Any] = {"systems": {}}
    for name, changes in settings["systems"].items():
        outputs[name], halves = [], []
        for half in halving.HALVES:
            config = config_of(settings, experiment.folder, work, name, changes, half)
            test = other_half(settings, work, half)
            done = translated(config, test, experiment.run)
            outputs[name] += list(read_lines(done.folders["translated"] / OUTPUT))
            references = read_test_set(config, test, done.folders["model"])[1][0]
            halves.append(half_figures(done) | {"held_out_perplexity": perplexity(done.folders["model"], references)})
            records |= halving.by_key(done.records)
        figures["systems"][name] = {"halves": halves}
    sets = [other_half(settings, work, half) for half in halving.HALVES]
    model = done.folders["model"]
    both = halving.joined([read_references(config, test, model)[0] for test in sets])
    halving.add_scores(figures["systems"], outputs, both, {"scores": settings["baseline"]}, model)
    figures |= {"sentences": both.count, "stages": halving.summed_costs(records)}
    return Results("Training on several corpora", figures, page(figures, settings))


def perplexity(model: Path, sentences: Sequence[str]) -> float:
    """Returns the perplexity of a model's language model on token lines, including the ends of sentences."""
    scores = LanguageModel.read(model / ARPA).scores(sentences)
    words = sum(len(as_tokens(line)) + 1 for line in sentences)
    return float(np.exp(-scores.sum() / words))


def half_figures(done: Done) -> dict[str, Any]:
    """Returns the figures of the mixtures, the tuning and the weights of a half."""
    model, tune = (done.records[name] for name in ("language-model", "tune"))
    weights = read_weights(done.folders["tune"] / WEIGHTS)
    return {
        "tune": {name: tune[name] for name in ("rounds", "bleu_before", "bleu_after", "length_ratio") if name in tune},
        "mixture": {name: part["weight"] for name, part in model.get("mixture", {}).items()},
        "perplexities": [model[name] for name in ("perplexity_equal_weights", "perplexity") if name in model],
        "provenance": {name: weight for name, weight in weights.items() if name.startswith(PROVENANCE)},
    }


# ---------------------------------------------------------------- texts and settings


def write_texts(settings: Mapping[str, Any], folder: Path, work: Path) -> None:
    """Writes the first pairs of each corpus, and the halves of the development set."""
    config = halving.write_corpora(settings, folder, work)
    source, references = read_texts(config, TestSet(**settings["development"]))
    for half in halving.HALVES:
        halving.write_half(work, half, source[half::2], references[0][half::2])


def config_of(
    settings: Mapping[str, Any], folder: Path, work: Path, name: str, changes: list[str], half: int
) -> Config:
    """Returns the training config of a system that is tuned on a half of the development set."""
    development = halving.half_set(work, half, settings["tuned"])
    values = {"tune.development": development.model_dump(mode="json")}
    changes = [change.format(references=development.references[0]) for change in changes]
    return halving.read_training(settings, folder, work, f"{name}.{half}", values, changes)


def other_half(settings: Mapping[str, Any], work: Path, half: int) -> TestSet:
    """Returns the sentences to translate with the weights tuned on a half."""
    return halving.half_set(work, 1 - half, settings["translated"])


# ---------------------------------------------------------------- training and translating


def translated(config: Config, test: TestSet, run: Run) -> Done:
    """Trains and tunes a system, and translates with it."""
    done = train(config, run, last="tune")
    stage = Stage(
        "translated", ("model", "tune"), {"lines": test.lines}, [test.source], partial(_translate, config, test)
    )
    return run_stages([stage], config.work, run, done=done)


def _translate(config: Config, test: TestSet, run: Run, folder: Path) -> dict[str, Any]:
    sources, _ = read_test_set(config, test, run.folders["model"])
    lines = translate_lines(run.folders["model"], read_weights(run.folders["tune"] / WEIGHTS), sources, run)
    write_lines(folder / OUTPUT, lines)
    return {"sentences": len(lines)}


main = program(__file__, __doc__, adaptation)

if __name__ == "__main__":
    main()
