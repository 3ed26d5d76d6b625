"""Costs of bracketings: they must be balanced, and breaches of the usual shape of clauses cost something.

The rules of Sharma and Paul 2014 (hybrid approach, section 4.2) correct bracketings one after the other until the
numbers of starts and ends agree. Here the same knowledge is a weighted automaton over brackets and token classes, which
is composed with the field's lattice; the shortest path is the best compromise between both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from lattice_simp.grammars.hindi.markers import is_marker
from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.clauses.labels import Brackets
from lattice_simp.systems.hindi.sentence import FINITE, NON_FINITE, PUNCTUATION, Sentence

MAX_DEPTH = 7
"""The most clauses open at once; the deepest sentence of the treebank has six."""


class TokenClass(IntEnum):
    """The class of a token for the rules."""

    OTHER = 0
    FINITE_VERB = 1
    NON_FINITE_VERB = 2
    COMPLEMENTISER = 3


@dataclass(frozen=True)
class RuleCosts:
    """The cost of breaking each rule, in nats.

    Attributes:
        no_verb: a clause without a verb or nested coordinate clauses (its verb may be elided).
        two_verbs: a finite clause with two finite verbs.
        wrong_verb: a non-finite verb in a finite clause or a finite one in a non-finite clause.
        outside: a verb outside all clauses.
        lonely: a coordinate clause without a sibling.
        complementiser: a `ki` that does not begin a clause.
    """

    no_verb: float = 3.0
    two_verbs: float = 4.0
    wrong_verb: float = 4.0
    outside: float = 6.0
    lonely: float = 3.0
    complementiser: float = 2.0


@dataclass(frozen=True)
class _Frame:
    """An open clause: its type (None for the sentence), whether it has a verb, and its coordinate clauses (0 to 2)."""

    kind: ClauseType | None = None
    has_verb: bool = False
    coordinate: int = 0


Stack = tuple[_Frame, ...]
"""The open clauses, with the sentence at the bottom."""

START: Stack = (_Frame(),)


def token_classes(sentence: Sentence) -> list[TokenClass]:
    """Returns the class of each token; the last token of a verb group carries its class."""
    complementisers = (is_marker(token.form, "complementiser") for token in sentence.tokens)
    classes = [
        TokenClass.COMPLEMENTISER if is_complementiser else TokenClass.OTHER for is_complementiser in complementisers
    ]
    kinds = {FINITE: TokenClass.FINITE_VERB, NON_FINITE: TokenClass.NON_FINITE_VERB}
    for chunk in sentence.chunks:
        if chunk.tag in kinds:
            words = [position for position in chunk.positions if sentence.tokens[position].tag != PUNCTUATION]
            if words:
                classes[words[-1]] = kinds[chunk.tag]
    return classes


def step(stack: Stack, brackets: Brackets, token: TokenClass, costs: RuleCosts) -> tuple[Stack, float] | None:
    """Returns the open clauses after a token and the cost of the rules, or None for impossible brackets.

    >>> from lattice_simp.systems.hindi.clauses.labels import Brackets
    >>> stack, cost = step(START, Brackets.parse("main/0"), TokenClass.OTHER, RuleCosts())
    >>> len(stack), cost, step(START, Brackets.parse("-/1"), TokenClass.OTHER, RuleCosts())
    (2, 0.0, None)
    """
    if len(stack) - 1 + len(brackets.opens) > MAX_DEPTH or brackets.closes >= len(stack) + len(brackets.opens):
        return None
    frames = [*stack, *map(_Frame, brackets.opens)]
    cost = costs.complementiser if token is TokenClass.COMPLEMENTISER and not brackets.opens else 0.0
    if token in (TokenClass.FINITE_VERB, TokenClass.NON_FINITE_VERB):
        cost += _verb_cost(frames[-1], token, costs)
        frames[-1] = replace(frames[-1], has_verb=True)
    for _ in range(brackets.closes):
        closed = frames.pop()
        cost += costs.no_verb * (not closed.has_verb and not closed.coordinate) + costs.lonely * (
            closed.coordinate == 1
        )
        if closed.kind is ClauseType.COORDINATE:
            frames[-1] = replace(frames[-1], coordinate=min(frames[-1].coordinate + 1, 2))
    return tuple(frames), cost


def final_cost(stack: Stack, costs: RuleCosts) -> float | None:
    """Returns the cost of ending the sentence, or None if clauses are open."""
    if len(stack) > 1:
        return None
    return costs.lonely if stack[0].coordinate == 1 else 0.0


def _verb_cost(frame: _Frame, token: TokenClass, costs: RuleCosts) -> float:
    if frame.kind is None:
        return costs.outside
    if (frame.kind is ClauseType.NON_FINITE) != (token is TokenClass.NON_FINITE_VERB):
        return costs.wrong_verb
    return costs.two_verbs if frame.has_verb else 0.0
