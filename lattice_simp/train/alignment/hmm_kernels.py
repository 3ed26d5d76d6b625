"""Link posteriors of single sentences, under IBM Model 1 and under the HMM alignment model.

A sentence has I words on the conditioning side and J on the generated side. Its cells hold t(f_j|e_i) at i * J + j, the
NULL word being e_I, and the posteriors overwrite them. Sums run in the order in which they are written here (no
fastmath, no BLAS), so the results are the same bytes on every run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.core.sorting import stable_order
from lattice_simp.rescore.jumps import jump_bucket


class Shard(NamedTuple):
    """The cells of some sentences, the lengths I and J of their two sides, and where the cells of each begin."""

    cells: Floats
    lengths: Longs
    generated_lengths: Longs
    starts: Longs


@jit
def _cells_of(shard: Shard, sentence: int) -> Floats:
    """Returns the (I + 1, J) cells of a sentence."""
    num_states, length, begin = shard.lengths[sentence] + 1, shard.generated_lengths[sentence], shard.starts[sentence]
    return shard.cells[begin : begin + num_states * length].reshape((num_states, length))


@jit
def model1_posteriors(shard: Shard) -> tuple[float, Floats]:
    """Replaces the cells by posteriors under Model 1; returns the log-likelihood, and zeros: it counts no jumps."""
    likelihood = 0.0
    for sentence in range(len(shard.lengths)):
        block = _cells_of(shard, sentence)
        num_states, length = block.shape
        totals = np.zeros(length)
        for state in range(num_states):
            for position in range(length):
                totals[position] += block[state, position]
        for position in range(length):
            likelihood += np.log(totals[position] / num_states)
            totals[position] = 1.0 / totals[position]
        for state in range(num_states):
            for position in range(length):
                block[state, position] *= totals[position]
    return likelihood, np.zeros((2, 1))


@jit
def hmm_posteriors(shard: Shard, weights: Floats, null: float, uniform: float) -> tuple[float, Floats]:
    """Replaces the cells by posteriors under the HMM; for `null` and `uniform` see `hmm.HmmSettings`.

    Returns:
        The log-likelihood, and (2, buckets) expected counts and exposures of the buckets of jumps, each with a weight;
        see `_add_jumps`.
    """
    likelihood, jumps = 0.0, np.zeros((2, len(weights)))
    lengths = shard.lengths
    longest, longest_generated = lengths.max(), shard.generated_lengths.max()
    masses = np.empty((longest_generated + 1, longest + 1))
    arrivals = np.empty((longest_generated, longest))
    order = stable_order(lengths)  # sentences of one length share their transitions
    begin = 0
    while begin < len(order):
        length = lengths[order[begin]]
        end = begin
        transitions, learned = np.empty((length + 1, length)), np.empty((length + 1, length))
        links, totals = np.zeros((length, length + 1)), np.empty(length + 1)
        _fill_transitions(weights, uniform, transitions, learned, totals)
        turned = transitions.T.copy()
        while end < len(order) and lengths[order[end]] == length:
            block = _cells_of(shard, order[end])
            scales = np.empty(block.shape[1])
            likelihood += _forward(block, null, transitions, masses, arrivals, scales)
            _backward(block, null, turned, masses, arrivals, scales, links)
            end += 1
        _add_jumps(links, transitions, learned, totals, jumps)
        begin = end
    return likelihood, jumps


@jit
def best_positions(shard: Shard) -> Ints:
    """Returns for each generated word the position with the highest posterior (the first of equals), -1 for NULL."""
    positions = np.empty(shard.generated_lengths.sum(), dtype=np.int32)
    free = 0
    for sentence in range(len(shard.lengths)):
        block = _cells_of(shard, sentence)
        num_states, length = block.shape
        for position in range(length):
            best = np.argmax(block[:, position])
            positions[free] = best if best < num_states - 1 else -1
            free += 1
    return positions


@jit
def _fill_transitions(weights: Floats, uniform: float, transitions: Floats, learned: Floats, totals: Floats) -> None:
    """Writes the transitions of the sentences of one length I.

    Args:
        weights: the weight of each width of a jump.
        uniform: the share of the transitions that is uniform.
        transitions: (I + 1, I) probabilities, from each position and, last, from the start: the weights, normalised
            in each row (Och and Ney 2003, section 2.1), and the uniform share.
        learned: (I + 1, I) shares of these that are due to the weights.
        totals: (I + 1) sums of the weights of the rows.
    """
    length = transitions.shape[1]
    maximum_jump = (len(weights) - 2) // 3
    totals[:] = 0.0
    for previous in range(length + 1):
        for position in range(length):
            totals[previous] += weights[jump_bucket(previous, position, length, maximum_jump)]
        for position in range(length):
            share = 0.0
            if totals[previous] > 0.0:
                weight = weights[jump_bucket(previous, position, length, maximum_jump)]
                share = (1.0 - uniform) * weight / totals[previous]
            even = (uniform if totals[previous] > 0.0 else 1.0) / length
            transitions[previous, position] = share + even
            learned[previous, position] = share / (share + even)


@jit
def _add_jumps(links: Floats, transitions: Floats, learned: Floats, totals: Floats, jumps: Floats) -> None:
    """Adds the sentences of one length to the counts and exposures from which jump weights are re-estimated.

    The weight w(d) of a bucket enters p(i|i') = w(i - i') / Z(i'), so setting it to its expected count is not an
    M-step. The new weight is the count over the exposure, the sum over all expected departures from i' of 1 / Z(i')
    for each i in the bucket: this never lowers the likelihood (Hunter 2004, MM algorithms for generalized Bradley-Terry
    models).

    Args:
        links: (I, I + 1) sums of forward and backward values of the transitions, without the transitions themselves.
        transitions, learned, totals: as `_fill_transitions` writes them.
        jumps: (2, weights) the counts and the exposures to add to.
    """
    length = transitions.shape[1]
    maximum_jump = (jumps.shape[1] - 2) // 3
    for previous in range(length + 1):
        departures = 0.0
        for position in range(length):
            count = links[position, previous] * transitions[previous, position] * learned[previous, position]
            jumps[0, jump_bucket(previous, position, length, maximum_jump)] += count
            departures += count
        if totals[previous] > 0.0:
            for position in range(length):
                bucket = jump_bucket(previous, position, length, maximum_jump)
                jumps[1, bucket] += departures / totals[previous]


@jit
def _forward(
    block: Floats, null: float, transitions: Floats, masses: Floats, arrivals: Floats, scales: Floats
) -> float:
    """Returns the log-likelihood of one sentence and fills the forward values.

    A state is the word that generates f_j; NULL states remember the last word before them, or the start (Och and Ney
    2003, section 2.1). The continuation depends on the remembered position r = 0..I alone (I is the start), so the
    values of the two states of r are added; the values of each step are scaled to sum to 1.

    Args:
        block: (I + 1, J) cells.
        null: the probability of a transition to NULL.
        transitions: (I + 1, I) probabilities; see `_fill_transitions`.
        masses: (at least J + 1, at least I + 1) values of remembered positions, to write.
        arrivals: (at least J, at least I) values of the words alone, to write.
        scales: (J) factors by which the values of each step sum to 1, to write.
    """
    num_states, length = block.shape
    num_words = num_states - 1
    likelihood = 0.0
    masses[0, :num_words] = 0.0
    masses[0, num_words] = 1.0
    for step in range(length):
        before, after, arrival = masses[step], masses[step + 1], arrivals[step]
        arrival[:num_words] = 0.0
        for previous in range(num_states):
            mass, row = before[previous], transitions[previous]
            for position in range(num_words):
                arrival[position] += mass * row[position]
        stay = null * block[num_words, step]
        after[num_words] = stay * before[num_words]
        total = after[num_words]
        for position in range(num_words):
            arrival[position] *= (1.0 - null) * block[position, step]
            after[position] = arrival[position] + stay * before[position]
            total += after[position]
        likelihood += np.log(total)
        scales[step] = 1.0 / total
        for position in range(num_words):
            arrival[position] *= scales[step]
        for position in range(num_states):
            after[position] *= scales[step]
    return likelihood


@jit
def _backward(
    block: Floats, null: float, turned: Floats, masses: Floats, arrivals: Floats, scales: Floats, links: Floats
) -> None:
    """Replaces the cells by posteriors and adds to `links`; `turned` has the transitions to each word as rows."""
    num_states, length = block.shape
    num_words = num_states - 1
    future, earlier = np.ones(num_states), np.empty(num_states)
    for step in range(length - 1, -1, -1):
        mass, arrival = masses[step], arrivals[step]
        stay = null * block[num_words, step] * scales[step]
        block[num_words, step] = 0.0
        for previous in range(num_states):
            earlier[previous] = stay * future[previous]
            block[num_words, step] += mass[previous] * earlier[previous]
        for position in range(num_words):
            onward = (1.0 - null) * block[position, step] * future[position] * scales[step]
            block[position, step] = arrival[position] * future[position]
            row, link = turned[position], links[position]
            for previous in range(num_states):
                earlier[previous] += onward * row[previous]
                link[previous] += onward * mass[previous]
        future, earlier = earlier, future
