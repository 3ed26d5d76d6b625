"""Cells of a sentence: which there are, and in which order they can be built."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.errors import GrammarError
from lattice_simp.translate.match import Matches


class CellPlan:
    """The cells (non-terminal, span) that gaps refer to, and the order in which they can be built.

    Attributes:
        matches: of the source patterns.
        num_states: of the source.
        top: the non-terminal that the glue rules combine.
        nested: whether gaps refer to the top's non-terminal.
        num_cells: how many cells there are.
        gap_cells: (matches, 2) int32, the cells of each match's gaps, -1 where it has fewer.
        cell_of_match: (matches,) int32, the cell that a match is in, -1 if nothing refers to that.
    """

    def __init__(self, matches: Matches, num_states: int, top: int) -> None:
        size = num_states**2
        self.matches, self.num_states, self.top = matches, num_states, top
        keys = matches.left.astype(np.int64) * size + matches.span[:, 0].astype(np.int64) * num_states
        keys += matches.span[:, 1]
        gap_keys = self._gap_keys(size)
        referred = np.unique(gap_keys[gap_keys >= 0])
        self.nested = bool((matches.gap_left == top).any())
        self.num_cells = len(referred)
        self.gap_cells = np.where(gap_keys >= 0, np.searchsorted(referred, gap_keys), -1).astype(np.int32)
        self._referred, self._key_size = referred, size
        self.cell_of_match = self._cells(keys)

    def _cells(self, keys: Longs) -> Ints:
        """Returns the cells with these keys, -1 where there is none."""
        if not len(self._referred):
            return np.full(len(keys), -1, dtype=np.int32)
        position = np.minimum(np.searchsorted(self._referred, keys), len(self._referred) - 1)
        return np.where(self._referred[position] == keys, position, -1).astype(np.int32)

    def cell(self, left: int, start: int, end: int) -> int:
        """Returns the cell of a non-terminal and a span, -1 if nothing refers to it."""
        return int(self._cells(np.array([left * self._key_size + start * self.num_states + end]))[0])

    def _gap_keys(self, size: int) -> Longs:
        """Returns the keys of gaps by the non-terminals in the source pattern; -1 where there is no gap."""
        gaps = self.matches.gaps
        keys = np.full((len(gaps), 2), -1, dtype=np.int64)
        for number in (0, 1):
            begin, end = gaps[:, 2 * number].astype(np.int64), gaps[:, 2 * number + 1]
            left = self.matches.gap_left[:, number].astype(np.int64)
            keys[:, number] = np.where(begin >= 0, left * size + begin * self.num_states + end, -1)
        return keys

    @cached_property
    def levels(self) -> list[Ints]:
        """The cells in groups; a cell refers only to cells of earlier groups.

        Raises:
            GrammarError: unary rules form a cycle.
        """
        depth = np.zeros(self.num_cells, dtype=np.int64)
        cell = self.cell_of_match
        relevant = cell >= 0
        rounds = 0
        while True:
            needed = np.zeros(len(cell), dtype=np.int64)
            for number in (0, 1):
                referred = self.gap_cells[:, number]
                needed = np.maximum(needed, np.where(referred >= 0, depth[referred] + 1, 0) if len(depth) else 0)
            deeper = depth.copy()
            np.maximum.at(deeper, cell[relevant], needed[relevant])
            if (deeper == depth).all():
                break
            depth = deeper
            rounds += 1
            if rounds > 2 * self.num_cells:
                raise GrammarError("rules such as [X] ||| [Y,1] ||| [Y,1] form a cycle; remove one of them")
        return [np.flatnonzero(depth == level).astype(np.int32) for level in range(int(depth.max(initial=-1)) + 1)]
