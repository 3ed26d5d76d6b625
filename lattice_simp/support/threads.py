"""Threads of one process that run kernels, which release the GIL, on data that the threads share.

They are daemon threads, so that Ctrl-C ends the program at once even while they run compiled code, which cannot be
interrupted. Executors of the standard library would wait for it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 4
"""The items of each thread that are being processed or wait for their turn, which bounds memory."""

PATIENCE = 0.5
"""The seconds of each wait for a result: a Ctrl-C that comes just before one is noticed when it ends."""


def in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1
) -> Iterator[tuple[Item, Result | None, Exception | None]]:
    """Yields items with the function's results, or with the exception that it raised, in the order of the items.

    >>> [result for _, result, _ in in_threads(abs, [-3, 4, -5], jobs=2)]
    [3, 4, 5]

    Args:
        function: the work; with one job, it runs in the caller's thread.
        items: its arguments, read as needed.
        jobs: the number of threads.
    """
    if jobs <= 1:
        for item in items:
            yield item, *_attempt(function, item)
        return
    calls: SimpleQueue[tuple[Item, SimpleQueue[Any]] | None] = SimpleQueue()

    def serve() -> None:
        while (call := calls.get()) is not None:
            call[1].put(_attempt(function, call[0]))

    for _ in range(jobs):
        threading.Thread(target=serve, daemon=True).start()
    waiting: deque[tuple[Item, SimpleQueue[Any]]] = deque()
    try:
        for item in items:
            waiting.append((item, SimpleQueue()))
            calls.put(waiting[-1])
            if len(waiting) == AHEAD * jobs:
                first, answer = waiting.popleft()
                yield first, *next_item(answer)
        while waiting:
            first, answer = waiting.popleft()
            yield first, *next_item(answer)
    finally:
        for _ in range(jobs):
            calls.put(None)


def map_in_threads(function: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1) -> list[Result]:
    """Returns the function's results in the order of the items; see `in_threads`.

    >>> map_in_threads(abs, [-3, 4, -5], jobs=2)
    [3, 4, 5]

    Raises:
        Exception: the first exception that the function raised.
    """
    results: list[Any] = []
    for _, result, error in in_threads(function, items, jobs):
        if error is not None:
            raise error
        results.append(result)
    return results


def next_item(queue: SimpleQueue[Item]) -> Item:
    """Waits for the next item of a queue, in steps, so that a Ctrl-C is noticed however it comes."""
    while True:
        try:
            return queue.get(timeout=PATIENCE)
        except Empty:
            continue


def _attempt(function: Callable[[Item], Result], item: Item) -> tuple[Result | None, Exception | None]:
    try:
        return function(item), None
    except Exception as error:
        return None, error
