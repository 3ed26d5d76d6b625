"""The pipeline: all stages in order, each run once for the same input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline import check_cluster
from lattice_simp.pipeline.lock import locked
from lattice_simp.pipeline.stage import Run, Stage, forget_stages, is_done, place_of, run_stage, stage_keys, write_json
from lattice_simp.train.alignment.align import align_stage
from lattice_simp.train.config import Config, write_config
from lattice_simp.train.model import language_model_stage, model_stage
from lattice_simp.train.rules.count import count_stage, targets_stage
from lattice_simp.train.rules.extract_stage import extract_stage
from lattice_simp.train.rules.lexical import lexical_stage
from lattice_simp.train.rules.table import rules_stage
from lattice_simp.train.text.prepare import prepare_stage
from lattice_simp.train.text.vocabulary import number_stage
from lattice_simp.train.tuning import MADE_OF, finish_model, test_stage, tune_stage

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
    """Returns the stages in order."""
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
    if run.cluster is not None:
        check_cluster(run.cluster)
    begin, end = _places(first, last)
    wanted = stages(config)[:end]
    _check_files(wanted)
    keys = stage_keys(wanted)
    try:
        config.work.mkdir(parents=True, exist_ok=True)
        with locked(config.work):
            write_config(config, config.work / CONFIG)
            if begin < end:
                forget_stages(wanted[begin:], keys, config.work)
                (config.model_folder / MADE_OF).unlink(missing_ok=True)  # aligners that sample make another model
            for stage in wanted:
                if not is_done(stage, keys[stage.name], config.work):
                    stage.check()
            records = _run_all(config, wanted, keys, run)
            write_json(config.work / RESULTS, records)
    except OSError as error:
        raise LatticeSimpError(f"{place_of(error, config.work)}: {error.strerror or error}") from error
    return records


def _run_all(config: Config, wanted: Sequence[Stage], keys: Mapping[str, str], run: Run) -> dict[str, Any]:
    folders: dict[str, Path] = {}
    records: dict[str, Any] = {}
    for stage in wanted:
        own_run = replace(run, folders=dict(folders))
        folders[stage.name], records[stage.name] = run_stage(stage, keys[stage.name], config.work, own_run)
        if stage.name == "tune":
            finish_model(folders["model"], folders["tune"], config.model_folder)
            run.say(f"model: {config.model_folder}")
    return records


def _places(first: str | None, last: str | None) -> tuple[int, int]:
    """Returns the place of the first stage to do again, and that behind the last stage to do."""
    for name in (first, last):
        if name is not None and name not in STAGES:
            raise LatticeSimpError(f"there is no stage {name!r}; the stages are {', '.join(STAGES)}")
    begin = len(STAGES) if first is None else STAGES.index(first)
    end = len(STAGES) if last is None else STAGES.index(last) + 1
    if first is not None and begin >= end:
        raise LatticeSimpError(f"the first stage to do again, {first!r}, lies behind the last one to do, {last!r}")
    return begin, end


def _check_files(wanted: Sequence[Stage]) -> None:
    """Finds missing files of all stages before the first one runs."""
    missing = [path for stage in wanted for path in stage.inputs if not path.is_file()]
    if missing:
        raise LatticeSimpError(f"{missing[0]}: no such file; check the config's paths and its `data` folder")
