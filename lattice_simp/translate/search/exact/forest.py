"""The forests of the exact search's relaxations, whose nodes know the words at their borders.

At order k, a *node* is a state of the chart with its *border*: the first k - 1 words of the derived string (its
*prefix*), and the state of the language model's automaton of order k after the last ones. The prefix of a shorter
string is the whole string. A *hook* (Zhang and Gildea 2006) is a cell's string after given words, which includes the
costs of its first words there, so that many rules share that sum. Words whose context is incomplete are charged as in
the lower orders, and the difference is settled when the context is known.

Edges are in topological order: every node comes after those that it is derived from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, Records, jit
from lattice_simp.core.records import Table
from lattice_simp.translate.search.forest import Forest, edge_totals, inside_costs, outside_costs

EMPTY, WHOLE = 0, 1
"""Two prefixes: no words; and the beginning of the sentence, after which the context is always known."""

LONGEST = 255
"""The length of the prefix `WHOLE`: more than any order."""

PREFIX = np.dtype([(name, np.int32) for name in ("parent", "word", "length", "state")] + [("charge", np.float64)])
"""The first words of a string: the prefix without the last word, that word, the length, the model's state, and the
charged cost."""

BORDER = np.dtype([(name, np.int32) for name in ("left", "right", "coarse", "first", "last")])
"""A prefix, the model's state (`NONE` while the prefix is the whole string), the border one order lower (`NONE` without
a forest of that order), and the words at both ends (`NONE` where they are not distinguished)."""

TRANSITION = np.dtype([(name, np.int32) for name in ("context", "word", "matched", "next")] + [("cost", np.float64)])
"""A word after a context: the n-gram it matches, the state after it, and its relaxed cost."""

JUNCTION = np.dtype(
    [(name, np.int32) for name in ("left", "right", "begin", "end")] + [("fixed", np.float64), ("cost", np.float64)]
)
"""Words after a context: the prefix and the state after them, the range of their transitions, the other costs, and the
total cost."""

HOOK = np.dtype([("nothing", np.int8)])
"""A hook has no fields: its key holds the context, how many words its own rule reveals of that, and the cell."""

NODE = np.dtype(
    [(name, np.int32) for name in ("place", "border", "next", "jump")] + [("best", np.float64), ("bound", np.float64)]
)
"""A node: its place (a state of the chart, or the number of states plus that of a hook), its border, the next node
there, the next one there with another prefix, the cost of its best derivation, and a bound of its outside cost. Nodes
are grouped by prefix; groups, and nodes within a group, are sorted by cost."""


class Pools(NamedTuple):
    """The growing arrays of an unfinished forest; `used` counts the records of each pool, in the order of the pools."""

    used: Longs
    prefixes: Table
    borders: Table
    transitions: Table
    junctions: Table
    hooks: Table
    nodes: Table
    edges: Records
    junction_transitions: Ints
    heads: Ints
    sizes: Ints


PREFIXES, BORDERS, TRANSITIONS, JUNCTIONS, HOOKS, NODES, EDGES, PARTS, PLACES = range(9)
"""The counters in `Pools.used`."""


@dataclass(frozen=True, eq=False)
class BorderForest:
    """A finished forest.

    Attributes:
        order: the order of the automaton whose states the borders hold.
        places, borders: (nodes,) int32.
        axioms: (nodes,) float64, the costs of nodes without incoming edges, infinity for others.
        first: the node before the sentence's first word.
        goal: the node of whole derivations.
        edges: records of `EDGE`, in topological order: every node comes after those that it is derived from.
        arc_costs: (arcs + 1,) float64, the costs of the chart's arcs; the last one is 0.
        junctions, parts, transitions: records of `JUNCTION`, the transitions of each, and records of `TRANSITION`.
        pools: the tables of borders, hooks and prefixes.
    """

    order: int
    places: Ints
    borders: Ints
    axioms: Floats
    first: int
    goal: int
    edges: Records
    arc_costs: Floats
    junctions: Records
    parts: Ints
    transitions: Records
    pools: Pools

    def edge_costs(self) -> Floats:
        """Returns (edges,) the costs of the edges alone."""
        return _edge_costs(self.edges, self.arc_costs, self.junctions)

    def packed(self) -> Forest:
        """Returns the derivations alone, at their current costs."""
        return Forest(self.edges, self.edge_costs(), self.axioms, np.array([self.goal], dtype=np.int32))

    def used(self) -> Bools:
        """Marks the transitions that the edges use."""
        return _used(self.edges, self.junctions, self.parts, len(self.transitions))

    def within(self, limit: float) -> tuple[BorderForest, Floats]:
        """Drops the nodes and edges that no derivation within a limit uses.

        Returns:
            The forest, and (nodes,) the outside costs.
        """
        packed = self.packed()
        inside, _ = inside_costs(packed)
        outside = outside_costs(packed, inside)
        kept = inside + outside <= limit
        position = (np.cumsum(kept) - 1).astype(np.int32)
        pruned = replace(
            self,
            places=self.places[kept],
            borders=self.borders[kept],
            axioms=self.axioms[kept],
            first=int(position[self.first]),
            goal=int(position[self.goal]),
            edges=_renumbered(self.edges, edge_totals(packed, inside, outside) <= limit, position),
        )
        return pruned, outside[kept]


@jit
def _edge_costs(edges: Records, arc_costs: Floats, junctions: Records) -> Floats:
    costs = np.empty(len(edges))
    for index in range(len(edges)):
        costs[index] = arc_costs[edges[index].arc]
        if edges[index].junction >= 0:
            costs[index] += junctions[edges[index].junction].cost
    return costs


@jit
def _renumbered(edges: Records, kept: Bools, number: Ints) -> Records:
    """Returns the kept edges with new numbers of their nodes."""
    count = 0
    for index in range(len(edges)):
        count += 1 if kept[index] else 0
    chosen = np.empty(count, dtype=edges.dtype)
    count = 0
    for index in range(len(edges)):
        if kept[index]:
            chosen[count] = edges[index]
            chosen[count].head, chosen[count].tail = number[edges[index].head], number[edges[index].tail]
            if edges[index].second >= 0:
                chosen[count].second = number[edges[index].second]
            count += 1
    return chosen


@jit
def _used(edges: Records, junctions: Records, parts: Ints, num_transitions: int) -> Bools:
    """Marks the transitions that the edges use."""
    used = np.zeros(num_transitions, dtype=np.bool_)
    for index in range(len(edges)):
        if edges[index].junction >= 0:
            for part in range(junctions[edges[index].junction].begin, junctions[edges[index].junction].end):
                used[parts[part]] = True
    return used
