"""Where a text that a reader sees has words in the place of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lattice_simp.systems.simplify.simplifier import Substitution


def marked_parts(text: str, tokens: Sequence[str], substitutions: Iterable[Substitution]) -> list[dict[str, Any]]:
    """Returns the parts of a text, which together are the text, and whether each stands for other words.

    >>> marked_parts("Asked, he left.", "asked , he left .".split(), [Substitution(("required",), ("asked",), 0)])
    [{'text': 'Asked', 'changed': True}, {'text': ', he left.', 'changed': False}]

    Args:
        text: the tokens as a reader sees them; where it is more than blanks and case that differs, nothing is changed.
        tokens: of the simplification.
        substitutions: what was replaced, in the order of the tokens.
    """
    places = _places(text, tokens)
    parts: list[dict[str, Any]] = []
    shown = 0
    for own in substitutions if places else ():
        if own.start is None or not own.target:
            continue
        begin, end = places[own.start][0], places[own.start + len(own.target) - 1][1]
        parts += [{"text": text[shown:begin], "changed": False}, {"text": text[begin:end], "changed": True}]
        shown = end
    parts.append({"text": text[shown:], "changed": False})
    return [part for part in parts if part["text"]]


def _places(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Returns where each token begins and ends in the text; nothing if one is not there."""
    places: list[tuple[int, int]] = []
    end = 0
    for token in tokens:
        begin = end + len(text[end:]) - len(text[end:].lstrip())
        end = begin + len(token)
        if text[begin:end].lower() != token.lower():
            return []
        places.append((begin, end))
    return places
