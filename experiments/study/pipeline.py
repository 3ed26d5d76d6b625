"""The stages of a study in order, behind those of the training run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lattice_simp.pipeline.lock import locked

from experiments.study.config import Study
from experiments.study.decoding import Sentences, automatic_stage, skeletons_stage, spaces_stage
from experiments.study.gap_positions import gap_positions_stage
from experiments.study.making import made_files, made_stage
from experiments.study.scoring import automatic_scores_stage, scorers_stage, scores_stage
from experiments.study.sentences import SETS, read_sentences, test_set
from experiments.study.systems import System
from experiments.study.translating import rescored_stage, translations_stage
from experiments.study.tuning import weights_stage
from experiments.study.variant_stages import automatic_variants_stage, gap_variants_stage, variants_stage
from lattice_simp.errors import FormatError
from lattice_simp.evaluate.meteor_jar import find_jar, find_java
from lattice_simp.evaluate.meteor_languages import meteor_language
from lattice_simp.pipeline.stage import Run, Stage, run_stage, stage_keys
from lattice_simp.skeleton.automatic import parser_name
from lattice_simp.train.config import Config, write_config
from lattice_simp.train.pipeline import CONFIG, stages, train

RULE_STAGES = ("extract", "count", "targets", "rules", "model")
"""The stages of training that are run again for the rules of other skeletons."""


@dataclass(frozen=True)
class Done:
    """What a study has: its settings, its sentences, and each stage's folder and record."""

    study: Study
    sentences: Sentences
    folders: dict[str, Path]
    records: dict[str, dict[str, Any]]


def run_study(study: Study, config: Config, files: Mapping[str, Path], run: Run) -> Done:
    """Trains, then runs the stages that are not done.

    Args:
        study: what to do.
        config: the training run's.
        files: skeleton files by kind, besides the sets' own.
        run: jobs and log.

    Raises:
        LatticeSimpError: a stage failed; what is done stays.
    """
    _check_tools(study, config)
    training = [stage for stage in stages(config) if stage.name != "test"]
    train(config, run, last=training[-1].name)
    folders = _folders(training, config)
    records: dict[str, dict[str, Any]] = {}
    files = {**_made_files(study, config, training, folders, records, run), **files}
    kinds = {kind: path for kind, path in files.items() if study.translated is None or kind in study.translated}
    sentences = {name: read_sentences(config, name, folders["model"], kinds) for name in SETS}
    unused = set(kinds).difference(*(one.skeletons for name in SETS for one in sentences[name]))
    if unused:
        remedy = "tokenise the skeletons as the model's text"
        raise FormatError("holds no sentence of either set", path=files[min(unused)], remedy=remedy)
    inputs: list[Path] = []
    for name in SETS:
        own = test_set(config, name)
        inputs += map(config.path, (own.source, *own.references, *([own.skeletons] if own.skeletons else [])))
    first = [system for system in study.chosen if system.strategy == "skeleton-first"]  # slow: they come last
    composing = [system for system in study.chosen if system not in first]
    every = [*training, *_lists_stages(study, sentences, inputs), *_system_stages(study, composing, sentences)]
    every += [variants_stage(study, sentences), gap_positions_stage(study, sentences)]
    every.append(gap_variants_stage(study, sentences))
    if kinds:
        every += _automatic_stages(study, config, files, sentences, records, run)
    every += _system_stages(study, first, sentences)
    keys = stage_keys(every)
    with locked(config.work):
        for stage in every:
            say = _say_nothing if stage in training else run.say
            own_run = replace(run, folders=dict(folders), say=say)
            folders[stage.name], records[stage.name] = run_stage(stage, keys[stage.name], config.work, own_run)
    return Done(study, sentences, folders, records)


def _check_tools(study: Study, config: Config) -> None:
    """Finds out before hours of work what the last stages would miss."""
    find_jar()
    find_java()
    meteor_language(config.text.target_language)
    if study.automatic:
        parser_name()


def _made_files(
    study: Study,
    config: Config,
    training: list[Stage],
    folders: Mapping[str, Path],
    records: dict[str, dict[str, Any]],
    run: Run,
) -> dict[str, Path]:
    """Makes the automatic skeletons, unless they are there."""
    if not study.automatic:
        return {}
    made = made_stage(study, config)
    key = stage_keys([*training, made])[made.name]
    with locked(config.work):
        folder, records[made.name] = run_stage(made, key, config.work, replace(run, folders=dict(folders)))
    return made_files(study, folder)


def _lists_stages(study: Study, sentences: Sentences, inputs: list[Path]) -> list[Stage]:
    return [
        spaces_stage(study, sentences, inputs),
        skeletons_stage(study, sentences, inputs),
        scorers_stage(study),
        scores_stage(study, sentences),
    ]


def _system_stages(study: Study, systems: list[System], sentences: Sentences) -> list[Stage]:
    found = []
    for system in systems:
        found += [weights_stage(study, system, sentences), translations_stage(study, system, sentences)]
        if study.rescored is None or system.name in study.rescored:
            found.append(rescored_stage(study, system, sentences))
    return found


def _automatic_stages(
    study: Study,
    config: Config,
    files: Mapping[str, Path],
    sentences: Sentences,
    records: dict[str, dict[str, Any]],
    run: Run,
) -> list[Stage]:
    """Returns the stages of the skeletons that were not made by hand, behind a model with the rules for them.

    Their patterns cross other gaps than those of the hand-made ones.
    """
    own = config
    if config.rules.only_for:
        wanted = tuple(path.absolute() for path in files.values())
        own = config.model_copy(update={"rules": config.rules.model_copy(update={"only_for": wanted})})
        trained = train(own, run, last="model")
        records |= {f"automatic-{name}": trained[name] for name in RULE_STAGES}
        write_config(config, config.work / CONFIG)  # the one that the work folder is for
    model = _folders([stage for stage in stages(own) if stage.name not in ("tune", "test")], own)["model"]
    return [
        automatic_stage(study, sentences, list(files.values()), model),
        automatic_scores_stage(study, sentences),
        automatic_variants_stage(study, sentences),
    ]


def _folders(every: list[Stage], config: Config) -> dict[str, Path]:
    return {name: config.work / f"{name}.{key}" for name, key in stage_keys(every).items()}


def _say_nothing(text: str) -> None:
    pass
