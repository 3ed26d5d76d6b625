"""What a worker of a Dask cluster does: it makes the function of a run once, then answers groups of tasks."""

from __future__ import annotations

import pickle
import platform
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lattice_simp.pipeline.outcome import BatchError, Factory, Function, Outcome, describe

KEPT_FUNCTIONS = 2
"""How many runs' functions a worker keeps: models are large, but two runs may share a cluster."""

# Dask has no place of its own for what all tasks of a worker process share.
_functions: dict[bytes, Function] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Plan:
    """What a worker needs to know of a run.

    Attributes:
        run: a name that no other run has, so that a model that was changed between two runs is loaded again.
        factory: makes the function.
        versions: what the client runs on.
    """

    run: str
    factory: Factory
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Answer:
    """What became of a group of tasks.

    Attributes:
        outcomes: the pickled outcomes, in the order of the tasks.
        seconds: how long they took, loading aside.
        fatal: why the run cannot go on, if it cannot.
        trace: the traceback of that, as text.
        place: the worker's address, if the function could not be made there.
    """

    outcomes: tuple[bytes, ...] = ()
    seconds: float = 0.0
    fatal: str | None = None
    trace: str = ""
    place: str = ""


def answer(plan: bytes, group: bytes) -> Answer:
    """Runs a group of tasks, one after the other.

    A function need not bear several threads, so the threads of a worker take turns.

    Args:
        plan: a pickled `Plan`.
        group: a pickled sequence of numbered tasks; an empty one makes the function all the same.
    """
    with _lock:
        try:
            function = _function(plan)
        except Exception as error:
            return Answer(fatal=describe(error), trace=traceback.format_exc(), place=_place())
        begin = time.monotonic()
        tasks: Sequence[tuple[int, Any]] = pickle.loads(group)
        try:
            outcomes = tuple(_outcome(function, number, task) for number, task in tasks)
        except BatchError as error:
            return Answer(fatal=str(error), trace=traceback.format_exc())
        return Answer(outcomes, time.monotonic() - begin)


def versions() -> tuple[tuple[str, str], ...]:
    """Names the versions that must be the same everywhere; Python's without the last number."""
    import distributed

    from lattice_simp import __version__

    python = ".".join(platform.python_version_tuple()[:2])
    return (("lattice_simp", __version__), ("distributed", distributed.__version__), ("python", python))


def _function(plan: bytes) -> Function:
    if plan not in _functions:
        while len(_functions) >= KEPT_FUNCTIONS:
            del _functions[next(iter(_functions))]
        _functions[plan] = _make(pickle.loads(plan))
    return _functions[plan]


def _make(plan: Plan) -> Function:
    for (name, here), (_, there) in zip(versions(), plan.versions, strict=True):
        if here != there:
            raise BatchError(f"{name} {here} where the client has {there}; install the same version everywhere")
    return plan.factory()


def _outcome(function: Function, number: int, task: Any) -> bytes:
    """Runs a task; a result that cannot be sent is a failure of the task, too.

    Raises:
        BatchError: the function ends the run.
    """
    try:
        return pickle.dumps(Outcome(number, function(task)))
    except BatchError:
        raise
    except Exception as error:
        return pickle.dumps(Outcome(number, failure=describe(error), trace=traceback.format_exc()))


def _place() -> str:
    from distributed import get_worker

    return str(get_worker().address)
