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
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.train.memory import PeakMemory

RECORD = "stage.json"
"""The file of a complete stage: its name, key, seconds, peak memory, and what it counted."""


@dataclass(frozen=True)
class Run:
    """What every stage is given.

    Attributes:
        jobs: processes or threads.
        cluster: a Dask scheduler's address, `local`, or None.
        folders: the folders of the stages that are done.
        say: prints a line of the log.
        progress: is told the tasks that are done and how many there are.
    """

    jobs: int = 1
    cluster: str | None = None
    folders: Mapping[str, Path] = field(default_factory=dict)
    say: Callable[[str], None] = lambda text: None
    progress: Callable[[int, int], None] = lambda done, total: None


@dataclass(frozen=True)
class Stage:
    """One step of the pipeline.

    Attributes:
        name: its name.
        needs: the stages whose folders it reads.
        settings: what of the config it depends on, as JSON values.
        inputs: the files that it reads; their content counts.
        work: writes the files into the folder, and gives what it counted.
        version: counts changes of the stage's code that change its files.
    """

    name: str
    needs: Sequence[str]
    settings: Any
    inputs: Sequence[Path]
    work: Callable[[Run, Path], dict[str, Any]]
    version: int = 1


def stage_key(stage: Stage, keys: Mapping[str, str]) -> str:
    """Gives a stage's key from its settings, the content of its inputs, and the keys of what it needs.

    Raises:
        LatticeSimpError: an input cannot be read.
    """
    digest = hashlib.blake2b(digest_size=8)
    parts = [stage.name, stage.version, stage.settings, [keys[name] for name in stage.needs]]
    digest.update(json.dumps(parts, sort_keys=True, default=str).encode())
    for path in stage.inputs:
        digest.update(_content_digest(path))
    return digest.hexdigest()


def run_stage(stage: Stage, key: str, work: Path, run: Run, *, again: bool = False) -> tuple[Path, dict[str, Any]]:
    """Runs a stage unless its folder is there already; gives the folder and its record.

    Args:
        stage: the stage.
        key: its key.
        work: the folder of all stages.
        run: what it is given.
        again: forget what is there.

    Raises:
        LatticeSimpError: the stage failed, or the disk is full.
    """
    done, partial = work / f"{stage.name}.{key}", work / f"{stage.name}.{key}.partial"
    if again:
        for folder in (done, partial):
            shutil.rmtree(folder, ignore_errors=True)
    if (done / RECORD).is_file():
        record: dict[str, Any] = json.loads((done / RECORD).read_text(encoding="utf-8"))
        run.say(f"{stage.name}: done before ({record['seconds']:.0f} s)")
        return done, record
    try:
        partial.mkdir(parents=True, exist_ok=True)
        begin, cpu = time.monotonic(), os.times()
        with PeakMemory() as memory:
            counted = stage.work(run, partial)
        after = os.times()
        record = {
            "stage": stage.name,
            "key": key,
            "seconds": round(time.monotonic() - begin, 2),
            "cpu_seconds": round(sum(after[:4]) - sum(cpu[:4]), 2),
            "peak_mb": round(memory.peak_mb),
            **counted,
        }
        write_json(partial / RECORD, record)
        os.replace(partial, done)
    except OSError as error:
        place = error.filename or partial
        raise LatticeSimpError(f"{stage.name}: {place}: {error.strerror or error}") from error
    shown = ", ".join(f"{name} {value:,}" for name, value in counted.items() if isinstance(value, int))
    run.say(f"{stage.name}: {record['seconds']:.0f} s, {record['peak_mb']:,} MB" + (f"; {shown}" if shown else ""))
    return done, record


def write_json(path: Path, values: Any) -> None:
    """Writes a JSON file, complete or not at all."""
    temporary = path.with_name(path.name + ".new")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary.write_text(json.dumps(values, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def _content_digest(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "blake2b").digest() if hasattr(hashlib, "file_digest") else _digest(file)
    except OSError as error:
        raise LatticeSimpError(f"{path}: cannot be read: {error.strerror}; check the config's paths") from error


def _digest(file: Any) -> bytes:
    digest = hashlib.blake2b()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.digest()
