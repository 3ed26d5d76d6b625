"""The hash table of (lattice state, model state) pairs that the language-model passes share."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.growing import find_slot
from lattice_simp.core.kernel import Floats, Ints, Longs, jit


@jit
def rehash(states: Ints, contexts: Ints, count: int, num_contexts: int, size: int) -> tuple[Longs, Ints]:
    """Returns a table of `size` slots that maps the first `count` pairs to their numbers."""
    keys = np.full(size, -1, dtype=np.int64)
    numbers = np.empty(size, dtype=np.int32)
    for number in range(count):
        key = np.int64(states[number]) * num_contexts + contexts[number]
        slot = find_slot(keys, key)
        keys[slot] = key
        numbers[slot] = number
    return keys, numbers


@jit
def estimate(keys: Longs, values: Floats, num_contexts: int, state: int, context: int) -> float:
    """Looks up a pair's cost to the end; infinity if it is not there.

    With `keys` empty, `values[state]` holds for every context.
    """
    if len(keys) == 0:
        return values[state]
    slot = find_slot(keys, np.int64(state) * num_contexts + context)
    return values[slot] if keys[slot] >= 0 else np.inf


@jit
def estimate_table(
    states: Ints, contexts: Ints, forward: Floats, backward: Floats, bound: float, num_contexts: int
) -> tuple[Longs, Floats]:
    """Hashes the backward costs of the nodes that some path within the bound visits."""
    alive = 0
    for node in range(len(states)):
        alive += forward[node] + backward[node] <= bound
    size = 16
    while size < 2 * alive + 2:
        size *= 2
    keys = np.full(size, -1, dtype=np.int64)
    values = np.empty(size, dtype=np.float64)
    for node in range(len(states)):
        if forward[node] + backward[node] <= bound:
            key = np.int64(states[node]) * num_contexts + contexts[node]
            slot = find_slot(keys, key)
            keys[slot] = key
            values[slot] = backward[node]
    return keys, values
