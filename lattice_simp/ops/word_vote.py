"""Votes on the words in each slot of a confusion network by frequency and confidence (ROVER, Fiscus 1997)."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.columns import probabilities_of
from lattice_simp.core.feature_names import POSTERIOR
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.confusion_network import consensus_entries, consensus_slots, slot_chain
from lattice_simp.ops.distribution import LEAST, Distribution
from lattice_simp.ops.word_alignment import Pivot, align


def word_vote(lattice: Lattice, confidence_weight: float, empty_confidence: float) -> Lattice:
    """Returns a confusion network whose best path has the word with the most votes in each slot.

    A word has `(1 - confidence_weight) * frequency + confidence_weight * confidence` votes, divided by the sum of the
    slot. Its frequency is the probability of the strings that have it there, its confidence the average over them. A
    word without known confidences has its frequency as its confidence, and so has the empty word if no word of the
    lattice has one.

    Args:
        lattice: connected, not empty, acyclic, without labels that are not words; its only feature is "posterior".
        confidence_weight: from 0, which counts frequencies only, to 1.
        empty_confidence: the confidence in the empty word, from 0 to 1.

    Returns:
        An acceptor without features; strings are aligned as in `confusion_network`.
    """
    strings = Distribution.of(lattice)
    settled, _ = consensus_slots(lattice, strings)
    confidences = probabilities_of(lattice.features[POSTERIOR])
    is_known = ~np.isnan(confidences) & (lattice.olabels > 0)
    values = np.column_stack((np.where(is_known, confidences, 0.0), is_known))
    slots = align(strings, Pivot.untimed(settled.words[consensus_entries(settled)]), values)
    sums, shares = slots.spans.T
    means = np.divide(sums, shares, out=slots.masses.copy(), where=shares > 0)
    if is_known.any():
        means[slots.words == 0] = empty_confidence
    votes = np.maximum((1.0 - confidence_weight) * slots.masses + confidence_weight * means, LEAST)
    return slot_chain(
        slots._replace(masses=votes / np.bincount(slots.slots, weights=votes)[slots.slots]), strings, lattice
    )
