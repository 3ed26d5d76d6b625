"""Conditions on the sentences of an expansion, each an acceptor that the lattice is intersected with; one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lattice_simp.core.lattice import Lattice
from lattice_simp.systems.paraphrase.filters import agreement, articles, modality, mood, polarity, repetition
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet

FILTERS: Mapping[str, Callable[[SentenceSet], Lattice]] = {
    "mood": mood.acceptor,
    "modality": modality.acceptor,
    "polarity": polarity.acceptor,
    "agreement": agreement.acceptor,
    "articles": articles.acceptor,
    "repetition": repetition.acceptor,
}
"""The filters by name; each makes an acceptor for a set of sentences, which all sentences of the set pass."""

__all__ = ["FILTERS", "SentenceSet"]
