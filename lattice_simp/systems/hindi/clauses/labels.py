"""Brackets as labels of tokens: which clauses a token opens, and how many it closes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lattice_simp.systems.hindi.clause import Clause, ClauseType, nested_order

NOTHING = "-"
"""Names the opening of no clause."""


@dataclass(frozen=True)
class Brackets:
    """The types of the clauses that a token opens, outer ones first, and how many it closes; `main+nonfin/0` in short.

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
        """Reads what `str` returns."""
        opens, _, closes = text.partition("/")
        return cls(tuple(map(ClauseType, opens.split("+"))) if opens != NOTHING else (), int(closes))


def brackets_of(clauses: Iterable[Clause], size: int) -> list[Brackets]:
    """Returns the brackets of each token of a sentence with `size` tokens.

    >>> [str(one) for one in brackets_of([Clause(0, 3, ClauseType.MAIN), Clause(0, 2, ClauseType.NON_FINITE)], 3)]
    ['main+nonfin/0', '-/1', '-/1']
    """
    opens: list[list[ClauseType]] = [[] for _ in range(size)]
    closes = [0] * size
    for clause in nested_order(clauses):
        opens[clause.start].append(clause.kind or ClauseType.MAIN)
        closes[clause.end - 1] += 1
    return [Brackets(tuple(kinds), count) for kinds, count in zip(opens, closes, strict=True)]


def clauses_of(brackets: Sequence[Brackets]) -> list[Clause]:
    """Returns the clauses of brackets, outer ones first: each end closes the last clause that is open.

    Brackets need not be balanced: ends without starts and starts without ends are dropped.

    >>> clauses_of([Brackets((ClauseType.MAIN,), 0), Brackets((), 2)])
    [Clause(start=0, end=2, kind=<ClauseType.MAIN: 'main'>)]
    """
    stack: list[tuple[int, ClauseType]] = []
    found = []
    for position, own in enumerate(brackets):
        stack += [(position, kind) for kind in own.opens]
        for _ in range(min(own.closes, len(stack))):
            start, kind = stack.pop()
            found.append(Clause(start, position + 1, kind))
    return nested_order(reversed(found))


def is_balanced(brackets: Sequence[Brackets]) -> bool:
    """Returns whether every clause that opens closes, and none closes that is not open."""
    depth = 0
    for own in brackets:
        depth += len(own.opens) - own.closes
        if depth < 0:
            return False
    return depth == 0
