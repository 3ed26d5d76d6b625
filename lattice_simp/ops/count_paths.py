"""How many paths a lattice has, exactly: the shortest distance in the counting semiring."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.kernel import Ints, jit
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.shortest_distance import shortest_distance
from lattice_simp.errors import LatticeSimpError

_LIMB = 32
"""Bits of a digit: the sum of up to 2^32 digits, one for each arc of a state, fits into 64 bits."""

MAX_TABLE_BYTES = 1 << 30
"""The most memory for the digits of all states whose counts are needed at the same time."""


def count_paths(lattice: Lattice) -> int:
    """Returns the exact number of paths, however large.

    >>> count_paths(Lattice.from_strings([("a b", 1.0), ("a c", 2.0)]))
    2

    Of a deterministic lattice without epsilons (see `determinize`) it is the number of strings.

    Raises:
        CyclicLatticeError: the lattice has a cycle, hence infinitely many.
        LatticeSimpError: the number is so large that it takes more than a gigabyte to compute.
    """
    require_lattice("count_paths", lattice)
    lattice = lattice.connected()
    if not lattice.num_states:
        return 0
    digits = int(log_count(lattice) / np.log(2.0)) // _LIMB + 2  # one more, to be safe from rounding
    last_use = _last_uses(lattice.arcs)
    rows = int(_rows_needed(last_use))
    if 8 * rows * digits > MAX_TABLE_BYTES:
        raise LatticeSimpError("the lattice has too many paths to count exactly; prune it, or use log_count")
    return sum(
        int(digit) << (_LIMB * place) for place, digit in enumerate(_count(lattice.arcs, last_use, rows, digits))
    )


def log_count(lattice: Lattice) -> float:
    """Returns the natural logarithm of the number of paths of an acyclic lattice; minus infinity if there are none.

    >>> round(math.exp(log_count(Lattice.from_strings([("a b", 1.0), ("a c", 2.0)]))), 9)
    2.0
    """
    lattice = lattice.connected()
    if not lattice.num_states:
        return -math.inf
    costs = shortest_distance(unweighted(lattice), semiring="log", reverse=True)
    return -float(costs.min())


def unweighted(lattice: Lattice) -> Lattice:
    """Sets the costs of all paths to 0."""
    ends = np.where(np.isfinite(lattice.finals), 0.0, np.inf)
    return replace(lattice, weights=np.zeros(lattice.num_arcs), finals=ends)


@jit
def _last_uses(arcs: Arcs) -> Ints:
    """Returns, for each state, the lowest state with an arc to it; after that one, its count is no longer needed."""
    num_states = len(arcs.finals)
    last_use = np.full(num_states, -1, dtype=np.int32)
    for state in range(num_states - 1, -1, -1):
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            last_use[arcs.nextstates[arc]] = state
    return last_use


@jit
def _rows_needed(last_use: Ints) -> int:
    """Returns how many counts are needed at the same time in a pass from the last state to the first."""
    freed = np.zeros(len(last_use) + 1, dtype=np.int64)
    for state in last_use:
        freed[state] += 1  # the start has -1, the end of the array: its row is kept
    rows = most = 0
    for state in range(len(last_use) - 1, -1, -1):
        rows += 1
        most = max(most, rows)
        rows -= freed[state]
    return most


@jit
def _count(arcs: Arcs, last_use: Ints, rows: int, digits: int) -> npt.NDArray[np.uint64]:
    """Returns the digits of the number of paths, (digits,), the lowest first; a state has a row only while needed."""
    counts = np.zeros((rows, digits), dtype=np.uint64)
    row_of = np.empty(len(arcs.finals), dtype=np.int64)
    free = np.arange(rows)
    num_free = rows
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    for state in range(len(arcs.finals) - 1, -1, -1):
        num_free -= 1
        row_of[state] = row = free[num_free]
        counts[row] = np.uint64(0)
        if np.isfinite(arcs.finals[state]):
            counts[row, 0] = np.uint64(1)
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            following = row_of[arcs.nextstates[arc]]
            for place in range(digits):
                counts[row, place] += counts[following, place]
        carry = np.uint64(0)
        for place in range(digits):
            total = counts[row, place] + carry
            counts[row, place], carry = total & mask, total >> shift
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            following = arcs.nextstates[arc]
            if last_use[following] == state:
                last_use[following] = -1
                free[num_free] = row_of[following]
                num_free += 1
    return counts[row_of[0]]
