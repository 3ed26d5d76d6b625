"""Runs tasks in the process of the test, which saves the seconds that a worker needs to start."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Iterable, Iterator
from typing import Any

from lattice_simp.support.tasks import run_batch
from lattice_simp.support.tasks.outcome import BatchError, Factory, Outcome, Task, attempt, describe


def inline_batch(
    tasks: Iterable[Task], factory: Factory, *, jobs: int = 1, time_limit: float | None = None
) -> Iterator[Outcome]:
    """Like `run_batch`, but in this process for one worker without a time limit."""
    if jobs != 1 or time_limit is not None:
        yield from run_batch(tasks, factory, jobs=jobs, time_limit=time_limit)
        return
    function = None
    for task in tasks:
        function = function or _created(factory)
        yield pickle.loads(attempt(function, task))


def _created(factory: Factory) -> Any:
    try:
        return factory()
    except Exception as error:
        raise BatchError(describe(error), traceback.format_exc()) from error
