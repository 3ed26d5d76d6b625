"""The file of annotations while the server runs."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from lattice_simp.systems.annotation import AnnotationStore, LockedError, Progress, progress
from lattice_simp.systems.annotation.progress import computed

Found = TypeVar("Found")

THREADS = 4
"""That use the file. They are not those of other pages, which do not wait while the file is locked."""

PATIENCE_S = 1.0
"""Seconds that a request waits for other programs that use the file."""


class OpenedStore:
    """A file of annotations that is opened with the server and closed with it, so that nothing lies beside it then.

    Args:
        path: the file.

    Raises:
        FormatError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._store: AnnotationStore | None = self._opened()
        self._threads, self._locked_at = ThreadPoolExecutor(THREADS), 0.0
        self._compute = lru_cache(maxsize=1)(computed)

    def start(self) -> AnnotationStore:
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

    async def progress(self) -> Progress:
        """Returns how far the annotation is; alpha and reliability are computed once for the same judgements.

        Raises:
            StorageError: the file cannot be read.
        """
        return await self.run(progress, self._compute)

    async def run(self, function: Callable[..., Found], *arguments: Any) -> Found:
        """Returns what a function makes of the store and the arguments, in one of few threads.

        Raises:
            LockedError: another program keeps the file locked.
            LatticeSimpError: as the function does.
        """
        work = partial(self._run, time.monotonic(), function, *arguments)
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _run(self, came: float, function: Callable[..., Found], *arguments: Any) -> Found:
        if came < self._locked_at:  # whoever came before that was found out has waited, too
            raise LockedError("another program keeps it locked", path=self._path, remedy="try again in a moment")
        try:
            return function(self.start(), *arguments)
        except LockedError:
            self._locked_at = time.monotonic()
            raise

    def _opened(self) -> AnnotationStore:
        return AnnotationStore(self._path, patience=PATIENCE_S)
