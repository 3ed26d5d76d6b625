"""Text from a browser: bounded, without control characters."""

from __future__ import annotations

import re

from lattice_simp.errors import LatticeSimpError

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Control characters, line ends, and what no text can hold."""


def one_line(text: str, characters: int) -> str:
    r"""Returns text on one line; control characters are blanks, as line ends are.

    >>> one_line("two\r\nlines\x00 ", 100)
    'two lines'

    Raises:
        LatticeSimpError: it is too long.
    """
    if len(text) > characters:
        raise LatticeSimpError(f"the text has {len(text):,} characters; at most {characters:,} are taken")
    return " ".join(_CONTROL.sub(" ", text).split())


def lines_of(text: str, characters: int) -> tuple[str, ...]:
    r"""Returns the lines of a text that hold anything, each as `one_line` makes it.

    >>> lines_of("two\r\n\nlines\x00 ", 100)
    ('two', 'lines')

    Raises:
        LatticeSimpError: the text is too long.
    """
    one_line(text, characters)
    return tuple(own for line in text.splitlines() if (own := one_line(line, characters)))
