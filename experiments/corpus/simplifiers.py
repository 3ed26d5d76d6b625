"""Simplifiers trained on aligned and on published pairs, tested on other articles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.corpus.simplifier_pairs import CORPORA, IDENTITY, SIMPLE_TEXT, SIMPLIFIERS, STAGE, pairs_stage
from experiments.experiment import stage_costs
from experiments.files import parallel_corpus, write_lines
from experiments.report import RANDOMISATION, STAGES, scores_of, signatures_of
from lattice_simp.metrics import METRICS, Lines, MetricOptions, compare, measure
from lattice_simp.pipeline.runner import run_stages
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.simplify import simplifier
from lattice_simp.systems.simplify.simplifier import OPERATIONS, Simplifier
from lattice_simp.systems.simplify.stages import SIMPLIFIER_STAGES
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train.config import Config as TrainingConfig
from lattice_simp.train.pipeline import train
from lattice_simp.translate.model_files import WEIGHTS

Config = dict[str, Any]

UNCHANGED = "unchanged source"
SCORES = "scores.json"

_METRICS = ("sari-corpus", "bleu-tok", "unchanged", "split")


@dataclass(frozen=True)
class TestSet:
    """Sentences with references: untokenised files, one sentence a line."""

    __test__ = False

    name: str
    source: Path
    references: tuple[Path, ...]


def simplifiers(config: Config, run: Run) -> tuple[dict[str, Any], Path]:
    """Does the missing training and measurements; returns the figures, and the folder of the pairs."""
    work = Path(config["work"])
    done = run_stages([pairs_stage(config)], work, run)
    pairs = done.folders[STAGE]
    records, models = dict(done.records), dict[str, Path]()
    for name in CORPORA:
        settings = training_config(config, name, pairs)
        trained = train(settings, run, simplifier_stages=SIMPLIFIER_STAGES)
        models[name] = settings.model_folder
        records |= {f"{stage} ({name})": record for stage, record in trained.records.items()}
    figures: dict[str, Any] = {"pairs": done.records[STAGE]["pairs"], "articles": done.records[STAGE]["articles"]}
    for test in test_sets(config, pairs):
        stage = measured_stage(test, models)
        measured = run_stages([stage], work, run)
        figures[test.name] = read_json(measured.folders[stage.name] / SCORES)
        records |= measured.records
    return {**figures, STAGES: stage_costs(records)}, pairs


def training_config(config: Config, name: str, pairs: Path) -> TrainingConfig:
    """Returns the training settings of the model of a corpus."""
    settings, corpus = config[SIMPLIFIERS], parallel_corpus(name)
    development = {"name": "development", "source": "development.source", "references": ["development.target"]}
    values = {
        **settings["training"],
        "data": str(pairs),
        "work": config["work"],
        "model": str(Path(config["work"]) / f"simplifier-{name}"),
        "corpora": [corpus, parallel_corpus(f"{name}-{IDENTITY}")],
        "simplify": {"corpora": [corpus], "metric": "sari", "development": development},
    }
    values["language_model"] = {**values["language_model"], "texts": [SIMPLE_TEXT]}
    return TrainingConfig.model_validate(values)


def test_sets(config: Config, pairs: Path) -> list[TestSet]:
    """Returns the test sets: other articles of OneStop, and TurkCorpus' part for tuning."""
    data, turk = Path(config["data"]), config[SIMPLIFIERS]["turk"]
    references = tuple(data / turk["references"].format(number) for number in range(turk["count"]))
    return [
        TestSet("onestop", pairs / "test.source", (pairs / "test.target",)),
        TestSet("turk", data / turk["source"], references),
    ]


def measured_stage(test: TestSet, models: Mapping[str, Path]) -> Stage:
    """Returns the stage that simplifies a set with all models, and compares them with the model of published pairs."""
    programs = sorted(Path(simplifier.__file__).parent.rglob("*.py"))
    tables = [folder / name for folder in models.values() for name in (WEIGHTS, OPERATIONS)]
    files = [test.source, *test.references, *tables, Path(__file__), *programs]
    return Stage(f"simplified-{test.name}", (), list(models), files, partial(_measure, test, models))


def _measure(test: TestSet, models: Mapping[str, Path], run: Run, folder: Path) -> dict[str, Any]:
    tokens = Tokeniser("en", case="keep").tokens
    source, *references = ([tokens(line) for line in read_lines(path)] for path in (test.source, *test.references))
    outputs = {UNCHANGED: source}
    for name, model in models.items():
        run.say(f"{test.name}: {name}")
        simplifier = replace(Simplifier.load(model), mode="bold")
        outputs[name] = [simpler[0].text for simpler in simplifier.simplify_all(line.split() for line in source)]
        write_lines(folder / f"{name}.txt", outputs[name])
    chosen = [METRICS[name](MetricOptions(len(references), "en")) for name in _METRICS]
    lines = {name: _lowered(output) for name, output in outputs.items()}
    measured = measure(lines, list(map(_lowered, references)), chosen, _lowered(source))
    scores = scores_of(compare(measured, CORPORA[1], RANDOMISATION))
    write_json(folder / SCORES, {"sentences": len(source), "scores": scores, "signatures": signatures_of(chosen)})
    return {"sentences": len(source)}


def _lowered(lines: Sequence[str]) -> Lines:
    return Lines(tokens=[line.lower() for line in lines])
