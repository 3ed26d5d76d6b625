"""The automata of cells (non-terminal, span), built bottom-up, each with its references already replaced.

A cell's automaton has one start state (0) without incoming arcs and one end state (1) without outgoing ones, so that a
copy takes the place of a reference without a single epsilon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.translate.automaton import ArcArrays, expand_references, item_automaton

if TYPE_CHECKING:
    from lattice_simp.translate.cell_pruning import CellPruner

START, END = 0, 1
"""A cell's first and last state in its own numbering."""


class CellStore:
    """All cells of one sentence, in flat arrays that grow, and the table of steps that their arcs refer to."""

    def __init__(self, num_cells: int, num_items: int) -> None:
        self.begin = np.zeros(num_cells, dtype=np.int64)
        self.end = np.zeros(num_cells, dtype=np.int64)
        self.states = np.full(num_cells, 2, dtype=np.int32)
        self.best = np.zeros(num_cells)  # the cost of each cell's best path as its pruner sees it
        self._arcs: ArcArrays = _empty_arcs(4096)
        self._used = 0
        # Step k + 1 is item k alone; chained steps follow.
        self.step_item: Ints = np.arange(-1, num_items, dtype=np.int32)
        self.step_next: Ints = np.zeros(num_items + 1, dtype=np.int32)
        self.num_steps = num_items + 1

    def add(self, cell: int, arcs: ArcArrays, num_states: int) -> None:
        """Stores a finished automaton."""
        needed = self._used + len(arcs[0])
        if needed > len(self._arcs[0]):
            longer = _empty_arcs(2 * needed)
            _copy(self._arcs, longer, 0, self._used)
            self._arcs = longer
        _copy(arcs, self._arcs, self._used, len(arcs[0]))
        self.begin[cell], self.end[cell], self.states[cell] = self._used, needed, num_states
        self._used = needed

    def expand(self, arcs: ArcArrays, num_states: int) -> tuple[ArcArrays, int]:
        """Replaces the references in `arcs` by copies of their cells; gives the arcs and the state count."""
        source, target, symbol, cost, step, states, self.step_item, self.step_next, self.num_steps = expand_references(
            *arcs,
            num_states,
            self.begin,
            self.end,
            self.states,
            *self._arcs,
            self.step_item,
            self.step_next,
            self.num_steps,
        )
        return (source, target, symbol, cost, step), states

    def add_plain(self, cells: Ints, offsets: Ints, symbols: Ints, costs: Floats, steps: Ints) -> None:
        """Builds many cells at once whose items hold no references; `cells` names the cell of each item."""
        names, local = np.unique(cells, return_inverse=True)
        begins = (2 * local).astype(np.int32)
        source, target, symbol, cost, step, origin = item_automaton(
            begins, begins + 1, offsets, symbols, costs, steps, 2 * len(names)
        )
        cell_of_state = origin // 2
        inner = np.arange(2 * len(names), len(origin))
        order = inner[np.argsort(cell_of_state[inner], kind="stable")]
        counts = np.bincount(cell_of_state[inner], minlength=len(names))
        number = np.empty(len(origin), dtype=np.int32)
        number[: 2 * len(names)] = np.arange(2 * len(names)) % 2
        firsts = np.cumsum(counts) - counts
        number[order] = 2 + np.arange(len(order)) - np.repeat(firsts, counts)
        cell_of_arc = cell_of_state[source]
        arc_order = np.argsort(cell_of_arc, kind="stable")
        base = self._used
        self.add(
            int(names[0]),
            (
                number[source][arc_order],
                number[target][arc_order],
                symbol[arc_order],
                cost[arc_order],
                step[arc_order],
            ),
            2,
        )
        ends: Longs = base + np.cumsum(np.bincount(cell_of_arc, minlength=len(names)))
        self.begin[names] = np.concatenate(([base], ends[:-1]))
        self.end[names] = ends
        self.states[names] = 2 + counts

    def add_nested(
        self, cell: int, offsets: Ints, symbols: Ints, costs: Floats, steps: Ints, pruner: CellPruner | None
    ) -> None:
        """Builds one cell whose items may refer to finished cells."""
        starts = np.zeros(len(costs), dtype=np.int32)
        source, target, symbol, cost, step, origin = item_automaton(
            starts, starts + 1, offsets, symbols, costs, steps, 2
        )
        arcs: ArcArrays = (source, target, symbol, cost, step)
        states = len(origin)
        if pruner is None:
            arcs, states = self.expand(arcs, states)
        else:
            settings = pruner.settings
            arcs = pruner.references(arcs, states, self.best, self.sizes, settings.expansion * settings.max_arcs)
            arcs, states = self.expand(arcs, states)
            arcs, self.best[cell] = pruner.words(arcs, states)
            arcs, states = _renumber(arcs, states)
        self.add(cell, arcs, states)

    @property
    def sizes(self) -> Ints:
        """The number of arcs of each cell."""
        return (self.end - self.begin).astype(np.int32)


def _renumber(arcs: ArcArrays, num_states: int) -> tuple[ArcArrays, int]:
    """Numbers the states that arcs still use, 0 and 1 first."""
    used = np.zeros(num_states, dtype=np.bool_)
    used[:2] = True
    used[arcs[0]] = True
    used[arcs[1]] = True
    number = (np.cumsum(used) - 1).astype(np.int32)
    return (number[arcs[0]], number[arcs[1]], *arcs[2:]), int(used.sum())


def _copy(source: ArcArrays, target: ArcArrays, begin: int, count: int) -> None:
    """Copies the first `count` arcs to the places from `begin`."""
    for column in range(len(source)):
        own: np.ndarray[Any, Any] = target[column]
        own[begin : begin + count] = source[column][:count]


def _empty_arcs(size: int) -> ArcArrays:
    return (
        np.zeros(size, dtype=np.int32),
        np.zeros(size, dtype=np.int32),
        np.zeros(size, dtype=np.int32),
        np.zeros(size),
        np.zeros(size, dtype=np.int32),
    )
