"""What is wrong with a request, as a worker process tells it: its errors are pickled as answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lattice_simp.errors import LatticeSimpError, MissingExtraError

_PROBLEM, _MISSING = "problem", "missing"


def problem_answer(error: LatticeSimpError) -> dict[str, Any]:
    """Returns the answer to a request that met an error."""
    return {_PROBLEM: str(error), _MISSING: isinstance(error, MissingExtraError)}


def require_no_problem(answer: Mapping[str, Any]) -> None:
    """Raises the error that an answer tells, if it tells one.

    >>> require_no_problem(problem_answer(MissingExtraError("install spaCy")))
    Traceback (most recent call last):
    lattice_simp.errors.MissingExtraError: install spaCy
    """
    if _PROBLEM in answer:
        raise (MissingExtraError if answer.get(_MISSING) else LatticeSimpError)(answer[_PROBLEM])
