"""Counts events that are packed into 64-bit numbers, and discounts the counts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import numpy as np

from lattice_simp.core.kernel import Floats, Longs

MERGE_AFTER = 20_000_000
"""How many events are collected before they are counted: 160 megabytes."""

FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)
"""KenLM's discounts, used if the counts of counts do not determine any."""


def count_events(chunks: Iterable[Longs]) -> tuple[Longs, Longs]:
    """Returns the distinct events of a corpus, sorted, with their counts.

    >>> [column.tolist() for column in count_events([np.array([5, 3]), np.array([5])])]
    [[3, 5], [1, 2]]
    """
    events = counts = np.zeros(0, dtype=np.int64)
    waiting: list[Longs] = []
    for chunk in chain(chunks, [None]):
        if chunk is not None:
            waiting.append(chunk)
        if chunk is None or sum(map(len, waiting)) > MERGE_AFTER:
            waiting_events, times = np.unique(np.concatenate([events[:0], *waiting]), return_counts=True)
            events, counts = summed(np.concatenate([events, waiting_events]), np.concatenate([counts, times]))
            waiting = []
    return events, counts


def summed(events: Longs, counts: Longs) -> tuple[Longs, Longs]:
    """Returns the distinct events, sorted, with the sums of their counts."""
    order = np.argsort(events, kind="stable")
    events, counts = events[order], counts[order]
    begins = np.flatnonzero(np.concatenate([np.ones(min(1, len(events)), dtype=bool), events[1:] != events[:-1]]))
    return events[begins], np.add.reduceat(counts, begins) if len(begins) else counts


def discounts(counts: Longs) -> Floats:
    """Returns the discounts of counts of 1, 2, and 3 or more: Chen and Goodman 1998, section 3, equation 26.

    >>> discounts(np.array([1, 1, 1, 1, 2, 2, 3, 4])).round(3).tolist()
    [0.5, 1.25, 1.0]
    """
    ones, twos, threes, fours = (int((counts == number).sum()) for number in (1, 2, 3, 4))
    if min(ones, twos, threes, fours) == 0:
        return np.array(FALLBACK_DISCOUNTS)
    share = ones / (ones + 2 * twos)
    estimates = np.array([1 - 2 * share * twos / ones, 2 - 3 * share * threes / twos, 3 - 4 * share * fours / threes])
    fits = (estimates > 0).all() and (estimates <= [1, 2, 3]).all()
    return estimates if fits else np.array(FALLBACK_DISCOUNTS)


def discounted(counts: Longs) -> Floats:
    """Subtracts the discounts from the counts."""
    return counts - discounts(counts)[np.minimum(counts, 3) - 1]
