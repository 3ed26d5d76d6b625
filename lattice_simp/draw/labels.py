"""The text on the arcs and states of a drawing, and its width."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from lattice_simp.core.arguments import choice, instance, whole
from lattice_simp.core.symbols import EPSILON_SYMBOL

if TYPE_CHECKING:
    from lattice_simp.core.lattice import Lattice

Numbers: TypeAlias = Literal["costs", "probabilities"]
"""The numbers beside the words of a drawing."""

EPSILON = "ε"

_ROUNDED = 0.01
"""How far from 1 the rounded probabilities of a slot may sum to."""

_LEAST = 0.005
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


def numbers_of(lattice: Lattice, numbers: Numbers | None) -> Numbers:
    """Returns the numbers to write beside words; None selects probabilities for confusion networks, else costs."""
    if numbers is None:
        return "probabilities" if is_network(lattice) else "costs"
    choice(numbers, get_args(Numbers), "numbers")
    return numbers


def is_network(lattice: Lattice) -> bool:
    """Returns whether a lattice is a chain of slots whose probabilities sum to 1, with a choice in one of them.

    >>> from lattice_simp import Lattice, confusion_network
    >>> lattice = Lattice.from_strings([("a b", 0.0), ("a c", 1.0)])
    >>> is_network(lattice), is_network(confusion_network(lattice))
    (False, True)
    """
    slots = lattice.num_states - 1
    if not 0 < slots < lattice.num_arcs or not lattice.is_acceptor:
        return False
    is_chain = (lattice.nextstates == lattice.sources + 1).all() and not np.isfinite(lattice.finals[:-1]).any()
    if not is_chain or lattice.finals[-1]:
        return False
    with np.errstate(over="ignore"):
        sums = np.bincount(lattice.sources, np.exp(-lattice.weights), slots)
    return bool((np.abs(sums - 1.0) <= _ROUNDED).all())


def number_text(numbers: Numbers) -> Callable[[float], str]:
    """Returns the function that formats a cost."""
    return cost_text if numbers == "costs" else probability_text


def probability_text(cost: float) -> str:
    """Formats the probability of a cost (nats) with two decimals; very small ones as a bound.

    >>> probability_text(0.478), probability_text(0.0), probability_text(9.2)
    ('0.62', '1.00', '<0.01')
    """
    probability = math.exp(min(-cost, 700.0))
    return f"{probability:.2f}" if probability >= _LEAST else "<0.01"


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
    return EPSILON if symbol == EPSILON_SYMBOL else symbol


def highlighted(arcs: Iterable[int] | None) -> frozenset[int]:
    """Returns the numbers of the arcs to highlight; none if None.

    Raises:
        TypeError: the argument is not a list of numbers.
    """
    if arcs is None:
        return frozenset()
    if not np.iterable(arcs):
        raise TypeError(f"highlight takes numbers of arcs, not {arcs!r:.80}; those of a path are path.arcs")
    return frozenset(whole(arc, "the number of an arc to highlight") for arc in arcs)


def title_text(title: str | None) -> str:
    """Returns a title, empty if None; raises a TypeError unless it is a string."""
    if title is not None:
        instance(title, str, "the title")
    return title or ""
