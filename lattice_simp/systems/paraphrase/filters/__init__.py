"""Conditions on the sentences of an expansion, as acceptors that the lattice is intersected with."""

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
"""The filters by name; each returns an acceptor for a set of sentences, which accepts all sentences of the set."""

__all__ = ["FILTERS", "SentenceSet"]
