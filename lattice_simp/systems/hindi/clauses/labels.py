"""Bracket labels of tokens: the clauses that a token opens, and the number that it closes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lattice_simp.systems.hindi.clause import Clause, ClauseType, nested_order

NOTHING = "-"
"""The label part for no opened clause."""


@dataclass(frozen=True)
class Brackets:
    """The types of clauses that a token opens, outer ones first, and the number that it closes: `main+nonfin/0`.

    >>> Brackets.parse("main+nonfin/1")
    Brackets(opens=(<ClauseType.MAIN: 'main'>, <ClauseType.NON_FINITE: 'nonfin'>), closes=1)
    >>> str(Brackets((), 2))
    '-/2'
    """

    opens: tuple[ClauseType, ...] = ()
    closes: int = 0

    def __str__(self) -> str:
        return f"{'+'.join(self.opens) or NOTHING}/{self.closes}"

    @classmethod
    def parse(cls, text: str) -> Brackets:
        """Parses the output of `str`."""
        opens, _, closes = text.partition("/")
        return cls(tuple(map(ClauseType, opens.split("+"))) if opens != NOTHING else (), int(closes))


def brackets_of(clauses: Iterable[Clause], size: int) -> list[Brackets]:
    """Returns the brackets of each token of a sentence of `size` tokens.

    >>> clauses = [Clause(0, 3, ClauseType.MAIN), Clause(0, 2, ClauseType.NON_FINITE)]
    >>> [str(brackets) for brackets in brackets_of(clauses, 3)]
    ['main+nonfin/0', '-/1', '-/1']
    """
    opens: list[list[ClauseType]] = [[] for _ in range(size)]
    closes = [0] * size
    for clause in nested_order(clauses):
        opens[clause.start].append(clause.kind or ClauseType.MAIN)
        closes[clause.end - 1] += 1
    return [Brackets(tuple(kinds), count) for kinds, count in zip(opens, closes, strict=True)]


def clauses_of(brackets: Sequence[Brackets]) -> list[Clause]:
    """Returns the clauses of brackets, outer ones first; each end closes the last open clause, if there is one.

    >>> clauses_of([Brackets((ClauseType.MAIN,), 0), Brackets((), 2)])
    [Clause(start=0, end=2, kind=<ClauseType.MAIN: 'main'>)]
    """
    stack: list[tuple[int, ClauseType]] = []
    clauses = []
    for position, token_brackets in enumerate(brackets):
        stack += [(position, kind) for kind in token_brackets.opens]
        for _ in range(min(token_brackets.closes, len(stack))):
            start, kind = stack.pop()
            clauses.append(Clause(start, position + 1, kind))
    return nested_order(reversed(clauses))


def is_balanced(brackets: Sequence[Brackets]) -> bool:
    """Returns whether starts and ends of clauses are balanced."""
    depth = 0
    for token_brackets in brackets:
        depth += len(token_brackets.opens) - token_brackets.closes
        if depth < 0:
            return False
    return depth == 0
