"""The open file of judgements of a running server."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from lattice_simp.support.database import LockedError

Result = TypeVar("Result")


class Store(Protocol):
    """A file that a server holds open."""

    def close(self) -> None:
        """Closes the file."""


StoreKind = TypeVar("StoreKind", bound=Store)

THREADS = 4
"""The number of threads that use the file, separate from those of other pages, which must not wait for a lock."""

PATIENCE_S = 1.0
"""The seconds that a request waits for other programs."""


class OpenedStore(Generic[StoreKind]):
    """A file of judgements, opened and closed with the server, which leaves no side files behind.

    Args:
        path: the file.
        open: opens it; takes the path, and the seconds to wait for other programs as `patience`.

    Raises:
        FormatError: the file cannot be opened.
    """

    def __init__(self, path: Path, open: Callable[..., StoreKind]) -> None:
        self._path, self._open, self._lock = path, open, threading.Lock()
        self._store: StoreKind | None = self._opened()
        self._threads, self._locked_at = ThreadPoolExecutor(THREADS), 0.0

    def start(self) -> StoreKind:
        """Opens the file if it is not open."""
        with self._lock:
            if self._store is None:
                self._store = self._opened()
            return self._store

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Calls a function with the store and the arguments in one of few threads; raises LockedError, too."""
        work = partial(self._run, time.monotonic(), function, *arguments)
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _run(self, requested_at: float, function: Callable[..., Result], *arguments: Any) -> Result:
        if requested_at < self._locked_at:  # requests from before this was detected have already waited
            raise LockedError("another program has locked it", path=self._path, remedy="try again in a moment")
        try:
            return function(self.start(), *arguments)
        except LockedError:
            self._locked_at = time.monotonic()
            raise

    def _opened(self) -> StoreKind:
        return self._open(self._path, patience=PATIENCE_S)
