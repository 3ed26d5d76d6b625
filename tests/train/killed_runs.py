"""A program that trains, is killed at many places, and resumes each time: `killed_runs.py CONFIG [exhaustive]`. Each
run is a fork of this process that kills itself with SIGKILL, so nothing is cleaned up. It exits with 0 if no run
touched files that earlier runs had finished; the caller compares the results.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from inline_tasks import inline_batch

from lattice_simp.pipeline import runner
from lattice_simp.pipeline.stage import RECORD, Run, run_stage
from lattice_simp.support.tasks import batch
from lattice_simp.train.config import read_config
from lattice_simp.train.pipeline import STAGES, train

OPERATIONS = ("replace", "unlink", "rmdir", "link")
"""The operations with immediate effect on the disk."""


SHARDED = ("prepare", "extract", "count", "targets")
"""The stages of many tasks."""


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at_operation(number: int) -> None:
    """From now on, kills this process before its n-th operation on the disk."""
    left = [number]

    def counted(operation: Callable) -> Callable:
        def run(*arguments, **options):
            left[0] -= 1
            if left[0] == 0:
                kill()
            return operation(*arguments, **options)

        return run

    for name in OPERATIONS:
        setattr(os, name, counted(getattr(os, name)))


def train_and_be_killed(path: Path, victim: str, place: int | str) -> None:
    """Trains; is killed at the n-th operation since the stage began, or at its `end`, before it gets its name."""
    batch.run_batch = inline_batch

    def watched(stage, key, work, run):
        if stage.name == victim:
            result = stage.work

            def killed(run, folder):
                if place == "end":
                    result(run, folder)
                    kill()
                kill_at_operation(place)
                return result(run, folder)

            stage = replace(stage, work=killed)
        return run_stage(stage, key, work, run)

    runner.run_stage = watched
    train(read_config(path), Run())


def forked(action: Callable[[], None]) -> int:
    """Runs an action in a fork; returns its exit status, negative for a signal."""
    child = os.fork()
    if child == 0:
        try:
            action()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def finished(work: Path) -> dict[str, int]:
    """Returns the times of all files of complete stages."""
    stages = [record.parent for record in work.glob(f"*/{RECORD}") if record.parent.suffix != ".partial"]
    return {str(path): path.stat().st_mtime_ns for stage in stages for path in stage.rglob("*.*") if path.is_file()}


def is_done(work: Path, stage: str) -> bool:
    return any(record.parent.suffix != ".partial" for record in work.glob(f"{stage}.*/{RECORD}"))


def main(path: Path, exhaustive: bool) -> int:
    work = read_config(path).work
    kills = 0
    for stage in STAGES:
        first = range(1, 200) if exhaustive else (2,) if stage in SHARDED else ()
        for place in (*first, "end"):
            if is_done(work, stage):
                break
            before = finished(work)
            status = forked(partial(train_and_be_killed, path, stage, place))
            if not before.items() <= finished(work).items():
                print(f"{stage}, {place}: a finished stage was done again", file=sys.stderr)
                return 1
            if status not in (0, -signal.SIGKILL):
                print(f"the run that was to be killed at {stage}, {place} failed", file=sys.stderr)
                return 1
            kills += status != 0
    print(kills)
    return forked(partial(train_and_be_killed, path, "no stage", 0))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), "exhaustive" in sys.argv[2:]))
