"""A pool of worker processes that may be slow, run out of memory, or die.

Each worker is a fresh interpreter that creates its function once (by loading a model, for example) and then answers
one task after the other through a pipe. Compiled code cannot be interrupted from Python, so a task that takes too long
ends with its worker, which is replaced. `run_batch` (commands) and the server's `WorkerPool` both use this pool.

Three other kinds of work stay apart. Threads that run kernels on shared arrays (`support.threads`) cannot be killed and
need no pickling. The server's threads for files of judgements (`serve/opened.py`) only wait for a lock. Dask
starts and replaces its own workers (`cluster`).
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from lattice_simp.support import interrupts
from lattice_simp.support.tasks.outcome import (
    BatchError,
    Factory,
    LoadError,
    Outcome,
    Task,
    TimeLimitError,
    WorkerError,
    attempt,
    describe,
)

MAX_ATTEMPTS = 2
"""The number of times that a task or the creation of a function is tried if workers die."""

IDLE_S = 1.0
"""The seconds between checks that an idle worker is alive."""

ENDING_S = 0.2
"""The seconds that a worker which has closed its pipe gets to end by itself, so that its exit code is known."""

CLOSING_S = 5.0
"""The seconds that `ProcessPool.close` waits for each thread."""

THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""The environment variables that matrix libraries read when they are loaded."""

_PR_SET_PDEATHSIG = 1

_Call: TypeAlias = "tuple[Task, Future[Outcome]]"


class ProcessPool:
    """Worker processes that answer tasks, each managed by a thread.

    A worker that exceeds the time limit is killed. A dead worker is replaced, and its task is tried once more.

    >>> from functools import partial
    >>> pool = ProcessPool(partial(partial, abs))
    >>> pool.start()
    >>> pool.submit((0, -3)).result().result
    3
    >>> pool.close()

    Args:
        factory: creates the function in each worker; a module's function, so that it can be pickled.
        jobs: the number of workers.
        time_limit: the seconds that a task may take, not counting the creation of the function; None for no limit.
        renew: whether a worker is replaced when its function raises an exception, which leaves its state unknown.
    """

    def __init__(
        self, factory: Factory, *, jobs: int = 1, time_limit: float | None = None, renew: bool = False
    ) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._first: Future[None] = Future()
        self._keepers = [_Keeper(self._calls, factory, time_limit, renew=renew) for _ in range(jobs)]
        self._lock, self._closed = threading.Lock(), False

    @property
    def is_ready(self) -> bool:
        """Whether `start` has returned or failed."""
        return self._first.done()

    def start(self) -> None:
        """Starts the workers unless they are running, and waits for the first one.

        The others follow when the first one has created its function, as that may fill caches.

        Raises:
            BatchError: the function cannot be created.
            LoadError: workers die while they create it.
        """
        with self._lock:
            if self._keepers[0].ident is None:
                for keeper in self._keepers:
                    keeper.begin(self._first, leads=keeper is self._keepers[0])
        self._first.result()

    def submit(self, task: Task) -> Future[Outcome]:
        """Queues a task; a cancelled one that no worker has begun is dropped.

        Returns:
            The task's future outcome, or one of these exceptions: `TimeLimitError`, `WorkerError` if workers die or the
            pool is closed, and `BatchError` if the function raises it.
        """
        future: Future[Outcome] = Future()
        with self._lock:
            if self._closed:
                future.set_exception(_stopped())
            else:
                self._calls.put((task, future))
        return future

    def finish(self) -> None:
        """Ends each worker when no submitted task is waiting; no further task may follow."""
        for _ in self._keepers:
            self._calls.put(None)

    def close(self) -> None:
        """Kills all workers; unfinished tasks fail."""
        with self._lock:
            self._closed = True
        for keeper in self._keepers:
            keeper.stop()
        self.finish()
        for keeper in self._keepers:
            if keeper.ident is not None:
                keeper.join(CLOSING_S)
        with suppress(Empty):
            while True:
                if (call := self._calls.get_nowait()) is not None:
                    _settle(call[1].set_exception, _stopped())


class _Keeper(threading.Thread):
    """The thread that manages one worker and passes it tasks one by one; None in the queue ends it."""

    def __init__(
        self, calls: SimpleQueue[_Call | None], factory: Factory, time_limit: float | None, *, renew: bool
    ) -> None:
        super().__init__(daemon=True)
        self._calls, self._factory, self._time_limit, self._renew = calls, factory, time_limit, renew
        self._worker: _Worker | None = None
        self._changing = threading.Lock()
        self._stopped = False

    def begin(self, first: Future[None], *, leads: bool) -> None:
        """Starts the thread; `first` is done when the leading keeper's worker is ready or has failed."""
        self._first, self._leads = first, leads
        self.start()

    def run(self) -> None:
        if self._leads:
            self._prepare()
        elif self._first.exception() is not None:
            return
        while not self._stopped and (call := self._next()) is not None:
            task, future = call
            if not future.set_running_or_notify_cancel():
                continue
            try:
                outcome = self._answer(task)
            except Exception as error:
                _settle(future.set_exception, error)
            else:
                _settle(future.set_result, outcome)
        self._discard()

    def stop(self) -> None:
        """Kills the worker and ends the thread; callable from any thread."""
        with self._changing:
            self._stopped = True
            if self._worker is not None:
                self._worker.process.kill()

    def _next(self) -> _Call | None:
        """Returns the next call; while none waits, starts a worker or replaces a dead one."""
        with suppress(Empty):
            return self._calls.get_nowait()
        self._prepare()
        while True:
            with suppress(Empty):
                return self._calls.get(timeout=IDLE_S)
            if self._worker is not None and not self._worker.process.is_alive():
                self._discard(ENDING_S)
                self._prepare()

    def _prepare(self) -> None:
        """Starts a worker before the next task, which reports errors."""
        try:
            self._loaded()
        except Exception as error:
            _settle(self._first.set_exception, error)
        else:
            _settle(self._first.set_result, None)

    def _loaded(self) -> _Worker:
        """Returns the worker, starting one if necessary."""
        if self._worker is not None:
            return self._worker
        cause = ""
        for _ in range(MAX_ATTEMPTS):
            with self._changing:
                if self._stopped:
                    raise _stopped()
                worker = self._worker = _Worker(self._factory)
            try:
                message = worker.connection.recv()
            except (EOFError, OSError):
                cause = self._discard(ENDING_S)
                continue
            if isinstance(message, BatchError):
                self._discard()
                raise message
            return worker
        raise LoadError(cause)

    def _answer(self, task: Task) -> Outcome:
        cause = ""
        for _ in range(MAX_ATTEMPTS):
            worker = self._loaded()
            with suppress(OSError):  # a dead worker is noticed when its answer is received
                worker.connection.send(task)
            if not worker.connection.poll(self._time_limit):
                self._discard()
                raise TimeLimitError(self._time_limit or 0.0)
            try:
                message: bytes | BatchError = worker.connection.recv()
            except (EOFError, OSError):
                cause = self._discard(ENDING_S)
                continue
            if isinstance(message, BatchError):
                raise message
            outcome: Outcome = pickle.loads(message)
            if self._renew and outcome.failure is not None:
                self._discard()
            return outcome
        raise WorkerError(f"the process that computed this died ({cause})", cause)

    def _discard(self, patience: float = 0.0) -> str:
        """Removes the worker, which may end by itself within `patience` seconds; returns how it ended."""
        with self._changing:
            worker, self._worker = self._worker, None
        return "" if worker is None else worker.end(patience)


def _settle(settle: Callable[[Any], None], value: Any) -> None:
    """Sets a future's result or exception unless it is done or cancelled."""
    with suppress(InvalidStateError, CancelledError):
        settle(value)


def _stopped() -> WorkerError:
    return WorkerError("the workers are being stopped")


# ---------------------------------------------------------------- a worker


class _Worker:
    """A worker process and the parent's end of its pipe.

    It sends an empty message when its function is created, then a pickled `Outcome` or a `BatchError` for each task.
    """

    def __init__(self, factory: Factory) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, remote = context.Pipe()
        self.process = context.Process(target=_serve, args=(remote, factory), daemon=True)
        with _STARTING, interrupts.interrupts_blocked(), _one_thread_each():
            self.process.start()
        remote.close()

    def end(self, patience: float) -> str:
        """Waits for the end of the process, then kills it; returns how it ended."""
        self.process.join(patience)
        self.process.kill()
        self.process.join()
        self.connection.close()
        code = self.process.exitcode
        return f"exit code {code}" if code is None or code >= 0 else f"signal {-code}, {signal.Signals(-code).name}"


_STARTING = threading.Lock()
"""Held while a worker starts, since the environment is the whole process's."""


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Gives processes that start now one thread for matrices unless the user has set the number.

    Otherwise each has as many as there are cores: two workers on two busy cores took seven times the CPU seconds, most
    of them spent waiting for each other.
    """
    added = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _serve(connection: Connection, factory: Factory) -> None:
    """Creates the function in the worker, then answers tasks until the parent closes the pipe."""
    _die_with_parent()
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
