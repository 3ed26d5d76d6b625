"""The pipeline: all stages in order, each run only once for the same input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches

from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.pipeline.stage import Run, Stage, write_json
from lattice_simp.support.tasks.batch import check_cluster
from lattice_simp.train.alignment.align import align_stage
from lattice_simp.train.config import Config, write_config
from lattice_simp.train.model import language_model_stage, model_stage
from lattice_simp.train.rules.count import count_stage, targets_stage
from lattice_simp.train.rules.extract_stage import extract_stage
from lattice_simp.train.rules.lexical import lexical_stage
from lattice_simp.train.rules.table import rules_stage
from lattice_simp.train.text.prepare import prepare_stage
from lattice_simp.train.text.vocabulary import number_stage
from lattice_simp.train.tuning import test_stage, tune_stage
from lattice_simp.translate.model_files import MADE_OF

CONFIG, RESULTS = "config.yaml", "results.json"

StageMaker = Callable[[Config], Stage]

_MAKERS: dict[str, StageMaker] = {
    "prepare": prepare_stage,
    "number": lambda config: number_stage(),
    "align": align_stage,
    "lexical": lambda config: lexical_stage(),
    "extract": extract_stage,
    "count": count_stage,
    "targets": targets_stage,
    "rules": rules_stage,
    "language-model": language_model_stage,
    "model": model_stage,
    "tune": tune_stage,
    "test": test_stage,
}
STAGES = tuple(_MAKERS)
"""The names of the stages."""

NO_STAGES: Mapping[str, StageMaker] = {}


def stages(config: Config, simplifier_stages: Mapping[str, StageMaker] = NO_STAGES) -> list[Stage]:
    """Returns the stages in order; those of a simplifier follow if the configuration has the section `simplify`.

    Raises:
        LatticeSimpError: the configuration asks for a simplifier, and no stages for it are given.
    """
    if config.simplify is None:
        return [make(config) for make in _MAKERS.values()]
    if not simplifier_stages:
        raise LatticeSimpError("the section `simplify` needs systems.simplify.stages.SIMPLIFIER_STAGES")
    return [make(config) for make in (_MAKERS | dict(simplifier_stages)).values()]


def train(
    config: Config,
    run: Run,
    *,
    first: str | None = None,
    last: str | None = None,
    simplifier_stages: Mapping[str, StageMaker] = NO_STAGES,
) -> Done:
    """Runs the stages that have not finished; with `simplifier_stages`, the model becomes a simplifier.

    Args:
        config: the settings of the run.
        run: its workers and reports.
        first: this stage and those after it run again, even if their files exist.
        last: run only this stage and those that it needs.
        simplifier_stages: further stages by name.

    Raises:
        LatticeSimpError: a stage failed; finished stages stay, and the next run resumes from there.
    """
    if run.cluster is not None:
        check_cluster(run.cluster)
    all_stages = stages(config, simplifier_stages)
    _check_names([stage.name for stage in all_stages], first, last)
    selected = all_stages if last is None else needed_stages(all_stages, last)
    again = _from(selected, first, last)

    def prepare() -> None:
        write_config(config, config.work / CONFIG)
        if again:
            (config.model_folder / MADE_OF).unlink(missing_ok=True)  # repeated stages may produce another model

    results = run_stages(selected, config.work, run, again=again, begin=prepare)
    write_json(config.work / RESULTS, results.records)
    return results


def needed_stages(stages: Sequence[Stage], last: str) -> list[Stage]:
    """Returns a stage and those that it needs, directly or through others, in order."""
    names = {last}
    for stage in reversed(stages):
        if stage.name in names:
            names.update(stage.needs)
    return [stage for stage in stages if stage.name in names]


def _check_names(names: Sequence[str], first: str | None, last: str | None) -> None:
    for option, name in (("--from", first), ("--to", last)):
        if name is not None and name not in names:
            near = get_close_matches(name, names, 1)
            suggestion = f"did you mean {near[0]!r}? " if near else ""
            raise LatticeSimpError(f"{option}: unknown stage {name!r} ({suggestion}The stages are {', '.join(names)})")


def _from(selected: Sequence[Stage], first: str | None, last: str | None) -> Sequence[Stage]:
    """Returns the stages to run again: the first one and those after it."""
    if first is None:
        return ()
    names = [stage.name for stage in selected]
    if first not in names:
        raise LatticeSimpError(f"--from {first}: the stage {last!r} of --to does not need this stage; leave one out")
    return selected[names.index(first) :]
