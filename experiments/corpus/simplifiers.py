"""Simplifiers trained on OneStop's aligned and on its published pairs, tested on other articles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.corpus import onestop
from experiments.experiment import stage_costs
from experiments.files import parallel_corpus, read_records, separated_pairs, write_lines, write_records
from experiments.report import RANDOMISATION, STAGES, scores_of, signatures_of
from lattice_simp.metrics import METRICS, Lines, MetricOptions, compare, measure
from lattice_simp.pipeline.runner import run_stages
from lattice_simp.pipeline.stage import Run, Stage, read_json, write_json
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.corpus.pipeline import PAIRS, align_collections
from lattice_simp.systems.simplify import simplifier
from lattice_simp.systems.simplify.simplifier import OPERATIONS, Simplifier
from lattice_simp.systems.simplify.stages import SIMPLIFIER_STAGES
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train.config import Config as TrainingConfig
from lattice_simp.train.pipeline import train
from lattice_simp.translate.model_files import WEIGHTS

Config = dict[str, Any]

SIMPLIFIERS, STAGE = "simplifiers", "simplifier-pairs"

CORPORA = ("aligned", "published")
"""The training corpora of models; the second one is the baseline's."""

IDENTITY = "identity"
"""The suffix of a corpus of complex sentences paired with themselves, which aligns unchanged words."""

SIMPLE_TEXT = "simple.text"

HELD_OUT = "held-out.jsonl"
"""The aligned pairs of test articles without identical ones, from which the judged sample is drawn."""

PARTS = ("training", "development", "test")


def pairs_stage(config: Config) -> Stage:
    """Returns the stage that writes all pairs."""
    settings, data = config[SIMPLIFIERS], Path(config["data"])
    paths = [config["onestop"]["articles"], *(levels["published"] for levels in settings["levels"])]
    files = [data / path for path in (*paths, *settings["easy_texts"])]
    programs = [*onestop.alignment_programs(), Path(__file__)]
    values = {name: settings[name] for name in ("levels", "tenths", "easy_texts")}
    return Stage(STAGE, (), values, [*files, *programs], partial(_write_corpora, config))


def _write_corpora(config: Config, run: Run, folder: Path) -> dict[str, Any]:
    settings, data = config[SIMPLIFIERS], Path(config["data"])
    articles = onestop.read_levels(data / config["onestop"]["articles"])
    part = {title: onestop.part_of(title, **settings["tenths"]) for title in articles}
    titles = {name: [title for title in articles if part[title] == name] for name in PARTS}
    records = [_aligned(articles, levels, folder / levels["name"], run) for levels in settings["levels"]]
    published = [pair for levels in settings["levels"] for pair in _published(data, levels)]
    pairs = {CORPORA[0]: [_texts(record) for pairs in records for record in pairs], CORPORA[1]: published}
    unseen = _all_letters(articles, [*titles["development"], *titles["test"]])
    for name in CORPORA:
        pairs[name] = [pair for pair in pairs[name] if not any(onestop.letters(side) in unseen for side in pair)]
        sources = dict.fromkeys(source for source, _ in pairs[name])
        _write_sides(folder, f"{name}-{IDENTITY}", [(source, source) for source in sources])
    for name in PARTS[1:]:
        known = _all_letters(articles, titles[name])
        pairs[name] = list(dict.fromkeys(pair for pair in published if onestop.letters(pair[0]) in known))
    for name, chosen in pairs.items():
        _write_sides(folder, name, chosen)
    easy = [*_easy(articles, titles["training"], settings), *_more(data, settings)]
    write_lines(folder / SIMPLE_TEXT, map(_in_one_line, easy))
    held_out = [record for record in records[0] if part[record["title"]] == "test" and not record["identical"]]
    write_records(folder / HELD_OUT, held_out)
    return {
        "pairs": {name: len(chosen) for name, chosen in pairs.items()},
        "held_out": len(held_out),
        "articles": {name: len(chosen) for name, chosen in titles.items()},
    }


def _published(data: Path, levels: Config) -> Iterable[onestop.Pair]:
    """Returns the published pairs of two levels, the complex sentence first."""
    pairs = separated_pairs(read_lines(data / levels["published"]))
    return ((other, first) for first, other in pairs) if levels["simple_first"] else pairs


def _aligned(articles: Mapping[str, onestop.Levels], levels: Config, folder: Path, run: Run) -> list[dict[str, Any]]:
    """Aligns two levels of all articles; returns the records of the pairs, with texts."""
    folder.mkdir(exist_ok=True)
    sides = [onestop.write_side(articles, levels[side], folder / f"{side}.jsonl") for side in ("complex", "simple")]
    align_collections(sides[0], sides[1], folder / "out", run=run)
    return read_records(folder / "out" / PAIRS)


def _texts(record: Mapping[str, Any]) -> onestop.Pair:
    first, other = (_in_one_line(record[side]["text"]) for side in ("complex", "simple"))
    return first, other


def _all_letters(articles: Mapping[str, onestop.Levels], titles: Collection[str]) -> str:
    return "|".join(onestop.letters(text) for title in titles for text in articles[title].values())


def _easy(articles: Mapping[str, onestop.Levels], titles: Collection[str], settings: Config) -> Iterable[str]:
    """Returns the paragraphs of articles at the levels of the simple side."""
    levels = dict.fromkeys(entry["simple"] for entry in settings["levels"])
    texts = (articles[title].get(level, "") for title in titles for level in levels)
    return [line.strip() for text in texts for line in text.split("\n") if line.strip()]


def _more(data: Path, settings: Config) -> list[str]:
    return sorted({line for path in settings["easy_texts"] for line in read_lines(data / path)})


def _write_sides(folder: Path, name: str, pairs: Iterable[onestop.Pair]) -> None:
    for side, lines in zip(("source", "target"), zip(*pairs, strict=True), strict=True):
        write_lines(folder / f"{name}.{side}", map(_in_one_line, lines))


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


UNCHANGED = "unchanged source"
SCORES = "scores.json"

_METRICS = ("sari-corpus", "bleu-tok", "unchanged", "split")


TestSet = tuple[str, Path, tuple[Path, ...]]
"""A name, and untokenised files, one sentence a line: the sentences and their references."""


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
        figures[test[0]] = read_json(measured.folders[stage.name] / SCORES)
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
        ("onestop", pairs / "test.source", (pairs / "test.target",)),
        ("turk", data / turk["source"], references),
    ]


def measured_stage(test: TestSet, models: Mapping[str, Path]) -> Stage:
    """Returns the stage that simplifies a set with all models, and compares them with the model of published pairs."""
    programs = sorted(Path(simplifier.__file__).parent.rglob("*.py"))
    tables = [folder / name for folder in models.values() for name in (WEIGHTS, OPERATIONS)]
    name, source, references = test
    files = [source, *references, *tables, Path(__file__), *programs]
    return Stage(f"simplified-{name}", (), list(models), files, partial(_measure, test, models))


def _measure(test: TestSet, models: Mapping[str, Path], run: Run, folder: Path) -> dict[str, Any]:
    tokens = Tokeniser("en", case="keep").tokens
    source, *references = ([tokens(line) for line in read_lines(path)] for path in (test[1], *test[2]))
    outputs = {UNCHANGED: source}
    for name, model in models.items():
        run.say(f"{test[0]}: {name}")
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
