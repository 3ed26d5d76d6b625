"""Births and lives in brackets: "Ann Lee ( born 5 May 1980 in Rome ) is a singer" says two things.

The pattern is sought in the words, since parsers attach such brackets in many ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.systems.simplify.clauses import FINITE
from lattice_simp.systems.simplify.sentence import DASHES, Token
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import Parse
from lattice_simp.text.english.punctuation import mark_pairs

LONGEST = 6
"""The most words of a name that is repeated."""

_PLACE = re.compile(r"( in (?:(?:the|of|[A-Z]\S*|,) ?)+)?$")


def birth_splits(parse: Parse) -> Iterator[Split]:
    """Yields the split of a birth or a life in brackets behind the name that the sentence begins with.

    >>> tokens = tuple("Ann Lee ( born 5 May 1980 in Rome ) is a singer .".split())
    >>> tags = ("NNP", "NNP", "-LRB-", "VBN", "CD", "NNP", "CD", "IN", "NNP", "-RRB-", "VBZ", "DT", "NN", ".")
    >>> parse = Parse(tokens, (-1,) * 14, ("dep",) * 14, ("X",) * 14, tags, tokens)
    >>> [" ".join(token.text for token in split.sentence) for split in birth_splits(parse)]
    ['Ann Lee was born on 5 May 1980 in Rome']
    """
    for first, last in mark_pairs(parse.tokens):
        inside, name = range(first + 1, last), range(first)
        if parse.tokens[first] != "(" or not _is_name(parse, name) or parse.tags[last + 1] not in FINITE:
            continue
        words = _born(parse, inside) or _lived(parse, inside)
        if words and parse.tokens.count("born") == parse.tokens[first:last].count("born"):
            copied = (Token(parse.tokens[position], position, copied=True) for position in name)
            kept = {token.position for token in words}
            clause = tuple(position for position in inside if position in kept)
            dropped = tuple(position for position in inside if position not in kept)
            yield Split(SplitKind.PARTICIPLE, clause, dropped, (*copied, Token("was"), *words))


def _is_name(parse: Parse, positions: range) -> bool:
    words = [parse.tokens[position] for position in positions]
    is_title = 1 < len(words) <= LONGEST and all(word[:1].isupper() for word in words)
    return is_title and word_set("event_names").isdisjoint(words)


def _born(parse: Parse, inside: range) -> tuple[Token, ...]:
    """Returns `born` with a date and perhaps a place; no tokens if this is none."""
    words = parse.tokens[inside[0] : inside[-1] + 1]
    preposition = _preposition(words[1:]) if words[0] == "born" else None
    if preposition is None:
        return ()
    born, *rest = _tokens(parse, inside)
    return (born, *(Token(word) for word in preposition.split()), *rest)


def _lived(parse: Parse, inside: range) -> tuple[Token, ...]:
    """Returns a birth and a death for two days with a dash between them."""
    dashes = [position for position in inside if parse.tokens[position] in DASHES]
    if len(dashes) != 1:
        return ()
    days = (range(inside[0], dashes[0]), range(dashes[0] + 1, inside[-1] + 1))
    if not all(_is_day([parse.tokens[position] for position in day]) for day in days):
        return ()
    birth, death = (_tokens(parse, day) for day in days)
    return (Token("born"), Token("on"), *birth, Token("and"), Token("died"), Token("on"), *death)


def _tokens(parse: Parse, positions: range) -> tuple[Token, ...]:
    return tuple(Token(parse.tokens[position], position) for position in positions)


def _months() -> str:
    return "|".join(month.capitalize() for month in sorted(word_set("months")))


def _day() -> str:
    """Returns the pattern of a day, in either order."""
    return rf"(?:(?:{_months()}) \d{{1,2}}|\d{{1,2}} (?:{_months()})) ,? ?\d{{4}}"


def _is_day(words: Sequence[str]) -> bool:
    return re.fullmatch(_day(), " ".join(words)) is not None


def _preposition(words: Sequence[str]) -> str | None:
    """Returns the preposition that a date needs after `born`, empty if it has one; None without a date."""
    text = " ".join(words)
    patterns = {
        _day(): "on",
        rf"(?:(?:{_months()}) )?\d{{4}}": "in",
        f"on {_day()}": "",
        rf"in (?:(?:{_months()}) )?\d{{4}}": "",
    }
    for pattern, preposition in patterns.items():
        date = re.match(pattern, text)
        if date is not None and _PLACE.match(text[date.end() :].rstrip()):
            return preposition
    return None
