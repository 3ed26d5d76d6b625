"""Joins sentences that continue after a quotation: `"…!" राम बोले।` is one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from lattice_simp.grammars.hindi.verbs import analyse
from lattice_simp.support.tables import grammar_table

QUOTES = frozenset("'\"")

ROLES = ("reporting", "attached", "joining", "other")

_NEAR = 7
"""The number of words after a quotation that may contain its reporting verb."""

_INTRODUCING = frozenset({",", ":", "-", "कि"})
_INTRODUCING_OTHERS = frozenset({":", "कि"})
_GOING_ON = frozenset({",", ";", "-"})

Tokens = tuple[str, ...]


def with_quotations(sentences: Sequence[Tokens]) -> list[Tokens]:
    """Joins the sentences of a quotation with the next one if that continues them.

    with_quotations([('"', 'चलो', '!', '"'), ('राम', 'बोले', '।')])
    [('"', 'चलो', '!', '"', 'राम', 'बोले', '।')]
    """
    joined: list[Tokens] = []
    for sentence in sentences:
        first = _opening_sentence(joined)
        quotation = sum(joined[first:], ())
        if first < len(joined) and _goes_on(quotation, sentence):
            joined[first:] = [quotation + sentence]
        else:
            joined.append(sentence)
    return joined


@cache
def _words(role: str) -> frozenset[str]:
    """Returns the words of a role."""
    rows = grammar_table("hindi/quotations.tsv", ("word", "role"), full=True)
    return frozenset(row["word"] for row in rows if row.one_of("role", ROLES) == role)


def _opening_sentence(sentences: Sequence[Tokens]) -> int:
    """Returns the index of the sentence that opens the quotation closed in the last one; if none does, the length."""
    if sentences and len(sentences[-1]) > 1 and sentences[-1][-1] in QUOTES:
        mark, count = sentences[-1][-1], 0
        for position in reversed(range(len(sentences))):
            count += sentences[position].count(mark)
            if count % 2 == 0:
                return position
    return len(sentences)


def _goes_on(quotation: Tokens, following: Tokens) -> bool:
    """Returns whether the words after a quotation, whose last token is its closing mark, continue its sentence."""
    if following[0] in _GOING_ON or following[0] in _words("attached"):
        return True
    opening = max(place for place, token in enumerate(quotation[:-1]) if token == quotation[-1])
    before = quotation[opening - 1] if opening else ""
    if before in _INTRODUCING or _reports(before):
        return False
    for position, token in enumerate(following[:_NEAR]):
        if _reports(token):
            return _INTRODUCING_OTHERS.isdisjoint(following[position + 1 : position + 4])
        if token in _words("joining") or not token[:1].isalpha():
            return False
    return False


def _reports(token: str) -> bool:
    """Returns whether a word is a form of a reporting verb."""
    return token not in _words("other") and any(form.root in _words("reporting") for form in analyse(token))
