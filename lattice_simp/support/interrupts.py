"""Handles Ctrl-C where Python would lose it, and where it must not arrive."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_at_once = False


def interrupts_end_kernels() -> bool:
    """Returns whether Ctrl-C must end compiled code in the main thread at once."""
    return _at_once


@contextmanager
def kernels_interruptible() -> Iterator[None]:
    """Lets Ctrl-C end compiled code in the main thread at once, for programs; each call takes microseconds longer."""
    global _at_once
    before, _at_once = _at_once, True
    try:
        yield
    finally:
        _at_once = before


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Keeps Ctrl-C from a process started in this block, which inherits the signal mask; only the parent reacts.

    The parent reacts after the block. A mask alone does not ensure this: another thread takes the signal, and Python
    passes it to the main thread.
    """
    from multiprocessing import resource_tracker  # takes longer to import than the rest of this module

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
    """Yields a function that repeats the exception of a signal that has arrived since, to be called in each iteration.

    The signal raises its exception at once, too, but Python only prints it if an object is being destroyed. The
    destructors of some libraries take so long that this happens once in a hundred times on a busy machine.

    Args:
        numbers: the signals; that of Ctrl-C by default.

    Raises:
        KeyboardInterrupt: at the end of the block, if Ctrl-C was lost and no iteration has raised it.
    """
    received: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    installed = {number: signal.getsignal(number) for number in numbers or [signal.SIGINT] if in_main}
    handlers = {number: handler for number, handler in installed.items() if callable(handler)}

    def remember(number: int, frame: FrameType | None) -> None:
        received.append(number)
        handlers[number](number, frame)

    def raise_again() -> None:
        if received:
            number = received[0]
            received.clear()
            handlers[number](number, None)

    try:
        for number in handlers:
            signal.signal(number, remember)
        yield raise_again
    finally:  # a generator that is never exhausted is closed at any time, by any thread
        if threading.current_thread() is threading.main_thread():
            for number, handler in handlers.items():
                if signal.getsignal(number) is remember:
                    signal.signal(number, handler)
    raise_again()
