"""Stages: each writes one folder, named by a key of everything that its content depends on.

A stage works in `NAME.KEY.partial`; when it is done, a record of the run is put into the folder and the folder gets its
final name. So a folder with its final name is complete, and a killed run goes on with the shards that a partial
folder holds.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psutil

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.atomic import GROWING
from lattice_simp.support.json_text import parse_json
from lattice_simp.support.textio import write_text

RECORD = "stage.json"
"""The file of a complete stage: its name, key, seconds, peak memory, and counts."""

SPENT = "spent.json"
"""The file of an incomplete stage: seconds and memory of its interrupted runs."""

INTERVAL_S = 0.5
"""The seconds between two samples of the memory."""

_FORGOTTEN = ".old"
"""The suffix of folders that are being removed."""

_HALF_WRITTEN = (GROWING, "spill.*", "lmplz.*")
"""The patterns of unfinished files and folders that a killed run leaves."""


Task = TypeVar("Task")


@dataclass(frozen=True)
class Run:
    """The settings, folders and callbacks that every stage gets.

    Attributes:
        jobs: processes or threads.
        cluster: a Dask scheduler's address, `local`, or None.
        folders: the folders of the stages that are done.
        say: prints a line of the log.
        progress: called with the number of tasks done and their total, None if it is not known yet.
        begin: called with the name of each stage that starts.
    """

    jobs: int = 1
    cluster: str | None = None
    folders: Mapping[str, Path] = field(default_factory=dict)
    say: Callable[[str], None] = lambda text: None
    progress: Callable[[int, int | None], None] = lambda done, total: None
    begin: Callable[[str], None] = lambda name: None

    def each(self, tasks: Sequence[Task]) -> Iterator[Task]:
        """Yields tasks one after the other, and reports progress after each.

        >>> [task for task in Run(progress=print).each("ab")]
        0 2
        1 2
        2 2
        ['a', 'b']
        """
        self.progress(0, len(tasks))
        for num_done, task in enumerate(tasks, start=1):
            yield task
            self.progress(num_done, len(tasks))


@dataclass(frozen=True)
class Stage:
    """One step of a pipeline.

    Attributes:
        needs: the stages whose folders it reads.
        settings: the parts of the config that it depends on, as JSON values.
        inputs: the files that it reads; their content counts.
        work: writes the files into the folder, and returns its counts. The folder may hold files of a killed run.
        version: counts changes of the stage's code that change its files.
        check: raises an error if the stage would fail; called before any stage runs.
        publish: copies results elsewhere; called in each run, even if the stage was finished before.
    """

    name: str
    needs: Sequence[str]
    settings: Any
    inputs: Sequence[Path]
    work: Callable[[Run, Path], dict[str, Any]]
    version: int = 1
    check: Callable[[], object] = lambda: None
    publish: Callable[[Run], object] = lambda run: None


def stage_keys(stages: Sequence[Stage], before: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns the keys of stages, each of which needs only earlier ones, or stages whose keys are in `before`."""
    keys = dict(before or {})
    for stage in stages:
        keys[stage.name] = stage_key(stage, keys)
    return keys


def stage_key(stage: Stage, keys: Mapping[str, str]) -> str:
    """Returns a stage's key from its settings, the content of its inputs, and the keys of required stages."""
    digest = hashlib.blake2b(digest_size=8)
    parts = [stage.name, stage.version, stage.settings, [keys[name] for name in stage.needs]]
    digest.update(json.dumps(parts, sort_keys=True, default=str).encode())
    for path in stage.inputs:
        try:
            with open(path, "rb") as file:
                digest.update(hashlib.file_digest(file, "blake2b").digest())
        except OSError as error:
            raise LatticeSimpError(f"{path}: cannot be read: {error.strerror}; check the config's paths") from error
    return digest.hexdigest()


def is_done(stage: Stage, key: str, work: Path) -> bool:
    """Returns whether a stage's folder is complete."""
    return (_folders(stage, key, work)[0] / RECORD).is_file()


def forget_stages(stages: Sequence[Stage], keys: Mapping[str, str], work: Path) -> None:
    """Removes the folders of stages.

    The last stage goes first, and each folder loses its name before its content: a kill leaves neither a stage without
    the stages that it needs nor half a folder under its final name.
    """
    for stage in reversed(stages):
        for folder in _folders(stage, keys[stage.name], work):
            if folder.exists():
                forgotten = folder.with_name(folder.name + _FORGOTTEN)
                shutil.rmtree(forgotten, ignore_errors=True)
                os.replace(folder, forgotten)
    for forgotten in work.glob("*" + _FORGOTTEN):
        shutil.rmtree(forgotten)


def run_stage(stage: Stage, key: str, work: Path, run: Run) -> tuple[Path, dict[str, Any]]:
    """Runs a stage unless its folder is there already, in the folder `work` of all stages; returns it and its record.

    Raises:
        LatticeSimpError: the stage failed, or the disk is full.
    """
    folder, partial = _folders(stage, key, work)
    if is_done(stage, key, work):
        try:
            record: dict[str, Any] = read_json(folder / RECORD)
        except OSError as error:
            remedy = "remove its folder and run again"
            raise FormatError(f"cannot be read: {error}", path=folder / RECORD, remedy=remedy) from error
        run.say(f"{stage.name}: done before ({record['seconds']:.0f} s)")
        return folder, record
    try:
        partial.mkdir(parents=True, exist_ok=True)
        _remove_half_written(partial)
        run.begin(stage.name)
        with _costs(partial) as costs:
            counted = stage.work(run, partial)
        record = {"stage": stage.name, "key": key, **costs, **counted}
        write_json(partial / RECORD, record)
        os.replace(partial, folder)
    except OSError as error:
        raise LatticeSimpError(f"{stage.name}: {path_of(error, partial)}: {error.strerror or error}") from error
    shown = ", ".join(_shown_counts(counted))
    run.say(f"{stage.name}: {record['seconds']:.0f} s, {record['peak_mb']:,} MB" + (f"; {shown}" if shown else ""))
    return folder, record


def _shown_counts(counts: Mapping[str, Any]) -> Iterator[str]:
    """Yields the counts of a stage for its line of the log; of groups of counts, those above 0."""
    for name, value in counts.items():
        if isinstance(value, int):
            yield f"{name} {value:,}"
        elif isinstance(value, Mapping):
            yield from (f"{name} {key} {part:,}" for key, part in value.items() if isinstance(part, int) and part)


@contextmanager
def _costs(partial: Path) -> Iterator[dict[str, Any]]:
    """Measures a stage; its costs include interrupted runs."""
    costs: dict[str, Any] = {"seconds": 0.0, "cpu_seconds": 0.0, "peak_mb": 0}
    with suppress(OSError, FormatError):
        costs |= read_json(partial / SPENT)
    (partial / SPENT).unlink(missing_ok=True)
    begin, cpu, memory = time.monotonic(), os.times(), PeakMemory()
    complete = False
    try:
        with memory:
            yield costs
        complete = True
    finally:
        costs["seconds"] = round(costs["seconds"] + time.monotonic() - begin, 2)
        costs["cpu_seconds"] = round(costs["cpu_seconds"] + sum(os.times()[:4]) - sum(cpu[:4]), 2)
        costs["peak_mb"] = max(costs["peak_mb"], round(memory.peak_mb))
        if not complete:
            with suppress(OSError, LatticeSimpError):  # a full disk has its own message
                write_json(partial / SPENT, costs)


class PeakMemory:
    """Watches the memory of this process and its descendants; shared pages count once (Linux's proportional set size).

    >>> with PeakMemory() as memory:
    ...     pass
    >>> memory.peak_mb > 1
    True
    """

    def __init__(self) -> None:
        self.peak_mb = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._sample()

    def _watch(self) -> None:
        while not self._stop.wait(INTERVAL_S):
            self._sample()

    def _sample(self) -> None:
        current, total = psutil.Process(), 0
        for process in [current, *current.children(recursive=True)]:
            with suppress(psutil.Error):  # it has ended meanwhile
                total += process.memory_full_info().pss
        self.peak_mb = max(self.peak_mb, total / 2**20)


def _folders(stage: Stage, key: str, work: Path) -> tuple[Path, Path]:
    """Returns the names of a stage's complete and of its partial folder."""
    return work / f"{stage.name}.{key}", work / f"{stage.name}.{key}.partial"


def _remove_half_written(folder: Path) -> None:
    for path in [path for pattern in _HALF_WRITTEN for path in folder.rglob(pattern)]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def path_of(error: OSError, default: Path) -> str:
    """Returns the file that an error is about; for a copy, the target."""
    return str(error.filename2 or error.filename or default)


def write_json(path: Path, values: Any) -> None:
    """Writes a JSON file, complete or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json_text(values))


def read_json(path: Path) -> Any:
    """Returns the values of a JSON file of a stage; raises FormatError if it is damaged."""
    remedy = "remove its folder and run again"
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FormatError("bytes that are not UTF-8", path=path, remedy=remedy) from error
    return parse_json(text, path=path, remedy=remedy)


def json_text(values: Any) -> str:
    """Returns the text that `write_json` writes."""
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"
