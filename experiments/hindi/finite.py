"""Finite clauses alone, as evaluated in the paper on rules (Sharma and Paul 2014b, section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lattice_simp.systems.hindi.clause import Clause, ClauseType
from lattice_simp.systems.hindi.clauses.labels import Brackets, brackets_of, clauses_of


def finite(clauses: Iterable[Clause]) -> list[Clause]:
    """Returns the clauses that are not non-finite."""
    return [clause for clause in clauses if clause.kind is not ClauseType.NON_FINITE]


def finite_brackets(brackets: Sequence[Brackets]) -> list[Brackets]:
    """Returns the brackets of the finite clauses, without unmatched ones.

    >>> brackets = [Brackets.parse(text) for text in ("main/0", "nonfin/0", "-/2")]
    >>> [str(bracket) for bracket in finite_brackets(brackets)]
    ['main/0', '-/0', '-/1']
    """
    return brackets_of(finite(clauses_of(brackets)), len(brackets))
