"""What a worker of a Dask cluster does: it makes the function of a run once, then answers groups of tasks."""

from __future__ import annotations

import pickle
import platform
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from lattice_simp.pipeline.outcome import BatchError, Factory, Function, Task, attempt, describe

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
        remote: whether the workers may run on other machines.
    """

    run: str
    factory: Factory
    versions: tuple[tuple[str, str], ...]
    remote: bool


@dataclass(frozen=True)
class Answer:
    """What became of a group of tasks.

    Attributes:
        outcomes: pickled, in the order of the tasks.
        seconds: how long they took, loading aside.
    """

    outcomes: tuple[bytes, ...]
    seconds: float


def answer(plan: bytes, group: bytes) -> Answer | BatchError:
    """Runs a group of tasks, one after the other; returns the error if one ends the run.

    A function need not bear several threads, so the threads of a worker take turns.

    Args:
        plan: a pickled `Plan`.
        group: a pickled sequence of tasks; an empty one makes the function all the same.
    """
    with _lock:
        try:
            function = _function(plan)
            begin = time.monotonic()
            tasks: Sequence[Task] = pickle.loads(group)
            return Answer(tuple(attempt(function, task) for task in tasks), time.monotonic() - begin)
        except BatchError as error:
            return BatchError(str(error), error.trace or traceback.format_exc())


def versions() -> tuple[tuple[str, str], ...]:
    """Returns the versions that must be the same everywhere; Python's without the last number."""
    import distributed

    from lattice_simp import __version__

    python = ".".join(platform.python_version_tuple()[:2])
    return (("lattice_simp", __version__), ("distributed", distributed.__version__), ("python", python))


def _function(plan: bytes) -> Function:
    """Returns the function of a plan, which is made if it is not there.

    Raises:
        BatchError: it cannot be made; names the worker, if that may be on another machine.
    """
    if plan not in _functions:
        while len(_functions) >= KEPT_FUNCTIONS:
            del _functions[next(iter(_functions))]
        own = pickle.loads(plan)
        try:
            _functions[plan] = _make(own)
        except Exception as error:
            raise BatchError(_located(describe(error), own.remote), traceback.format_exc()) from error
    return _functions[plan]


def _make(plan: Plan) -> Function:
    for (name, here), (_, there) in zip(versions(), plan.versions, strict=True):
        if here != there:
            raise BatchError(f"{name} {here} where the client has {there}; install the same version everywhere")
    return plan.factory()


def _located(message: str, remote: bool) -> str:
    from distributed import get_worker

    if not remote:
        return message
    return f"worker {get_worker().address}: {message} (all workers must find the same files under the same paths)"
