"""Detects scripts that are written without blanks between words, and lines whose tokens are whole sentences."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice

Ranges = tuple[tuple[int, int], ...]
"""The first and last code point of each range, sorted, without overlap."""

_UNSPACED: Ranges = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),  # iteration mark, closing mark, zero
    (0x3021, 0x3029),  # numerals
    (0x3031, 0x303C),  # repeat marks, numerals
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x3105, 0x312F),  # Bopomofo
    (0x31A0, 0x31FF),  # Bopomofo, strokes, Katakana
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),  # Han
    (0xA9E0, 0xA9FF),  # Myanmar
    (0xAA60, 0xAADF),  # Myanmar, Tai Viet
    (0xF900, 0xFAFF),  # Han
    (0xFF66, 0xFF9F),  # Katakana of half width
    (0x1B000, 0x1B16F),  # Kana
    (0x20000, 0x323AF),  # Han
)
"""Blocks of the scripts; `unspaced_letters` leaves out their punctuation marks and digits."""

_LINES = 1000
"""How many lines `whole_sentences` looks at."""

_LONG_TOKEN, _SINGLE_TOKEN, _LONG_LINE = 7.0, 5.0, 30.0
"""Least mean lengths that give whole sentences away: letters of a token, letters of the only token of a line, and
characters of a line of one token in scripts with blanks."""


@cache
def unspaced_letters() -> Ranges:
    """Returns the letters of scripts that are written without blanks between words."""
    return _categories("L")


@cache
def unspaced_marks() -> Ranges:
    """Returns the combining marks of these scripts: vowels, tones, stacked consonants."""
    return _categories("M")


def is_unspaced(character: str) -> bool:
    """Returns whether a character is a letter of a script that is written without blanks between words.

    >>> [is_unspaced(character) for character in "日กé。"]
    [True, True, False, False]
    """
    return unicodedata.category(character).startswith("L") and any(
        first <= ord(character) <= last for first, last in _UNSPACED
    )


def whole_sentences(lines: Iterable[Sequence[str]]) -> bool:
    """Returns whether the tokens of lines are whole sentences or clauses, so that token counts mean nothing.

    >>> whole_sentences([["私は昨日東京へ行きました。"]]), whole_sentences([["私", "は", "昨日", "東京", "へ"]])
    (True, False)

    Args:
        lines: the tokens of each line; only the first 1000 are read.
    """
    sample = [line for line in islice(lines, _LINES) if line]
    tokens = sum(map(len, sample))
    characters = sum(len(token) for line in sample for token in line)
    if not sample or not characters:
        return False
    single = tokens <= 1.5 * len(sample)
    letters = [count for line in sample for token in line if (count := sum(map(is_unspaced, token)))]
    if sum(letters) >= 0.3 * characters:
        return sum(letters) >= (_SINGLE_TOKEN if single else _LONG_TOKEN) * len(letters)
    return single and characters >= _LONG_LINE * len(sample)


def _categories(category: str) -> Ranges:
    ranges: list[tuple[int, int]] = []
    for first, last in _UNSPACED:
        for point in range(first, last + 1):
            if not unicodedata.category(chr(point)).startswith(category):
                continue
            if ranges and ranges[-1][1] + 1 == point:
                ranges[-1] = (ranges[-1][0], point)
            else:
                ranges.append((point, point))
    return tuple(ranges)
