"""Runs the study of an experiment: python -m experiments.study experiments/en-fr --set data=../shared/data."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from experiments.study.config import read_study
from experiments.study.pipeline import run_study
from experiments.study.report import write_report
from experiments.study.sentences import HAND_MADE
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.stage import Run


def _named_file(given: str) -> tuple[str, Path]:
    name, equals, path = given.partition("=")
    if not (name and equals and path) or name in HAND_MADE or "/" in name:
        raise LatticeSimpError(f"--skeletons {given}: write NAME=FILE, with a name other than {', '.join(HAND_MADE)}")
    return name, Path(path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs all stages, and writes RESULTS.md and results.json."""
    parser = argparse.ArgumentParser(prog="python -m experiments.study", description=__doc__)
    parser.add_argument("folder", type=Path, help="the experiment's folder, with config.yaml and study.yaml")
    parser.add_argument("--set", action="append", default=[], dest="overrides", help="as for `lattice-simp train`")
    parser.add_argument("--skeletons", action="append", default=[], help="NAME=FILE: another kind of skeletons")
    parser.add_argument("--command", default="", help="what the page says that it was made with")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given = parser.parse_args(arguments)
    begin = time.monotonic()
    run = Run(jobs=given.jobs, say=lambda text: print(f"[{time.monotonic() - begin:7.0f} s] {text}", flush=True))
    try:
        study, config = read_study(given.folder, given.overrides)
        files = dict(map(_named_file, given.skeletons))
        done = run_study(study, config, files, run)
        own = ["python", "-m", "experiments.study", *(sys.argv[1:] if arguments is None else arguments)]
        print(write_report(done, config, given.folder, given.command or shlex.join(own)))
    except LatticeSimpError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
