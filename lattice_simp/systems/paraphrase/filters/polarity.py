"""Requires as many negations as in some sentence of the set, so that none is lost or doubled."""

from __future__ import annotations

from lattice_simp.core.lattice import Lattice
from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.systems.paraphrase.filters.acceptors import SentenceSet, counting


def acceptor(sentence_set: SentenceSet) -> Lattice:
    """Returns an acceptor that counts the words of `negations.tsv`."""
    negations = [word for word in sentence_set.words if word.lower() in word_set("negations")]
    observed = {sum(word in negations for word in sentence) for sentence in sentence_set.sentences}
    most = max(observed, default=0)
    return counting(sentence_set, negations, most, observed)
