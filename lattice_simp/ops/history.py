"""History expansion: states are split by the words that lead to them, so that each arc ends one n-gram of each order.

The n-grams of the lattice are the nodes of a trie with suffix links. A state of the expanded lattice is a state of the
lattice with the node of its last words; an epsilon arc keeps that node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.growing import find_slot, grown, grown_table
from lattice_simp.core.kernel import Ints, Longs, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.prune import prune

MAX_EXPANDED_ARCS = 5_000_000
"""Arcs an expanded lattice may have: about 300 MB; lattices for which that is too few are meant to be pruned."""

MAX_ORDER = 255
"""The longest n-grams; far more than anybody counts."""


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
    ['', '', 'b c', 'a c']

    Args:
        lattice: acyclic; its output labels are the words.
        max_order: of the n-grams.
        max_arcs: of the expanded lattice.

    Raises:
        LatticeSimpError: the order is out of range, or the expanded lattice is too large.
        CyclicLatticeError: the lattice has a cycle.
    """
    lattice = lattice.connected()
    history = _expanded(lattice, max_order, max_arcs)
    if history is None:
        raise LatticeSimpError(
            f"a lattice of {lattice.num_arcs} arcs has more than {max_arcs} once its states know their last "
            f"{max_order - 1} words; prune it first, or take shorter n-grams"
        )
    return history


def pruned_history(lattice: Lattice, max_order: int, max_arcs: int) -> HistoryLattice:
    """Prunes a lattice until it has at most `max_arcs` arcs when it is expanded, and expands it.

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
    """Returns the expansion of a connected lattice, or None if that has too many arcs."""
    if not 1 <= max_order <= MAX_ORDER:
        raise LatticeSimpError(f"n-grams of order {max_order}; give an order from 1 to {MAX_ORDER}")
    if lattice.num_states == 0:
        none = np.zeros(1, dtype=np.int32)
        return HistoryLattice(lattice, np.zeros((max_order, 0), dtype=np.int32), none, none)
    states, offsets, arcs, nextstates, grams, words, prefixes = _expand(lattice.arcs, max_order, max_arcs)
    if len(arcs) > max_arcs:
        return None
    expanded = lattice.gather(arcs, offsets, nextstates, states)
    return HistoryLattice(expanded, grams, words, prefixes)


@jit
def _expand(lattice: Arcs, max_order: int, max_arcs: int) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints]:
    """Returns (state of each node, offsets, arc, target, n-grams of each order, last words, prefixes of the n-grams).

    Nodes are numbered in the order of their states. It stops early, one arc above the limit.
    """
    num_states = len(lattice.finals)
    capacity = 1024
    state, context = np.zeros(capacity, dtype=np.int32), np.zeros(capacity, dtype=np.int32)
    sibling = np.full(capacity, -1, dtype=np.int32)
    order_of, begins = np.empty(capacity, dtype=np.int32), np.empty(capacity, dtype=np.int32)
    head = np.full(num_states, -1, dtype=np.int32)
    head[0] = 0
    node_keys, node_values = np.full(4 * capacity, -1, dtype=np.int64), np.empty(4 * capacity, dtype=np.int32)
    node_keys[find_slot(node_keys, 0)], node_values[find_slot(node_keys, 0)] = 0, 0
    edge_capacity = 2048
    arc_of, target = np.empty(edge_capacity, dtype=np.int32), np.empty(edge_capacity, dtype=np.int32)
    longest = np.empty(edge_capacity, dtype=np.int32)
    trie_capacity = 2048 + max_order
    word, prefix = np.zeros(trie_capacity, dtype=np.int32), np.zeros(trie_capacity, dtype=np.int32)
    suffix, order = np.zeros(trie_capacity, dtype=np.int32), np.zeros(trie_capacity, dtype=np.int32)
    trie_keys, trie_values = np.full(4096, -1, dtype=np.int64), np.empty(4096, dtype=np.int32)
    nodes, edges, grams, done = 1, 0, 1, 0
    for lattice_state in range(num_states):
        node = head[lattice_state]
        while node >= 0 and edges <= max_arcs:
            order_of[done], begins[done] = node, edges
            done += 1
            for arc in range(lattice.offsets[lattice_state], lattice.offsets[lattice_state + 1]):
                gram, following = 0, context[node]
                if lattice.labels[arc] != 0:
                    # Room for the n-gram and all its suffixes, so that adding them needs no check.
                    while grams + max_order > len(word):
                        word, prefix = grown(word), grown(prefix)
                        suffix, order = grown(suffix), grown(order)
                    while 2 * (grams + max_order) > len(trie_keys):
                        trie_keys, trie_values = grown_table(trie_keys, trie_values)
                    gram, grams = _add_gram(
                        following, lattice.labels[arc], word, prefix, suffix, order, trie_keys, trie_values, grams
                    )
                    following = gram if order[gram] < max_order else suffix[gram]
                key = (np.int64(lattice.nextstates[arc]) << 32) + following
                slot = find_slot(node_keys, key)
                if node_keys[slot] < 0:
                    if nodes == len(state):
                        state, context, sibling = grown(state), grown(context), grown(sibling)
                        order_of, begins = grown(order_of), grown(begins)
                        node_keys, node_values = grown_table(node_keys, node_values)
                        slot = find_slot(node_keys, key)
                    node_keys[slot], node_values[slot] = key, nodes
                    state[nodes], context[nodes] = lattice.nextstates[arc], following
                    sibling[nodes] = head[lattice.nextstates[arc]]
                    head[lattice.nextstates[arc]] = nodes
                    nodes += 1
                if edges == len(arc_of):
                    arc_of, target, longest = grown(arc_of), grown(target), grown(longest)
                arc_of[edges], target[edges], longest[edges] = arc, node_values[slot], gram
                edges += 1
                if edges > max_arcs:
                    break
            node = sibling[node]
    index = np.empty(nodes, dtype=np.int32)
    for number in range(done):
        index[order_of[number]] = number
    by_order = np.zeros((max_order, edges), dtype=np.int32)
    new_offsets = np.empty(done + 1, dtype=np.int32)
    new_offsets[:done] = begins[:done]
    new_offsets[done] = edges
    for edge in range(edges):
        target[edge] = index[target[edge]]
        gram = longest[edge]
        while gram > 0:
            by_order[order[gram] - 1, edge] = gram
            gram = suffix[gram]
    return (
        state[order_of[:done]],
        new_offsets,
        arc_of[:edges].copy(),
        target[:edges].copy(),
        by_order,
        word[:grams].copy(),
        prefix[:grams].copy(),
    )


@jit
def _add_gram(
    context: int,
    label: int,
    word: Ints,
    prefix: Ints,
    suffix: Ints,
    order: Ints,
    keys: Longs,
    values: Ints,
    grams: int,
) -> tuple[int, int]:
    """Finds the n-gram of a context and a word, or adds it with its suffixes; returns it and the number of n-grams."""
    wanted, longer = -1, -1
    while True:
        key = (np.int64(context) << 32) + label
        slot = find_slot(keys, key)
        known = keys[slot] >= 0
        if not known:
            keys[slot], values[slot] = key, grams
            word[grams], prefix[grams], order[grams] = label, context, order[context] + 1
            grams += 1
        gram = values[slot]
        if longer >= 0:
            suffix[longer] = gram
        if wanted < 0:
            wanted = gram
        if known:
            break
        if context == 0:
            suffix[gram] = 0
            break
        longer, context = gram, suffix[context]
    return wanted, grams
