"""Topological order of the states."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lattice_simp.kernel import Ints, jit

if TYPE_CHECKING:
    from lattice_simp.lattice import Lattice


def topological_order(lattice: Lattice) -> npt.NDArray[np.int32] | None:
    """Gives the reachable states in topological order (int32, start first), or None if there is a cycle."""
    order, count = depth_first_order(lattice.offsets, lattice.nextstates)
    return None if count < 0 else order[:count]


def renumber(lattice: Lattice, order: npt.NDArray[np.int32]) -> Lattice:
    """Gives the lattice of the states in `order` alone, renumbered in that order.

    Arcs to states that are not in `order` are dropped.
    """
    new_name = np.full(lattice.num_states, -1, dtype=np.int32)
    new_name[order] = np.arange(len(order), dtype=np.int32)
    counts = np.diff(lattice.offsets)[order].astype(np.int64)
    ends = np.cumsum(counts)
    arcs = np.repeat(lattice.offsets[:-1][order] - (ends - counts), counts) + np.arange(int(counts.sum()))
    kept = new_name[lattice.nextstates[arcs]] >= 0
    sources = np.repeat(np.arange(len(order), dtype=np.int32), counts)[kept]
    arcs = arcs[kept]
    offsets = np.zeros(len(order) + 1, dtype=np.int32)
    np.cumsum(np.bincount(sources, minlength=len(order)), out=offsets[1:])
    olabels = lattice.olabels[arcs]
    return replace(
        lattice,
        offsets=offsets,
        olabels=olabels,
        ilabels=olabels if lattice.ilabels is lattice.olabels else lattice.ilabels[arcs],
        weights=lattice.weights[arcs],
        nextstates=new_name[lattice.nextstates[arcs]],
        finals=lattice.finals[order],
        scores={name: values[arcs] for name, values in lattice.scores.items()},
        final_scores={name: values[order] for name, values in lattice.final_scores.items()},
    )


@jit
def depth_first_order(offsets: Ints, nextstates: Ints) -> tuple[Ints, int]:
    """Depth-first search from state 0 without recursion; gives (order, count), count -1 on a cycle."""
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
    place = num_states
    while depth > 0:
        state = stack[depth - 1]
        if position[state] == offsets[state + 1]:
            colour[state] = 2
            depth -= 1
            place -= 1
            order[place] = state
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
    count = num_states - place
    order[:count] = order[place:].copy()
    return order, count
