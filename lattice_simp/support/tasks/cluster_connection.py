"""Connects to a Dask cluster: parses its address, makes a client, and silences Dask's messages."""

from __future__ import annotations

import logging
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lattice_simp.support.extras import extra
from lattice_simp.support.interrupts import interrupts_blocked
from lattice_simp.support.tasks import cluster_worker
from lattice_simp.support.tasks.outcome import BatchError, describe
from lattice_simp.support.tasks.processes import MAX_ATTEMPTS

TIMEOUT = 30.0
"""Seconds to wait for a scheduler's answer: the time that Dask itself gives a connection."""

PATIENCE = 120.0
"""The seconds to wait while there is no worker: a busy machine takes long to start or restart one."""

_LOCAL = {
    "distributed.scheduler.allowed-failures": MAX_ATTEMPTS - 1,
    # After 15 s Dask would give up a worker that its nanny is still starting again, and take no other one.
    "distributed.deploy.lost-worker-timeout": "1 day",
    "distributed.comm.timeouts.connect": f"{PATIENCE:g} s",
}
"""Dask's settings while a local cluster exists."""

_SILENT = logging.CRITICAL + 1


def local_workers(address: str) -> int | None:
    """Returns how many worker processes an address asks for; None for a scheduler's address.

    >>> local_workers("local:4"), local_workers("tcp://host:8786")
    (4, None)

    Raises:
        BatchError: the address is neither of these.
    """
    if re.fullmatch(r"\w+://\S+", address):
        return None
    local = re.fullmatch(r"local(?::([1-9]\d*))?", address)
    if local is None:
        raise BatchError(f"{address!r} is not a Dask cluster: give tcp://HOST:PORT, local, or local:N for N processes")
    return int(local[1]) if local[1] else len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Cluster:
    """A Dask cluster (see `local_workers`), and the seconds to wait for its scheduler and its workers."""

    address: str
    timeout: float = TIMEOUT
    patience: float = PATIENCE


@contextmanager
def connected(cluster: Cluster) -> Iterator[Any]:
    """Yields a `distributed.Client` of a cluster that has a worker; starts the cluster if it is a local one.

    Raises:
        BatchError: there is no such cluster, it does not answer, or it has no worker.
        MissingExtraError: Dask is not installed.
    """
    address, timeout, patience = cluster.address, cluster.timeout, cluster.patience
    count = local_workers(address)
    with extra("dask"):
        distributed = import_module("distributed")
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        scheduler = address if count is None else stack.enter_context(_local_cluster(count))
        try:
            _greet(scheduler, timeout)
            with warnings.catch_warnings():  # the versions that matter are compared on the workers
                warnings.simplefilter("ignore")
                client = distributed.Client(scheduler, timeout=timeout, set_as_default=False)
        except Exception as error:  # any program may answer at this address
            cause = f"{type(error).__name__}: {error}".rstrip(": ")
            raise BatchError(
                f"no Dask scheduler of a version like {distributed.__version__} answers at {address} "
                f"within {timeout:g} s ({cause})"
            ) from error
        stack.callback(_close, client)
        try:
            client.wait_for_workers(1, patience)
        except Exception as error:
            raise BatchError(f"the cluster at {address} has no workers after {patience:g} s") from error
        if count is not None:
            stack.callback(_await_restarts, client, count, timeout)
        yield client


@contextmanager
def _local_cluster(count: int) -> Iterator[str]:
    """Starts a scheduler and worker processes that end with this one, without a limit on memory."""
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set(_LOCAL),
        tempfile.TemporaryDirectory(prefix="lattice-simp-", ignore_cleanup_errors=True) as folder,
    ):
        try:
            with interrupts_blocked():
                cluster: Any = LocalCluster(
                    n_workers=count,
                    threads_per_worker=1,
                    processes=True,
                    memory_limit=0,
                    scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                    local_directory=folder,
                    silence_logs=_SILENT,
                    preload=_preloads(),
                )
        except Exception as error:
            raise BatchError(f"the local Dask cluster does not start: {describe(error)}") from error
        try:
            yield cluster.scheduler_address
        finally:
            with suppress(Exception):
                cluster.close()


def _preloads() -> list[str]:
    """Returns the modules that worker processes load: those of the user's configuration, and ours."""
    import dask

    configured = dask.config.get("distributed.worker.preload")
    return [*([configured] if isinstance(configured, str) else configured), cluster_worker.__name__]


def _greet(scheduler: str, timeout: float) -> None:
    """Connects briefly, since a client would wait forever for a program that accepts connections and never answers."""
    import asyncio

    from distributed import Security
    from distributed.comm import connect

    async def greet() -> None:
        security = Security().get_connection_args("client")
        comm = await asyncio.wait_for(connect(scheduler, timeout=timeout, **security), timeout)
        await comm.close()

    with ThreadPoolExecutor(1) as thread:  # this one may have an event loop of its own
        thread.submit(asyncio.run, greet()).result()


def _await_restarts(client: Any, count: int, timeout: float) -> None:
    """Waits for the workers that are being started again.

    A nanny whose worker dies just after its start assumes that the next one has started, too. If the nanny closes then,
    it ends a half-started process, or leaves it behind.
    """
    with suppress(Exception):
        client.wait_for_workers(count, timeout)


def _close(client: Any) -> None:
    with suppress(Exception):
        client.close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps Dask's own messages from the terminal, unless the user has configured Dask's logs."""
    import dask

    if dask.config.get("distributed.logging", None) or dask.config.get("logging", None):
        yield
        return
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in ("distributed", "tornado")]
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(_SILENT)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
