"""Processes that compute for requests: bounded in time, memory and number, and replaced where they fail."""

from __future__ import annotations

import asyncio
import logging
import pickle
import queue
import resource
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.outcome import BatchError, Factory, Function
from lattice_simp.pipeline.processes import MAX_ATTEMPTS, Worker
from lattice_simp.serve.limits import Limits

LOG = logging.getLogger(__name__)

GIGABYTE = 1 << 30

IDLE_S = 1.0
"""Seconds between two looks whether an idle process lives."""

_Job: TypeAlias = tuple[Any, "Future[Any]"]


class BusyError(LatticeSimpError):
    """More requests wait than may wait."""


class TimeLimitError(LatticeSimpError):
    """A request computed longer than it may."""


class WorkerError(LatticeSimpError):
    """A request failed through no fault of its text: its process died, ran out of memory, or has a defect."""


class WorkerPool:
    """Worker processes that answer requests, each kept by a thread of this process.

    Each process makes its function once (it loads a model, for example); it is stopped when an answer takes too long,
    and another one takes its place at once.

        pool = WorkerPool(partial(make_translator, options), Limits())
        pool.start()                    # returns when the first process has loaded; the others follow
        answer = await pool.run(query)
        pool.close()

    Args:
        factory: makes the function in each process; picklable.
        limits: see there.
    """

    def __init__(self, factory: Factory, limits: Limits) -> None:
        self._factory, self._limits = partial(limited, factory, limits.memory), limits
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._pending = 0
        self._first: Future[None] = Future()
        self._keepers: list[_Keeper] = []
        self._closed = False

    def start(self) -> None:
        """Starts the processes, if they are not there, and waits for the first one.

        Raises:
            LatticeSimpError: the function cannot be made (a model is broken, for example).
        """
        with self._lock:
            if not self._keepers:
                make = partial(_Keeper, self._jobs, self._factory, self._limits.seconds)
                self._keepers = [make(self._first, leads=number == 0) for number in range(self._limits.workers)]
                for keeper in self._keepers:
                    keeper.start()
        self._first.result()

    async def run(self, given: Any) -> Any:
        """Returns what the function makes of a request.

        Raises:
            BusyError: too many requests wait.
            TimeLimitError: it took too long.
            WorkerError: it failed otherwise.
        """
        (answer,) = await self.run_parts([given])
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def run_parts(self, parts: Sequence[Any]) -> list[Any]:
        """Returns what the function makes of the parts of one request, or the error that `run` would raise of one.

        They wait as one request does, whatever their number.

        Raises:
            BusyError: too many requests wait.
        """
        futures: list[Future[Any]] = [Future() for _ in parts]
        with self._lock:
            if self._closed:
                raise WorkerError("the server is being stopped")
            if self._pending >= self._limits.workers + self._limits.waiting:
                raise BusyError(f"{self._limits.waiting} requests wait already; try again in a moment")
            self._pending += 1
        unfinished = set(futures)

        def finished(future: Future[Any]) -> None:
            with self._lock:
                unfinished.discard(future)
                self._pending -= not unfinished

        for future in futures:
            future.add_done_callback(finished)
        if not self._first.done():
            try:
                await asyncio.to_thread(self.start)
            except BaseException:
                for future in futures:
                    future.cancel()
                raise
        for job in zip(parts, futures, strict=True):
            self._jobs.put(job)
        return await asyncio.gather(*map(asyncio.wrap_future, futures), return_exceptions=True)

    def close(self) -> None:
        """Stops all processes; requests that wait fail."""
        with self._lock:
            self._closed = True
        for keeper in self._keepers:
            keeper.stop()
            self._jobs.put(None)
        for keeper in self._keepers:
            keeper.join(timeout=5)
        with suppress(queue.Empty):
            while True:
                if (job := self._jobs.get_nowait()) is not None:
                    _settle(job[1].set_exception, WorkerError("the server is being stopped"))


class _Keeper(threading.Thread):
    """Keeps one worker process, and brings it one request after the other.

    Args:
        jobs: what waits, for all keepers; None ends one of them.
        first: done when the first process has loaded, or cannot; the others wait for it, since it may fill caches.
        leads: whether this one's process is the first.
    """

    def __init__(
        self,
        jobs: queue.SimpleQueue[_Job | None],
        factory: Factory,
        seconds: float,
        first: Future[None],
        *,
        leads: bool,
    ) -> None:
        super().__init__(daemon=True)
        self._jobs, self._factory, self._seconds, self._first, self._leads = jobs, factory, seconds, first, leads
        self._worker: Worker | None = None
        self._changing = threading.Lock()
        self._stopped = False

    def run(self) -> None:
        if not self._leads and self._first.exception() is not None:
            return
        self._prepare()
        while not self._stopped and (job := self._next()) is not None:
            given, future = job
            if not future.set_running_or_notify_cancel():
                continue  # whoever asked is gone
            try:
                answer = self._answer(given)
            except Exception as error:
                _settle(future.set_exception, error)
            else:
                _settle(future.set_result, answer)
            self._prepare()
        self._discard()

    def stop(self) -> None:
        """Kills the process, so that the thread ends; from any thread."""
        with self._changing:
            self._stopped = True
            if self._worker is not None:
                self._worker.process.kill()

    def _next(self) -> _Job | None:
        """Returns what is to be done; until it comes, a process that is killed is replaced."""
        while True:
            with suppress(queue.Empty):
                return self._jobs.get(timeout=IDLE_S)
            if self._worker is not None and not self._worker.process.is_alive():
                self._discard()
                self._prepare()

    def _prepare(self) -> None:
        """Has a process at hand before the next request comes; what goes wrong is told when one comes."""
        try:
            self._loaded()
        except Exception as error:
            _settle(self._first.set_exception, error)
        else:
            _settle(self._first.set_result, None)

    def _loaded(self) -> Worker:
        """Returns the process; starts one if there is none.

        Raises:
            WorkerError: processes die while they load.
            BatchError: the function cannot be made.
        """
        if self._worker is not None:
            return self._worker
        cause = ""
        for _ in range(MAX_ATTEMPTS):
            with self._changing:
                if self._stopped:
                    raise WorkerError("the server is being stopped")
                worker = self._worker = Worker(self._factory)
            try:
                message = worker.connection.recv()
            except (EOFError, OSError):
                cause = self._discard()
                continue
            if isinstance(message, BatchError):
                self._discard()
                raise message
            return worker
        raise WorkerError(f"the processes die while they load ({cause}); is there enough memory?")

    def _answer(self, given: Any) -> Any:
        cause = ""
        for _ in range(MAX_ATTEMPTS):  # a process may have been killed before the request came
            worker = self._loaded()
            worker.send((0, given), None)
            if not worker.connection.poll(self._seconds):
                self._discard()
                raise TimeLimitError(f"this took longer than {self._seconds:g} seconds and was stopped")
            try:
                return self._result(worker.connection.recv())
            except (EOFError, OSError):
                cause = self._discard()
        raise WorkerError(f"the process that computed this died ({cause})")

    def _result(self, message: bytes | BatchError) -> Any:
        if isinstance(message, BatchError):
            raise message
        outcome = pickle.loads(message)
        if outcome.failure is not None:
            LOG.error("%s\n%s", outcome.failure, outcome.trace)
            self._discard()  # what else is wrong with it is not known
            raise WorkerError(outcome.failure)
        return outcome.result

    def _discard(self) -> str:
        """Removes the process; returns how it ended."""
        with self._changing:
            worker, self._worker = self._worker, None
        if worker is None:
            return ""
        worker.process.join(0.2)  # it may be about to end by itself, and for a reason
        worker.kill()
        return worker.cause


def _settle(settle: Callable[[Any], None], value: Any) -> None:
    """Sets a future's result or exception, if it has none and still is wanted."""
    with suppress(InvalidStateError, CancelledError):
        settle(value)


def limited(factory: Factory, memory: float) -> Function:
    """Makes the function in a worker, then bounds the memory that it may use on top of what it uses now (gigabytes)."""
    function = factory()
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = used + int(memory * GIGABYTE)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    return function
