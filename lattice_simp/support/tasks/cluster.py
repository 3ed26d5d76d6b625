"""Many independent tasks on the workers of a Dask cluster, with the contract of `run_batch`.

Small tasks go to the workers in groups, a few groups for each worker at a time, so that neither the scheduler nor
this process ever holds much. Dask gives the tasks of a dead worker to another one. When a group has killed as many
workers as the scheduler allows, each of its tasks is run again alone: only then does the death of a worker show which
task caused it.
"""

from __future__ import annotations

import asyncio
import pickle
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from queue import Empty
from typing import Any

from lattice_simp.support.interrupts import interrupts_remembered
from lattice_simp.support.tasks.cluster_connection import Cluster, connected, local_workers
from lattice_simp.support.tasks.cluster_worker import Plan, answer, versions
from lattice_simp.support.tasks.outcome import BatchError, Factory, Outcome, Task, describe

WINDOW = 5000
"""How far the work runs ahead of the first unfinished task; more than on one machine, since there are more workers."""

GROUPS_PER_WORKER = 2
"""One group that runs, and one that follows without a pause."""

GROUP_SECONDS = 0.5
"""The seconds that a group should take: a hundred times the 5 ms that client and scheduler spend on a group."""

MAX_GROUP = 64
"""The most tasks of a group: the first tasks may be much quicker than the later ones."""

REFRESH = 2.0
"""The seconds between two counts of the workers, which come and go."""


def run_on_cluster(
    tasks: Iterable[Task], factory: Factory, cluster: Cluster, *, window: int = WINDOW
) -> Iterator[Outcome]:
    """Runs tasks on a Dask cluster and yields their outcomes, in the order in which they finish.

    A task fails when its function raises an exception, or when it kills workers repeatedly. Each worker process
    makes the function once, and runs one task at a time whatever its number of threads. The files that the factory
    names are read on the workers, under the same paths.

    Args:
        tasks, factory: as for `run_batch`; the factory's data are sent with every group of tasks.
        cluster: the address of the cluster, and how long to wait for it.
        window: the number of tasks that the work may run ahead of the first unfinished one.

    Raises:
        BatchError: there is no scheduler or no worker, either is lost, versions differ, the factory fails, or the
            function raises this error.
        MissingExtraError: Dask is not installed.
    """
    with interrupts_remembered() as raise_interrupt, connected(cluster) as client:
        yield from _Run(client, cluster, tasks, factory, window).work(raise_interrupt)


class _Run:
    """The tasks of a run: waiting ones, those on the cluster, and suspects, which may have killed workers."""

    def __init__(self, client: Any, cluster: Cluster, tasks: Iterable[Task], factory: Factory, window: int) -> None:
        import cloudpickle
        from distributed import as_completed

        self.client, self.cluster, self.window = client, cluster, window
        remote = local_workers(cluster.address) is None
        self.plan: bytes = cloudpickle.dumps(Plan(uuid.uuid4().hex, factory, versions(), remote))
        self.waiting = deque(tasks)
        self.suspects: deque[Task] = deque()
        self.running: dict[str, tuple[Any, list[Task]]] = {}
        # It does not fetch results: a lost result, whose task fails when it is run again, would never come.
        self.finished = as_completed(loop=client.loop)
        self.alone = False
        self.workers = 1
        self.counted = self.last_seen = time.monotonic()
        self.seconds, self.tasks_done = 0.0, 0

    def work(self, raise_interrupt: Callable[[], None]) -> Iterator[Outcome]:
        if not self.waiting:
            return
        self._count_workers()
        self._start([])  # the others follow when the first worker has loaded, since it may fill caches
        while self.running:
            raise_interrupt()
            yield from self._collect()
            self._refill()

    def _refill(self) -> None:
        """Submits as many tasks as the window allows; a suspect runs alone, when all others have finished."""
        if self.alone and self.running:
            return
        self.alone = False
        while self.waiting and len(self.running) < GROUPS_PER_WORKER * self.workers and self._ahead() < self.window:
            self._start([self.waiting.popleft() for _ in range(min(self._group_size(), len(self.waiting)))])
        if self.suspects and not self.running:
            self.alone = True
            self._start([self.suspects.popleft()])

    def _ahead(self) -> int:
        unfinished = [group[0][0] for _, group in self.running.values() if group]
        unfinished += [number for number, _ in self.suspects]
        first = self.waiting[0][0]
        return first - min(unfinished, default=first)

    def _group_size(self) -> int:
        """Returns the number of tasks that take `GROUP_SECONDS`; fewer at the end, so that all workers have some."""
        if not self.tasks_done:
            return 1
        size = GROUP_SECONDS * self.tasks_done / max(self.seconds, 1e-9)
        return max(1, min(int(size), MAX_GROUP, len(self.waiting) // (GROUPS_PER_WORKER * self.workers)))

    def _start(self, group: list[Task]) -> None:
        future = self.client.submit(answer, self.plan, pickle.dumps(group), pure=False)
        self.running[future.key] = (future, group)
        self.finished.add(future)

    def _collect(self) -> Iterator[Outcome]:
        """Waits for a group and yields its outcomes; checks from time to time whether the cluster is still there."""
        if time.monotonic() - self.counted > REFRESH:
            self._count_workers()
        try:
            future = self.finished.queue.get(timeout=REFRESH)
        except Empty:
            return
        try:
            result: tuple[list[bytes], float] | BatchError = future.result(timeout=self.cluster.timeout)
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, TimeoutError) and future.status != "error":
                self.finished.add(future)  # its worker has died with the result, and another one runs the group again
                return
            self._check_connection(future)
            yield from self._blame(self._forget(future), error)
            return
        self._forget(future)
        if isinstance(result, BatchError):
            raise result
        outcomes, seconds = result
        self.seconds += seconds
        self.tasks_done += len(outcomes)
        yield from map(pickle.loads, outcomes)

    def _forget(self, future: Any) -> list[Task]:
        """Has the cluster drop a group, and returns its tasks."""
        future.release()  # the destructor would do this, too, but Python only prints a Ctrl-C that arrives there
        return self.running.pop(future.key)[1]

    def _blame(self, group: list[Task], error: BaseException) -> Iterator[Outcome]:
        """Fails a task that ran alone; the tasks of a larger group are run again alone."""
        if not group:
            remedy = "every worker needs enough memory, and lattice_simp in its environment"
            raise BatchError(f"the workers cannot begin: {_cause(error)} ({remedy})")
        if self.alone:
            yield Outcome(group[0][0], failure=_cause(error))
        else:
            self.suspects.extend(group)

    def _count_workers(self) -> None:
        """Counts the workers, which shows whether the scheduler is still there."""
        self._check_connection()
        try:
            workers = self.client.sync(self.client.scheduler.ncores, callback_timeout=self.cluster.timeout)
        except (TimeoutError, OSError) as error:
            raise self._lost() from error
        self.counted = time.monotonic()
        if workers:
            self.last_seen, self.workers = self.counted, len(workers)
        elif self.counted - self.last_seen > self.cluster.patience:
            message = f"the cluster at {self.cluster.address} has had no workers for {self.cluster.patience:g} s"
            raise BatchError(message)

    def _check_connection(self, future: Any = None) -> None:
        if self.client.status != "running" or (future is not None and future.cancelled()):
            raise self._lost()

    def _lost(self) -> BatchError:
        return BatchError(f"the connection to the Dask scheduler at {self.cluster.address} is lost")


def _cause(error: BaseException) -> str:
    """Describes the error of a whole group of tasks."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return f"the worker process died {error.allowed_failures + 1} times"
    return describe(error)
