"""The text on the arcs and states of a drawing, and its width."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from lattice_simp.core.symbols import EPSILON_SYMBOL

if TYPE_CHECKING:
    from lattice_simp.core.lattice import Lattice

_NARROW = frozenset("ijlftrI.,:;'`|!()[]{}/\\ ")
_WIDE = frozenset("mwMW@%")


def arc_words(lattice: Lattice, arc: int) -> str:
    """Returns the label of an arc: `word`, or `in:out` in a transducer; epsilon is written ε.

    >>> from lattice_simp import Lattice
    >>> arc_words(Lattice.from_strings([("hello", 0.5)]), 0)
    'hello'
    """
    output = _readable(lattice.symbols[int(lattice.olabels[arc])])
    if lattice.is_acceptor:
        return output
    table = lattice.isymbols or lattice.symbols
    return f"{_readable(table[int(lattice.ilabels[arc])])}:{output}"


def cost_text(cost: float) -> str:
    """Formats a cost (nats) with two decimals; a cost of zero is an empty string.

    >>> cost_text(1.5), cost_text(0.0), cost_text(-0.001)
    ('1.50', '', '0.00')
    """
    return f"{cost:z.2f}" if cost else ""


def text_width(text: str, size: float) -> float:
    """Estimates the width (px) of sans-serif text in the font size `size` (px), erring on the wide side.

    >>> text_width("Haus", 10) < text_width("Häuser", 10) < text_width("MMMMMM", 10)
    True
    """
    return size * sum(_em(character) for character in unicodedata.normalize("NFC", text))


def _em(character: str) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in _NARROW:
        return 0.4
    if character in _WIDE:
        return 0.98
    return 0.72 if character.isupper() else 0.62


def _readable(symbol: str) -> str:
    return "ε" if symbol == EPSILON_SYMBOL else symbol
