"""Ctrl-C where Python alone would lose it, or where it must not come."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Keeps Ctrl-C from a process that is being started, which inherits the mask: only the parent reacts to it.

    The parent reacts when the process has started. A mask alone does not see to that: other threads take the signal,
    and Python hands it on to the main thread.
    """
    resource_tracker.ensure_running()  # starting it would unblock the signal
    missed: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    if in_main and handler is not None:
        signal.signal(signal.SIGINT, lambda number, _: missed.append(number))
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
        if in_main and handler is not None:
            signal.signal(signal.SIGINT, handler)
        if missed:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def interrupts_remembered() -> Iterator[Callable[[], None]]:
    """Yields a function that raises KeyboardInterrupt if Ctrl-C has come since, for loops to call in each turn.

    The interrupt is raised at once as well, but if it comes while an object is destroyed, Python only prints it. The
    destructors of some libraries take so long that this happens once in a hundred times on a busy machine.

    Raises:
        KeyboardInterrupt: at the end, if only that was left.
    """
    came: list[int] = []
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield lambda: None
        return

    def remember(number: int, frame: FrameType | None) -> None:
        came.append(number)
        handler(number, frame)

    def raise_again() -> None:
        if came:
            came.clear()
            raise KeyboardInterrupt

    try:
        signal.signal(signal.SIGINT, remember)
        yield raise_again
    finally:  # a generator that nobody ends is closed at any time, by any thread
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is remember:
            signal.signal(signal.SIGINT, handler)
    raise_again()
