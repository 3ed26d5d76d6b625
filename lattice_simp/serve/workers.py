"""Worker processes for requests, bounded in time, memory and number, and replaced on failure."""

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
"""The seconds between checks that an idle process is alive."""

_Job: TypeAlias = tuple[Any, "Future[Any]"]


class BusyError(LatticeSimpError):
    """Too many requests are waiting."""


class TimeLimitError(LatticeSimpError):
    """A request exceeded its computing time."""


class WorkerError(LatticeSimpError):
    """A request failed independently of its text: its process died, ran out of memory, or hit a bug."""


class WorkerPool:
    """Worker processes that answer requests, each managed by a thread.

    Each process creates its function once (for example by loading a model). A process that takes too long is stopped
    and replaced at once.

        pool = WorkerPool(partial(make_translator, options), Limits())
        pool.start()                    # returns when the first process is ready; the others follow
        answer = await pool.run(query)
        pool.close()

    Args:
        factory: a picklable function that creates the function in each process.
        limits: the bounds on requests.
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
        """Starts the processes unless they are running, and waits for the first one.

        Raises:
            LatticeSimpError: The function cannot be created (for example because a model is broken).
        """
        with self._lock:
            if not self._keepers:
                make = partial(_Keeper, self._jobs, self._factory, self._limits.seconds)
                self._keepers = [make(self._first, leads=number == 0) for number in range(self._limits.workers)]
                for keeper in self._keepers:
                    keeper.start()
        self._first.result()

    async def run(self, request: Any) -> Any:
        """Returns the function's answer to a request.

        Raises:
            BusyError: Too many requests are waiting.
            TimeLimitError: The request took too long.
            WorkerError: The request failed otherwise.
        """
        (answer,) = await self.run_parts([request])
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def run_parts(self, parts: Sequence[Any]) -> list[Any]:
        """Returns the function's answers to the parts of one request, with errors in place of failed ones.

        All parts together count as one waiting request.

        Raises:
            BusyError: Too many requests are waiting.
        """
        futures: list[Future[Any]] = [Future() for _ in parts]
        with self._lock:
            if self._closed:
                raise WorkerError("the server is being stopped")
            if self._pending >= self._limits.workers + self._limits.waiting:
                raise BusyError(f"{self._limits.waiting} requests are already waiting; try again in a moment")
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
        """Stops all processes; waiting requests fail."""
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
    """Manages one worker process and passes it requests one by one.

    Args:
        jobs: the queue of requests, shared by all keepers; None ends one of them.
        factory: the function that creates the process's function.
        seconds: the computing time of a request.
        first: done when the first process is ready or has failed; the others wait for it, as it may fill caches.
        leads: whether this keeper's process is the first.
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
            request, future = job
            if not future.set_running_or_notify_cancel():
                continue  # the client has gone
            try:
                answer = self._answer(request)
            except Exception as error:
                _settle(future.set_exception, error)
            else:
                _settle(future.set_result, answer)
            self._prepare()
        self._discard()

    def stop(self) -> None:
        """Kills the process and ends the thread; callable from any thread."""
        with self._changing:
            self._stopped = True
            if self._worker is not None:
                self._worker.process.kill()

    def _next(self) -> _Job | None:
        """Returns the next job, replacing a killed process while waiting."""
        while True:
            with suppress(queue.Empty):
                return self._jobs.get(timeout=IDLE_S)
            if self._worker is not None and not self._worker.process.is_alive():
                self._discard()
                self._prepare()

    def _prepare(self) -> None:
        """Starts a process before the next request, which reports errors."""
        try:
            self._loaded()
        except Exception as error:
            _settle(self._first.set_exception, error)
        else:
            _settle(self._first.set_result, None)

    def _loaded(self) -> Worker:
        """Returns the process, starting one if necessary.

        Raises:
            WorkerError: Processes die while loading.
            BatchError: The function cannot be created.
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
        raise WorkerError(f"the worker processes die while loading ({cause}); check that there is enough memory")

    def _answer(self, request: Any) -> Any:
        cause = ""
        for _ in range(MAX_ATTEMPTS):  # a process may have been killed before the request came
            worker = self._loaded()
            worker.send((0, request), None)
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
            self._discard()  # its state is unknown
            raise WorkerError(outcome.failure)
        return outcome.result

    def _discard(self) -> str:
        """Removes the process and returns how it ended."""
        with self._changing:
            worker, self._worker = self._worker, None
        if worker is None:
            return ""
        worker.process.join(0.2)  # it may be ending by itself, with a cause
        worker.kill()
        return worker.cause


def _settle(settle: Callable[[Any], None], value: Any) -> None:
    """Sets a future's result or exception unless it is done or cancelled."""
    with suppress(InvalidStateError, CancelledError):
        settle(value)


def limited(factory: Factory, memory: float) -> Function:
    """Creates the function in a worker, then limits the additional memory of the process (gigabytes)."""
    function = factory()
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = used + int(memory * GIGABYTE)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    return function
