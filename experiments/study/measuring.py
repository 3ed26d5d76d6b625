"""Measures the outputs of a study's systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from experiments.report import RANDOMISATION, measured
from experiments.study.config import State
from experiments.study.pipeline import StudyDone
from experiments.study.rescoring import alone_path, read_alone
from experiments.study.scoring import STRONG
from experiments.study.sentences import StudySentence, test_set
from experiments.study.systems import LIST_STAGES, System
from experiments.study.translating import Output, read_outputs
from experiments.study.variant_stages import VARIANT_STAGES
from lattice_simp.metrics import (
    Comparison,
    Groups,
    Lines,
    Measurements,
    Metric,
    bleu_13a,
    bleu_tok,
    chrf,
    compare,
    compare_groups,
    gap_type_groups,
    length_ratio,
    meteor,
    ter,
)
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.config import Config


@dataclass(frozen=True)
class Measured:
    """The systems on one set.

    Attributes:
        name: the name of the set in files and figures.
        title: the title of the set in tables: its name, its kind, and its number of sentences.
        hypotheses: the size of rescored lists.
        systems: the systems without the rescored ones.
        outputs: the outputs of each system, including the rescored ones (their names end as in `LIST_STAGES`).
        measurements: the measurements of all systems.
        comparisons: the comparison with each baseline, by its name.
        break_downs: by gap type, for each kind of skeletons that systems have, the protocol's kind first.
    """

    name: str
    title: str
    hypotheses: int
    systems: tuple[System, ...]
    outputs: dict[str, list[Output]]
    measurements: Measurements
    comparisons: dict[str, Comparison]
    break_downs: list[BreakDown]


@dataclass(frozen=True)
class BreakDown:
    """The systems by the gap types of a kind of skeletons, with BLEU against each baseline, by its name."""

    kind: str
    gap_types: Groups
    comparisons: dict[str, dict[str, Comparison]]


def metrics(config: Config) -> list[Metric]:
    """Returns the metrics of a language pair, BLEU on tokens first."""
    usual: list[Metric] = [bleu_tok(), bleu_13a(lowercase=True), chrf(lowercase=True), ter()]
    return [*usual, meteor(config.text.target_language), length_ratio()]


def references_of(sentences: list[StudySentence]) -> Lines:
    """Returns the first reference of each sentence."""
    return Lines([sentence.references[0] for sentence in sentences], [sentence.originals[0] for sentence in sentences])


def read_systems(done: StudyDone, name: str) -> dict[str, list[Output]]:
    """Returns the outputs of all systems that translate a set, then those of their rescored n-best lists."""
    names = [chosen.name for chosen in done.study.measured]
    files = {system: done.folders[f"translated-{system}"] / f"{name}.jsonl" for system in names}
    files |= {
        system + suffix: done.folders[stage] / f"{name}.jsonl"
        for suffix, prefix in LIST_STAGES.items()
        for system in names
        if (stage := f"{prefix}-{system}") in done.folders
    }
    return {system: read_outputs(path) for system, path in files.items() if path.exists()}


def measure_set(done: StudyDone, config: Config, name: str) -> Measured:
    """Measures all systems on a set."""
    sentences = done.sentences[name]
    tokeniser = tokenisers(config.text)[1]
    outputs = read_systems(done, name)
    lines = {system: [row.words for row in records] for system, records in outputs.items()}
    measurements = measured(lines, [references_of(sentences)], tokeniser, metrics(config))
    kinds = dict.fromkeys([done.study.skeleton, *(entry.skeleton for entry in done.study.chosen if entry.skeleton)])
    bases = tuple(base for suffix in ("", *LIST_STAGES) if (base := "plain" + suffix) in outputs)
    first = first_metric(measurements, outputs)
    title = test_set(config, name).name
    return Measured(
        title,
        set_title(title, len(sentences), done.study.test_sets.get(title)),
        done.study.rescored_hypotheses,
        done.study.measured,
        outputs,
        measurements,
        {base: compare(measurements, base, RANDOMISATION) for base in bases},
        [break_down(first, sentences, kind, bases) for kind in kinds],
    )


def first_metric(measurements: Measurements, systems: Iterable[str]) -> Measurements:
    """Returns the measurements of some systems by the first metric alone."""
    statistics = measurements.statistics
    chosen = {system: statistics[system][:1] for system in systems if system in statistics}
    return Measurements(measurements.metrics[:1], measurements.forms[:1], chosen)


def break_down(
    measurements: Measurements, sentences: list[StudySentence], kind: str, bases: tuple[str, ...]
) -> BreakDown:
    """Compares systems by the gap types of a kind of skeletons."""
    groups = gap_type_groups([entry.skeletons[kind][0] if kind in entry.skeletons else None for entry in sentences])
    return BreakDown(kind, groups, {base: compare_groups(measurements, groups, base, RANDOMISATION) for base in bases})


def set_title(name: str, count: int, state: State | None) -> str:
    """Returns the title of a set in tables.

    >>> set_title("news", 500, "new"), set_title("news", 1000, None)
    ('news (test set, new; n = 500)', 'news (development set; n = 1000)')
    """
    kind = "development set" if state is None else f"test set, {'seen before' if state == 'seen' else state}"
    return f"{name} ({kind}; n = {count})"


def measure_scorers(done: StudyDone, config: Config, name: str) -> Comparison:
    """Measures the plain system rescored with each part of the stronger model alone, by BLEU on tokens."""
    folder = done.folders[STRONG]
    outputs = {"plain": read_outputs(done.folders["translated-plain"] / f"{name}.jsonl")}
    outputs |= {scorer: read_outputs(alone_path(folder, scorer, name)) for scorer in read_alone(folder)}
    return compare_by_bleu(outputs, done.sentences[name], config)


def measure_variants(done: StudyDone, config: Config, name: str) -> tuple[dict[str, list[Output]], Comparison]:
    """Measures the variants on a set by BLEU on tokens, against the plain system."""
    sentences = done.sentences[name]
    plain = {"plain": read_outputs(done.folders["translated-plain"] / f"{name}.jsonl")}
    outputs = plain | read_variants(done.folders, name)
    return outputs, compare_by_bleu(outputs, sentences, config)


def read_variants(folders: Mapping[str, Path], name: str) -> dict[str, list[Output]]:
    """Returns the outputs of the variants on a set."""
    return {
        path.name.removeprefix(f"{name}.").removesuffix(".jsonl"): read_outputs(path)
        for stage in VARIANT_STAGES
        if stage in folders
        for path in sorted(folders[stage].glob(f"{name}.*.jsonl"))
    }


def compare_by_bleu(outputs: Mapping[str, list[Output]], sentences: list[StudySentence], config: Config) -> Comparison:
    """Compares outputs with those of `plain` by BLEU on tokens."""
    lines = {system: [row.words for row in rows] for system, rows in outputs.items()}
    tokeniser = tokenisers(config.text)[1]
    return compare(measured(lines, [references_of(sentences)], tokeniser, [bleu_tok()]), "plain", RANDOMISATION)
