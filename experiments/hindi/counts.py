"""The papers' post-processing: rules that compare how many clauses begin with how many end.

Sharma and Paul 2014 (hybrid approach, section 4.2). Rules are tried in order, and each stops as soon as the numbers
agree; what they leave unequal stays so. The baseline that the lattice of `bracket_lattice.py` is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lattice_simp.hindi.clause import ClauseType
from lattice_simp.hindi.clauses.labels import Brackets
from lattice_simp.hindi.clauses.rule_costs import TokenClass
from lattice_simp.hindi.sentence import Sentence
from lattice_simp.support.tables import read_table

Opens = list[list[ClauseType]]
"""For each token, the types of the clauses that it opens, outer ones first."""

_NOT_OWN = ("CCP", "VGF", "VGNF")
"""Phrases that the start of a non-finite clause does not reach beyond."""


@cache
def object_markers() -> frozenset[str]:
    """Returns the case markers, in both scripts, of the phrases that a non-finite clause takes in from its left."""
    rows = read_table(Path(__file__).with_name("object_markers.tsv"), ("devanagari", "roman"))
    return frozenset(form for row in rows for form in (row["devanagari"], *row["roman"].split()))


def corrected_counts(sentence: Sentence, brackets: Sequence[Brackets], tokens: Sequence[TokenClass]) -> list[Brackets]:
    """Adds and removes brackets by the papers' rules; the result need not be balanced.

    Args:
        sentence: with tags and chunks.
        brackets: the best ones by a model.
        tokens: the tokens' classes.
    """
    opens: Opens = [list(one.opens) for one in brackets]
    closes = [one.closes for one in brackets]
    if _surplus(opens, closes) > 0:
        _close_complements(opens, closes, tokens)
        _close_finite(opens, closes, tokens)
        _close_non_finite(opens, closes, tokens)
    elif _surplus(opens, closes) < 0:
        _open_non_finite(sentence, opens, closes, tokens)
        _drop_before_conjunctions(sentence, opens, closes, tokens)
    if _surplus(opens, closes) == 0:
        _enclose_complements(opens, closes, tokens)
    return [Brackets(tuple(own), count) for own, count in zip(opens, closes, strict=True)]


def _surplus(opens: Opens, closes: list[int]) -> int:
    return sum(map(len, opens)) - sum(closes)


def _close_complements(opens: Opens, closes: list[int], tokens: Sequence[TokenClass]) -> None:
    """1a: the matrix clause of a `ki` complement ends where the complement does."""
    for position, token in enumerate(tokens):
        if token is TokenClass.COMPLEMENTISER and _surplus(opens, closes) > 0:
            ends = [other for other in range(position, len(closes)) if closes[other]]
            if ends:
                closes[ends[-1]] += 1


def _close_finite(opens: Opens, closes: list[int], tokens: Sequence[TokenClass]) -> None:
    """1b: a finite verb without a complement ends its clause."""
    for position, token in enumerate(tokens):
        follows = position + 1 < len(tokens) and tokens[position + 1] is TokenClass.COMPLEMENTISER
        if token is TokenClass.FINITE_VERB and not closes[position] and not follows and _surplus(opens, closes) > 0:
            closes[position] = 1


def _close_non_finite(opens: Opens, closes: list[int], tokens: Sequence[TokenClass]) -> None:
    """1c: a non-finite verb ends its clause, too, unless another clause begins after it."""
    for position, token in enumerate(tokens):
        follows = position + 1 < len(tokens) and bool(opens[position + 1])
        ends = token is TokenClass.NON_FINITE_VERB and not closes[position] and not follows
        if ends and _surplus(opens, closes) > 0:
            closes[position] = 1


def _open_non_finite(sentence: Sentence, opens: Opens, closes: list[int], tokens: Sequence[TokenClass]) -> None:
    """2a: a non-finite clause whose start is missing begins with the phrases before its verb that may belong to it."""
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


def _enclose_complements(opens: Opens, closes: list[int], tokens: Sequence[TokenClass]) -> None:
    """3a: several clauses in one complement get one around them."""
    for position, token in enumerate(tokens):
        if token is not TokenClass.COMPLEMENTISER or opens[position] != [ClauseType.COMPLEMENT]:
            continue
        depth = 0
        for end in range(position, len(tokens)):
            depth += len(opens[end]) - closes[end]
            if depth <= 0:
                break
        following = [other for other in range(end + 1, len(tokens)) if opens[other]]
        if depth == 0 and following and ClauseType.COORDINATE in opens[following[0]] and following[0] <= end + 2:
            last = max(other for other in range(len(closes)) if closes[other])
            opens[position].append(ClauseType.COORDINATE)
            closes[last] += 1
