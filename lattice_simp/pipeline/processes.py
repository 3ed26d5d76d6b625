"""Many independent tasks in worker processes that may be slow, run out of memory, or die.

Each worker is a fresh interpreter that makes its function once (it loads a model, for example) and then takes one task
after the other through a pipe. Compiled code cannot be interrupted from Python, so a task that takes too long ends
with its worker, and a new one takes the worker's place.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait

from lattice_simp.core.kernel import run_kernels_directly
from lattice_simp.pipeline.interrupts import interrupts_blocked
from lattice_simp.pipeline.outcome import BatchError, Factory, Outcome, Task, attempt, describe

WINDOW = 1000
"""How far the work runs ahead of the first unfinished task, so that few results wait for their turn."""

MAX_ATTEMPTS = 2
"""How often a task is tried whose worker died."""

THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What libraries for matrices read when they are loaded."""

_PR_SET_PDEATHSIG = 1


def run_batch(
    tasks: Iterable[Task], factory: Factory, *, jobs: int = 1, time_limit: float | None = None
) -> Iterator[Outcome]:
    """Runs tasks in worker processes and yields their outcomes, in the order in which they finish.

    A task fails when its function raises an exception, when it takes too long, or when its worker dies (it is then
    tried once more). The others are not affected.

    Args:
        tasks: numbers, in ascending order, and what the function gets. They must be picklable.
        factory: makes the function in each worker; a function of a module, so that it can be pickled.
        time_limit: the seconds that a task may take; loading does not count. None for no limit.

    Raises:
        BatchError: the factory fails, workers die while they load, or the function raises this error.
    """
    pool = _Pool(factory, tasks, jobs, time_limit)
    try:
        yield from pool.run()
    finally:
        pool.kill()


# ---------------------------------------------------------------- the parent


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Lets processes that start now have one thread for matrices, where the user does not say how many.

    Otherwise each has as many as there are cores: two workers on two busy cores took seven times the CPU seconds, most
    of which were spent waiting for each other.
    """
    added = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


class Worker:
    """A worker process and the parent's end of its pipe.

    It sends no bytes when its function is made, then for each task a pickled `Outcome`, or a `BatchError`.
    """

    def __init__(self, factory: Factory) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, factory), daemon=True)
        with interrupts_blocked(), _one_thread_each():
            self.process.start()
        theirs.close()
        self.ready = False
        self.task: Task | None = None
        self.deadline = float("inf")

    def send(self, task: Task, time_limit: float | None) -> None:
        """Sends a task; a worker that has died meanwhile is noticed when its answer is received."""
        self.task = task
        self.deadline = float("inf") if time_limit is None else time.monotonic() + time_limit
        with suppress(OSError):
            self.connection.send(task)

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()

    @property
    def cause(self) -> str:
        """How the process ended."""
        code = self.process.exitcode
        return f"exit code {code}" if code is None or code >= 0 else f"signal {-code}, {signal.Signals(-code).name}"


class _Pool:
    """The workers of one run and the tasks that wait."""

    def __init__(self, factory: Factory, tasks: Iterable[Task], jobs: int, time_limit: float | None) -> None:
        if jobs < 1:
            raise BatchError(f"{jobs} jobs: at least one is needed")
        if time_limit is not None and not time_limit > 0:
            raise BatchError(f"a time limit of {time_limit} seconds leaves no time; give a number above 0")
        self.factory, self.time_limit, self.jobs = factory, time_limit, jobs
        self.waiting = deque(tasks)
        self.workers: list[Worker] = []
        self.deaths: dict[int, int] = {}
        self.deaths_while_loading = 0
        self.loaded = False

    def run(self) -> Iterator[Outcome]:
        while self.waiting or self._running():
            self._spawn()
            self._dispatch()
            for worker in self._wait():
                outcome = self._receive(worker)
                if outcome is not None:
                    yield outcome
            yield from self._kill_late()

    def kill(self) -> None:
        while self.workers:
            self.workers.pop().kill()

    def _running(self) -> list[Task]:
        return [worker.task for worker in self.workers if worker.task is not None]

    def _spawn(self) -> None:
        """Starts workers; the others follow when the first one has loaded, since it may fill caches."""
        wanted = min(self.jobs, len(self.waiting) + len(self._running())) if self.loaded else 1
        while len(self.workers) < wanted:
            self.workers.append(Worker(self.factory))

    def _dispatch(self) -> None:
        for worker in self.workers:
            if worker.ready and worker.task is None and self.waiting:
                first = min((number for number, _ in self._running()), default=self.waiting[0][0])
                if self.waiting[0][0] - first < WINDOW:
                    worker.send(self.waiting.popleft(), self.time_limit)

    def _wait(self) -> list[Worker]:
        """Waits until workers have sent something (or are dead), or one is late."""
        deadline = min(worker.deadline for worker in self.workers)
        timeout = None if deadline == float("inf") else max(0.0, deadline - time.monotonic())
        found = set(wait([worker.connection for worker in self.workers], timeout))
        return [worker for worker in self.workers if worker.connection in found]

    def _receive(self, worker: Worker) -> Outcome | None:
        try:
            message: bytes | BatchError = worker.connection.recv()
        except (EOFError, OSError):
            return self._reap(worker)
        if isinstance(message, BatchError):
            raise message
        worker.ready = self.loaded = True
        self.deaths_while_loading = 0
        worker.task, worker.deadline = None, float("inf")
        return pickle.loads(message) if message else None

    def _reap(self, worker: Worker) -> Outcome | None:
        """Removes a dead worker; returns the outcome of its task, if that is not to be tried again."""
        self._remove(worker)
        if not worker.ready:
            self.deaths_while_loading += 1
            if self.deaths_while_loading >= MAX_ATTEMPTS:
                raise BatchError(f"the workers die while they load ({worker.cause}); is there enough memory?")
        if worker.task is None:
            return None
        number = worker.task[0]
        self.deaths[number] = self.deaths.get(number, 0) + 1
        if self.deaths[number] < MAX_ATTEMPTS:
            self.waiting.appendleft(worker.task)
            return None
        return Outcome(number, failure=f"the worker process died {MAX_ATTEMPTS} times ({worker.cause})")

    def _kill_late(self) -> Iterator[Outcome]:
        now = time.monotonic()
        for worker in [worker for worker in self.workers if worker.deadline <= now and not worker.connection.poll()]:
            assert worker.task is not None
            self._remove(worker)
            yield Outcome(worker.task[0], failure=f"took longer than the time limit of {self.time_limit:g} s")

    def _remove(self, worker: Worker) -> None:
        self.workers.remove(worker)
        worker.kill()


# ---------------------------------------------------------------- the worker


def _serve(connection: Connection, factory: Factory) -> None:
    """Makes the function, then answers tasks until the parent closes the pipe.

    Sends no bytes when the function is made, a pickled outcome for each task, or the error that ends the run.
    """
    _die_with_parent()
    run_kernels_directly()  # interrupts are blocked here
    with suppress(BrokenPipeError, ConnectionResetError, EOFError):
        try:
            function = factory()
        except Exception as error:
            connection.send(BatchError(describe(error), traceback.format_exc()))
            return
        connection.send(b"")
        while True:
            task = connection.recv()
            try:
                connection.send(attempt(function, task))
            except BatchError as error:
                connection.send(BatchError(str(error), traceback.format_exc()))


def _die_with_parent() -> None:
    """Asks Linux to kill this process when its parent dies, even in the middle of compiled code."""
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
