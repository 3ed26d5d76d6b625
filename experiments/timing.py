"""Shared by experiments that measure time."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Timer:
    """CPU seconds of this process inside a `with` block; 0 before its end."""

    seconds = 0.0


@contextmanager
def cpu_time() -> Iterator[Timer]:
    """Measures the CPU time of a block, with that of child processes that end in it."""
    timer = Timer()
    begin = _cpu_seconds()
    try:
        yield timer
    finally:
        timer.seconds = _cpu_seconds() - begin


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
