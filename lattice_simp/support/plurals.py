"""Counts with their nouns."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Returns a count and its noun, in the singular for 1.

    >>> counted(1, "sentence"), counted(0, "sentence"), counted(2000, "hypothesis", "hypotheses")
    ('1 sentence', '0 sentences', '2,000 hypotheses')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
