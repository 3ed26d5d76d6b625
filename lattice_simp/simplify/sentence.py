"""Sentences in the making: tokens that know where they come from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Token:
    """A token of a simplified sentence.

    Attributes:
        text: what is written.
        position: in the source sentence (from 0); None for an inserted word.
        copied: whether the source token is written elsewhere too (the shared entity of two clauses).
    """

    text: str
    position: int | None = None
    copied: bool = False


Sentence = tuple[Token, ...]


def words(sentence: Sentence) -> tuple[str, ...]:
    """Returns the texts of the tokens.

    >>> words((Token("It", 0), Token("rained", 1)))
    ('It', 'rained')
    """
    return tuple(token.text for token in sentence)
