"""Counts with their nouns, numbers that may be missing, and lists of words."""

from __future__ import annotations

from collections.abc import Iterable


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Returns a count and its noun, in the singular for 1.

    >>> counted(1, "sentence"), counted(0, "sentence"), counted(2000, "hypothesis", "hypotheses")
    ('1 sentence', '0 sentences', '2,000 hypotheses')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def number_or_dash(value: float | None) -> str:
    """Returns a number with three decimals, or a dash if there is none.

    >>> number_or_dash(0.5), number_or_dash(None)
    ('0.500', '-')
    """
    return "-" if value is None else f"{value:.3f}"


def in_words(items: Iterable[str]) -> str:
    """Joins items by commas and a last "and".

    >>> in_words(["names"]), in_words(["names", "times"]), in_words(["names", "times", "costs"])
    ('names', 'names and times', 'names, times and costs')
    """
    *firsts, last = items
    return f"{', '.join(firsts)} and {last}" if firsts else last
