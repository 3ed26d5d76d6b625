"""The shape of an automaton, on bare arrays: topological order, and which states complete paths visit."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Bools, Ints, jit


def topological_order(offsets: Ints, nextstates: Ints) -> Ints | None:
    """Returns the states that state 0 reaches in topological order (int32, 0 first), or None if there is a cycle.

    >>> topological_order(np.array([0, 2, 2, 3], dtype=np.int32), np.array([2, 1, 1], dtype=np.int32)).tolist()
    [0, 2, 1]
    """
    order, count = depth_first_order.light(offsets, nextstates)
    return None if count < 0 else order[:count]


def useful_states(offsets: Ints, nextstates: Ints, final: Bools) -> Bools:
    """Marks the states on a path from state 0 to a final state; every arc must lead to a higher state."""
    useful: Bools = _accessible.light(offsets, nextstates) & _coaccessible.light(offsets, nextstates, final)
    return useful


def reaches_final(offsets: Ints, nextstates: Ints, final: Bools) -> bool:
    """Returns whether a path leads from state 0 to a final state; the automaton may have cycles.

    >>> reaches_final(np.array([0, 1, 1]), np.array([1]), np.array([False, True]))
    True
    """
    if not final.any():
        return False
    return bool(_reaches_final.light(offsets, nextstates, final))


@jit
def _reaches_final(offsets: Ints, nextstates: Ints, final: Bools) -> bool:
    reached = np.zeros(len(final), dtype=np.bool_)
    stack = np.empty(len(final), dtype=np.int32)
    stack[0], depth = 0, 1
    reached[0] = True
    while depth > 0:
        depth -= 1
        state = stack[depth]
        if final[state]:
            return True
        for arc in range(offsets[state], offsets[state + 1]):
            following = nextstates[arc]
            if not reached[following]:
                reached[following] = True
                stack[depth] = following
                depth += 1
    return False


@jit
def depth_first_order(offsets: Ints, nextstates: Ints) -> tuple[Ints, int]:
    """Searches depth-first from state 0 without recursion; returns (order, count), count -1 on a cycle."""
    num_states = len(offsets) - 1
    order = np.empty(num_states, dtype=np.int32)
    if num_states == 0:
        return order, 0
    colour = np.zeros(num_states, dtype=np.int8)  # 0 new, 1 on the stack, 2 finished
    position = np.empty(num_states, dtype=np.int64)
    stack = np.empty(num_states, dtype=np.int32)
    stack[0] = 0
    depth = 1
    colour[0] = 1
    position[0] = offsets[0]
    index = num_states
    while depth > 0:
        state = stack[depth - 1]
        if position[state] == offsets[state + 1]:
            colour[state] = 2
            depth -= 1
            index -= 1
            order[index] = state
            continue
        following = nextstates[position[state]]
        position[state] += 1
        if colour[following] == 1:
            return order, -1
        if colour[following] == 0:
            colour[following] = 1
            position[following] = offsets[following]
            stack[depth] = following
            depth += 1
    count = num_states - index
    for place in range(count):
        order[place] = order[index + place]
    return order, count


@jit
def _accessible(offsets: Ints, nextstates: Ints) -> Bools:
    accessible = np.zeros(len(offsets) - 1, dtype=np.bool_)
    accessible[0] = True
    for state in range(len(offsets) - 1):
        if accessible[state]:
            for arc in range(offsets[state], offsets[state + 1]):
                accessible[nextstates[arc]] = True
    return accessible


@jit
def _coaccessible(offsets: Ints, nextstates: Ints, final: Bools) -> Bools:
    coaccessible = final.copy()
    for state in range(len(offsets) - 2, -1, -1):
        if not coaccessible[state]:
            for arc in range(offsets[state], offsets[state + 1]):
                if coaccessible[nextstates[arc]]:
                    coaccessible[state] = True
                    break
    return coaccessible
