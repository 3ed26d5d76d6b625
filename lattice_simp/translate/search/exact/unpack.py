"""From a forest to the lattice of its strings, by the decoder's own replacement of references.

A cell becomes one cell for each of its borders, with only the items, and the parts of them, that derivations of the
forest use. Their references are replaced as in any chart, so steps, derivations and features are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lattice_simp.core.kernel import Ints, Records
from lattice_simp.translate.automaton import ARC
from lattice_simp.translate.cells import END, START, CellStore
from lattice_simp.translate.search.chart import Chart
from lattice_simp.translate.search.exact.forest import BorderForest


@dataclass(frozen=True, eq=False)
class Unpacking:
    """Turns a forest into a lattice.

    Attributes:
        top_steps: (steps,) the step that replaces each step at the top.
    """

    forest: BorderForest
    chart: Chart
    top_steps: Ints

    def lattice(self, num_items: int) -> tuple[CellStore, Records, int]:
        """Returns the store of steps, the arcs of words between the states 0 and 1, and the number of states."""
        forest, goal = self.forest, self.forest.goal
        inner, top = self._referred()
        names = {
            key: number for number, key in enumerate([*((node, False) for node in inner), *((n, True) for n in top)])
        }
        order = sorted(names, key=lambda key: int(forest.places[key[0]]))
        store = CellStore(len(names), num_items)
        for node, at_top in order:
            arcs, states = self._arcs(node, names, at_top, in_cell=True)
            store.add(names[node, at_top], *store.expand(arcs, states))
        arcs, states = self._arcs(goal, names, at_top=False, in_cell=False)
        return store, *store.expand(arcs, states)

    @cached_property
    def _incoming(self) -> list[list[int]]:
        """The edges into each node."""
        incoming: list[list[int]] = [[] for _ in self.forest.places]
        for edge, head in enumerate(self.forest.edges["head"].tolist()):
            incoming[head].append(edge)
        return incoming

    def _cells_of(self, second: int) -> list[int]:
        """Returns the nodes at ends of cells that a second part stands for: itself, or those of a hook."""
        if self.forest.places[second] < self.chart.num_states:
            return [second]
        return self.forest.edges["tail"][self._incoming[second]].tolist()

    def _inner_edges(self, node: int) -> list[int]:
        """Returns the edges of a node's derivations within its cell, without those of cells that it refers to."""
        edges, visited, waiting = [], {node}, [node]
        while waiting:
            for edge in self._incoming[waiting.pop()]:
                edges.append(edge)
                tail = int(self.forest.edges[edge]["tail"])
                if tail not in visited:
                    visited.add(tail)
                    waiting.append(tail)
        return edges

    def _referred(self) -> tuple[list[int], list[int]]:
        """Returns the nodes to which cells refer, and those to which the top refers."""
        top = self._seconds(self.forest.goal)
        inner: set[int] = set()
        waiting = list(top)
        while waiting:
            for node in self._seconds(waiting.pop()) - inner:
                inner.add(node)
                waiting.append(node)
        return sorted(inner), sorted(top)

    def _seconds(self, node: int) -> set[int]:
        seconds = self.forest.edges["second"][self._inner_edges(node)]
        return {cell for second in seconds[seconds >= 0].tolist() for cell in self._cells_of(second)}

    def _arcs(self, node: int, names: dict[tuple[int, bool], int], at_top: bool, in_cell: bool) -> tuple[Records, int]:
        """Returns the arcs of a node's derivations within its cell, and their number of states.

        If not `in_cell`, the node is the goal: references are to cells at the top, and the last arc, which reads the
        sentence's end, is left out.
        """
        forest, chart = self.forest, self.chart
        edges = self._inner_edges(node)
        ends = {node}
        if not in_cell:
            ends |= {int(forest.edges[edge]["tail"]) for edge in self._incoming[node]}
            edges = [edge for edge in edges if forest.edges[edge]["head"] != node]
        number = dict.fromkeys(ends, END)
        rows: list[tuple[int, int, int, int, float]] = []

        def state(vertex: int) -> int:
            if vertex not in number:
                number[vertex] = START if np.isfinite(forest.axioms[vertex]) else len(number) - len(ends) + 2
            return number[vertex]

        for edge in edges:
            row = forest.edges[edge]
            source, target = state(int(row["tail"])), state(int(row["head"]))
            arc, second = row["arc"], int(row["second"])
            step, cost = int(chart.steps[arc]), float(chart.rule_costs[arc])
            if at_top:
                step = int(self.top_steps[step])
            if second < 0:
                rows.append((source, target, int(chart.labels[arc]), step, cost))
                continue
            for cell in self._cells_of(second):
                rows.append((source, target, -1 - names[cell, not in_cell], step, cost))
        return np.array(rows, dtype=ARC), len(number) - len(ends) + 2
