"""Upper hulls of lines for all states of a lattice (Macherey et al. 2008, Algorithms 1 and 2), as kernels.

Every state gets the hull of the paths from it to the end: the join of the hulls of its arcs' next states, each shifted
by its arc's line. The lines of a hull point to the lines from which they were derived, so paths share their ends, and
words are read off only for the lines of the start.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.growing import copy_into, grown
from lattice_simp.core.kernel import Floats, jit

LINE = np.dtype(
    [("slope", np.float64), ("intercept", np.float64), ("left", np.float64), ("arc", np.int32), ("rest", np.int32)]
)
"""The line of a path from a state to the end: from `left` on (in gamma), it is the highest of its hull. `arc` is the
first arc of the path (-1 at the end of a path), and `rest` is the line of its next state."""

Lines: TypeAlias = npt.NDArray[Any]


@jit
def _push(hull: Lines, size: int, slope: float, intercept: float, arc: int, rest: int, limit: float) -> int:
    """Adds a line to the `size` lines of the hull, which are at most as steep; returns the hull's new size."""
    left = -limit
    while size > 0:
        rise = slope - hull[size - 1].slope
        fall = hull[size - 1].intercept - intercept
        if rise == 0.0:
            if fall >= 0.0:
                return size
            size -= 1
            continue
        left = fall / rise
        if left > hull[size - 1].left:
            break
        size -= 1
    if size == 0:
        left = -limit
    elif left >= limit:
        return size
    hull[size].slope, hull[size].intercept, hull[size].left = slope, intercept, left
    hull[size].arc, hull[size].rest = arc, rest
    return size + 1


@jit
def _join(hull: Lines, pool: Lines, begin: int, end: int, arc: int, line: Floats, limit: float, joined: Lines) -> int:
    """Joins a hull and the pool's lines `begin:end`, shifted by the arc's line, to a new hull; returns its size."""
    kept, left, right = 0, 0, begin
    while left < len(hull) or right < end:
        if right == end or (left < len(hull) and hull[left].slope <= pool[right].slope + line[0]):
            kept = _push(joined, kept, hull[left].slope, hull[left].intercept, hull[left].arc, hull[left].rest, limit)
            left += 1
        else:
            slope, intercept = pool[right].slope + line[0], pool[right].intercept + line[1]
            kept = _push(joined, kept, slope, intercept, arc, right, limit)
            right += 1
    return kept


@jit
def hulls(arcs: Arcs, lines: Floats, end_lines: Floats, limit: float, pool: Lines) -> tuple[Lines, int, int]:
    """Returns the hulls of all states.

    Args:
        arcs: the arcs of a lattice that is sorted topologically.
        lines: (2, num_arcs), the slope and the intercept of each arc.
        end_lines: (2, num_states), the slope and the intercept of ending in each state.
        limit: the largest size of gamma.
        pool: room for the lines of all hulls.

    Returns:
        The pool (grown as needed), and where the hull of the start begins and ends; without any path, that hull is one
        line without arcs.
    """
    num_states = len(arcs.finals)
    begins = np.zeros(num_states + 1, dtype=np.int64)
    ends = np.zeros(num_states + 1, dtype=np.int64)
    hull, joined = np.empty(64, dtype=LINE), np.empty(64, dtype=LINE)
    used = 0
    for state in range(num_states - 1, -1, -1):
        size = 0
        if arcs.finals[state] < np.inf:
            size = _push(hull, 0, end_lines[0, state], end_lines[1, state], -1, -1, limit)
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            begin, end = begins[arcs.nextstates[arc]], ends[arcs.nextstates[arc]]
            while size + end - begin > len(joined):
                hull, joined = grown(hull), grown(joined)
            if size == 0:
                size = end - begin
                for index in range(size):
                    hull[index].slope = pool[begin + index].slope + lines[0, arc]
                    hull[index].intercept = pool[begin + index].intercept + lines[1, arc]
                    hull[index].left = pool[begin + index].left
                    hull[index].arc, hull[index].rest = arc, begin + index
                continue
            size = _join(hull[:size], pool, begin, end, arc, lines[:, arc], limit, joined)
            hull, joined = joined, hull
        if state == 0 and size == 0:
            size = _push(hull, 0, 0.0, 0.0, -1, -1, limit)
        while used + size > len(pool):
            pool = grown(pool)
        copy_into(pool, used, hull[:size])
        begins[state], ends[state] = used, used + size
        used += size
    if num_states == 0:
        ends[0] = _push(pool, 0, 0.0, 0.0, -1, -1, limit)
    return pool, begins[0], ends[0]
