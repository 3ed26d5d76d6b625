"""Names of people: annotators and raters."""

from __future__ import annotations

import unicodedata

from lattice_simp.errors import LatticeSimpError

LONGEST_NAME = 100
"""The most characters of a name."""

_JOINERS = dict.fromkeys([0x200C, 0x200D])
"""Invisible characters in names of some scripts."""


def person_name(name: str) -> str:
    r"""Returns a name in its stored form, with composed characters and single spaces.

    >>> person_name(" Ada  Lovelace\n")
    'Ada Lovelace'

    Raises:
        LatticeSimpError: the name is empty, too long, or has invisible characters.
    """
    clean = " ".join(unicodedata.normalize("NFC", name).split())
    if not clean:
        raise LatticeSimpError("the name is empty; enter a name")
    if len(clean) > LONGEST_NAME:
        raise LatticeSimpError(f"the name has {len(clean)} characters; use at most {LONGEST_NAME}")
    if not clean.translate(_JOINERS).isprintable():
        raise LatticeSimpError("the name has invisible characters; type it again")
    return clean
