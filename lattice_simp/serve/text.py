"""Cleans text from browsers: limits its length and removes control characters."""

from __future__ import annotations

import re

from lattice_simp.errors import LatticeSimpError

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Control characters, line ends, and code points that text cannot contain."""


def one_line(text: str, characters: int) -> str:
    r"""Returns text on one line, with spaces for control characters; raises LatticeSimpError if it is too long.

    >>> one_line("two\r\nlines\x00 ", 100)
    'two lines'
    """
    if len(text) > characters:
        raise LatticeSimpError(f"the text has {len(text):,} characters; use at most {characters:,}")
    return " ".join(_CONTROL.sub(" ", text).split())


def lines_of(text: str, characters: int) -> tuple[str, ...]:
    r"""Returns the non-empty lines of a text, each cleaned by `one_line`; the whole text must not be too long.

    >>> lines_of("two\r\n\nlines\x00 ", 100)
    ('two', 'lines')
    """
    one_line(text, characters)
    return tuple(clean for line in text.splitlines() if (clean := one_line(line, characters)))
