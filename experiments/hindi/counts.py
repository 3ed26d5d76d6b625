"""The papers' post-processing: rules that compare the numbers of starts and ends of clauses.

Sharma and Paul 2014 (hybrid approach, section 4.2). Rules apply in order, and each stops as soon as the numbers agree;
they may remain unequal. This is the baseline of the lattice in `bracket_lattice.py`.

Rule 1c is for sentences with too few ends, but the paper's text lets it mark a start, which cannot make the numbers
agree. It may be a slip of the pen, so both readings are implemented (`Participle`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from lattice_simp.support.tables import read_table
from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.clauses.labels import Brackets
from lattice_simp.systems.hindi.clauses.rule_costs import TokenClass
from lattice_simp.systems.hindi.sentence import CONJUNCTION, PUNCTUATION, Sentence

Opens = list[list[ClauseType]]
"""For each token, the types of the clauses that it opens, outer ones first."""


@dataclass(frozen=True)
class Span:
    """A clause: its first token, its last one (None if nothing ends it), and the number of the clause around it."""

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


class Participle(StrEnum):
    """The effect of rule 1c: a start on the word after a non-finite verb, as in the text, or an end on the verb."""

    START = "start"
    END = "end"


_NOT_OWN = ("CCP", "VGF", "VGNF")
"""Phrases that a non-finite clause does not extend over."""


@cache
def object_markers() -> frozenset[str]:
    """Returns the case markers, in both scripts, of phrases to the left that a non-finite clause includes."""
    rows = read_table(Path(__file__).with_name("object_markers.tsv"), ("devanagari", "roman"))
    return frozenset(form for row in rows for form in (row["devanagari"], *row["roman"].split()))


def corrected_counts(
    sentence: Sentence,
    brackets: Sequence[Brackets],
    tokens: Sequence[TokenClass],
    participle: Participle = Participle.START,
) -> list[Brackets]:
    """Adds and removes brackets by the papers' rules; the result need not be balanced."""
    opens: Opens = [list(bracket.opens) for bracket in brackets]
    closes = [bracket.closes for bracket in brackets]
    if _surplus(opens, closes) > 0:
        _close_complements(sentence, opens, closes, tokens)
        _close_finite(opens, closes, tokens)
        _mark_non_finite(opens, closes, tokens, participle)
    elif _surplus(opens, closes) < 0:
        _open_non_finite(sentence, opens, closes, tokens)
        _drop_before_conjunctions(sentence, opens, closes, tokens)
    if _surplus(opens, closes) == 0:
        _enclose_complements(sentence, opens, closes, tokens)
    return [Brackets(tuple(opened), count) for opened, count in zip(opens, closes, strict=True)]


def _surplus(opens: Opens, closes: list[int]) -> int:
    return sum(map(len, opens)) - sum(closes)


def _close_complements(sentence: Sentence, opens: Opens, closes: list[int], tokens: Sequence[TokenClass]) -> None:
    """1a: a verb with a `ki` complement does not end its clause, which ends where the complement does.

    The last complement is closed first, since others may contain it and end with it. A complement without an end ends
    with the last clause after `ki`.
    """
    for position in reversed(range(len(tokens))):
        surplus = _surplus(opens, closes)
        if tokens[position] is not TokenClass.COMPLEMENTISER or surplus <= 0:
            continue
        spans = spans_of(opens, closes)
        both = complement_of(spans, position)
        if both is None:
            continue
        complement, matrix = both
        ends = ends_of_complement(sentence, spans, complement, tokens)
        ends = ends or [other for other in range(position, len(closes)) if closes[other]]
        verb = _verb_before(position, tokens)
        if not ends:
            continue
        if matrix is not None and matrix.end is None:
            closes[ends[-1]] += min(1 + (complement.end is None), surplus)
        elif matrix is None and verb is not None and closes[verb]:
            closes[verb] -= 1
            closes[ends[-1]] += 1


def _verb_before(position: int, tokens: Sequence[TokenClass]) -> int | None:
    return next((index for index in reversed(range(position)) if tokens[index] is TokenClass.FINITE_VERB), None)


def _close_finite(opens: Opens, closes: list[int], tokens: Sequence[TokenClass]) -> None:
    """1b: a finite verb without a complement ends its clause."""
    for position, token in enumerate(tokens):
        follows = position + 1 < len(tokens) and tokens[position + 1] is TokenClass.COMPLEMENTISER
        if token is TokenClass.FINITE_VERB and not closes[position] and not follows and _surplus(opens, closes) > 0:
            closes[position] = 1


def _mark_non_finite(opens: Opens, closes: list[int], tokens: Sequence[TokenClass], participle: Participle) -> None:
    """1c: adds a start after a non-finite verb without one, or an end of its clause at the verb."""
    for position, token in enumerate(tokens[:-1]):
        if token is not TokenClass.NON_FINITE_VERB or opens[position + 1] or _surplus(opens, closes) <= 0:
            continue
        if participle is Participle.START:
            opens[position + 1].append(ClauseType.MAIN)
        elif not closes[position]:
            closes[position] = 1


def _open_non_finite(sentence: Sentence, opens: Opens, closes: list[int], tokens: Sequence[TokenClass]) -> None:
    """2a: a non-finite clause without a start begins with the phrases before its verb that may belong to it."""
    for position, token in enumerate(tokens):
        if token is TokenClass.NON_FINITE_VERB and closes[position] and _surplus(opens, closes) < 0:
            start = _start_of_non_finite(sentence, position)
            if ClauseType.NON_FINITE not in opens[start]:
                opens[start].append(ClauseType.NON_FINITE)


def _start_of_non_finite(sentence: Sentence, verb: int) -> int:
    number = next(number for number, chunk in enumerate(sentence.chunks) if chunk.start <= verb < chunk.end)
    start = sentence.chunks[number].start
    for chunk in reversed(sentence.chunks[:number]):
        markers = sentence.postpositions(chunk)
        other_case = bool(markers) and markers[0] not in object_markers()
        if chunk.tag in _NOT_OWN or other_case or chunk.start == 0:
            break
        start = chunk.start
    return start


def _drop_before_conjunctions(
    sentence: Sentence, opens: Opens, closes: list[int], tokens: Sequence[TokenClass]
) -> None:
    """2b: no clause ends on a word before a conjunction that is not a verb."""
    verbs = (TokenClass.FINITE_VERB, TokenClass.NON_FINITE_VERB)
    for position in range(len(tokens) - 1):
        before_conjunction = sentence.tokens[position + 1].tag == "CC" and tokens[position] not in verbs
        if before_conjunction and closes[position] and _surplus(opens, closes) < 0:
            closes[position] -= 1


def _enclose_complements(sentence: Sentence, opens: Opens, closes: list[int], tokens: Sequence[TokenClass]) -> None:
    """3a: encloses several clauses in a `ki` complement in one that opens after `ki`."""
    for position, token in enumerate(tokens):
        if token is not TokenClass.COMPLEMENTISER or len(opens[position]) != 1:
            continue
        spans = spans_of(opens, closes)
        both = complement_of(spans, position)
        ends = ends_of_complement(sentence, spans, both[0], tokens) if both else []
        if len(ends) > 1 and ends[0] > position:
            opens[position + 1].insert(0, ClauseType.COORDINATE)
            closes[ends[-1]] += 1
