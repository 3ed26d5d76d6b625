"""The arrays of an automaton, as kernels take them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.kernel import Bools, Floats, Ints
from lattice_simp.errors import InvalidLatticeError


class Arcs(NamedTuple):
    """A weighted acceptor; compiled kernels take named tuples of arrays at no cost.

    State 0 is the start; the arcs of state `q` are `offsets[q]:offsets[q + 1]`.

    Attributes:
        offsets: (num_states + 1,) int32, where each state's arcs begin.
        labels: (num_arcs,) int32 words; 0 is epsilon. Kernels of language models number the words of a sentence's own
            vocabulary instead, and -1 is epsilon there.
        weights: (num_arcs,) float64 costs in nats.
        nextstates: (num_arcs,) int32.
        finals: (num_states,) float64 final costs in nats; infinity where a state is not final.
    """

    offsets: Ints
    labels: Ints
    weights: Floats
    nextstates: Ints
    finals: Floats

    def keep(self, kept: Bools) -> tuple[Arcs, Ints]:
        """Returns the automaton of the kept arcs, and their old numbers; states are unchanged."""
        arcs = np.flatnonzero(kept).astype(np.int32)
        offsets = kept_offsets(self.offsets, kept)
        return Arcs(offsets, self.labels[arcs], self.weights[arcs], self.nextstates[arcs], self.finals), arcs


def offsets_of(sources: npt.NDArray[Any], num_states: int) -> Ints:
    """Returns the index of each state's first arc, (num_states + 1,) int32; arcs must be sorted by source state.

    >>> offsets_of(np.array([0, 0, 2]), 3).tolist()
    [0, 2, 2, 3]
    """
    offsets = np.zeros(num_states + 1, dtype=np.int32)
    np.cumsum(np.bincount(sources, minlength=num_states), out=offsets[1:])
    return offsets


def kept_offsets(offsets: npt.NDArray[Any], kept: Bools) -> Ints:
    """Returns the offsets of blocks, int32, after only the elements that the mask `kept` selects are left in them.

    >>> kept_offsets(np.array([0, 2, 3]), np.array([True, False, True])).tolist()
    [0, 1, 2]
    """
    return prefix_sums(kept)[offsets].astype(np.int32)


def start_first(
    start: int, sources: npt.NDArray[Any], nextstates: npt.NDArray[Any], finals: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Returns the columns with the start as state 0; the states before it move up by one.

    >>> [column.tolist() for column in start_first(1, np.array([1, 0]), np.array([0, 2]), np.array([5.0, 6.0, 7.0]))]
    [[0, 1], [1, 2], [6.0, 5.0, 7.0]]

    Raises:
        InvalidLatticeError: there is no such state.
    """
    if not 0 <= start < max(len(finals), 1):
        raise InvalidLatticeError(f"the start state {start} does not exist; there are {len(finals)} states")
    if not start:
        return sources, nextstates, finals
    moved = [
        np.where(column == start, 0, column + ((column >= 0) & (column < start))) for column in (sources, nextstates)
    ]
    return moved[0], moved[1], finals[np.concatenate(([start], np.delete(np.arange(len(finals)), start)))]
