"""Votes on the words in each slot of a confusion network by frequency and confidence (ROVER, Fiscus 1997)."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from lattice_simp.core.columns import probabilities_of
from lattice_simp.core.feature_names import POSTERIOR, TIME
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.confusion_network import consensus_of, slot_chain
from lattice_simp.ops.distribution import LEAST, Distribution
from lattice_simp.ops.word_alignment import Slots, align

WordConfidence: TypeAlias = Literal["mean", "maximum"]
"""Which confidence a word has in a slot, over the strings that have it there."""


def word_vote(
    lattice: Lattice, confidence_weight: float, empty_confidence: float, word_confidence: WordConfidence = "mean"
) -> Lattice:
    """Returns a confusion network whose best path has the word with the most votes in each slot.

    A word has `(1 - confidence_weight) * frequency + confidence_weight * confidence` votes, divided by the sum of the
    slot. Its frequency is the probability of the strings that have it there, its confidence the mean or the maximum
    over them. A word without known confidences has its frequency as its confidence, and so has the empty word if no
    word of the lattice has one.

    Args:
        lattice: connected, not empty, acyclic, without labels that are not words, with the feature "posterior".
        confidence_weight: from 0, which counts frequencies only, to 1.
        empty_confidence: the confidence in the empty word, from 0 to 1.
        word_confidence: `mean`, or `maximum`, however improbable its string is.

    Returns:
        An acceptor; strings are aligned as in `confusion_network`. If the lattice has confidences or times, it has the
        feature "posterior", the logs of the confidences above. With times it has the feature "time", too, and pauses
        between slots: the words of a slot have the mean times of the word with the most votes.
    """
    strings = Distribution.of(lattice)
    consensus = consensus_of(lattice, strings)
    confidences = probabilities_of(lattice.features[POSTERIOR])
    is_known = ~np.isnan(confidences) & (lattice.olabels > 0)
    values = np.column_stack((np.where(is_known, confidences, 0.0), is_known))
    slots = align(strings, consensus.pivot, consensus.spans, values)
    sums, shares = slots.spans.T
    values = slots.most * shares if word_confidence == "maximum" else sums
    confidences = np.divide(values, shares, out=slots.masses.copy(), where=shares > 0)
    if is_known.any():
        confidences[slots.words == 0] = empty_confidence
    votes = np.maximum((1.0 - confidence_weight) * slots.masses + confidence_weight * confidences, LEAST)
    votes /= np.bincount(slots.slots, weights=votes)[slots.slots]
    network = slot_chain(slots._replace(masses=votes), strings, lattice)
    if consensus.spans is None and not is_known.any():
        return network
    network = network.with_feature(POSTERIOR, np.log(np.clip(confidences, LEAST, 1.0)))
    if consensus.spans is None or not network.num_arcs:
        return network
    return _with_times(network, *_slot_times(consensus.slots, votes))


def _slot_times(slots: Slots, votes: Floats) -> tuple[Floats, Floats]:
    """Returns when each slot begins and ends, (slots,) seconds each, without overlaps.

    It is the time of the slot's word with the most votes. If the empty word has more votes, the time is cut to the
    pause between the words around it.
    """
    order = np.lexsort((-votes, slots.words == 0, slots.slots))
    best = order[np.searchsorted(slots.slots[order], np.arange(slots.slots[-1] + 1))]
    is_word = votes[best] >= np.bincount(slots.slots, weights=np.where(slots.words == 0, votes, 0.0))
    begins, ends = slots.spans[best].round(6).T
    begins[is_word] = np.maximum.accumulate(begins[is_word])
    ends[is_word] = np.clip(ends[is_word], begins[is_word], np.append(begins[is_word], np.inf)[1:])
    earliest = np.maximum.accumulate(np.where(is_word, ends, 0.0))
    latest = np.minimum.accumulate(np.where(is_word, begins, np.inf)[::-1])[::-1]
    begins = np.maximum.accumulate(np.where(is_word, begins, np.clip(begins, earliest, latest)))
    return begins, np.where(is_word, ends, np.clip(ends, begins, np.append(begins, np.inf)[1:]))


def _with_times(network: Lattice, begins: Floats, ends: Floats) -> Lattice:
    """Returns a chain of slots with their times, and with pauses between them."""
    pauses = np.append(begins[0], begins[1:] - ends[:-1])
    is_pause = pauses > 0
    states = np.arange(len(begins)) + np.cumsum(is_pause)
    count = int(is_pause.sum())
    silent, none = states[is_pause] - 1, np.zeros(count)
    chain = Lattice.from_arcs(
        np.append(states[network.sources], silent),
        np.append(network.olabels, none.astype(np.int32)),
        np.append(network.weights, none),
        np.append(states[network.sources], silent) + 1,
        np.append(np.full(len(begins) + count, np.inf), network.finals[-1:]),
        network.symbols,
        features={
            POSTERIOR: np.append(network.features[POSTERIOR], none),
            TIME: np.append((ends - begins)[network.sources], pauses[is_pause]),
        },
    )
    return replace(chain, header=network.header)
