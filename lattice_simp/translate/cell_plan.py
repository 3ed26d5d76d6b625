"""Cells of a sentence, and the order in which they can be built."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lattice_simp.core.kernel import Ints, Longs
from lattice_simp.errors import GrammarError
from lattice_simp.translate.match import Matches


class CellPlan:
    """The cells (non-terminal, span) that slots refer to, and the order in which they can be built.

    Attributes:
        matches: the matches of source patterns.
        num_states: the number of source states.
        top: the non-terminal that the glue rules combine.
        nested: whether slots refer to the non-terminal `top`.
        num_cells: the number of cells.
        slot_cells: (matches, 2) int32, the cells of each match's slots, -1 where it has fewer.
        cell_of_match: (matches,) int32, the cell that a match belongs to, -1 if nothing refers to such a cell.
    """

    def __init__(self, matches: Matches, num_states: int, top: int) -> None:
        self.matches, self.num_states, self.top = matches, num_states, top
        spans = matches.slots.reshape(-1, 2, 2)
        slot_keys = np.where(spans[..., 0] >= 0, self._keys(matches.slot_left, spans), -1)
        self._referred: Longs = np.unique(slot_keys[slot_keys >= 0])
        self.nested = bool((matches.slot_left == top).any())
        self.num_cells = len(self._referred)
        self.slot_cells = np.where(slot_keys >= 0, np.searchsorted(self._referred, slot_keys), -1).astype(np.int32)
        self.cell_of_match = self.cells(matches.left, matches.span)

    def _keys(self, left: Ints, spans: Ints) -> Longs:
        """Returns a number for each pair of a non-terminal and a span."""
        keys = (left.astype(np.int64) * self.num_states + spans[..., 0]) * self.num_states + spans[..., 1]
        return np.asarray(keys, dtype=np.int64)

    def cells(self, left: Ints, spans: Ints) -> Ints:
        """Returns the cells of non-terminals in spans, (n,) int32, -1 where nothing refers to them."""
        keys = self._keys(left, spans)
        if not len(self._referred):
            return np.full(len(keys), -1, dtype=np.int32)
        position = np.minimum(np.searchsorted(self._referred, keys), len(self._referred) - 1)
        return np.where(self._referred[position] == keys, position, -1).astype(np.int32)

    @cached_property
    def levels(self) -> list[Ints]:
        """The cells in groups; a cell refers only to cells of earlier groups.

        Raises:
            GrammarError: unary rules form a cycle.
        """
        in_cells = self.cell_of_match >= 0
        cells, slot_cells = self.cell_of_match[in_cells], self.slot_cells[in_cells]
        depth = np.zeros(self.num_cells, dtype=np.int64)
        for _ in range(2 * self.num_cells + 2):
            deeper = depth.copy()
            if len(cells):
                np.maximum.at(deeper, cells, np.where(slot_cells >= 0, depth[slot_cells] + 1, 0).max(axis=1))
            if (deeper == depth).all():
                return [
                    np.flatnonzero(depth == level).astype(np.int32) for level in range(int(depth.max(initial=-1)) + 1)
                ]
            depth = deeper
        raise GrammarError("rules such as [X] ||| [Y,1] ||| [Y,1] form a cycle; remove one of them")
