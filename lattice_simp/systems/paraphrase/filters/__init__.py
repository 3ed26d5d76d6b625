"""Conditions on the sentences of an expansion; the lattice is intersected with most of them, which are acceptors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.intersect import intersect
from lattice_simp.systems.paraphrase.filters import (
    agreement,
    articles,
    doubling,
    modality,
    mood,
    neighbours,
    notation,
    polarity,
    repetition,
)
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet

Filter = Callable[[Lattice, SentenceSet], Lattice]


def _intersecting(acceptor: Callable[[SentenceSet], Lattice]) -> Filter:
    return lambda lattice, sentence_set: intersect(lattice, acceptor(sentence_set))


FILTERS: Mapping[str, Filter] = {
    "mood": _intersecting(mood.acceptor),
    "modality": _intersecting(modality.acceptor),
    "polarity": _intersecting(polarity.acceptor),
    "agreement": _intersecting(agreement.acceptor),
    "articles": _intersecting(articles.acceptor),
    "repetition": repetition.passing,
    "neighbours": neighbours.passing,
    "doubling": doubling.passing,
    "notation": _intersecting(notation.acceptor),
}
"""The filters by name; each returns the accepted sentences of a lattice, including all sentences of the set."""

__all__ = ["FILTERS", "SentenceSet"]
