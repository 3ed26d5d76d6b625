"""Tasks in worker processes: kills, time limits, failures, large answers."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial

import pytest

from lattice_simp.support.tasks import BatchError, in_order, processes, run_batch
from lattice_simp.support.tasks.outcome import WorkerError
from lattice_simp.support.tasks.processes import THREADS, ProcessPool
from tests.support.tasks.work import broken_factory, dying_factory, make_reader, make_worker


@pytest.mark.parametrize("jobs", [1, 3])
def test_tasks_that_fail_leave_the_others_alone(tmp_path, jobs):
    tasks = list(enumerate(["a", "slow", "b", "dies", "c", "dies once", "error", "d"]))
    outcomes = list(
        in_order(run_batch(tasks, partial(make_worker, tmp_path), jobs=jobs, time_limit=3.0), range(len(tasks)))
    )
    assert [outcome.result for outcome in outcomes] == ["A", None, "B", None, "C", "DIES ONCE", None, "D"]
    assert "time limit" in outcomes[1].failure
    assert "died" in outcomes[3].failure
    assert outcomes[6].failure == "no translation"


@pytest.mark.parametrize(("task", "message"), [("fatal", "no space"), ("unknown", "KeyError")])
def test_a_task_may_end_the_run(tmp_path, task, message):
    outcomes = run_batch([(0, "a"), (1, task)], partial(make_worker, tmp_path))
    if task == "fatal":
        with pytest.raises(BatchError, match=message) as caught:
            list(outcomes)
        assert "Traceback" in caught.value.trace
    else:
        assert message in list(outcomes)[1].failure


@pytest.mark.parametrize(("factory", "message"), [(broken_factory, "no model"), (dying_factory, "SIGKILL")])
def test_workers_that_cannot_start_end_the_run(factory, message):
    with pytest.raises(BatchError, match=message):
        list(run_batch([(0, "a")], factory, jobs=2))


def test_a_large_answer_and_many_tasks(tmp_path):
    tasks = [(number, "x" * 300_000 if number % 50 == 0 else "y") for number in range(2000)]
    outcomes = in_order(run_batch(tasks, partial(make_worker, tmp_path), jobs=3), range(2000))
    assert [outcome.result for outcome in outcomes] == [task.upper() for _, task in tasks]


def test_workers_have_one_thread_for_matrices_unless_the_user_says_how_many(monkeypatch):
    for name in THREADS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    values = {task.number: task.result for task in run_batch(list(enumerate(THREADS)), make_reader, jobs=2)}
    assert [values[number] for number in range(len(THREADS))] == ["3" if "OMP" in name else "1" for name in THREADS]
    assert [name for name in THREADS if name in os.environ] == ["OMP_NUM_THREADS"]


def test_an_interrupt_that_another_thread_gets_ends_the_wait(tmp_path):
    """It wakes nobody, like one that comes just before the wait."""
    begin = time.monotonic()
    threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        list(run_batch([(0, "slow")], partial(make_worker, tmp_path), time_limit=20))
    assert time.monotonic() - begin < 15


def test_a_closed_pool_fails_its_tasks(tmp_path):
    pool = ProcessPool(partial(make_worker, tmp_path))
    pool.start()
    futures = [pool.submit((number, text)) for number, text in enumerate(["slow", "a"])]
    pool.close()
    for future in [*futures, pool.submit((2, "b"))]:
        with pytest.raises(WorkerError, match="being stopped"):
            future.result(timeout=60)


def test_no_worker_starts_for_nothing(monkeypatch, tmp_path):
    started = []
    start = processes._Worker

    def count(factory):
        started.append(factory)
        return start(factory)

    monkeypatch.setattr(processes, "_Worker", count)
    assert not list(run_batch([], partial(make_worker, tmp_path), jobs=2))
    assert not started
    assert len(list(run_batch([(0, "a"), (1, "slow")], partial(make_worker, tmp_path), time_limit=1.0))) == 2
    assert len(started) == 1  # the killed worker has no successor, as nothing waits
