"""The one runner: keys, a lock on the work folder, and each stage once for the same input."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.stage import Run, Stage, forget_stages, is_done, path_of, run_stage, stage_keys
from lattice_simp.support.progress import progress_bar


@dataclass(frozen=True)
class Done:
    """The folders and the records of finished stages, by name, in order."""

    folders: Mapping[str, Path] = field(default_factory=dict)
    records: Mapping[str, dict[str, Any]] = field(default_factory=dict)


NOTHING = Done()


def run_stages(
    stages: Sequence[Stage],
    work: Path,
    run: Run,
    *,
    done: Done = NOTHING,
    again: Sequence[Stage] = (),
    begin: Callable[[], object] = lambda: None,
) -> Done:
    """Runs the unfinished stages, one after the other.

    Args:
        stages: in order; each needs only earlier ones, or stages of `done`.
        work: the folder of all stages; no two runs work there at the same time.
        run: the workers and the reports of the run.
        done: stages that are finished already.
        again: the stages to run again; their folders are removed first.
        begin: is called when the work folder is locked, before any stage runs.

    Returns:
        All of them, those of `done` first.

    Raises:
        LatticeSimpError: a file is missing, a stage failed, or another run is at work in the folder.
            Finished stages are kept; the next run continues.
    """
    missing = [path for stage in stages for path in stage.inputs if not path.is_file()]
    if missing:
        raise LatticeSimpError(f"{missing[0]}: no such file; check the config's paths and its `data` folder")
    folders, records = dict(done.folders), dict(done.records)
    keys = stage_keys(stages, {name: record["key"] for name, record in records.items()})
    try:
        work.mkdir(parents=True, exist_ok=True)
        with locked(work):
            forget_stages(again, keys, work)
            begin()
            for stage in stages:
                if not is_done(stage, keys[stage.name], work):
                    stage.check()
            for stage in stages:
                stage_run = replace(run, folders=dict(folders))
                folders[stage.name], records[stage.name] = run_stage(stage, keys[stage.name], work, stage_run)
                stage.publish(replace(run, folders=dict(folders)))
    except OSError as error:
        raise LatticeSimpError(f"{path_of(error, work)}: {error.strerror or error}") from error
    return Done(folders, records)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds a folder's lock, which disappears with the process; raises LatticeSimpError if another process holds it."""
    with open(folder / ".lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LatticeSimpError(f"{folder}: another run uses this folder; wait, or choose another folder") from None
        yield


# ---------------------------------------------------------------- the log


@contextmanager
def logged_run(jobs: int = 1, cluster: str | None = None, *, quiet: bool = False) -> Iterator[Run]:
    """Yields a run whose log lines begin with the seconds so far, with a progress bar of the stage below them."""
    begin = time.monotonic()
    with progress_bar(quiet=quiet, transient=True) as bar:

        def begin_stage(name: str) -> None:
            for before in bar.task_ids:
                bar.remove_task(before)
            bar.add_task(name, total=None)

        def progress(done: int, total: int | None) -> None:
            bar.update(bar.task_ids[-1], completed=done, total=total)

        def say(text: str) -> None:
            if not quiet:
                bar.console.print(f"[{time.monotonic() - begin:7.0f} s] {text}", markup=False, soft_wrap=True)

        begin_stage("tasks")
        yield Run(jobs, cluster, say=say, progress=progress, begin=begin_stage)
