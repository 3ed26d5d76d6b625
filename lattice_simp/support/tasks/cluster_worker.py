"""What a worker of a Dask cluster does: it makes the function of a run once, then answers groups of tasks."""

from __future__ import annotations

import os
import pickle
import platform
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lattice_simp.support.tasks.outcome import BatchError, Factory, Function, Task, attempt, describe

KEPT_FUNCTIONS = 2
"""The number of runs whose functions a worker keeps: models are large, but two runs may share a cluster."""

STDERR = 2
"""The file descriptor: libraries, and Python itself at exit, bypass `sys.stderr`."""

# Dask offers no storage that all tasks of a worker process share.
_functions: dict[bytes, Function] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Plan:
    """The description of a run that a worker needs.

    Attributes:
        run: a unique name, so that a model that has changed since an earlier run is loaded again.
        versions: the client's versions; see `versions`.
        remote: whether the workers may run on other machines.
    """

    run: str
    factory: Factory
    versions: tuple[tuple[str, str], ...]
    remote: bool


def answer(plan: bytes, group: bytes) -> tuple[list[bytes], float] | BatchError:
    """Returns the pickled outcomes of a pickled group of tasks and the seconds that they took, without loading.

    An error that ends the run is returned. Functions need not be thread-safe, so the threads of a worker take turns. An
    empty group creates the function of the pickled `Plan`, too.
    """
    with _lock:
        try:
            function = _function(plan)
            begin = time.monotonic()
            tasks: Sequence[Task] = pickle.loads(group)
            return [attempt(function, task) for task in tasks], time.monotonic() - begin
        except BatchError as error:
            return BatchError(str(error), error.trace or traceback.format_exc())


def versions() -> tuple[tuple[str, str], ...]:
    """Returns the versions that must be the same everywhere; Python's without the last number."""
    import distributed

    from lattice_simp import __version__

    python = ".".join(platform.python_version_tuple()[:2])
    return (("lattice_simp", __version__), ("distributed", distributed.__version__), ("python", python))


def dask_teardown(worker: Any) -> None:
    """Silences the process of a worker that begins to close, if this module is one of Dask's preloads of the worker.

    A worker that is closed while it starts, as when its cluster closes while a nanny starts a dead worker again, would
    write logs and a traceback to the terminal.
    """
    del worker
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), STDERR)


def _function(plan: bytes) -> Function:
    """Returns the function of a plan, making it if necessary."""
    from distributed import get_worker

    if plan not in _functions:
        while len(_functions) >= KEPT_FUNCTIONS:
            del _functions[next(iter(_functions))]
        task: Plan = pickle.loads(plan)
        try:
            for (name, here), (_, there) in zip(versions(), task.versions, strict=True):
                if here != there:
                    raise BatchError(f"{name} {here} where the client has {there}; install the same version everywhere")
            _functions[plan] = task.factory()
        except Exception as error:
            message = describe(error)
            if task.remote:
                where = f"worker {get_worker().address}"
                message = f"{where}: {message} (all workers must find the same files under the same paths)"
            raise BatchError(message, traceback.format_exc()) from error
    return _functions[plan]
