"""Consecutive blocks of an array, delimited by offsets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Ints, Longs


def prefix_sums(counts: npt.ArrayLike) -> Longs:
    """Returns the sum of the counts before each place, and of all, (n + 1,) int64: the offsets of blocks of these
    lengths.

    >>> prefix_sums([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def block_numbers(offsets: Ints | Longs) -> Longs:
    """Returns the block of each index, int64.

    >>> block_numbers(np.array([0, 2, 2, 5])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def places_in_blocks(offsets: Ints | Longs) -> Longs:
    """Returns the place of each index in its block, from 0, int64.

    >>> places_in_blocks(np.array([0, 2, 2, 5])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))


def chosen_blocks(offsets: Ints | Longs, chosen: Ints | Longs) -> tuple[Longs, Longs]:
    """Returns the indices of chosen blocks, one block after another, and the offsets of the blocks among them.

    Args:
        offsets: (blocks + 1,) integers; block n has the indices from `offsets[n]` to `offsets[n + 1]`.
        chosen: (chosen,) integers, numbers of blocks, in any order.

    Returns:
        The indices, int64, and their offsets, (chosen + 1,) int64.

    >>> indices, begins = chosen_blocks(np.array([0, 2, 2, 5]), np.array([2, 1, 0]))
    >>> indices.tolist(), begins.tolist()
    ([2, 3, 4, 0, 1], [0, 3, 3, 5])
    """
    lengths = np.diff(offsets)[chosen]
    begins = prefix_sums(lengths)
    return np.arange(begins[-1]) + np.repeat(offsets[chosen] - begins[:-1], lengths), begins
