"""Experiments: each has a folder with `config.yaml` and `NOTES.md`, and writes `RESULTS.md` and `results.json` there.

All experiments take the same options, and record the command and the versions that computed their figures.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from lattice_simp import __version__
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.runner import logged_run
from lattice_simp.pipeline.stage import Run, write_json
from lattice_simp.support.interrupts import kernels_interruptible
from lattice_simp.support.settings_file import read_settings
from lattice_simp.support.textio import open_text

CHOOSE = {"action": "store_true", "help": "the validation set alone: what to write into config.yaml"}
HINDI = {"type": Path, "default": Path("build/hindi"), "help": "what `make hindi` made"}
"""Options of several experiments."""

CONFIG, NOTES, PAGE, FIGURES = "config.yaml", "NOTES.md", "RESULTS.md", "results.json"

_COSTS = ("seconds", "cpu_seconds", "peak_mb")


@dataclass(frozen=True)
class Results:
    """The results of an experiment.

    Attributes:
        figures: all figures as JSON values.
        parts: the paragraphs, headings and tables of the page, as Markdown.
        programs: other programs, with versions, that the figures depend on.
    """

    title: str
    figures: Mapping[str, Any]
    parts: Sequence[str]
    programs: Sequence[str] = ()


@dataclass(frozen=True)
class Experiment:
    """An experiment with the arguments of its call.

    Attributes:
        overrides: new values of the config's fields, `name=value`.
        command: the command that the results record.
        options: the values of the experiment's additional options.
    """

    folder: Path
    overrides: tuple[str, ...] = ()
    output: Path = Path()
    command: str = ""
    run: Run = field(default_factory=Run)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> Path:
        """The config file."""
        return self.folder / CONFIG

    def settings(self) -> dict[str, Any]:
        """Returns the values of the config file, overrides included."""
        return read_settings(self.config, self.overrides)

    def write(self, results: Results) -> str:
        """Writes `RESULTS.md`, which ends with the notes, and `results.json`; returns the page."""
        origin = {"date": datetime.date.today().isoformat(), "command": self.command, "version": __version__}
        programs = [f"lattice_simp {__version__}", f"Python {platform.python_version()}", *results.programs]
        head = f"# {results.title}\n\n`{self.command}`, {origin['date']}, {', '.join(programs)}."
        page = joined_parts(head, results.parts, self.folder)
        write_json(self.output / FIGURES, {**origin, **results.figures})
        with open_text(self.output / PAGE, "w") as file:
            file.write(page)
        return page


def require_made(folder: Path, content: str, target: str) -> None:
    """Raises LatticeSimpError if a folder that another target of the Makefile writes is missing."""
    if not folder.is_dir():
        raise LatticeSimpError(f"{folder}: there is no {content}; make one with: make {target}")


def joined_parts(head: str, parts: Sequence[str], folder: Path) -> str:
    """Returns a page of its head, its parts, and the notes of the experiment's folder."""
    notes = folder / NOTES
    every = [head, *parts, notes.read_text(encoding="utf-8") if notes.exists() else ""]
    return "\n\n".join(part.strip("\n") for part in every if part.strip()) + "\n"


def program(
    file: str, about: str | None, do: Callable[[Experiment], Results], **more: Mapping[str, Any]
) -> Callable[..., None]:
    """Returns the main function of a script: runs an experiment and writes its results; an error is one line.

    Args:
        file: the script; the command line must name the folder of a config unless that of the script has one.
        about: what the script does.
        do: runs the unfinished stages, and returns the results.
        more: for each option of the script itself, the arguments of `add_argument`.
    """
    path = Path(file)
    name = f"experiments.{path.parent.name if path.stem == '__main__' else path.stem}"
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=about)
    optional: dict[str, Any] = {"nargs": "?", "default": path.parent} if (path.parent / CONFIG).exists() else {}
    parser.add_argument("folder", type=Path, **optional, help="with config.yaml (%(default)s)")
    parser.add_argument("--data", help="the folder with the corpora; the same as --set data=FOLDER")
    parser.add_argument("--work", help="the folder for intermediate files; the same as --set work=FOLDER")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="override a setting")
    parser.add_argument("--jobs", type=int, default=1, help="number of parallel processes (%(default)s)")
    parser.add_argument("--command", default="", help="the command to record on the page")
    parser.add_argument("--output", type=Path, help="folder for the results (default: the experiment's folder)")
    for option, settings in more.items():
        parser.add_argument(f"--{option.replace('_', '-')}", **settings)
    return partial(_run, parser, do)


def _run(
    parser: argparse.ArgumentParser, do: Callable[[Experiment], Results], arguments: Sequence[str] | None = None
) -> None:
    options = vars(parser.parse_args(arguments))
    folder = options.pop("folder")
    folders = {name: options.pop(name) for name in ("data", "work")}
    overrides = [f"{name}={json.dumps(path)}" for name, path in folders.items() if path is not None]
    overrides += options.pop("set")
    command_line = shlex.join([*parser.prog.split(), *(sys.argv[1:] if arguments is None else arguments)])
    command, output = options.pop("command") or command_line, options.pop("output") or folder
    try:
        with kernels_interruptible(), logged_run(options.pop("jobs")) as run:
            results = do(experiment := Experiment(folder, tuple(overrides), output, command, run, options))
        print(experiment.write(results))
    except LatticeSimpError as error:
        sys.exit(f"error: {error}")


def stage_costs(records: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Returns the time and the memory of each stage, without its counts."""
    return {name: {key: record[key] for key in _COSTS} for name, record in records.items()}


def added_costs(costs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the time of stages together, and the memory of the largest one."""
    every = list(costs)
    return {key: (max if key == "peak_mb" else sum)(cost[key] for cost in every) for key in _COSTS}
