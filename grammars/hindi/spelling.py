"""Normalises letters with several encodings in Unicode, and variants of punctuation marks."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
"""Joiners, soft hyphens and byte order marks, which do not distinguish words."""

_WITH_DOT = {unicodedata.normalize("NFD", letter): letter for letter in map(chr, range(0x0958, 0x0960))}
"""Letters with a dot below as two characters, and as one, which is more frequent in the treebank."""

_TWO_CHARACTERS = re.compile("|".join(_WITH_DOT))

_MARKS = str.maketrans(
    {"|": "।", "…": "...", "\u00a0": " "}
    | dict.fromkeys("‘’‚`´", "'")
    | dict.fromkeys("“”„«»", '"')
    | dict.fromkeys("‐‑–—―−", "-")
)
"""Marks of typesetting, and of keyboards without a danda, with the treebank's marks."""


def composed(text: str) -> str:
    """Composes each letter into one character, and removes joiners.

    >>> len("ड\u093c"), len(composed("ड\u093c"))
    (2, 1)
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    return _TWO_CHARACTERS.sub(lambda match: _WITH_DOT[match[0]], plain)


def tidied(text: str) -> str:
    """Converts a text to the treebank's letters and marks.

    >>> tidied("‘स्\u200dथान’ – …|"), tidied("ज\u093c") == "\u095b"
    ("'स्थान' - ...।", True)
    """
    return composed(text).translate(_MARKS)


@lru_cache(maxsize=1 << 16)
def folded(form: str) -> str:
    """Returns a token's form for comparison, which is the same for all encodings of a letter and all scripts of digits.

    >>> folded("१२वें"), folded("Delhi"), folded("पढ\u093c") == folded("पढ़")
    ('12वें', 'delhi', True)
    """
    form = _INVISIBLE.sub("", unicodedata.normalize("NFC", form)).lower()
    if form.isalpha():
        return form
    return "".join(str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in form)
