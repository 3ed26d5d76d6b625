"""What becomes of many independent tasks, wherever they run."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lattice_simp.errors import LatticeSimpError

Task = tuple[int, Any]
"""A number, and what the function gets."""

Function = Callable[[Any], Any]
Factory = Callable[[], Function]


class BatchError(LatticeSimpError):
    """The run as a whole cannot go on. A worker's function may raise it, too, to end the run.

    Attributes:
        trace: the worker's traceback, as text.
    """

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace


@dataclass(frozen=True)
class Outcome:
    """What became of a task.

    Attributes:
        result: what the function returned; None for a failed task.
        failure: why there is no result; None for a task that succeeded.
        trace: the traceback of the failure, as text.
    """

    number: int
    result: Any = None
    failure: str | None = None
    trace: str = ""


def attempt(function: Function, task: Task) -> bytes:
    """Runs a task in a worker; returns the pickled outcome. A result that cannot be sent is a failure, too.

    Raises:
        BatchError: the function ends the run.
    """
    number, given = task
    try:
        return pickle.dumps(Outcome(number, function(given)))
    except BatchError:
        raise
    except Exception as error:
        return pickle.dumps(Outcome(number, failure=describe(error), trace=traceback.format_exc()))


def in_order(outcomes: Iterable[Outcome], numbers: Iterable[int]) -> Iterator[Outcome]:
    """Puts outcomes in the order of `numbers`; each is yielded as soon as all before it are there.

    >>> [outcome.number for outcome in in_order([Outcome(4), Outcome(1)], [1, 4])]
    [1, 4]
    """
    waiting: dict[int, Outcome] = {}
    coming = iter(outcomes)
    for number in numbers:
        while number not in waiting:
            outcome = next(coming)
            waiting[outcome.number] = outcome
        yield waiting.pop(number)
    for _ in coming:  # lets the source finish
        pass


def describe(error: BaseException) -> str:
    """Returns in one line what an error is.

    >>> describe(KeyError("x")), describe(MemoryError())
    ("internal error: KeyError: 'x'", 'out of memory')
    """
    if isinstance(error, MemoryError):
        return "out of memory"
    text = " ".join(str(error).split())
    return text if isinstance(error, (LatticeSimpError, OSError)) else f"internal error: {type(error).__name__}: {text}"
