"""A clause that is to become a sentence, before the roles of its event are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lattice_simp.systems.simplify.clauses import finite_word
from lattice_simp.systems.simplify.noun_phrase import natural
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs


@dataclass(frozen=True)
class Clause:
    """What a construction offers; see `Split` for most attributes.

    Attributes:
        head: the position of the clause's verb, or of the noun of an apposition.
        governor: a position in the event that stays.
    """

    head: int
    governor: int
    clause: tuple[int, ...]
    dropped: tuple[int, ...]
    sentence: tuple[Token, ...]
    leads: bool = False
    opening: tuple[str, ...] = ()
    changes: tuple[tuple[int, str], ...] = ()
    restrictive: bool = False


def clause_span(parse: Parse, head: int) -> tuple[int, ...]:
    """Returns the positions of a subtree; none if something else is between them.

    Punctuation at its ends is left out, brackets around it and a conjunction that goes on after it too.
    """
    found = list(parse.subtree(head))
    while found and (
        mark_kind(parse.tokens[found[-1]]) not in (None, "close", "quote") or parse.labels[found[-1]] == "cc"
    ):
        found.pop()
    if len(found) > 2 and [mark_kind(parse.tokens[found[end]]) for end in (0, -1)] == ["open", "close"]:
        found = found[1:-1]
    elif found and mark_kind(parse.tokens[found[-1]]) == "close" and not _opens_within(parse, found):
        found.pop()
    while found and mark_kind(parse.tokens[found[0]]) not in (None, "open", "quote"):
        found.pop(0)
    if not found or found[-1] - found[0] + 1 != len(found):
        return ()
    return tuple(found)


def _opens_within(parse: Parse, positions: list[int]) -> bool:
    """Returns whether the closing bracket at the end has its partner among the positions."""
    return any(last == positions[-1] and first in positions for first, last in mark_pairs(parse.tokens))


def plain(parse: Parse, positions: Iterable[int]) -> tuple[Token, ...]:
    """Returns tokens as they are, in mid-sentence case."""
    return tuple(natural(parse, position, copied=False) for position in positions)


def inserted(text: str) -> tuple[Token, ...]:
    """Returns words that the source does not have."""
    return tuple(Token(word) for word in text.split())


def follows_comma(parse: Parse, positions: tuple[int, ...]) -> bool:
    """Returns whether a mark other than a quotation mark comes before a clause."""
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
    """Returns the finite verb nearest above a word, by which its tense goes."""
    from_here = governing_verb(parse, position)
    while from_here is not None and finite_word(parse, from_here) is None:
        from_here = governing_verb(parse, from_here)
    return from_here
