"""Upper hulls of lines for all states of a lattice (Macherey et al. 2008, Algorithms 1 and 2), as kernels.

Every state gets the hull of the paths from it to the end: the hulls of its arcs' next states, shifted by the arcs' own
lines, joined. A hull's lines point to the lines they were made of, so that paths share their ends, and words are read
off only for the lines of the start.
"""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints, jit

SLOPE, INTERCEPT, LEFT = 0, 1, 2
"""Columns of a line's numbers; from `LEFT` on (in gamma) it is the highest of its hull."""

ARC, REST = 0, 1
"""Columns of a line's links: its arc (-1 at the end of a path), and the line of the arc's next state."""


@jit
def _grown(numbers: Floats, links: Ints, size: int) -> tuple[Floats, Ints]:
    """Returns arrays with room for `size` lines at least."""
    room = len(numbers)
    if size <= room:
        return numbers, links
    new_numbers = np.empty((2 * size, 3), dtype=np.float64)
    new_links = np.empty((2 * size, 2), dtype=np.int32)
    new_numbers[:room], new_links[:room] = numbers, links
    return new_numbers, new_links


@jit
def _push(
    numbers: Floats, links: Ints, size: int, slope: float, intercept: float, arc: int, rest: int, limit: float
) -> int:
    """Adds a line that is no less steep than the `size` of the hull; gives the hull's new size."""
    left = -limit
    while size > 0:
        rise = slope - numbers[size - 1, SLOPE]
        fall = numbers[size - 1, INTERCEPT] - intercept
        if rise == 0.0:
            if fall >= 0.0:
                return size
            size -= 1
            continue
        left = fall / rise
        if left > numbers[size - 1, LEFT]:
            break
        size -= 1
    if size == 0:
        left = -limit
    elif left >= limit:
        return size
    numbers[size, SLOPE], numbers[size, INTERCEPT], numbers[size, LEFT] = slope, intercept, left
    links[size, ARC], links[size, REST] = arc, rest
    return size + 1


@jit
def _join(
    numbers: Floats,
    links: Ints,
    size: int,
    pool: Floats,
    begin: int,
    end: int,
    arc: int,
    slope: float,
    intercept: float,
    limit: float,
    joined: Floats,
    joined_links: Ints,
) -> int:
    """Writes the hull of a hull and of the pool's lines `begin:end`, shifted by the arc's; gives its size."""
    kept, own, other = 0, 0, begin
    while own < size or other < end:
        if other == end or (own < size and numbers[own, SLOPE] <= pool[other, SLOPE] + slope):
            own_slope, own_intercept = numbers[own, SLOPE], numbers[own, INTERCEPT]
            own_arc, own_rest = links[own, ARC], links[own, REST]
            kept = _push(joined, joined_links, kept, own_slope, own_intercept, own_arc, own_rest, limit)
            own += 1
        else:
            moved_slope, moved_intercept = pool[other, SLOPE] + slope, pool[other, INTERCEPT] + intercept
            kept = _push(joined, joined_links, kept, moved_slope, moved_intercept, arc, other, limit)
            other += 1
    return kept


@jit
def hulls(
    offsets: Ints,
    nextstates: Ints,
    slopes: Floats,
    intercepts: Floats,
    final: Bools,
    final_slopes: Floats,
    final_intercepts: Floats,
    limit: float,
    pool: Floats,
    pool_links: Ints,
) -> tuple[Floats, Ints, int, int]:
    """Returns the pool (grown as needed) with the hulls of all states, and where that of the start begins and ends."""
    num_states = len(final)
    begins = np.empty(num_states + 1, dtype=np.int64)
    ends = np.empty(num_states + 1, dtype=np.int64)
    numbers, links = np.empty((64, 3), dtype=np.float64), np.empty((64, 2), dtype=np.int32)
    joined, joined_links = np.empty((64, 3), dtype=np.float64), np.empty((64, 2), dtype=np.int32)
    used = 0
    for state in range(num_states - 1, -1, -1):
        size = 0
        if final[state]:
            size = _push(numbers, links, 0, final_slopes[state], final_intercepts[state], -1, -1, limit)
        for arc in range(offsets[state], offsets[state + 1]):
            begin, end = begins[nextstates[arc]], ends[nextstates[arc]]
            joined, joined_links = _grown(joined, joined_links, size + end - begin)
            if size == 0:
                numbers, links = _grown(numbers, links, end - begin)
                size = end - begin
                for line in range(size):
                    numbers[line, SLOPE] = pool[begin + line, SLOPE] + slopes[arc]
                    numbers[line, INTERCEPT] = pool[begin + line, INTERCEPT] + intercepts[arc]
                    numbers[line, LEFT] = pool[begin + line, LEFT]
                    links[line, ARC], links[line, REST] = arc, begin + line
                continue
            size = _join(
                numbers, links, size, pool, begin, end, arc, slopes[arc], intercepts[arc], limit, joined, joined_links
            )
            numbers, joined = joined, numbers
            links, joined_links = joined_links, links
        pool, pool_links = _grown(pool, pool_links, used + size)
        begins[state], ends[state] = used, used + size
        for line in range(size):
            for column in range(3):
                pool[used + line, column] = numbers[line, column]
            for column in range(2):
                pool_links[used + line, column] = links[line, column]
        used += size
    return pool, pool_links, begins[0], ends[0]
