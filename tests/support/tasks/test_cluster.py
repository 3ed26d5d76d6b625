"""Tasks on a Dask cluster of real processes have the results of a serial run, even if processes die."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from helpers import needs

from lattice_simp.errors import MissingExtraError
from lattice_simp.support.extras import Late
from lattice_simp.support.tasks import BatchError, in_order, run_tasks
from lattice_simp.support.tasks.cluster import run_on_cluster
from lattice_simp.support.tasks.cluster_connection import Cluster
from tests.support.tasks import closing_worker
from tests.support.tasks.work import Unreadable, broken_factory, dying_factory, make_worker

needs("dask", "distributed")

dask, distributed = Late("dask"), Late("distributed")

pytestmark = pytest.mark.slow  # each test starts processes of Dask

ROOT = Path(__file__).resolve().parents[3]
SERVER = "distributed.cli.dask_"
WORKERS = ["--nworkers", "2", "--nthreads", "1", "--no-dashboard", "--death-timeout", "600"]
PATIENCE = 300.0
"""The seconds to wait, enough for busy machines; passing tests do not wait for them."""


@contextmanager
def process(name, *arguments):
    """Runs a scheduler or workers with which a task fails after killing two workers."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    command = [sys.executable, "-m", SERVER + name, *map(str, arguments)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = subprocess.Popen(command, env=environment, start_new_session=True, **quiet)
    try:
        yield running
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()


@contextmanager
def scheduler(folder):
    file = folder / "scheduler.json"
    place = "--host 127.0.0.1 --port 0 --no-dashboard --dashboard-address 127.0.0.1:0 --idle-timeout 3600".split()
    with process("scheduler", *place, "--scheduler-file", file) as server:
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        yield json.loads(file.read_text())["address"], server


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    with scheduler(folder) as (result, _), process("worker", result, *WORKERS, "--local-directory", folder):
        yield result


def run(address, texts, scratch, **options):
    outcomes = run_on_cluster(enumerate(texts), partial(make_worker, scratch), Cluster(address, PATIENCE), **options)
    return list(in_order(outcomes, range(len(texts))))


@pytest.mark.parametrize("window", [1, 5000])
def test_all_results_come_back(address, tmp_path, window):
    texts = [f"word {number}" for number in range(10 if window == 1 else 1000)]
    assert [outcome.result for outcome in run(address, texts, tmp_path, window=window)] == list(map(str.upper, texts))
    assert run(address, [], tmp_path) == []


@pytest.mark.parametrize("count", [1, 100])
def test_an_interrupt_that_python_only_prints_ends_the_run(address, tmp_path, count):
    outcomes = run_on_cluster(enumerate(["a"] * count), partial(make_worker, tmp_path), Cluster(address, PATIENCE))
    with pytest.raises(KeyboardInterrupt):
        deque(map(Interrupting, outcomes), maxlen=0)


class Interrupting:
    def __init__(self, outcome):
        self.outcome = outcome

    def __del__(self):
        with suppress(KeyboardInterrupt):  # as Python does, with a message
            signal.raise_signal(signal.SIGINT)


def test_a_task_that_workers_cannot_read_fails(address, tmp_path):
    outcomes = run(address, ["a", Unreadable(), "b"], tmp_path)
    assert [outcome.result for outcome in outcomes] == ["A", None, "B"]
    assert "no answer" in outcomes[1].failure


def test_nothing_is_left_for_destructors_of_futures(address, tmp_path, monkeypatch):
    destroyed = []
    monkeypatch.setattr(distributed.Future, "__del__", lambda future: destroyed.append(future._cleared))
    assert len(run(address, ["a", "error", "b"] * 30, tmp_path)) == 90
    assert len(destroyed) > 1
    assert all(destroyed)


def test_the_tasks_of_a_killed_worker_are_done_by_another(address, tmp_path):
    killer = threading.Thread(target=kill_the_hanging, args=[tmp_path])
    killer.start()
    texts = ["a", "b", "hangs once", *(f"word {number}" for number in range(300))]
    outcomes = run(address, texts, tmp_path)
    killer.join()
    assert [outcome.result for outcome in outcomes] == list(map(str.upper, texts))


def kill_the_hanging(scratch):
    wait_until((scratch / "hanging").exists)
    os.kill(int((scratch / "hanging").read_text()), signal.SIGKILL)


def test_tasks_that_fail_leave_the_others_alone(address, tmp_path):
    texts = ["a", "unknown", *"bcdefghijklmn", "dies", *"opqrst", "dies once", "error", "not picklable", "u"]
    bad = {"unknown": "KeyError", "dies": "died 2 times", "error": "no translation", "not picklable": "internal error"}
    for text, outcome in zip(texts, run(address, texts, tmp_path), strict=True):
        if text in bad:
            assert outcome.result is None
            assert bad[text] in outcome.failure
        else:
            assert (outcome.result, outcome.failure) == (text.upper(), None)


def test_a_task_may_end_the_run(address, tmp_path):
    with pytest.raises(BatchError, match=r"^no space$") as caught:
        run(address, ["a", "fatal", "b"], tmp_path)
    assert "Traceback" in caught.value.trace


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        (broken_factory, r"^worker tcp://127.0.0.1:\d+: no model \(all workers must find the same files"),
        (dying_factory, "workers cannot begin: the worker process died 2 times"),
    ],
)
def test_workers_that_cannot_start_end_the_run(address, factory, message):
    with pytest.raises(BatchError, match=message):
        list(run_on_cluster([(0, "a")], factory, Cluster(address, PATIENCE)))


def test_workers_of_another_version_end_the_run(address, tmp_path, monkeypatch):
    other = (("lattice_simp", "0.0"), ("distributed", "0.0"), ("python", "0.0"))
    monkeypatch.setattr("lattice_simp.support.tasks.cluster.versions", lambda: other)
    with pytest.raises(BatchError, match=r"lattice_simp .* where the client has 0\.0"):
        run(address, ["a"], tmp_path)


def test_no_workers_and_a_scheduler_that_dies(tmp_path):
    factory = partial(make_worker, tmp_path)
    with scheduler(tmp_path) as (result, server):
        with pytest.raises(BatchError, match="no workers"):
            list(run_on_cluster([(0, "a")], factory, Cluster(result, PATIENCE, patience=1)))
        with process("worker", result, *WORKERS, "--local-directory", tmp_path):
            outcomes = run_on_cluster(enumerate(["a", "slow"]), factory, Cluster(result, PATIENCE))
            assert next(outcomes).result == "A"
            server.kill()
            begin = time.monotonic()
            with pytest.raises(BatchError, match=f"scheduler at {result} is lost"):
                list(outcomes)
            assert time.monotonic() - begin < PATIENCE / 10  # no wait for the scheduler


def test_what_is_no_scheduler(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts and says nothing
        for port in (1, silent.getsockname()[1]):
            begin = time.monotonic()
            with pytest.raises(BatchError, match=f"^no Dask scheduler .* answers at tcp://127.0.0.1:{port} within 1 s"):
                list(run_on_cluster([(0, "a")], broken_factory, Cluster(f"tcp://127.0.0.1:{port}", timeout=1)))
            assert time.monotonic() - begin < PATIENCE / 10


def test_a_local_cluster_is_quiet_and_leaves_nothing(tmp_path, capfd):
    """Also where its only worker takes long to start again, as on a busy machine: Dask would give it up at once."""
    texts = ["a", "dies", "error", "b"]
    before = multiprocessing.active_children()
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1ms"}):
        outcomes = in_order(run_tasks(enumerate(texts), partial(make_worker, tmp_path), cluster="local:1"), range(4))
        assert [outcome.result for outcome in outcomes] == ["A", None, None, "B"]
    assert set(multiprocessing.active_children()) <= set(before)
    assert capfd.readouterr() == ("", "")


def test_a_local_cluster_ends_while_its_worker_starts_again(tmp_path, capfd, monkeypatch):
    """The nanny learns of a worker's start after the worker's death, and takes the next one for started."""
    monkeypatch.setattr("distributed.nanny.WorkerProcess._init_msg_interval", 0.5)
    before = multiprocessing.active_children()
    assert [outcome.result for outcome in run("local:1", ["dies"], tmp_path)] == [None]
    assert set(multiprocessing.active_children()) <= set(before)
    assert capfd.readouterr() == ("", "")


def test_a_worker_that_is_closed_while_it_starts_is_quiet(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv(closing_worker.STARTS, f"{tmp_path / 'starts'}:2")
    with dask.config.set({"distributed.worker.preload": [closing_worker.__name__]}):
        assert [outcome.result for outcome in run("local:1", ["a", "dies once"], tmp_path)] == ["A", "DIES ONCE"]
    assert len((tmp_path / "starts").read_text().splitlines()) == 3
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("address", "options", "message"),
    [
        ("localhost:8786", {}, "'localhost:8786' is not a Dask cluster"),
        ("local:0", {}, "'local:0' is not a Dask cluster"),
        ("local", {"jobs": 2}, "--dask and --jobs exclude each other"),
        ("local", {"time_limit": 1.0}, "--dask and --time-limit exclude each other"),
    ],
)
def test_what_a_cluster_cannot_do(address, options, message):
    with pytest.raises(BatchError, match=message):
        list(run_tasks([(0, "a")], broken_factory, cluster=address, **options))


def test_without_dask_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lattice-simp\[dask\]'"):
        list(run_tasks([(0, "a")], broken_factory, cluster="local"))
