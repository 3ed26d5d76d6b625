"""Passes errors of worker processes as answers, since these are pickled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lattice_simp.errors import LatticeSimpError, MissingExtraError

_PROBLEM, _MISSING = "problem", "missing"


def problem_answer(error: LatticeSimpError) -> dict[str, Any]:
    """Returns the answer for an error."""
    return {_PROBLEM: str(error), _MISSING: isinstance(error, MissingExtraError)}


def require_no_problem(answer: Mapping[str, Any]) -> None:
    """Raises the error that an answer holds, if any.

    >>> require_no_problem(problem_answer(MissingExtraError("install spaCy")))
    Traceback (most recent call last):
    lattice_simp.errors.MissingExtraError: install spaCy
    """
    if _PROBLEM in answer:
        raise (MissingExtraError if answer.get(_MISSING) else LatticeSimpError)(answer[_PROBLEM])
