"""The figures of a measurement."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypedDict

import numpy as np

from experiments.timing import cpu_time


class Figure(TypedDict, total=False):
    """A figure.

    `baseline` has the same unit and comes from the same run; `ratio` is baseline / value (or value / baseline for
    rates), so above 1 we are better. `recorded` holds results of other programs on the same task, from the notes of the
    data.
    """

    value: float
    unit: str
    baseline: float | None
    ratio: float | None
    recorded: dict[str, float]


Figures = dict[str, Figure]


def figure(value: float, unit: str, baseline: float | None = None, **recorded: float) -> Figure:
    """Makes a figure, with the ratio if there is a baseline."""
    ratio = None if baseline is None or value == 0 else baseline / value
    entry: Figure = {"value": value, "unit": unit, "baseline": baseline, "ratio": ratio}
    if recorded:
        entry["recorded"] = recorded
    return entry


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Returns a call's result and its CPU seconds."""
    with cpu_time() as timer:
        result = function(*arguments)
    return result, timer.seconds


def fastest(runs: int, function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Returns the result and the CPU seconds of the fastest of several calls."""
    return min((timed(function, *arguments) for _ in range(runs)), key=lambda run: run[1])


def repeated(times: int, function: Callable[[], Any]) -> Callable[[], Any]:
    """Returns a function that calls another one several times, for calls that take milliseconds."""

    def repeat() -> Any:
        for _ in range(times):
            result = function()
        return result

    return repeat


def command_seconds(*arguments: object, **environment: str) -> float:
    """Returns the CPU seconds of a command of `lattice-simp` with compiled bytecode and environment variables."""
    variables = {**os.environ, **environment}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "lattice_simp", *map(str, arguments)]
    with cpu_time() as timer:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=variables)
    return timer.seconds


def compared(
    name: str, ours: Callable[[], list[float]], theirs: Callable[[], list[float]], tolerance: float = 1e-6
) -> Figures:
    """Times both functions after a first call of each; raises AssertionError if their results differ."""
    ours()
    theirs()
    result, seconds = timed(ours)
    expected, baseline = timed(theirs)
    if not np.allclose(result, expected, atol=tolerance):
        raise AssertionError(f"{name}: other results")
    return {name: figure(seconds, "CPU s", baseline)}


def installed(name: str) -> ModuleType | None:
    """Imports a peer, or reports that its figures are omitted."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name} is not installed, so its figures are left out", file=sys.stderr)
        return None
