"""Clauses of possibly unbalanced brackets, and the ends of complements among them."""

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
    """A clause from its opening bracket on; each closing bracket ends the last open clause.

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
    for position, opened in enumerate(opens):
        for _ in opened:
            starts.append((position, stack[-1] if stack else None))
            stack.append(len(starts) - 1)
        for _ in range(min(closes[position], len(stack))):
            ends[stack.pop()] = position
    return [Span(start, ends.get(number), parent) for number, (start, parent) in enumerate(starts)]


def complement_of(spans: Sequence[Span], position: int) -> tuple[Span, Span | None] | None:
    """Returns the outermost clause that a `ki` opens, and its matrix clause; None if it opens none."""
    complement = next((span for span in spans if span.start == position), None)
    return None if complement is None else (complement, None if complement.parent is None else spans[complement.parent])


def ends_of_complement(
    sentence: Sentence, spans: Sequence[Span], complement: Span, tokens: Sequence[TokenClass]
) -> list[int]:
    """Returns the ends of a complement's clauses: its own, and those joined to it without another `ki`."""
    if complement.end is None:
        return []
    ends = [complement.end]
    while True:
        following = _joined(sentence, ends[-1])
        span = next((other for other in spans if other.start == following and other.parent == complement.parent), None)
        if span is None or span.end is None or tokens[span.start] is TokenClass.COMPLEMENTISER:
            return ends
        ends.append(span.end)


def _joined(sentence: Sentence, end: int) -> int | None:
    """Returns the first token after an end and the conjunctions and marks that follow; None if none follow."""
    position = end + 1
    while position < len(sentence) and sentence.tokens[position].tag in (CONJUNCTION, PUNCTUATION):
        position += 1
    return position if end + 1 < position < len(sentence) else None
