"""The file of annotations while the server runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

from lattice_simp.skeleton.annotation import AnnotationStore, Progress, progress
from lattice_simp.skeleton.annotation.progress import computed

Found = TypeVar("Found")


class OpenedStore:
    """A file of annotations that is opened with the server and closed with it, so that nothing lies beside it then.

    Args:
        path: the file.

    Raises:
        FormatError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._store: AnnotationStore | None = AnnotationStore(path)
        self._compute = lru_cache(maxsize=1)(computed)

    def start(self) -> AnnotationStore:
        """Opens the file if it is not open."""
        with self._lock:
            if self._store is None:
                self._store = AnnotationStore(self._path)
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
        """Returns what a function makes of the store and the arguments; it runs in a thread of its own.

        Raises:
            LatticeSimpError: as the function does.
        """
        return await run_in_threadpool(lambda: function(self.start(), *arguments))
