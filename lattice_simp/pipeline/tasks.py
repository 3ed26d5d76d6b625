"""One way to run many independent tasks, wherever the workers are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.cluster_connection import Cluster, local_workers
from lattice_simp.pipeline.outcome import BatchError, Factory, Outcome, Task
from lattice_simp.pipeline.processes import run_batch


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
        tasks, factory, jobs, time_limit: see `run_batch`; the last two are for processes of this machine.
        cluster: the address of a Dask scheduler, `local` or `local:N`; None for processes of this machine.

    Raises:
        BatchError: the run as a whole cannot go on (see `run_batch` and `run_on_cluster`).
        MissingExtraError: Dask is asked for and not installed.
    """
    if cluster is None:
        return run_batch(tasks, factory, jobs=jobs, time_limit=time_limit)
    check_cluster(cluster, jobs=jobs, time_limit=time_limit)
    from lattice_simp.pipeline.cluster import run_on_cluster

    return run_on_cluster(tasks, factory, Cluster(cluster))


def all_results(
    tasks: Iterable[Task], factory: Factory, *, jobs: int = 1, cluster: str | None = None, what: str = ""
) -> Iterator[tuple[int, Any]]:
    """Runs tasks none of which may fail, see `run_tasks`; yields their numbers and results as they finish.

    Args:
        what: says in the error what the numbers count, from 0.

    Raises:
        LatticeSimpError: a task failed.
    """
    for outcome in run_tasks(tasks, factory, jobs=1 if cluster else jobs, cluster=cluster):
        if outcome.failure is not None:
            raise LatticeSimpError((f"{what} {outcome.number + 1}: " if what else "") + outcome.failure)
        yield outcome.number, outcome.result


def check_cluster(address: str, *, jobs: int = 1, time_limit: float | None = None) -> None:
    """Finds what a cluster cannot do before any work is done.

    Raises:
        BatchError: the address is not one, or the other options are for processes of this machine alone.
    """
    local_workers(address)
    if jobs != 1:
        raise BatchError("--dask and --jobs exclude each other: a cluster has its own workers, and local:N starts N")
    if time_limit is not None:
        raise BatchError("--dask and --time-limit exclude each other: Dask cannot stop a task that takes too long")
