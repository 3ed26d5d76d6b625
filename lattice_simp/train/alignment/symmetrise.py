"""Joins two directed word alignments to one (Och and Ney 2003; Koehn, Och and Marcu 2003)."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Bools, Ints, Longs, jit
from lattice_simp.train.alignment.links import Links
from lattice_simp.train.config import Symmetrisation

_GROW = {"grow-diag": 0, "grow-diag-final": 1, "grow-diag-final-and": 2}


def symmetrise(
    forward: Links, backward: Links, lengths: tuple[Ints, Ints], method: Symmetrisation = "grow-diag-final-and"
) -> Links:
    """Joins the links of two directions.

    >>> forward = (np.array([0, 2]), np.array([[0, 0], [1, 1]], dtype=np.int32))
    >>> backward = (np.array([0, 2]), np.array([[0, 0], [1, 2]], dtype=np.int32))
    >>> sizes = (np.array([2], dtype=np.int32), np.array([3], dtype=np.int32))
    >>> symmetrise(forward, backward, sizes, "union")[1].tolist()
    [[0, 0], [1, 1], [1, 2]]

    Args:
        forward, backward: the links of each direction.
        lengths: the number of words of each source and each target.
        method: `grow-diag` starts from the intersection and adds neighbouring links of the union whose source or target
            word has no link yet; `-final` then adds any such link of either direction, `-final-and` those that have
            neither.

    Returns:
        Links, sorted by source and target position.
    """
    return _symmetrise(*forward, *backward, *lengths, method == "union", _GROW.get(method, -1))


@jit
def _symmetrise(
    forward_offsets: Longs,
    forward: Ints,
    backward_offsets: Longs,
    backward: Ints,
    source_lengths: Ints,
    target_lengths: Ints,
    take_union: bool,
    grow: int,
) -> tuple[Longs, Ints]:
    count = len(source_lengths)
    offsets = np.zeros(count + 1, dtype=np.int64)
    links = np.empty((len(forward) + len(backward), 2), dtype=np.int32)
    filled = 0
    for sentence in range(count):
        rows, columns = source_lengths[sentence], target_lengths[sentence]
        forward_links = np.zeros((rows, columns), dtype=np.bool_)
        backward_links = np.zeros((rows, columns), dtype=np.bool_)
        for index in range(forward_offsets[sentence], forward_offsets[sentence + 1]):
            forward_links[forward[index, 0], forward[index, 1]] = True
        for index in range(backward_offsets[sentence], backward_offsets[sentence + 1]):
            backward_links[backward[index, 0], backward[index, 1]] = True
        joined = forward_links | backward_links if take_union else forward_links & backward_links
        if grow >= 0:
            _grow(joined, forward_links, backward_links, grow)
        for row in range(rows):
            for column in range(columns):
                if joined[row, column]:
                    links[filled, 0], links[filled, 1] = row, column
                    filled += 1
        offsets[sentence + 1] = filled
    return offsets, links[:filled].copy()


@jit
def _grow(joined: Bools, forward: Bools, backward: Bools, final: int) -> None:
    rows, columns = joined.shape
    row_used = np.zeros(rows, dtype=np.bool_)
    column_used = np.zeros(columns, dtype=np.bool_)
    for row in range(rows):
        for column in range(columns):
            if joined[row, column]:
                row_used[row] = column_used[column] = True
    changed = True
    while changed:
        changed = False
        for row in range(rows):
            for column in range(columns):
                if not joined[row, column]:
                    continue
                for down in range(-1, 2):
                    for right in range(-1, 2):
                        r, c = row + down, column + right
                        if r < 0 or c < 0 or r >= rows or c >= columns or joined[r, c]:
                            continue
                        if (forward[r, c] or backward[r, c]) and not (row_used[r] and column_used[c]):
                            joined[r, c] = row_used[r] = column_used[c] = True
                            changed = True
    if final == 0:
        return
    for direction in range(2):
        links = forward if direction == 0 else backward
        for row in range(rows):
            for column in range(columns):
                if not links[row, column] or joined[row, column]:
                    continue
                if (row_used[row] and column_used[column]) or (final == 2 and (row_used[row] or column_used[column])):
                    continue
                joined[row, column] = row_used[row] = column_used[column] = True
