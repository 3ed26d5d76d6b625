"""The peak memory of a process and all its children, sampled."""

from __future__ import annotations

import threading
from contextlib import suppress
from types import TracebackType

import psutil

INTERVAL_S = 0.5
"""Seconds between two samples."""


class PeakMemory:
    """Watches the memory of this process and its descendants; shared pages count once (Linux's proportional set size).

    >>> with PeakMemory() as memory:
    ...     pass
    >>> memory.peak_mb > 1
    True
    """

    def __init__(self) -> None:
        self.peak_mb = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._sample()

    def _watch(self) -> None:
        while not self._stop.wait(INTERVAL_S):
            self._sample()

    def _sample(self) -> None:
        own, total = psutil.Process(), 0
        for process in [own, *own.children(recursive=True)]:
            with suppress(psutil.Error):  # it has ended meanwhile
                total += process.memory_full_info().pss
        self.peak_mb = max(self.peak_mb, total / 2**20)
