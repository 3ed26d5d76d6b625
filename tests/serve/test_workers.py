"""If processes are late, die, or use too much memory, the request gets an error, and the next one is served."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
from contextlib import contextmanager

import pytest
from small_worker import broken_factory, dying_factory, make_worker

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.workers import BusyError, WorkerPool
from lattice_simp.support.tasks import BatchError, processes
from lattice_simp.support.tasks.outcome import TimeLimitError, WorkerError

LIMITS = Limits(seconds=0.5, memory=1.0, workers=1, waiting=2)


@contextmanager
def pool_of(factory=make_worker, limits=LIMITS):
    pool = WorkerPool(factory, limits)
    try:
        yield pool
    finally:
        pool.close()


@pytest.fixture(scope="module")
def running_pool():
    """A pool for tests that leave its process as it is."""
    with pool_of() as pool:
        pool.start()
        yield pool


def test_what_goes_wrong_is_reported_and_the_next_request_is_answered():
    with pool_of() as pool:
        pool.start()
        process = asyncio.run(pool.run("a"))["problem"]
        assert asyncio.run(pool.run("a"))["problem"] == process  # the process stays
        for text, error, message in [
            ("late", TimeLimitError, r"longer than 0\.5 seconds"),
            ("dies", WorkerError, "exit code 3"),
            ("large", WorkerError, "out of memory"),
            ("defect", WorkerError, "KeyError"),
        ]:
            begin = time.monotonic()
            with pytest.raises(error, match=message):
                asyncio.run(pool.run(text))
            assert time.monotonic() - begin < 30
            after = asyncio.run(pool.run("a"))["problem"]
            assert after.startswith("no translation of a from")
            assert after != process, text  # another process has taken its place
            process = after


def test_no_more_requests_wait_than_may(running_pool):
    async def ask():
        return await asyncio.gather(*(running_pool.run("slow") for _ in range(8)), return_exceptions=True)

    answers = asyncio.run(ask())
    assert sum(isinstance(answer, dict) for answer in answers) == 3  # one at work, two waiting
    assert sum(isinstance(answer, BusyError) for answer in answers) == 5
    assert "problem" in asyncio.run(running_pool.run("a"))  # those that were refused do not count


def test_the_parts_of_a_request_count_as_one(running_pool):
    async def ask():
        return await asyncio.gather(*(running_pool.run_parts(["slow", "a"]) for _ in range(8)), return_exceptions=True)

    for _ in range(2):  # and they are done with when all are
        answers = asyncio.run(ask())
        assert sum(isinstance(answer, list) for answer in answers) == 3
        assert sum(isinstance(answer, BusyError) for answer in answers) == 5
    known, error = asyncio.run(running_pool.run_parts(["a", "defect"]))
    assert "problem" in known
    assert isinstance(error, WorkerError)


def test_requests_without_parts_or_without_processes_leave_no_trace(running_pool, monkeypatch):
    def fail(task):
        raise WorkerError("stopped")

    for _ in range(LIMITS.workers + LIMITS.waiting):
        assert asyncio.run(running_pool.run_parts([])) == []
    with monkeypatch.context() as patch:
        patch.setattr(running_pool._processes, "submit", fail)
        for _ in range(LIMITS.workers + LIMITS.waiting):
            with pytest.raises(WorkerError, match="stopped"):
                asyncio.run(running_pool.run("a"))
    assert "problem" in asyncio.run(running_pool.run("a"))


def process_of(pool):
    return int(asyncio.run(pool.run("a"))["problem"].split()[-1])


def test_a_process_that_is_killed_while_it_is_idle_fails_nobody():
    with pool_of() as pool:
        pool.start()
        process = process_of(pool)
        os.kill(process, signal.SIGKILL)
        assert process_of(pool) != process  # at once


def test_a_process_that_is_killed_while_it_is_idle_is_replaced(monkeypatch):
    monkeypatch.setattr(processes, "IDLE_S", 0.01)
    with pool_of() as pool:
        pool.start()
        process = process_of(pool)
        others = {child.pid for child in multiprocessing.active_children()}
        os.kill(process, signal.SIGKILL)
        for _ in range(6000):
            new = {child.pid for child in multiprocessing.active_children()} - others
            if new:
                break
            time.sleep(0.01)
        assert process_of(pool) in new


def test_work_that_nobody_waits_for_is_not_done(running_pool):
    async def ask():
        first = asyncio.ensure_future(running_pool.run("slow"))
        await asyncio.sleep(0.05)
        second = asyncio.ensure_future(running_pool.run("dies"))
        await asyncio.sleep(0.05)
        second.cancel()
        return await first, await running_pool.run("a")

    first, after = asyncio.run(ask())
    assert first["problem"].split()[-1] == after["problem"].split()[-1]  # it is still the same process


@pytest.mark.slow
@pytest.mark.parametrize(
    ("factory", "error", "message"),
    [(broken_factory, BatchError, "model: holds no rules"), (dying_factory, WorkerError, "exit code 9")],
)
def test_processes_that_cannot_load_are_an_error_at_the_start(factory, error, message):
    with pool_of(factory) as pool, pytest.raises(error, match=message):
        pool.start()


def test_closing_stops_what_is_under_way():
    pool = WorkerPool(make_worker, Limits(seconds=60, workers=1))
    pool.start()

    async def ask():
        late = asyncio.ensure_future(pool.run("late"))
        waits = asyncio.ensure_future(pool.run("a"))
        await asyncio.sleep(0.1)
        begin = time.monotonic()
        await asyncio.to_thread(pool.close)
        answers = await asyncio.gather(late, waits, return_exceptions=True)
        return time.monotonic() - begin, answers

    seconds, answers = asyncio.run(ask())
    assert seconds < 30
    assert all(isinstance(answer, WorkerError) for answer in answers)
    with pytest.raises(WorkerError, match="being stopped"):
        asyncio.run(pool.run("a"))


def test_limits_are_above_zero():
    with pytest.raises(LatticeSimpError, match="jobs is 0"):
        Limits(workers=0)
