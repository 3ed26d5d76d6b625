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
def interrupts_remembered(*numbers: int) -> Iterator[Callable[[], None]]:
    """Yields a function that raises what a signal raises if one has come since, for loops to call in each turn.

    It is raised at once as well, but if the signal comes while an object is destroyed, Python only prints that. The
    destructors of some libraries take so long that this happens once in a hundred times on a busy machine.

    Args:
        numbers: of the signals; Ctrl-C's without.

    Raises:
        KeyboardInterrupt: at the end, if Ctrl-C was lost and no turn has raised it.
    """
    came: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    found = {number: signal.getsignal(number) for number in numbers or [signal.SIGINT] if in_main}
    handlers = {number: handler for number, handler in found.items() if callable(handler)}

    def remember(number: int, frame: FrameType | None) -> None:
        came.append(number)
        handlers[number](number, frame)

    def raise_again() -> None:
        if came:
            number = came[0]
            came.clear()
            handlers[number](number, None)

    try:
        for number in handlers:
            signal.signal(number, remember)
        yield raise_again
    finally:  # a generator that nobody ends is closed at any time, by any thread
        if threading.current_thread() is threading.main_thread():
            for number, handler in handlers.items():
                if signal.getsignal(number) is remember:
                    signal.signal(number, handler)
    raise_again()
