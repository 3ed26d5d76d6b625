"""The pipeline: all stages in order, each run once for the same input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.train.alignment.align import align_stage
from lattice_simp.train.config import Config, write_config
from lattice_simp.train.lock import locked
from lattice_simp.train.model import language_model_stage, model_stage
from lattice_simp.train.rules.count import count_stage, targets_stage
from lattice_simp.train.rules.extract_stage import extract_stage
from lattice_simp.train.rules.lexical import lexical_stage
from lattice_simp.train.rules.table import rules_stage
from lattice_simp.train.stage import Run, Stage, run_stage, stage_key, write_json
from lattice_simp.train.text.prepare import prepare_stage
from lattice_simp.train.text.vocabulary import number_stage
from lattice_simp.train.tuning import finish_model, test_stage, tune_stage

CONFIG, RESULTS = "config.yaml", "results.json"

STAGES = (
    "prepare",
    "number",
    "align",
    "lexical",
    "extract",
    "count",
    "targets",
    "rules",
    "language-model",
    "model",
    "tune",
    "test",
)


def stages(config: Config) -> list[Stage]:
    """Gives the stages in order."""
    return [
        prepare_stage(config),
        number_stage(),
        align_stage(config),
        lexical_stage(),
        extract_stage(config),
        count_stage(config),
        targets_stage(config),
        rules_stage(config),
        language_model_stage(config),
        model_stage(config),
        tune_stage(config),
        test_stage(config),
    ]


def train(config: Config, run: Run, *, first: str | None = None, last: str | None = None) -> dict[str, Any]:
    """Runs the stages that are not done; gives the records of all of them.

    Args:
        config: what to do.
        run: how: jobs, cluster, log.
        first: this stage and those behind it are done again, even if their files are there.
        last: stop behind this stage.

    Raises:
        LatticeSimpError: a stage failed; what is done stays, and the next run goes on from there.
    """
    _check_names(first, last)
    _check_files(config)
    try:
        config.work.mkdir(parents=True, exist_ok=True)
        write_config(config, config.work / CONFIG)
    except OSError as error:
        raise LatticeSimpError(f"{config.work}: cannot be written: {error.strerror}") from error
    keys: dict[str, str] = {}
    folders: dict[str, Path] = {}
    records: dict[str, Any] = {}
    with locked(config.work):
        again = False
        for stage in stages(config):
            keys[stage.name] = stage_key(stage, keys)
            again = again or stage.name == first
            own_run = replace(run, folders=dict(folders))
            folder, record = run_stage(stage, keys[stage.name], config.work, own_run, again=again)
            folders[stage.name], records[stage.name] = folder, record
            if stage.name == "tune":
                finish_model(folders["model"], folder, config.model_folder)
                run.say(f"model: {config.model_folder}")
            if stage.name == last:
                break
        write_json(config.work / RESULTS, records)
    return records


def _check_names(*names: str | None) -> None:
    unknown = [name for name in names if name is not None and name not in STAGES]
    if unknown:
        raise LatticeSimpError(f"there is no stage {unknown[0]!r}; the stages are {', '.join(STAGES)}")


def _check_files(config: Config) -> None:
    """Finds missing files of all stages before the first one runs."""
    missing: Sequence[Path] = [path for stage in stages(config) for path in stage.inputs if not path.is_file()]
    if missing:
        raise LatticeSimpError(f"{missing[0]}: no such file; check the config's paths and its `data` folder")
