"""Work on many items in threads of one process: kernels let each other run, and models are there once."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 4
"""Items in work or waiting for their turn, for each thread: results come in order, and memory stays bounded."""


def in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1
) -> Iterator[tuple[Item, Result | None, Exception | None]]:
    """Yields items with the function's results, or with the exception that it raised, in the order of the items.

    >>> [result for _, result, _ in in_threads(abs, [-3, 4, -5], jobs=2)]
    [3, 4, 5]

    Args:
        function: what is done; with one job, it runs in the caller's thread.
        items: taken as needed, never many at once.
        jobs: threads. They end with the program, whatever they do then.
    """
    if jobs == 1:
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
                done, answer = waiting.popleft()
                yield done, *answer.get()
        while waiting:
            done, answer = waiting.popleft()
            yield done, *answer.get()
    finally:
        for _ in range(jobs):
            calls.put(None)


def _attempt(function: Callable[[Item], Result], item: Item) -> tuple[Result | None, Exception | None]:
    try:
        return function(item), None
    except Exception as error:
        return None, error
