"""Tasks, their outcomes and their errors, wherever they run."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lattice_simp.errors import LatticeSimpError

Task = tuple[int, Any]
"""A number and the argument of the function."""

Function = Callable[[Any], Any]
Factory = Callable[[], Function]


class BatchError(LatticeSimpError):
    """The run as a whole cannot continue. A worker's function may raise it to end the run.

    Attributes:
        trace: the worker's traceback, as text.
    """

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace


class TimeLimitError(LatticeSimpError):
    """A task exceeded its time limit, in seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"this took longer than {seconds:g} seconds and was stopped")
        self.seconds = seconds


class WorkerError(LatticeSimpError):
    """A task failed independently of its input: its worker died or ran out of memory, or its function has a defect.

    Attributes:
        cause: how the worker ended; empty if it did not.
    """

    def __init__(self, message: str, cause: str = "") -> None:
        super().__init__(message)
        self.cause = cause


class LoadError(WorkerError):
    """Workers die while they create their function."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"the worker processes die while loading ({cause}); check that there is enough memory", cause)


@dataclass(frozen=True)
class Outcome:
    """The end of a task.

    Attributes:
        number: the task's number.
        result: the function's result; None if the task failed.
        failure: the reason of the failure; None if the task succeeded.
        trace: the traceback of the failure, as text.
    """

    number: int
    result: Any = None
    failure: str | None = None
    trace: str = ""


def attempt(function: Function, task: Task) -> bytes:
    """Runs a task in a worker and returns the pickled outcome. A result that cannot be pickled is a failure.

    Raises:
        BatchError: the function ends the run.
    """
    number, argument = task
    try:
        return pickle.dumps(Outcome(number, function(argument)))
    except BatchError:
        raise
    except Exception as error:
        return pickle.dumps(Outcome(number, failure=describe(error), trace=traceback.format_exc()))


def in_order(outcomes: Iterable[Outcome], numbers: Iterable[int]) -> Iterator[Outcome]:
    """Yields outcomes in the order of `numbers`, each as soon as all earlier ones have come.

    >>> [outcome.number for outcome in in_order([Outcome(4), Outcome(1)], [1, 4])]
    [1, 4]
    """
    waiting: dict[int, Outcome] = {}
    remaining = iter(outcomes)
    for number in numbers:
        while number not in waiting:
            outcome = next(remaining)
            waiting[outcome.number] = outcome
        yield waiting.pop(number)
    for _ in remaining:  # lets the source finish
        pass


def describe(error: BaseException) -> str:
    """Describes an error in one line.

    >>> describe(KeyError("x")), describe(MemoryError())
    ("internal error: KeyError: 'x'", 'out of memory')
    """
    if isinstance(error, MemoryError):
        return "out of memory"
    text = " ".join(str(error).split())
    return text if isinstance(error, (LatticeSimpError, OSError)) else f"internal error: {type(error).__name__}: {text}"
