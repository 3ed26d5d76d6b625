"""Jumps of alignments: counted against lists of them, fitted weights against their likelihood."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lattice_simp.rescore.jumps import (
    BUCKETS,
    LONGEST,
    MAXIMUM_JUMP,
    UNIFORM,
    JumpCounts,
    count_jumps,
    fit_weights,
    jump_bucket,
    transitions,
)


def random_sentences(rng, count, longest=14):
    """Yields (source words, target words, links) of sentences; some are empty, some have no links."""
    for _ in range(count):
        source, target = (int(rng.integers(0, longest)) for _ in range(2))
        every = [(i, j) for j in range(target) for i in range(source)]
        yield source, target, [point for point in every if rng.random() < 0.15]


def counted(sentences):
    """Returns what the kernel counts."""
    counts = JumpCounts.none()
    lengths, targets, links = zip(*sentences, strict=True)
    count_jumps(
        np.array(lengths, dtype=np.int64),
        np.cumsum([0, *targets]).astype(np.int64),
        np.cumsum([0, *map(len, links)]).astype(np.int64),
        np.array([point for link in links for point in link], dtype=np.int32).reshape(-1, 2),
        counts,
    )
    return counts


def jumps(source, target, links):
    """Yields (departure, arrival, share) from the start over the linked target words to the end of the source."""
    groups = [[i for i, j in links if j == word] for word in range(target)]
    groups = [["start"], *filter(None, groups), [source]]
    for before, after in itertools.pairwise(groups):
        for departure in before:
            for arrival in after:
                yield departure, arrival, 1.0 / len(before) / len(after)


def bucket(departure, arrival):
    """Returns the number of a jump's weight: widths from -10 to 10, then the first positions after the start."""
    if departure == "start":
        return 21 + min(arrival, 10)
    return min(max(arrival - departure, -10), 10) + 10


def test_jumps_and_departures_are_counted_in_equal_parts():
    assert (MAXIMUM_JUMP, BUCKETS) == (10, 32)
    for seed in range(20):
        sentences = list(random_sentences(np.random.default_rng(seed), 12))
        result = counted(sentences)
        buckets, departures = np.zeros(BUCKETS), np.zeros_like(result.departures)
        for source, target, links in sentences:
            for departure, arrival, share in jumps(source, target, links):
                buckets[bucket(departure, arrival)] += share
                departures[source + 1, source + 1 if departure == "start" else departure] += share
        np.testing.assert_allclose(result.buckets, buckets, err_msg=f"seed {seed}")
        np.testing.assert_allclose(result.departures, departures, err_msg=f"seed {seed}")
        linked = sum(len({j for _, j in links}) for _, _, links in sentences)
        assert result.linked[0] == linked, f"seed {seed}"
        assert result.unlinked[0] == sum(target for _, target, _ in sentences) - linked, f"seed {seed}"


@pytest.mark.parametrize(("words", "counts"), [(LONGEST - 1, True), (LONGEST, False)])
def test_only_links_of_very_long_sentences_count(words, counts):
    result = counted([(words, 3, [(words - 1, 0), (0, 2)])])
    assert (result.linked[0], result.unlinked[0]) == (2.0, 1.0)
    assert result.buckets.sum() == result.departures.sum() == (3.0 if counts else 0.0)


def test_the_share_of_words_from_nothing_is_never_0_or_1():
    assert JumpCounts.none().null() == 0.5
    assert JumpCounts(*JumpCounts.none()[:2], np.array([7.0]), np.array([1.0])).null() == 0.2


def log_likelihood(weights, counts):
    """Returns the log of the probability of all jumps that were counted, the even part left out."""
    total = float((counts.buckets * np.log(np.maximum(weights, 1e-300))).sum())
    for positions, previous in zip(*counts.departures.nonzero(), strict=True):
        reached = [weights[jump_bucket(previous, position, positions, MAXIMUM_JUMP)] for position in range(positions)]
        total -= counts.departures[positions, previous] * np.log(sum(reached))
    return total


def test_fitted_weights_have_the_highest_likelihood():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        counts = counted(list(random_sentences(rng, 60, longest=9)))
        weights = fit_weights(counts.buckets, counts.departures)
        assert weights.sum() == pytest.approx(1.0)
        assert (weights[counts.buckets == 0] == 0).all(), f"seed {seed}"
        best = log_likelihood(weights, counts)
        for _ in range(40):
            other = weights * np.exp(rng.normal(0.0, 0.3, len(weights)))
            assert log_likelihood(other, counts) < best, f"seed {seed}"


def test_transitions_sum_to_one_and_none_is_impossible():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        weights = rng.random(BUCKETS) * (rng.random(BUCKETS) < 0.4)
        for positions in (1, 2, 5, 30):
            table = transitions(weights, positions)
            assert table.shape == (positions + 1, positions)
            np.testing.assert_allclose(table.sum(axis=1), 1.0)
            for previous in range(positions + 1):
                row = [
                    weights[bucket("start" if previous == positions else previous, index)] for index in range(positions)
                ]
                share = np.array(row) / sum(row) if sum(row) else np.full(positions, 1.0 / positions)
                np.testing.assert_allclose(table[previous], (1 - UNIFORM) * share + UNIFORM / positions)
