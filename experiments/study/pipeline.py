"""The stages of a study in order, after those of the training run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.study.causal import causal_stage, text_stage
from experiments.study.config import ALWAYS, Study
from experiments.study.decoding import Sentences, automatic_stage, skeletons_stage, spaces_stage
from experiments.study.making import MADE, made_files, made_stage
from experiments.study.rescoring import rescored_stage
from experiments.study.scoring import automatic_scores_stage, perplexities_stage, scorers_stage, scores_stage
from experiments.study.sentences import DEVELOPMENT, read_sentences, set_files, set_names
from experiments.study.systems import ALONE, System
from experiments.study.transformer import alone_stage
from experiments.study.translating import translations_stage
from experiments.study.tuning import weights_stage
from experiments.study.variant_stages import (
    automatic_variants_stage,
    gap_positions_stage,
    gap_variants_stage,
    hand_variants_stage,
)
from experiments.study.variants import automatic_variants, check_variants, chosen_variants, gap_variants
from lattice_simp.errors import FormatError
from lattice_simp.metrics.meteor import meteor_language
from lattice_simp.metrics.meteor_jar import find_jar, find_java
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.pipeline.stage import Run, Stage
from lattice_simp.skeleton.automatic import parser_name
from lattice_simp.train.config import Config
from lattice_simp.train.pipeline import STAGES, stages, train

RULE_STAGES = ("extract", "count", "targets", "rules", "model")
"""The stages of training to run again for the rules of other skeletons."""


@dataclass(frozen=True)
class StudyDone:
    """A finished study: its settings, its sentences, and each stage's folder and record."""

    study: Study
    sentences: Sentences
    folders: Mapping[str, Path]
    records: Mapping[str, dict[str, Any]]


def run_study(
    study: Study, config: Config, files: Mapping[str, Path], run: Run, before_tests: Callable[[], object] = lambda: None
) -> StudyDone:
    """Trains, then runs the unfinished stages, with skeleton files besides those of the sets.

    `before_tests` is called before the first stage that reads a test set, even if that is finished.
    """
    _check_tools(study, config)
    names = dict.fromkeys([*study.automatic, *files])
    check_variants(study, tuple(filter(study.translates, names)))
    remaining = dict(files)
    config, done = trained(study, config, run, before_tests)
    sets = set_names(config)
    if study.automatic:
        files = {**made_files(study, done.folders[MADE]), **files}
    kinds = {kind: path for kind, path in files.items() if study.translates(kind)}
    sentences = {name: read_sentences(config, name, done.folders["model"], kinds) for name in sets}
    unused = set(kinds).difference(*(sentence.skeletons for name in sets for sentence in sentences[name]))
    if unused:
        remedy = "tokenise the skeletons as the model's text"
        raise FormatError("holds no sentence of the sets", path=files[min(unused)], remedy=remedy)
    inputs = set_files(config, sets)
    composing = [system for system in study.chosen if not system.decodes_anew]
    decoding = [system for system in study.chosen if system.decodes_anew]  # slow: they come last
    every = [
        spaces_stage(study, sentences, inputs),
        skeletons_stage(study, sentences, inputs),
        scorers_stage(study),
        perplexities_stage(study, sentences, set_files(config, [DEVELOPMENT])),
        scores_stage(study, sentences),
        *([alone_stage(sentences)] if ALONE in study.measured else []),
        *([] if study.causal is None else [text_stage(study, config)]),
        *_system_stages(study, composing, sentences),
        hand_variants_stage(study, sentences),
    ]
    if chosen_variants(study, gap_variants(study)):
        every += [gap_positions_stage(study, sentences), gap_variants_stage(study, sentences)]
    if chosen_variants(study, automatic_variants(study, tuple(kinds))):
        model = done.folders["model"]
        if remaining:
            model, done = model_for(files.values(), config, done, run)
        every += [
            automatic_stage(study, sentences, list(files.values()), model),
            automatic_scores_stage(study, sentences),
            automatic_variants_stage(study, sentences),
        ]
    every += _system_stages(study, decoding, sentences)
    done = run_stages(every, config.work, run, done=done)
    return StudyDone(study, sentences, done.folders, done.records)


def trained(
    study: Study, config: Config, run: Run, before_tests: Callable[[], object] = lambda: None
) -> tuple[Config, Done]:
    """Trains a model with rules for the skeletons of the study's methods, too; returns the config of that training."""
    if not study.automatic:
        done = train(config, run, last="tune")
        before_tests()
        return config, done
    before = train(config, run, last="prepare")
    before_tests()
    making = run_stages([made_stage(study, config)], config.work, run, done=before)
    files = made_files(study, making.folders[MADE])
    filtered = with_rules_for(config, [path for kind, path in files.items() if study.translates(kind)])
    done = train(filtered, run, last="tune")
    return filtered, Done({**making.folders, **done.folders}, {**making.records, **done.records})


def with_rules_for(config: Config, files: Iterable[Path]) -> Config:
    """Returns a config whose rules cover some skeletons, too, unless they cover any text."""
    if not config.rules.only_for:
        return config
    sources = (*config.rules.only_for, *(path.absolute() for path in files))
    return config.model_copy(update={"rules": config.rules.model_copy(update={"only_for": sources})})


def model_for(files: Iterable[Path], config: Config, done: Done, run: Run) -> tuple[Path, Done]:
    """Returns a model with the rules for some skeletons, whose patterns cross other gaps than those of the sets'
    skeletons. The stages that run again for it have the names `automatic-NAME`.
    """
    if not config.rules.only_for:
        return done.folders["model"], done
    sources = tuple(path.absolute() for path in files)
    filtered = config.model_copy(update={"rules": config.rules.model_copy(update={"only_for": sources})})
    again = run_stages(stages(filtered)[: STAGES.index("model") + 1], config.work, run)
    records = {**done.records, **{f"automatic-{name}": again.records[name] for name in RULE_STAGES}}
    return again.folders["model"], Done(done.folders, records)


def _check_tools(study: Study, config: Config) -> None:
    """Checks the requirements of the last stages before hours of work."""
    find_jar()
    find_java()
    meteor_language(config.text.target_language)
    if study.automatic:
        parser_name()


def _system_stages(study: Study, systems: list[System], sentences: Sentences) -> list[Stage]:
    every = []
    for system in systems:
        every += [weights_stage(study, system, sentences), translations_stage(study, system, sentences)]
        if study.rescores(system):
            every.append(rescored_stage(study, system, sentences))
        if study.causal is not None and system.name in ALWAYS:
            every.append(causal_stage(study, system, sentences))
    return every
