"""The words of clauses that can become sentences."""

from __future__ import annotations

from collections.abc import Iterable

from lattice_simp.systems.simplify.clauses import finite_word
from lattice_simp.systems.simplify.noun_phrase import natural
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs


def clause_span(parse: Parse, head: int) -> tuple[int, ...]:
    """Returns the positions of a subtree; none if it is not contiguous.

    Excludes punctuation at its ends, brackets around it and a conjunction at its end.
    """
    positions = list(parse.subtree(head))
    while positions and (
        mark_kind(parse.tokens[positions[-1]]) not in (None, "close", "quote") or parse.labels[positions[-1]] == "cc"
    ):
        positions.pop()
    if len(positions) > 2 and [mark_kind(parse.tokens[positions[end]]) for end in (0, -1)] == ["open", "close"]:
        positions = positions[1:-1]
    elif positions and mark_kind(parse.tokens[positions[-1]]) == "close" and not _opens_within(parse, positions):
        positions.pop()
    while positions and mark_kind(parse.tokens[positions[0]]) not in (None, "open", "quote"):
        positions.pop(0)
    if not positions or positions[-1] - positions[0] + 1 != len(positions):
        return ()
    return tuple(positions)


def _opens_within(parse: Parse, positions: list[int]) -> bool:
    """Returns whether the final closing bracket opens within these positions."""
    return any(last == positions[-1] and first in positions for first, last in mark_pairs(parse.tokens))


def plain(parse: Parse, positions: Iterable[int]) -> tuple[Token, ...]:
    """Returns source tokens in mid-sentence case."""
    return tuple(natural(parse, position, copied=False) for position in positions)


def inserted(text: str) -> tuple[Token, ...]:
    """Returns tokens for words that are not in the source."""
    return tuple(Token(word) for word in text.split())


def follows_comma(parse: Parse, positions: tuple[int, ...]) -> bool:
    """Returns whether a comma or an opening bracket precedes a clause."""
    return positions[0] > 0 and mark_kind(parse.tokens[positions[0] - 1]) in ("comma", "open")


def ends_sentence(parse: Parse, positions: tuple[int, ...]) -> bool:
    """Returns whether only punctuation follows a clause."""
    return all(mark_kind(token) is not None for token in parse.tokens[positions[-1] + 1 :])


def governing_verb(parse: Parse, position: int) -> int | None:
    """Returns the verb nearest above a word."""
    current = parse.heads[position]
    while current != ROOT and parse.parts[current] not in ("VERB", "AUX"):
        current = parse.heads[current]
    return None if current == ROOT else current


def finite_governor(parse: Parse, position: int) -> int | None:
    """Returns the finite verb nearest above a word, which sets its tense."""
    from_here = governing_verb(parse, position)
    while from_here is not None and finite_word(parse, from_here) is None:
        from_here = governing_verb(parse, from_here)
    return from_here
