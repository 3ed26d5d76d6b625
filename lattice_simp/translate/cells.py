"""The automata of cells (non-terminal, span), built bottom-up, each with its references already replaced.

A cell's automaton has one start state (0) without incoming arcs and one end state (1) without outgoing ones, so that a
copy takes the place of a reference without a single epsilon.
"""

from __future__ import annotations

import numpy as np

from lattice_simp.core.blocks import places_in_blocks, prefix_sums
from lattice_simp.core.growing import copy_into, grown
from lattice_simp.core.kernel import Ints, Longs, Records, jit
from lattice_simp.translate.automaton import ARC, STEP, Cells, Items, expand_references, item_automaton

START, END = 0, 1
"""A cell's first and last state in its own numbering."""


class CellStore:
    """All cells of one sentence, in one pool of arcs, and the table of steps that the arcs refer to."""

    def __init__(self, num_cells: int, num_items: int) -> None:
        self.begin: Longs = np.zeros(num_cells, dtype=np.int64)
        self.end: Longs = np.zeros(num_cells, dtype=np.int64)
        self.num_states: Ints = np.full(num_cells, 2, dtype=np.int32)
        self._arcs: Records = np.zeros(4096, dtype=ARC)
        self._used = 0
        # Step k + 1 is item k alone; chained steps follow.
        self.steps: Records = np.zeros(num_items + 1, dtype=STEP)
        self.steps["item"] = np.arange(-1, num_items)
        self.num_steps = num_items + 1

    def add(self, cell: int, arcs: Records, num_states: int) -> None:
        """Stores a finished automaton."""
        needed = self._used + len(arcs)
        while needed > len(self._arcs):
            self._arcs = grown(self._arcs)
        self._arcs[self._used : needed] = arcs
        self.begin[cell], self.end[cell], self.num_states[cell] = self._used, needed, num_states
        self._used = needed

    def expand(self, arcs: Records, num_states: int) -> tuple[Records, int]:
        """Replaces the references in `arcs` by copies of their cells; returns the arcs and the state count."""
        cells = Cells(self.begin, self.end, self.num_states, self._arcs)
        arcs, num_states, self.steps, self.num_steps = expand_references(
            arcs, num_states, cells, self.steps, self.num_steps
        )
        return arcs, num_states

    def add_plain(self, cells: Ints, items: Items) -> None:
        """Builds many cells at once whose items hold no references; `cells` names the cell of each item."""
        names, local = np.unique(cells, return_inverse=True)
        begins = (2 * local).astype(np.int32)
        arcs, origin = item_automaton(begins, begins + 1, items, 2 * len(names))
        cell_of_state = origin // 2
        inner = np.arange(2 * len(names), len(origin))
        order = inner[np.argsort(cell_of_state[inner], kind="stable")]
        counts = np.bincount(cell_of_state[inner], minlength=len(names))
        number = np.empty(len(origin), dtype=np.int32)
        number[: 2 * len(names)] = np.arange(2 * len(names)) % 2
        number[order] = 2 + places_in_blocks(prefix_sums(counts))
        cell_of_arc = cell_of_state[arcs["source"]]
        arcs["source"], arcs["target"] = number[arcs["source"]], number[arcs["target"]]
        base = self._used
        self.add(int(names[0]), arcs[np.argsort(cell_of_arc, kind="stable")], 2)
        offsets = base + prefix_sums(np.bincount(cell_of_arc, minlength=len(names)))
        self.begin[names], self.end[names] = offsets[:-1], offsets[1:]
        self.num_states[names] = 2 + counts

    def add_nested(self, cells: Ints, begins: Longs, order: Ints, items: Items) -> None:
        """Builds cells whose items may refer to finished cells, and to cells that `cells` names before them.

        Args:
            cells: the cells, each after those that it refers to.
            begins, order: the items of cell c are `order[begins[c]:begins[c + 1]]`.
            items: the items of all cells.
        """
        finished = Cells(self.begin, self.end, self.num_states, self._arcs)
        self._arcs, self._used, self.steps, self.num_steps = _add_nested(
            cells, begins, order, items, finished, self._used, self.steps, self.num_steps
        )


@jit
def _add_nested(
    cells: Ints,
    begins: Longs,
    order: Ints,
    items: Items,
    finished: Cells,
    used: int,
    steps: Records,
    num_steps: int,
) -> tuple[Records, int, Records, int]:
    """Appends the arcs of the new cells; returns all arcs, their number, the table of steps, and its size."""
    begin, end, num_states, pool = finished
    for cell in cells:
        cell_items = _chosen(items, order[begins[cell] : begins[cell + 1]])
        starts = np.full(len(cell_items.costs), START, dtype=np.int32)
        arcs, origin = item_automaton(starts, starts + np.int32(END), cell_items, 2)
        arcs, states, steps, num_steps = expand_references(
            arcs, len(origin), Cells(begin, end, num_states, pool), steps, num_steps
        )
        while used + len(arcs) > len(pool):
            pool = grown(pool)
        copy_into(pool, used, arcs)
        begin[cell], end[cell], num_states[cell] = used, used + len(arcs), states
        used += len(arcs)
    return pool, used, steps, num_steps


@jit
def _chosen(items: Items, chosen: Ints) -> Items:
    offsets = np.zeros(len(chosen) + 1, dtype=np.int32)
    for index in range(len(chosen)):
        offsets[index + 1] = offsets[index] + items.offsets[chosen[index] + 1] - items.offsets[chosen[index]]
    symbols = np.empty(offsets[-1], dtype=np.int32)
    for index in range(len(chosen)):
        first = items.offsets[chosen[index]]
        for position in range(offsets[index], offsets[index + 1]):
            symbols[position] = items.symbols[first + position - offsets[index]]
    return Items(offsets, symbols, items.costs[chosen], items.steps[chosen])
