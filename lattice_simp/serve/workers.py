"""Worker processes for requests, bounded in time, memory and number."""

from __future__ import annotations

import asyncio
import logging
import resource
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.support.plurals import counted
from lattice_simp.support.tasks.outcome import Factory, Function, Outcome, WorkerError
from lattice_simp.support.tasks.processes import ProcessPool

LOG = logging.getLogger(__name__)

GIGABYTE = 1 << 30


class BusyError(LatticeSimpError):
    """Too many requests are waiting."""


class WorkerPool:
    """A pool of processes that answers requests, a limited number of which may wait.

    Each process creates its function once (for example by loading a model). A process that takes too long or whose
    function fails is replaced at once.

        pool = WorkerPool(partial(make_translator, options), Limits())
        pool.start()                    # returns when the first process is ready; the others follow
        answer = await pool.run(query)
        pool.close()

    Args:
        factory: a picklable function that creates the function in each process.
        limits: the bounds on requests.
    """

    def __init__(self, factory: Factory, limits: Limits) -> None:
        make = partial(limited, factory, limits.memory)
        self._processes = ProcessPool(make, jobs=limits.workers, time_limit=limits.seconds, renew=True)
        self._limits = limits
        self._lock = threading.Lock()
        self._pending = 0
        self._closed = False

    def start(self) -> None:
        """Starts the processes unless they are running, and waits for the first one; raises what `factory` raises."""
        self._processes.start()

    async def run(self, request: Any) -> Any:
        """Returns the function's answer to a request.

        Raises:
            BusyError: too many requests are waiting.
            TimeLimitError: the request took too long.
            WorkerError: the request failed otherwise.
        """
        (answer,) = await self.run_parts([request])
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def run_parts(self, parts: Sequence[Any]) -> list[Any]:
        """Returns the function's answers to the parts of one request, with errors in place of failed ones.

        All parts together count as one waiting request. Raises BusyError if too many requests are waiting.
        """
        if not parts:
            return []
        with self._lock:
            if self._closed:
                raise WorkerError("the server is being stopped")
            if self._pending >= self._limits.workers + self._limits.waiting:
                raise BusyError(f"{counted(self._limits.waiting, 'request')} already waiting; try again in a moment")
            self._pending += 1
        try:
            if not self._processes.is_ready:
                await asyncio.to_thread(self.start)
            futures = [self._processes.submit((0, part)) for part in parts]
        except BaseException:
            with self._lock:
                self._pending -= 1
            raise
        unfinished = set(futures)

        def finished(future: Future[Outcome]) -> None:
            with self._lock:
                unfinished.discard(future)
                self._pending -= not unfinished

        for future in futures:
            future.add_done_callback(finished)
        return await asyncio.gather(*map(_answer, futures), return_exceptions=True)

    def close(self) -> None:
        """Stops all processes; waiting requests fail."""
        with self._lock:
            self._closed = True
        self._processes.close()


async def _answer(future: Future[Outcome]) -> Any:
    """Waits for the result of a part of a request."""
    outcome = await asyncio.wrap_future(future)
    if outcome.failure is not None:
        LOG.error("%s\n%s", outcome.failure, outcome.trace)
        raise WorkerError(outcome.failure)
    return outcome.result


def limited(factory: Factory, memory: float) -> Function:
    """Creates the function in a worker, then limits the additional memory of the process (gigabytes)."""
    function = factory()
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = used + int(memory * GIGABYTE)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    return function
