"""Marks the substituted words in a readable text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lattice_simp.systems.simplify.simplification import Substitution


def marked_parts(text: str, tokens: Sequence[str], substitutions: Iterable[Substitution]) -> list[dict[str, Any]]:
    """Splits a text into parts and marks those that are substitutions.

    >>> marked_parts("Asked, he left.", "asked , he left .".split(), [Substitution(("required",), ("asked",), 0)])
    [{'text': 'Asked', 'changed': True}, {'text': ', he left.', 'changed': False}]

    Args:
        text: the detokenised text; if it differs from the tokens in more than spaces and case, nothing is marked.
        tokens: the tokens of the simplification.
        substitutions: the substitutions, in the order of the tokens.
    """
    places = _places(text, tokens)
    parts: list[dict[str, Any]] = []
    shown = 0
    for substitution in substitutions if places else ():
        if substitution.start is None or not substitution.target:
            continue
        begin, end = places[substitution.start][0], places[substitution.start + len(substitution.target) - 1][1]
        parts += [{"text": text[shown:begin], "changed": False}, {"text": text[begin:end], "changed": True}]
        shown = end
    parts.append({"text": text[shown:], "changed": False})
    return [part for part in parts if part["text"]]


def _places(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Returns the span of each token in the text; empty if one is missing."""
    places: list[tuple[int, int]] = []
    end = 0
    for token in tokens:
        begin = end + len(text[end:]) - len(text[end:].lstrip())
        end = begin + len(token)
        if text[begin:end].lower() != token.lower():
            return []
        places.append((begin, end))
    return places
