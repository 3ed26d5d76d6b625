"""Recombination: strings that share the words they are aligned at, in one lattice.

Each string is aligned with the lattice of those before it, to the nearest path by word edit distance: the equal words
become one, and the spans between them alternatives, so that every combination of aligned spans is a path (partial
order alignment, Lee, Grasso and Sharlow 2002; for translations, Rosti, Zhang, Matsoukas and Schwartz 2008 align each
hypothesis with the network of those before it).
"""

from __future__ import annotations

import math
from itertools import chain
from typing import NamedTuple

import numpy as np

from lattice_simp.core.columns import LARGEST
from lattice_simp.core.hypothesis import Strings, as_hypotheses
from lattice_simp.core.kernel import Floats, Ints, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable

_START, _END = 0, 1
"""The nodes before the first word of all strings, and after the last."""

_UNREACHED = LARGEST // 2
"""More errors than any path has."""

_INSERTED, _SKIPPED, _TAKEN = 0, 1, 2
"""How a cell of the alignment was reached: a word of the string alone, of the lattice alone, or both."""


def recombine(hypotheses: Strings, symbols: SymbolTable | None = None) -> Lattice:
    """Returns the lattice of all strings and of all combinations of their aligned spans.

    >>> from lattice_simp.ops.nbest import nbest
    >>> both = recombine(["the old cat slept", "a cat sat"])
    >>> sorted(path.text for path in nbest(both, 9))
    ['a cat sat', 'a cat slept', 'the old cat sat', 'the old cat slept']

    A path changes from one string to another only at a word that both have, so each pair of neighbouring words occurs
    in some string.

    Args:
        hypotheses: with the probabilities exp(-cost), up to a constant; a string without a cost has the cost 0. The
            probable ones are aligned first; the probabilities of equal strings add up.
        symbols: numbers the words; a copy of it where it lacks some. A new table if None.

    Returns:
        An acceptor without epsilons, sorted topologically. The cost of an arc is the negative log of the share of the
        strings at its state that continue with it, so exp(-cost) sums to 1 over all paths. No hypotheses give a lattice
        that accepts nothing.

    Raises:
        InvalidLatticeError: a cost is not finite.
    """
    ranked = sorted(as_hypotheses(hypotheses), key=lambda hypothesis: hypothesis.cost)
    table = SymbolTable.of(symbols).with_words(chain.from_iterable(hypothesis.tokens for hypothesis in ranked))
    masses: dict[tuple[int, ...], float] = {}
    for hypothesis in ranked:
        key = tuple(table.lookup(hypothesis.tokens).tolist())
        masses[key] = masses.get(key, 0.0) + math.exp(ranked[0].cost - hypothesis.cost)
    lengths = np.array([0, *map(len, masses)], dtype=np.int64)
    words = np.array([word for key in masses for word in key], dtype=np.int32)
    shares = np.maximum(np.array(list(masses.values())), np.finfo(np.float64).tiny)
    graph = _aligned(words, np.cumsum(lengths), shares)
    return _lattice(graph, table)


class _Graph(NamedTuple):
    """A graph whose nodes are words.

    Attributes:
        words: (nodes,) int32; 0 for the start and the end.
        sources, targets: (edges,) int32.
        masses: (edges,) float64, the probabilities of the strings that take each edge.
    """

    words: Ints
    sources: Ints
    targets: Ints
    masses: Floats


def _lattice(graph: _Graph, symbols: SymbolTable) -> Lattice:
    """Returns the lattice of a graph: its states are the nodes except the end, its arcs carry their targets' words."""
    through = np.bincount(graph.sources, weights=graph.masses, minlength=len(graph.words))
    costs = 0.0 - np.log(graph.masses / through[graph.sources])
    ends = graph.targets == _END
    finals = np.full(len(graph.words), np.inf)
    finals[graph.sources[ends]] = np.maximum(costs[ends], 0.0)
    inner = ~ends
    words, targets = graph.words[graph.targets[inner]], graph.targets[inner]
    costs = np.maximum(costs[inner], 0.0)
    return Lattice.from_arcs(graph.sources[inner], words, costs, targets, finals, symbols).connected()


@jit
def _aligned(words: Ints, offsets: Ints, shares: Floats) -> _Graph:
    """Adds strings, delimited by `offsets`, to a graph one after the other, each aligned with its nearest path."""
    count = len(offsets) - 1
    most_nodes, most_edges = len(words) + 2, len(words) + count
    labels = np.zeros(most_nodes, dtype=np.int32)
    sources, targets = np.empty(most_edges, dtype=np.int32), np.empty(most_edges, dtype=np.int32)
    masses = np.zeros(most_edges)
    graph, nodes, edges = _Graph(labels, sources, targets, masses), 2, 0
    for number in range(count):
        string = words[offsets[number] : offsets[number + 1]]
        nearest = _nearest(_Graph(labels[:nodes], sources[:edges], targets[:edges], masses), string)
        node = _START
        for place in range(len(string) + 1):
            following = nearest[place] if place < len(string) else _END
            if following < 0:
                following, labels[nodes] = nodes, string[place]
                nodes += 1
            edge = 0
            while edge < edges and (sources[edge] != node or targets[edge] != following):
                edge += 1
            if edge == edges:
                sources[edge], targets[edge] = node, following
                edges += 1
            masses[edge] += shares[number]
            node = following
    return _Graph(graph.words[:nodes], sources[:edges], targets[:edges], masses[:edges])


@jit
def _nearest(graph: _Graph, string: Ints) -> Ints:
    """Returns the node that each word matches on the nearest path of a graph, (words,); -1 for no match."""
    labels, sources, targets, _ = graph
    length = len(string)
    nodes = np.full(length, -1, dtype=np.int32)
    if not len(sources):
        return nodes
    order, begins, arriving = _ordered(len(labels), sources, targets)
    errors = np.full((len(labels), length + 1), _UNREACHED, dtype=np.int32)
    steps = np.zeros((len(labels), length + 1), dtype=np.int8)
    before = np.full((len(labels), length + 1), -1, dtype=np.int32)
    for place in range(length + 1):
        errors[_START, place] = place
    for node in order[1:]:
        skip_cost = 1 if node != _END else 0  # the end is not a word that could be skipped
        for index in range(begins[node], begins[node + 1]):
            source = arriving[index]
            for place in range(length + 1):
                skipped = errors[source, place] + skip_cost
                if skipped < errors[node, place]:
                    errors[node, place], steps[node, place], before[node, place] = skipped, _SKIPPED, source
                if place < length and node != _END:
                    pair_cost = errors[source, place] + (0 if labels[node] == string[place] else 1)
                    # Ties go to steps that take a word on both sides, so that alternatives lie side by side.
                    if pair_cost <= errors[node, place + 1] and (
                        pair_cost < errors[node, place + 1] or steps[node, place + 1] != _TAKEN
                    ):
                        errors[node, place + 1], steps[node, place + 1] = pair_cost, _TAKEN
                        before[node, place + 1] = source
        for place in range(length):
            if errors[node, place] + 1 < errors[node, place + 1]:
                errors[node, place + 1], steps[node, place + 1] = errors[node, place] + 1, _INSERTED
    node, place = _END, length
    while node != _START:
        step, source = steps[node, place], before[node, place]
        if step == _INSERTED:
            place -= 1
            continue
        if step == _TAKEN:
            place -= 1
            if labels[node] == string[place]:
                nodes[place] = node
        node = source
    return nodes


@jit
def _ordered(nodes: int, sources: Ints, targets: Ints) -> tuple[Ints, Ints, Ints]:
    """Returns the nodes in topological order, where the predecessors of each node begin, and all predecessors."""
    missing = np.zeros(nodes, dtype=np.int32)
    begins, leaving = np.zeros(nodes + 1, dtype=np.int32), np.zeros(nodes + 1, dtype=np.int32)
    for edge in range(len(sources)):
        begins[targets[edge] + 1] += 1
        leaving[sources[edge] + 1] += 1
        missing[targets[edge]] += 1
    for node in range(nodes):
        begins[node + 1] += begins[node]
        leaving[node + 1] += leaving[node]
    arriving, following = np.empty(len(sources), dtype=np.int32), np.empty(len(sources), dtype=np.int32)
    next_in, next_out = begins[:-1].copy(), leaving[:-1].copy()
    for edge in range(len(sources)):
        arriving[next_in[targets[edge]]] = sources[edge]
        next_in[targets[edge]] += 1
        following[next_out[sources[edge]]] = targets[edge]
        next_out[sources[edge]] += 1
    order = np.empty(nodes, dtype=np.int32)
    order[0], num_ordered = _START, 1
    for position in range(nodes):
        node = order[position]
        for index in range(leaving[node], leaving[node + 1]):
            missing[following[index]] -= 1
            if missing[following[index]] == 0:
                order[num_ordered] = following[index]
                num_ordered += 1
    return order, begins, arriving
