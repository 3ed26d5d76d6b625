"""The jumps of alignments over the source: weights of jump widths, fitted to links (Vogel, Ney and Tillmann 1996).

A sentence of n positions (its words, and the end) has the transitions p(i | r) = w(bucket(i - r)) / Z(r), from each
position r and, as position n, from the start.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs, jit

MAXIMUM_JUMP = 10
"""Wider jumps share one weight for each direction."""

BUCKETS = 3 * MAXIMUM_JUMP + 2

LONGEST = 128
"""Sentences of more positions are not counted: they are few, and their statistics would be large."""

UNIFORM = 0.1
"""The share of each transition that is uniform, so that no jump is impossible."""

ROUNDS = 30
"""Rounds of fitting; the weights change by less than a thousandth after them."""


class JumpCounts(NamedTuple):
    """The statistics to which weights are fitted; these arrays change.

    Attributes:
        buckets: (BUCKETS,) expected jumps by bucket.
        departures: (LONGEST + 1, LONGEST + 1) expected jumps by number of positions and position of departure.
        linked, unlinked: (1,) target words with and without a link.
    """

    buckets: Floats
    departures: Floats
    linked: Floats
    unlinked: Floats

    @classmethod
    def none(cls) -> JumpCounts:
        """Returns counts of 0."""
        return cls(np.zeros(BUCKETS), np.zeros((LONGEST + 1, LONGEST + 1)), np.zeros(1), np.zeros(1))

    def null(self) -> float:
        """Returns the probability that a word comes from NULL, kept inside (0, 1) by one word of each kind."""
        return float((self.unlinked[0] + 1) / (self.linked[0] + self.unlinked[0] + 2))


@jit
def jump_bucket(previous: int, position: int, positions: int, maximum: int) -> int:
    """Returns the bucket of the jump from `previous` to `position`; `previous` = `positions` is the start.

    Jumps of -maximum..maximum have the first 2 * maximum + 1 buckets, the first positions from the start the next
    maximum + 1; wider ones share the outermost buckets.
    """
    if previous == positions:
        return 2 * maximum + 1 + min(position, maximum)
    return min(max(position - previous, -maximum), maximum) + maximum


@jit
def transitions(weights: Floats, positions: int) -> Floats:
    """Returns the (positions + 1, positions) transition probabilities; the last row is the start's."""
    table = np.empty((positions + 1, positions))
    for previous in range(positions + 1):
        total = 0.0
        for position in range(positions):
            table[previous, position] = weights[jump_bucket(previous, position, positions, MAXIMUM_JUMP)]
            total += table[previous, position]
        for position in range(positions):
            share = table[previous, position] / total if total > 0.0 else 1.0 / positions
            table[previous, position] = (1.0 - UNIFORM) * share + UNIFORM / positions
    return table


@jit
def count_jumps(
    source_lengths: Longs, target_offsets: Longs, link_offsets: Longs, links: Ints, counts: JumpCounts
) -> None:
    """Adds the jumps of linked sentences: between all links of two neighbouring linked words, in equal parts.

    The end of the target is linked with that of the source.

    Args:
        source_lengths: (sentences,) the numbers of source words.
        target_offsets: (sentences + 1,) where the target words of each sentence begin.
        link_offsets: (sentences + 1,) where the links of each sentence begin.
        links: (links, 2) source and target positions, sorted by target position within each sentence.
        counts: the statistics to add to.
    """
    buckets, departures, linked, unlinked = counts
    for sentence in range(len(source_lengths)):
        positions = source_lengths[sentence] + 1
        begin, end = link_offsets[sentence], link_offsets[sentence + 1]
        words = target_offsets[sentence + 1] - target_offsets[sentence]
        previous_begin, previous_end = -1, -1  # the links of the last linked word; the start at first
        position, count = begin, 0
        while position <= end:
            word_begin = position
            if position == end:
                position += 1
            else:
                while position < end and links[position, 1] == links[word_begin, 1]:
                    position += 1
                count += 1
            if positions > LONGEST:
                continue
            num_links = position - word_begin
            previous_size = previous_end - previous_begin if previous_begin >= 0 else 1
            share = 1.0 / (num_links * previous_size)
            for before in range(previous_size):
                departure = positions if previous_begin < 0 else links[previous_begin + before, 0]
                departures[positions, departure] += 1.0 / previous_size
                for index in range(num_links):
                    arrival = positions - 1 if word_begin == end else links[word_begin + index, 0]
                    buckets[jump_bucket(departure, arrival, positions, MAXIMUM_JUMP)] += share
            previous_begin, previous_end = word_begin, position
        linked[0] += count
        unlinked[0] += words - count


@jit
def fit_weights(buckets: Floats, departures: Floats) -> Floats:
    """Returns the weights of highest likelihood: the MM algorithm for ratios w / Z (Hunter 2004).

    The new weight of a bucket is its count over the sum of departures / Z, once for each position in the bucket.
    """
    weights = np.ones(len(buckets)) / len(buckets)
    for _ in range(ROUNDS):
        exposure = np.zeros(len(buckets))
        for positions in range(1, departures.shape[0]):
            for previous in range(min(positions + 1, departures.shape[1])):
                if departures[positions, previous] == 0.0:
                    continue
                total = 0.0
                for position in range(positions):
                    total += weights[jump_bucket(previous, position, positions, MAXIMUM_JUMP)]
                if total <= 0.0:
                    continue
                rate = departures[positions, previous] / total
                for position in range(positions):
                    exposure[jump_bucket(previous, position, positions, MAXIMUM_JUMP)] += rate
        for bucket in range(len(buckets)):
            weights[bucket] = buckets[bucket] / exposure[bucket] if exposure[bucket] > 0.0 else 0.0
        weights /= max(weights.sum(), 1e-300)
    return weights
