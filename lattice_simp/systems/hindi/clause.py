"""Clauses of a sentence: typed spans of tokens, nested or side by side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import LatticeSimpError


class ClauseType(StrEnum):
    """The types of Sharma and Paul 2014, section 2."""

    MAIN = "main"
    COMPLEMENT = "comp"
    RELATIVE = "rel"
    ADVERBIAL = "adv"
    COORDINATE = "coord"
    NON_FINITE = "nonfin"


@dataclass(frozen=True, order=True)
class Clause:
    """A clause: the tokens `start:end`, counted from 0, and its type (None if unknown)."""

    start: int
    end: int
    kind: ClauseType | None = None


def nested_order(clauses: Iterable[Clause]) -> list[Clause]:
    """Sorts clauses by start, outer ones first; clauses with the same tokens keep their order.

    >>> [(clause.start, clause.end) for clause in nested_order([Clause(1, 3), Clause(0, 4), Clause(1, 4)])]
    [(0, 4), (1, 4), (1, 3)]
    """
    return sorted(clauses, key=lambda clause: (clause.start, -clause.end))


def without_edges(clauses: Iterable[Clause], ignored: Sequence[bool]) -> list[Clause]:
    """Removes ignored tokens at the ends of clauses, and clauses of nothing else.

    >>> without_edges([Clause(0, 3), Clause(2, 3)], [False, False, True])
    [Clause(start=0, end=2, kind=None)]
    """
    kept = []
    for clause in clauses:
        start, end = clause.start, clause.end
        while start < end and ignored[start]:
            start += 1
        while end > start and ignored[end - 1]:
            end -= 1
        if end > start:
            kept.append(Clause(start, end, clause.kind))
    return kept


def without_tokens(clauses: Iterable[Clause], removed: Sequence[bool]) -> list[Clause]:
    """Returns the clauses of a sentence after removing tokens, without clauses that become empty.

    >>> without_tokens([Clause(0, 3), Clause(1, 2)], [False, True, False])
    [Clause(start=0, end=2, kind=None)]
    """
    before = prefix_sums([not gone for gone in removed]).tolist()
    moved = [Clause(before[clause.start], before[clause.end], clause.kind) for clause in clauses]
    return [clause for clause in moved if clause.end > clause.start]


def are_nested(clauses: Iterable[Clause]) -> bool:
    """Returns whether no two clauses cross.

    >>> are_nested([Clause(0, 4), Clause(1, 3)]), are_nested([Clause(0, 2), Clause(1, 3)])
    (True, False)
    """
    open_ends: list[int] = []
    for clause in nested_order(clauses):
        while open_ends and open_ends[-1] <= clause.start:
            open_ends.pop()
        if open_ends and clause.end > open_ends[-1]:
            return False
        open_ends.append(clause.end)
    return True


def bracketed(words: Sequence[str], clauses: Iterable[Clause], *, kinds: bool = False, colours: bool = False) -> str:
    r"""Writes a sentence with its clauses in brackets.

    >>> bracketed("raam soyaa".split(), [Clause(0, 2, ClauseType.MAIN)])
    '( raam soyaa )'
    >>> bracketed("raam soyaa".split(), [Clause(0, 2, ClauseType.MAIN)], kinds=True)
    '(main raam soyaa )'
    >>> bracketed(["soyaa"], [Clause(0, 1)], colours=True)
    '\x1b[36m(\x1b[0m soyaa \x1b[36m)\x1b[0m'

    `kinds` writes types next to the brackets; `colours` colours brackets by depth, for a terminal. Words that look like
    brackets get a backslash (`\(`) unless brackets are coloured.
    """
    opening: list[list[str]] = [[] for _ in words]
    closing: list[list[str]] = [[] for _ in words]
    ends: list[int] = []
    for clause in nested_order(clauses):
        while ends and ends[-1] <= clause.start:
            ends.pop()
        colour = COLOURS[len(ends) % len(COLOURS)] if colours else None
        ends.append(clause.end)
        opening[clause.start].append(_painted(f"({clause.kind}" if kinds and clause.kind else "(", colour))
        closing[clause.end - 1].append(_painted(")", colour))
    parts: list[str] = []
    for word, before, after in zip(words, opening, closing, strict=True):
        parts += [*before, word if colours else _escaped(word), *reversed(after)]
    return " ".join(parts)


COLOURS = (36, 33, 35, 32, 34, 31)
"""ANSI colours from the outermost clause inwards, repeated cyclically."""


def _painted(text: str, colour: int | None) -> str:
    return text if colour is None else f"\x1b[{colour}m{text}\x1b[0m"


_BRACKET = re.compile(r"\((\w*)")

_LITERAL = re.compile(r"\\*(?:\(\w*|\))")
"""Matches words that look like brackets, with or without backslashes."""


def _escaped(word: str) -> str:
    return "\\" + word if _LITERAL.fullmatch(word) else word


def parse_bracketed(text: str) -> tuple[list[str], list[Clause]]:
    """Parses the output of `bracketed`; raises LatticeSimpError if brackets do not match or a type is unknown.

    >>> parse_bracketed("(main raam (nonfin khaakar ) soyaa )")
    (['raam', 'khaakar', 'soyaa'], [Clause(start=0, end=3, kind=<ClauseType.MAIN: 'main'>), \
Clause(start=1, end=2, kind=<ClauseType.NON_FINITE: 'nonfin'>)])
    """
    words: list[str] = []
    stack: list[tuple[int, ClauseType | None]] = []
    clauses = []
    for part in split_tokens(text):
        if opens := _BRACKET.fullmatch(part):
            stack.append((len(words), _kind(opens[1])))
        elif part == ")":
            if not stack:
                raise LatticeSimpError(f"unmatched closing bracket after word {len(words)}: {text!r}")
            start, kind = stack.pop()
            if start == len(words):
                raise LatticeSimpError(f"empty clause after word {start}: {text!r}")
            clauses.append(Clause(start, len(words), kind))
        else:
            words.append(part.removeprefix("\\") if _LITERAL.fullmatch(part) else part)
    if stack:
        raise LatticeSimpError(f"{len(stack)} unclosed brackets: {text!r}")
    return words, nested_order(reversed(clauses))


def _kind(name: str) -> ClauseType | None:
    if name and name not in list(ClauseType):
        raise LatticeSimpError(f"unknown clause type {name!r}; choose from {', '.join(ClauseType)}")
    return ClauseType(name) if name else None
