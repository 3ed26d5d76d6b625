"""Confusion networks: a lattice as a sequence of slots, each with alternative words or no word.

Each string of the lattice is aligned with one string, the pivot, by word edit distance (`word_alignment`). A slot
holds the words that the strings have at a word of the pivot, or insert between two of its words. The most probable
words of the slots are the next pivot, which has fewer expected word errors. Alignment repeats until the pivot stays
the same: it is the consensus (Mangu, Brill and Stolcke 2000; aligned with a string by Xu, Povey, Mangu and Zhu 2011).
The first pivot is the most probable string. Its errors may stay in the consensus, so alignment begins a second time
with another string (`progressive_alignment`), and the consensus with fewer expected errors counts. The network depends
only on the strings and their probabilities, so equivalent lattices have the same network.

If the lattice has times, they decide how well two words fit one slot.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.feature_names import TIME
from lattice_simp.core.features import Features
from lattice_simp.core.header import Header
from lattice_simp.core.kernel import Floats, Longs, jit
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.ops.distribution import LEAST, Distribution, first_of_ties, greedy, most_probable, probable_strings
from lattice_simp.ops.progressive_alignment import MOST_STRINGS, PROBABLE, longest_first, progressive_consensus
from lattice_simp.ops.prune import prune
from lattice_simp.ops.word_alignment import Pivot, Slots, align

ROUNDS = 20
"""The most pivots; two or three are usual."""

DRAW = 1e-9
"""The first pivot wins unless another one has fewer expected errors by more than this."""


def confusion_network(
    lattice: Lattice, scale: float = 1.0, *, max_arcs: int | None = None, ignore: Collection[str] = MARKS
) -> Lattice:
    """Returns the confusion network as a chain of states; each arc has a word (or epsilon) and its cost in the slot.

    >>> network = confusion_network(Lattice.from_strings([("a b c", 0.0), ("a c", 0.1), ("d b e", 1.0)]))
    >>> for slot in range(network.num_states - 1):
    ...     arcs = range(*network.offsets[slot : slot + 2])
    ...     print({network.symbols[network.olabels[arc]]: f"{np.exp(-network.weights[arc]):.2f}" for arc in arcs})
    {'a': '0.84', 'd': '0.16'}
    {'b': '0.60', '<epsilon>': '0.40'}
    {'c': '0.84', 'e': '0.16'}

    The probabilities of a slot sum to 1; its most probable word comes first. Every string of the lattice is a path; of
    long lattices, strings with a probability below 1e-15 may be missing. The shortest path is the consensus: no other
    choice of words from the slots has fewer expected word errors, nor has the most probable string. Equivalent lattices
    have the same network, except for the missing strings.

    Args:
        lattice: acyclic; a path with cost c has the probability exp(-scale * c) / Z. With a feature "time" (the seconds
            of each arc, as in SLF files), words whose times overlap little are kept apart.
        scale: above 0; larger values favour the best paths.
        max_arcs: larger lattices are pruned to this many arcs first; the result then depends on their form.
        ignore: labels that are not words, as in `nbest`; the network excludes them.

    Returns:
        An acceptor with sorted states. Its only feature is "time", if the lattice has it. The network has no slots if
        the lattice has only the empty string, and accepts nothing if the lattice accepts nothing.

    Raises:
        LatticeSimpError: the scale is not a number above 0, or `max_arcs` below 1.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("confusion_network", lattice)
    lattice = (lattice.connected() if max_arcs is None else prune(lattice, max_arcs=max_arcs)).without_words(ignore)
    strings = Distribution.of(lattice, scale)
    if lattice.empty:
        return replace(lattice.project_output(), features=Features.empty(0, lattice.num_states))
    return consensus_of(lattice, strings).network(strings, lattice)


class Consensus(NamedTuple):
    """The alignment of the strings of a lattice with their consensus.

    Attributes:
        slots: the slots.
        pivot: the string that was aligned: the consensus, but for lattices that take too many rounds.
        spans: (arcs, 2) float64 seconds, when each arc begins and ends; None without times.
        end: when the lattice ends, in seconds; 0 without times.
    """

    slots: Slots
    pivot: Pivot
    spans: Floats | None = None
    end: float = 0.0

    @property
    def errors(self) -> float:
        """The expected number of word errors of the consensus."""
        best = np.zeros(int(self.slots.slots.max(initial=-1)) + 1)
        np.maximum.at(best, self.slots.slots, self.slots.masses)
        return float((1.0 - best).sum())

    def network(self, strings: Distribution, lattice: Lattice) -> Lattice:
        """Returns the slots as a lattice, with their times if there are some."""
        network = slot_chain(self.slots, strings, lattice)
        if self.spans is None:
            return network
        return network.with_feature(TIME, _durations(self.slots, self.end)[network.sources])


def consensus_of(lattice: Lattice, strings: Distribution) -> Consensus:
    """Returns the consensus of a lattice; times of words decide on the alignment, too.

    Args:
        lattice: has a path, and no labels that are not words.
        strings: the distribution of its strings.
    """
    spans, end = None, 0.0
    if TIME in lattice.features:
        seconds = _expected_times(strings.arcs, lattice.features[TIME])
        spans, end = seconds[np.stack((lattice.sources, lattice.nextstates), axis=1)], float(seconds[-1])
    probable = probable_strings(strings, PROBABLE, MOST_STRINGS)
    if probable is None:
        first = most_probable(strings)
        pivot = Pivot.untimed(greedy(strings) if first is None else first)
        return Consensus(*_settled(strings, pivot, spans), spans, end)
    pivot = Pivot.untimed(np.array(first_of_ties(probable), dtype=np.int32))
    consensus = Consensus(*_settled(strings, pivot, spans), spans, end)
    probable.sort(key=lambda pair: longest_first(pair[0]))
    is_aligned, words = progressive_consensus(
        np.array([word for string, _ in probable for word in string], dtype=np.int32),
        prefix_sums([len(string) for string, _ in probable]),
        np.array([mass for _, mass in probable]),
        np.arange(len(probable), dtype=np.int64),
        len(strings.words) + 1,
    )
    if not is_aligned or np.array_equal(words, consensus.pivot.words):
        return consensus
    other = Consensus(*_settled(strings, Pivot.untimed(words), spans), spans, end)
    return other if other.errors < consensus.errors - DRAW else consensus


def consensus_entries(slots: Slots) -> Longs:
    """Returns the numbers of the entries of the consensus: the most probable entry of each slot if it is a word."""
    first = np.flatnonzero(np.diff(slots.slots, prepend=-1))
    return first[slots.words[first] > 0]


def _settled(strings: Distribution, pivot: Pivot, times: Floats | None) -> tuple[Slots, Pivot]:
    """Returns the slots of the final pivot, and the pivot."""
    slots = align(strings, pivot, times)
    for _ in range(ROUNDS):
        best = consensus_entries(slots)
        following = Pivot.untimed(slots.words[best])
        if times is not None:
            following = Pivot(following.words, np.rint(1000.0 * slots.spans[best]).astype(np.int64))
        if len(following.spans) == len(pivot.spans) and np.array_equal(following.words, pivot.words):
            break
        pivot = following
        slots = align(strings, pivot, times)
    return slots, pivot


def slot_chain(slots: Slots, strings: Distribution, lattice: Lattice) -> Lattice:
    """Returns the chain of states with the words of the slots, in the table of the lattice of the strings.

    It keeps the name and the start time of the lattice, whose other metadata are about its scores.
    """
    count = int(slots.slots.max(initial=-1)) + 1
    chain = Lattice.from_arcs(
        slots.slots,
        strings.labels[slots.words],
        0.0 - np.log(np.maximum(slots.masses, LEAST)),
        slots.slots + 1,
        np.append(np.full(count, np.inf), 0.0),
        lattice.symbols,
    )
    return replace(chain, header=Header(lattice.header.name, start=lattice.header.start))


def _durations(slots: Slots, total: float) -> Floats:
    """Returns the seconds of each slot; a slot begins at the mean time of its words."""
    masses = np.where(slots.words > 0, slots.masses, 0.0)
    begins = np.bincount(slots.slots, weights=masses * slots.spans[:, 0]) / np.bincount(slots.slots, weights=masses)
    begins[:1] = 0.0
    return np.diff(np.maximum.accumulate(np.append(begins, total)))


@jit
def _expected_times(arcs: Arcs, seconds: Floats) -> Floats:
    """Returns the expected time of the paths to each state and, last, of complete paths, (states + 1,)."""
    totals, visits, end = np.zeros(len(arcs.finals) + 1), np.zeros(len(arcs.finals)), len(arcs.finals)
    visits[0] = 1.0
    for state in range(end):
        totals[state] /= visits[state]
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            share = max(visits[state] * arcs.weights[arc], LEAST)
            totals[arcs.nextstates[arc]] += share * (totals[state] + seconds[arc])
            visits[arcs.nextstates[arc]] += share
        totals[end] += visits[state] * arcs.finals[state] * totals[state]
    return totals
