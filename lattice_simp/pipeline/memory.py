"""The peak memory of a process and all its children, sampled."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType

INTERVAL_S = 0.5
"""How often memory is looked at."""


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
        self._look()

    def _watch(self) -> None:
        while not self._stop.wait(INTERVAL_S):
            self._look()

    def _look(self) -> None:
        self.peak_mb = max(self.peak_mb, sum(map(_kilobytes, _family(os.getpid()))) / 1024)


def _family(root: int) -> list[int]:
    """Returns a process and its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def _kilobytes(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
