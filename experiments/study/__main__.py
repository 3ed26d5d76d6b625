"""Runs the study of an experiment: python -m experiments.study experiments/en-fr --data ../shared/data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from experiments.experiment import Experiment, Results, program
from experiments.mutants import killed_pct
from experiments.study.config import read_study
from experiments.study.pipeline import run_study
from experiments.study.protocol import ProtocolRun, protocol_figures, protocol_text, read_runs
from experiments.study.report import report
from experiments.study.sentences import HAND_MADE
from lattice_simp.errors import LatticeSimpError
from lattice_simp.train.config import Config


def study(experiment: Experiment) -> Results:
    """Does the missing training, runs all stages, and measures."""
    study_settings, config = read_study(experiment.folder, experiment.overrides)
    files = dict(map(_named_file, experiment.options["skeletons"]))
    begin = partial(_begin, experiment, config, files)
    results = report(run_study(study_settings, config, files, experiment.run, begin), config, experiment.output)
    runs = read_runs(config.work)
    figures = {**protocol_figures(runs), "mutants_killed_pct": killed_pct(), **results.figures}
    return replace(results, figures=figures, parts=[protocol_text(runs, study_settings), *results.parts])


def _begin(experiment: Experiment, config: Config, files: Iterable[str]) -> None:
    ProtocolRun.now(experiment.folder, experiment.overrides, files).write(config.work)


def _named_file(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (name and equals and path) or name in HAND_MADE or "/" in name:
        raise LatticeSimpError(f"--skeletons {text}: write NAME=FILE, with a name other than {', '.join(HAND_MADE)}")
    return name, Path(path)


main = program(
    __file__,
    __doc__,
    study,
    skeletons={"action": "append", "default": [], "help": "NAME=FILE: another kind of skeletons"},
)

if __name__ == "__main__":
    main()
