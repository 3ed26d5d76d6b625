"""Runs many independent tasks on this machine's processes or on a Dask cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.tasks.cluster_connection import Cluster, local_workers
from lattice_simp.support.tasks.outcome import (
    BatchError,
    Factory,
    LoadError,
    Outcome,
    Task,
    TimeLimitError,
    WorkerError,
)
from lattice_simp.support.tasks.processes import MAX_ATTEMPTS, ProcessPool
from lattice_simp.support.threads import next_item

WINDOW = 1000
"""How far the work may run ahead of the first unfinished task, so that few results wait for their turn."""


def run_batch(
    tasks: Iterable[Task], factory: Factory, *, jobs: int = 1, time_limit: float | None = None
) -> Iterator[Outcome]:
    """Runs tasks in worker processes and yields their outcomes, in the order in which they finish.

    A task fails when its function raises an exception, when it takes too long, or when its worker dies (the task is
    then tried once more). Other tasks are not affected.

    Args:
        tasks: numbers, in ascending order, and arguments, which must be picklable.
        factory: creates the function in each worker; a module's function, so that it can be pickled.
        jobs: the largest number of workers.
        time_limit: the seconds that a task may take, not counting the creation of the function; None for no limit.

    Raises:
        BatchError: the factory fails, workers die while they load, or the function raises this error.
    """
    if jobs < 1:
        raise BatchError(f"{jobs} jobs: at least one is needed")
    if time_limit is not None and not time_limit > 0:
        raise BatchError(f"a time limit of {time_limit} seconds leaves no time; give a number above 0")
    waiting = deque(tasks)
    if not waiting:
        return
    pool = ProcessPool(factory, jobs=min(jobs, len(waiting)), time_limit=time_limit)
    try:
        yield from _outcomes(pool, waiting)
    except LoadError as error:
        raise BatchError(str(error)) from error
    finally:
        pool.close()


def _outcomes(pool: ProcessPool, waiting: deque[Task]) -> Iterator[Outcome]:
    """Submits tasks to the pool and yields their outcomes."""
    pool.start()
    finished_futures: SimpleQueue[Future[Outcome]] = SimpleQueue()
    running: dict[Future[Outcome], int] = {}
    while waiting or running:
        while waiting and (not running or waiting[0][0] - next(iter(running.values())) < WINDOW):
            task = waiting.popleft()
            future = pool.submit(task)
            running[future] = task[0]
            future.add_done_callback(finished_futures.put)
            if not waiting:
                pool.finish()
        future = next_item(finished_futures)
        yield _outcome(running.pop(future), future)


def _outcome(number: int, future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except LoadError:
        raise
    except TimeLimitError as error:
        return Outcome(number, failure=f"took longer than the time limit of {error.seconds:g} s")
    except WorkerError as error:
        return Outcome(number, failure=f"the worker process died {MAX_ATTEMPTS} times ({error.cause})")


def run_tasks(
    tasks: Iterable[Task],
    factory: Factory,
    *,
    jobs: int = 1,
    time_limit: float | None = None,
    cluster: str | None = None,
) -> Iterator[Outcome]:
    """Runs tasks in processes of this machine or on a Dask cluster; yields their outcomes as they finish.

    >>> from functools import partial
    >>> outcomes = run_tasks([(0, -3), (1, 4)], partial(partial, abs))
    >>> [outcome.result for outcome in outcomes]
    [3, 4]

    Args:
        tasks, factory, jobs, time_limit: see `run_batch`; the last two apply to processes of this machine only.
        cluster: the address of a Dask scheduler, `local` or `local:N`; None for processes of this machine.

    Raises:
        BatchError: the run as a whole cannot continue (see `run_batch` and `run_on_cluster`).
        MissingExtraError: a cluster is requested and Dask is not installed.
    """
    if cluster is None:
        return run_batch(tasks, factory, jobs=jobs, time_limit=time_limit)
    check_cluster(cluster, jobs=jobs, time_limit=time_limit)
    from lattice_simp.support.tasks.cluster import run_on_cluster

    return run_on_cluster(tasks, factory, Cluster(cluster))


def all_results(
    tasks: Iterable[Task], factory: Factory, *, jobs: int = 1, cluster: str | None = None, what: str = ""
) -> Iterator[tuple[int, Any]]:
    """Runs tasks that must not fail, see `run_tasks`; yields their numbers and results as they finish.

    Args:
        tasks, factory, jobs, cluster: see `run_tasks`; `jobs` has no effect on a cluster.
        what: the noun for a task in errors, which count tasks from 1.

    Raises:
        LatticeSimpError: a task failed.
    """
    for outcome in run_tasks(tasks, factory, jobs=1 if cluster else jobs, cluster=cluster):
        if outcome.failure is not None:
            raise LatticeSimpError((f"{what} {outcome.number + 1}: " if what else "") + outcome.failure)
        yield outcome.number, outcome.result


def check_cluster(address: str, *, jobs: int = 1, time_limit: float | None = None) -> None:
    """Checks the options of a run on a cluster before any work is done.

    Raises:
        BatchError: the address is invalid, or another option applies to processes of this machine only.
    """
    local_workers(address)
    if jobs != 1:
        raise BatchError("--dask and --jobs exclude each other: a cluster has its own workers, and local:N starts N")
    if time_limit is not None:
        raise BatchError("--dask and --time-limit exclude each other: Dask cannot stop a task that takes too long")
