"""History expansion: states are split by the words that lead to them, so that each arc ends one n-gram of each order.

The n-grams of the lattice are the nodes of a trie with suffix links. A state of the expanded lattice is a state of the
lattice with the node of its last words; an epsilon arc keeps that node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.arguments import whole
from lattice_simp.core.growing import find_slot, grown, grown_table
from lattice_simp.core.kernel import Ints, Longs, Records, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.prune import prune

MAX_EXPANDED_ARCS = 5_000_000
"""The most arcs of an expanded lattice, about 300 MB; prune lattices that need more."""

MAX_ORDER = 255
"""The order of the longest n-grams, far above any in use."""

_NODE = np.dtype([(name, np.int32) for name in ("state", "gram", "sibling", "number", "order", "begin")])
"""A state of the lattice with the n-gram that leads to it, the next node of the same state, and the node's number in
topological order. `order` and `begin` are indexed by that number: the node, and where its edges begin."""

_EDGE = np.dtype([("arc", np.int32), ("target", np.int32), ("gram", np.int32)])
_GRAM = np.dtype([("word", np.int32), ("prefix", np.int32), ("suffix", np.int32), ("order", np.int32)])


@dataclass(frozen=True, eq=False)
class HistoryLattice:
    """A lattice whose states know their last words.

    Attributes:
        lattice: the paths, labels, costs and columns of the given lattice, connected and topologically sorted.
        grams: (max_order, num_arcs) int32, the n-gram of order `row + 1` that ends with each arc's word; 0 where
            there is none, on epsilon arcs and after too few words.
        words: (num_grams,) int32, the last word of each n-gram; n-gram 0 is the empty one.
        prefixes: (num_grams,) int32, each n-gram without its last word.
    """

    lattice: Lattice
    grams: Ints
    words: Ints
    prefixes: Ints

    @property
    def max_order(self) -> int:
        return len(self.grams)

    def gram_words(self, gram: int) -> tuple[str, ...]:
        """Returns the words of an n-gram."""
        words: list[str] = []
        while gram:
            words.append(self.lattice.symbols[int(self.words[gram])])
            gram = int(self.prefixes[gram])
        return tuple(reversed(words))


def expand_history(lattice: Lattice, max_order: int = 4, *, max_arcs: int = MAX_EXPANDED_ARCS) -> HistoryLattice:
    """Splits states by their last `max_order - 1` words.

    >>> lattice = Lattice.from_strings([("a c", 1.0), ("b c", 2.0)])
    >>> expanded = expand_history(lattice, 2)
    >>> [" ".join(expanded.gram_words(gram)) for gram in expanded.grams[1]]
    ['', '', 'a c', 'b c']

    Args:
        lattice: acyclic; its output labels are the words.
        max_order: the order of the longest n-grams.
        max_arcs: the most arcs of the expanded lattice.

    Raises:
        LatticeSimpError: the order is out of range, or the expanded lattice is too large.
        CyclicLatticeError: the lattice has a cycle.
    """
    max_order = whole(max_order, "max_order", 1)
    lattice = lattice.connected()
    history = _expanded(lattice, max_order, max_arcs)
    if history is None:
        raise LatticeSimpError(
            f"a lattice of {lattice.num_arcs} arcs has more than {max_arcs} after states are split by their last "
            f"{max_order - 1} words; prune it first, or use shorter n-grams"
        )
    return history


def pruned_history(lattice: Lattice, max_order: int, max_arcs: int) -> HistoryLattice:
    """Prunes a lattice until its expansion has at most `max_arcs` arcs, and expands it.

    One best path always stays, even if it has more arcs.

    Raises:
        LatticeSimpError: the order is out of range, or `max_arcs` below 1.
        CyclicLatticeError: the lattice has a cycle.
    """
    limit = max_arcs
    while True:
        pruned = prune(lattice, max_arcs=limit)
        history = _expanded(pruned, max_order, max_arcs)
        if history is not None:
            return history
        if limit == 1:
            return expand_history(pruned, max_order)
        limit = min(limit, pruned.num_arcs) // 2


def _expanded(lattice: Lattice, max_order: int, max_arcs: int) -> HistoryLattice | None:
    """Returns the expansion of a connected lattice, or None if it has too many arcs."""
    if not 1 <= max_order <= MAX_ORDER:
        raise LatticeSimpError(f"n-grams of order {max_order}; give an order from 1 to {MAX_ORDER}")
    if lattice.num_states == 0:
        none = np.zeros(1, dtype=np.int32)
        return HistoryLattice(lattice, np.zeros((max_order, 0), dtype=np.int32), none, none)
    states, offsets, edges, by_order, grams = _expand(lattice.arcs, max_order, max_arcs)
    if len(edges) > max_arcs:
        return None
    arcs, targets, words, prefixes = map(
        np.ascontiguousarray, (edges["arc"], edges["target"], grams["word"], grams["prefix"])
    )
    return HistoryLattice(lattice.gather(arcs, offsets, targets, states), by_order, words, prefixes)


@jit
def _expand(lattice: Arcs, max_order: int, max_arcs: int) -> tuple[Ints, Ints, Records, Ints, Records]:
    """Returns (state of each node, offsets, edges, the n-gram of each order that each edge ends, all n-grams).

    Nodes are numbered in the order of their states. The expansion stops one arc above the limit.
    """
    offsets, labels, _, nextstates, finals = lattice  # a named tuple's arrays are slow to fetch in inner loops
    nodes, edges = np.zeros(1024, dtype=_NODE), np.empty(2048, dtype=_EDGE)
    grams = np.zeros(2048 + max_order, dtype=_GRAM)
    nodes[0].sibling = -1
    head = np.full(len(finals), -1, dtype=np.int32)
    head[0] = 0
    node_keys, node_values = np.full(4096, -1, dtype=np.int64), np.empty(4096, dtype=np.int32)
    node_keys[find_slot(node_keys, 0)], node_values[find_slot(node_keys, 0)] = 0, 0
    gram_keys, gram_values = np.full(4096, -1, dtype=np.int64), np.empty(4096, dtype=np.int32)
    num_nodes, num_edges, num_grams, num_expanded = 1, 0, 1, 0
    for state in range(len(finals)):
        node = head[state]
        while node >= 0 and num_edges <= max_arcs:
            nodes[num_expanded].order, nodes[node].number, nodes[num_expanded].begin = node, num_expanded, num_edges
            num_expanded += 1
            for arc in range(offsets[state], min(offsets[state + 1], offsets[state] + max_arcs + 1 - num_edges)):
                gram, following = 0, nodes[node].gram
                if labels[arc] != 0:
                    # Room for the n-gram and all its suffixes; `_add_gram` does not check.
                    while num_grams + max_order > len(grams):
                        grams = grown(grams)
                    while 2 * (num_grams + max_order) > len(gram_keys):
                        gram_keys, gram_values = grown_table(gram_keys, gram_values)
                    gram, num_grams = _add_gram(grams, num_grams, gram_keys, gram_values, following, labels[arc])
                    following = gram if grams[gram].order < max_order else grams[gram].suffix
                goal = nextstates[arc]
                key = (np.int64(goal) << 32) + following
                slot = find_slot(node_keys, key)
                if node_keys[slot] < 0:
                    if num_nodes == len(nodes):
                        nodes = grown(nodes)
                        node_keys, node_values = grown_table(node_keys, node_values)
                        slot = find_slot(node_keys, key)
                    node_keys[slot], node_values[slot] = key, num_nodes
                    nodes[num_nodes].state, nodes[num_nodes].gram = goal, following
                    nodes[num_nodes].sibling, head[goal] = head[goal], num_nodes
                    num_nodes += 1
                if num_edges == len(edges):
                    edges = grown(edges)
                edges[num_edges].arc, edges[num_edges].target, edges[num_edges].gram = arc, node_values[slot], gram
                num_edges += 1
            node = nodes[node].sibling
    by_order = np.zeros((max_order, num_edges), dtype=np.int32)
    for edge in range(num_edges):
        edges[edge].target = nodes[edges[edge].target].number
        gram = edges[edge].gram
        while gram > 0:
            by_order[grams[gram].order - 1, edge] = gram
            gram = grams[gram].suffix
    states, begins = np.empty(num_expanded, dtype=np.int32), np.full(num_expanded + 1, num_edges, dtype=np.int32)
    for number in range(num_expanded):
        states[number], begins[number] = nodes[nodes[number].order].state, nodes[number].begin
    return states, begins, edges[:num_edges], by_order, grams[:num_grams]


@jit
def _add_gram(grams: Records, num_grams: int, keys: Longs, values: Ints, context: int, label: int) -> tuple[int, int]:
    """Finds the n-gram of a context and a word, or adds it with its suffixes; returns it and the number of n-grams."""
    first_gram, longer, exists = -1, -1, False
    while not exists:
        key = (np.int64(context) << 32) + label
        slot = find_slot(keys, key)
        exists = keys[slot] >= 0
        if not exists:
            keys[slot], values[slot] = key, num_grams
            grams[num_grams].word, grams[num_grams].prefix = label, context
            grams[num_grams].order, grams[num_grams].suffix = grams[context].order + 1, 0
            num_grams += 1
        gram = values[slot]
        if longer >= 0:
            grams[longer].suffix = gram
        if first_gram < 0:
            first_gram = gram
        exists = exists or context == 0
        longer, context = gram, grams[context].suffix
    return first_gram, num_grams
