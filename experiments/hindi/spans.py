"""Clauses of brackets that need not be balanced, and where the complements among them end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.clauses.rule_costs import TokenClass
from lattice_simp.systems.hindi.sentence import CONJUNCTION, PUNCTUATION, Sentence

Opens = list[list[ClauseType]]
"""For each token, the types of the clauses that it opens, outer ones first."""


@dataclass(frozen=True)
class Span:
    """A clause that is open somewhere; each end is that of the last one that is open.

    Attributes:
        start: its first token.
        end: its last token; None if nothing ends it.
        parent: the clause around it, by its number; None if there is none.
    """

    start: int
    end: int | None
    parent: int | None


def spans_of(opens: Opens, closes: list[int]) -> list[Span]:
    """Returns the clauses in the order in which they are opened."""
    starts: list[tuple[int, int | None]] = []
    ends: dict[int, int] = {}
    stack: list[int] = []
    for position, own in enumerate(opens):
        for _ in own:
            starts.append((position, stack[-1] if stack else None))
            stack.append(len(starts) - 1)
        for _ in range(min(closes[position], len(stack))):
            ends[stack.pop()] = position
    return [Span(start, ends.get(number), parent) for number, (start, parent) in enumerate(starts)]


def complement_of(spans: Sequence[Span], position: int) -> tuple[Span, Span | None] | None:
    """Returns the outermost clause that a `ki` opens, and its matrix clause; None if it opens none."""
    own = next((one for one in spans if one.start == position), None)
    return None if own is None else (own, None if own.parent is None else spans[own.parent])


def ends_of_complement(
    sentence: Sentence, spans: Sequence[Span], complement: Span, tokens: Sequence[TokenClass]
) -> list[int]:
    """Returns where a complement's clauses end: its own one, and those that are joined to it without another `ki`."""
    if complement.end is None:
        return []
    found = [complement.end]
    while True:
        following = _joined(sentence, found[-1])
        span = next((one for one in spans if one.start == following and one.parent == complement.parent), None)
        if span is None or span.end is None or tokens[span.start] is TokenClass.COMPLEMENTISER:
            return found
        found.append(span.end)


def _joined(sentence: Sentence, end: int) -> int | None:
    """Returns the first token behind an end and the conjunctions and marks after it; None without any of these."""
    position = end + 1
    while position < len(sentence) and sentence.tokens[position].tag in (CONJUNCTION, PUNCTUATION):
        position += 1
    return position if end + 1 < position < len(sentence) else None
