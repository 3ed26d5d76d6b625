"""A deterministic automaton of texts that grows as it is used.

The deterministic automaton of a list of skeletons with gaps may be exponentially large, but a text passes few of its
states. A state is a cost for each node of the nondeterministic automaton: the least cost of the text so far that leads
to it. Dominated nodes are left out: once a text holds a skeleton, only cheaper skeletons matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, jit
from lattice_simp.errors import EmptyLatticeError, LatticeSimpError
from lattice_simp.formats.generators.automaton import TextGraph
from lattice_simp.text.constrain.utf8 import CLASS, DEAD, Utf8Decoder
from lattice_simp.text.constrain.vocabulary import TokenTrie

UNKNOWN = -3
"""The target of an arc of a state that has not been expanded."""

FAR = 2**30
"""Stands for an infinite distance (in tokens): no sequence of tokens leads to the end."""

_SLACK = 1e-9
"""Costs that differ by this many nats count as equal: they are sums of the same costs in different orders."""

_BATCH = 64
"""The number of states that are expanded at once."""


@dataclass(frozen=True, eq=False)
class TextNodes:
    """A nondeterministic automaton of characters without epsilons; the start is node 0.

    Attributes:
        sources, labels, targets: (arcs,) int32; a label is a class of characters. Sorted by label, then target.
        costs: (arcs,) float64, nats.
        finals: (nodes,) float64, the cost of an end; infinite where a text may not end.
        to_end: (nodes,) float64, the least cost from a node to an end.
        whole_ends: (nodes,) bool, whether a text may end there without a missing word.
        num_classes: the number of classes.
    """

    sources: Ints
    labels: Ints
    targets: Ints
    costs: Floats
    finals: Floats
    to_end: Floats
    whole_ends: Bools
    num_classes: int

    @classmethod
    def of(cls, graph: TextGraph) -> TextNodes:
        """Removes the epsilons of a graph of characters, and the nodes that lead to no end.

        Raises:
            EmptyLatticeError: no text is accepted.
            LatticeSimpError: a cycle has a negative cost.
        """
        to_end = _costs_to_end(graph)
        if not np.isfinite(to_end[0]):
            raise EmptyLatticeError("the lattice accepts nothing, so there is no text")
        empty, leaving = _arcs_by_node(graph, to_end)
        numbers, order = {0: 0}, [0]
        rows: list[tuple[int, int, int, float]] = []
        finals, whole_ends = list[float](), list[bool]()
        whole = graph.whole or graph.count
        for node in order:
            closure = _closure(node, empty)
            finals.append(min(cost + graph.finals.get(reached, np.inf) for reached, cost in closure.items()))
            whole_ends.append(any(reached < whole and reached in graph.finals for reached in closure))
            for reached, before in closure.items():
                for label, target, cost in leaving[reached]:
                    if target not in numbers:
                        numbers[target] = len(order)
                        order.append(target)
                    rows.append((label - 1, numbers[target], numbers[node], before + cost))
        rows.sort()
        labels, targets, sources = (np.array([row[place] for row in rows], dtype=np.int32) for place in range(3))
        costs = np.array([row[3] for row in rows], dtype=np.float64)
        classes = len(graph.alphabet.classes)
        return cls(sources, labels, targets, costs, np.array(finals), to_end[order], np.array(whole_ends), classes)

    @cached_property
    def universal(self) -> Bools:
        """The final nodes, (nodes,) bool, from which all characters lead to such nodes at no cost."""
        universal = np.isfinite(self.finals)
        classes = len(np.unique(self.labels))
        while True:
            kept = universal[self.targets] & (self.costs <= 0)
            pairs = np.unique(self.sources[kept].astype(np.int64) * self.num_classes + self.labels[kept])
            counts = np.bincount(pairs // self.num_classes, minlength=len(universal))
            reduced = universal & (counts == classes)
            if np.array_equal(reduced, universal):
                return universal
            universal = reduced


def _costs_to_end(graph: TextGraph) -> Floats:
    """Returns (nodes,) the least cost from each node of a graph to an end."""
    costs = np.full(graph.count, np.inf)
    costs[list(graph.finals)] = list(graph.finals.values())
    if not graph.arcs:
        return costs
    sources, _, targets, weights = (np.array(column) for column in zip(*graph.arcs, strict=True))
    for _ in range(graph.count + 1):
        before = costs.copy()
        np.minimum.at(costs, sources, weights + before[targets])
        if np.array_equal(costs, before):
            return costs
    raise LatticeSimpError("a cycle of the lattice has a negative cost, so longer texts always cost less")


_Empty = list[list[tuple[int, float]]]
_Leaving = list[list[tuple[int, int, float]]]


def _arcs_by_node(graph: TextGraph, to_end: Floats) -> tuple[_Empty, _Leaving]:
    """Returns the epsilon arcs and the other arcs of each node, without those that lead to no end."""
    empty: _Empty = [[] for _ in range(graph.count)]
    leaving: _Leaving = [[] for _ in range(graph.count)]
    useful = np.isfinite(to_end).tolist()
    for source, label, target, cost in graph.arcs:
        if useful[target] and label == 0:
            empty[source].append((target, cost))
        elif useful[target]:
            leaving[source].append((label, target, cost))
    return empty, leaving


def _closure(node: int, empty: _Empty) -> dict[int, float]:
    """Returns the nodes that epsilons lead to, and the least cost of each."""
    costs, waiting = {node: 0.0}, [node]
    while waiting:
        source = waiting.pop()
        for target, cost in empty[source]:
            if costs[source] + cost < costs.get(target, np.inf):
                costs[target] = costs[source] + cost
                waiting.append(target)
    return costs


class TextStates:
    """The states of a deterministic automaton of texts over bytes, made when they are first reached.

    A place in a text is one number: the state times the number of states of the decoder, plus the decoder's state.
    Place 0 is the start.

    Attributes:
        nodes: the nondeterministic automaton.
        decoder: the decoder of bytes into classes of characters.
        table: (states, classes) int32, the state that each class leads to, `DEAD`, or `UNKNOWN`.
        least: (states,) float64, the least cost of all accepted texts that go on from a state.
        finals: (states,) float64, the cost of a text that ends there, infinite if it may not.
    """

    def __init__(self, graph: TextGraph) -> None:
        self.nodes, self.decoder = TextNodes.of(graph), Utf8Decoder.of(graph.alphabet.classes)
        self.table = np.empty((0, self.nodes.num_classes), dtype=np.int32)
        self.least, self.finals = np.empty(0), np.empty(0)
        self._keys: list[bytes] = []
        self._numbers: dict[bytes, int] = {}
        keys = self.nodes.labels.astype(np.int64) * len(self.nodes.finals) + self.nodes.targets
        self._columns, self._starts = np.unique(keys, return_index=True)
        self._add(np.where(np.arange(len(self.nodes.finals)) == 0, 0.0, np.inf)[None])

    @property
    def width(self) -> int:
        """The number of states of the decoder."""
        return len(self.decoder.steps)

    def follow(self, place: int, data: bytes) -> int:
        """Returns the place after `data`, or `DEAD`."""
        state, within = divmod(place, self.width)
        for byte in data:
            step = self.decoder.steps.item(within, byte)
            if step == DEAD:
                return DEAD
            if self.table.item(state, 0) == UNKNOWN:
                self._expand(np.array([state]))
            if step <= CLASS:
                state, within = self.table.item(state, CLASS - step), 0
                if state == DEAD:
                    return DEAD
            elif not (self.decoder.open[step] & (self.table[state] != DEAD)).any():
                return DEAD
            else:
                within = step
        return state * self.width + within

    def targets(self, place: int, trie: TokenTrie) -> Ints:
        """Returns the place that each token leads to, (vocabulary,) int32, or `DEAD`."""
        targets = np.full(trie.size, DEAD, dtype=np.int32)
        new_states = np.array([place // self.width])
        while len(new_states):
            self._expand(new_states)
            unknown = np.zeros(len(self.table), dtype=np.bool_)
            _tokens_from(self.table, self.decoder.steps, self.decoder.open, place, trie.columns, targets, unknown)
            new_states = np.flatnonzero(unknown)
        return targets

    def members(self, state: int) -> Floats:
        """Returns the cost of each node in a state, (nodes,) float64; infinite for nodes that are not in it."""
        return np.frombuffer(self._keys[state])

    def _expand(self, states: Longs) -> None:
        """Fills the rows of states."""
        states = states[self.table[states, 0] == UNKNOWN]
        for begin in range(0, len(states), _BATCH):
            batch = states[begin : begin + _BATCH]
            costs = np.stack([self.members(state) for state in batch.tolist()])
            reached = np.full((len(batch), self.nodes.num_classes * costs.shape[1]), np.inf)
            if len(self._starts):
                through = costs[:, self.nodes.sources] + self.nodes.costs
                reached[:, self._columns] = np.minimum.reduceat(through, self._starts, axis=1)
            numbers = self._add(self._undominated(reached.reshape(-1, costs.shape[1])))
            self.table[batch] = numbers.reshape(len(batch), -1)

    def _undominated(self, rows: Floats) -> Floats:
        """Leaves out dominated nodes, (rows, nodes): a node that accepts any continuation costs no more."""
        universal = np.flatnonzero(self.nodes.universal)
        ending = rows[:, universal] + self.nodes.finals[universal]
        bounded = np.flatnonzero(np.isfinite(ending).any(axis=1))
        best = universal[ending[bounded].argmin(axis=1)] if len(bounded) else bounded
        bounds = ending[bounded].min(axis=1, initial=np.inf)
        reached = rows[bounded]
        needless = reached + self.nodes.to_end >= bounds[:, None] - _SLACK
        needless[np.arange(len(bounded)), best] = False
        rows[bounded] = np.where(needless, np.inf, reached)
        return rows

    def _add(self, rows: Floats) -> Ints:
        """Returns the number of the state of each row of costs, (rows,) int32; `DEAD` for rows without a node."""
        numbers = np.full(len(rows), DEAD, dtype=np.int32)
        new: list[int] = []
        for row in np.flatnonzero(np.isfinite(rows).any(axis=1)).tolist():
            key = rows[row].tobytes()
            if key not in self._numbers:
                self._numbers[key] = len(self._keys)
                self._keys.append(key)
                new.append(row)
            numbers[row] = self._numbers[key]
        if new:
            added = rows[new]
            self.table = np.concatenate((self.table, np.full((len(new), self.nodes.num_classes), UNKNOWN, np.int32)))
            self.least = np.append(self.least, (added + self.nodes.to_end).min(axis=1))
            self.finals = np.append(self.finals, (added + self.nodes.finals).min(axis=1))
        return numbers


class Distances:
    """The fewest tokens that end a text, for the places of an automaton; the end is a token of its own.

    The nodes' distances are found once, by a walk through the vocabulary for each node; a state has the least of its
    nodes' distances.
    """

    def __init__(self, texts: TextStates, trie: TokenTrie) -> None:
        self._texts = texts
        edges = _TokenEdges.of(texts, trie)
        self._of_nodes = edges.distances(np.isfinite(texts.nodes.finals))
        self._of_whole = edges.distances(texts.nodes.whole_ends)
        self._places, self._banks = (np.empty((0, texts.width), dtype=np.int32) for _ in range(2))

    @property
    def of_places(self) -> Ints:
        """The fewest tokens from each known place, (places,) int32; `FAR` where no tokens lead to an end."""
        self._update()
        return self._places.reshape(-1)

    @property
    def banks(self) -> Ints:
        """The same for texts without missing words; for all texts, where every continuation misses a word."""
        self._update()
        return self._banks.reshape(-1)

    def _update(self) -> None:
        """Adds the states that are new."""
        states = range(len(self._places), len(self._texts.table))
        members = [np.isfinite(self._texts.members(state)) for state in states]
        if members:
            places, whole = (
                np.stack([distances[row].min(axis=0) for row in members])
                for distances in (self._of_nodes, self._of_whole)
            )
            self._places = np.concatenate((self._places, places))
            self._banks = np.concatenate((self._banks, np.where(whole < FAR, whole, places)))


@dataclass(frozen=True)
class _TokenEdges:
    """The edges between places that single tokens span: the sources, where each one's targets begin, and the targets.

    A place is a node times the number of states of the decoder (`width`), plus a state of the decoder.
    """

    width: int
    sources: Longs
    starts: Longs
    targets: Longs

    @classmethod
    def of(cls, texts: TextStates, trie: TokenTrie) -> _TokenEdges:
        """Finds the places that are reached from the start, and the edges between them."""
        nodes, decoder = texts.nodes, texts.decoder
        order = np.lexsort((nodes.labels, nodes.sources))
        keys = nodes.sources[order].astype(np.int64) * nodes.num_classes + nodes.labels[order]
        offsets = np.searchsorted(keys, np.arange(len(nodes.finals) * nodes.num_classes + 1))
        places, visited = [0], {0}
        sources, edges = list[int](), list[Longs]()
        for place in places:
            reached = np.zeros(len(nodes.finals) * texts.width, dtype=np.bool_)
            _nodes_from(offsets, nodes.targets[order], decoder.steps, decoder.open, place, trie.columns, reached)
            following = np.flatnonzero(reached)
            if len(following):
                sources.append(place)
                edges.append(following)
                places += [number for number in following.tolist() if number not in visited]
                visited.update(following.tolist())
        starts = prefix_sums([len(following) for following in edges])[:-1]
        targets = np.concatenate(edges) if edges else np.empty(0, dtype=np.int64)
        return cls(texts.width, np.array(sources, dtype=np.int64), starts, targets)

    def distances(self, may_end: Bools) -> Ints:
        """Returns the fewest tokens to an end in some nodes, (nodes, width) int32; the end counts as one."""
        distances = np.full(len(may_end) * self.width, FAR, dtype=np.int32)
        distances[np.flatnonzero(may_end) * self.width] = 1
        while len(self.sources):
            nearer = np.minimum.reduceat(distances[self.targets], self.starts) + 1
            nearer = np.minimum(distances[self.sources], nearer)
            if np.array_equal(nearer, distances[self.sources]):
                break
            distances[self.sources] = nearer
        return distances.reshape(-1, self.width)


@jit
def _tokens_from(
    table: Ints,
    steps: Ints,
    may_end: Bools,
    place: int,
    trie: tuple[Ints, Ints, Ints, Ints, Ints],
    targets: Ints,
    unknown: Bools,
) -> None:
    """Writes the place that each token leads to, by one walk through their tree; marks states without a row."""
    letters, depths, ends, offsets, tokens = trie
    width = len(steps)
    places = np.empty(depths.max() + 1, dtype=np.int64)
    places[0] = place
    node = 1
    while node < len(letters):
        state, within = divmod(places[depths[node] - 1], width)
        step = steps[within, letters[node]]
        following = DEAD
        if step != DEAD and table[state, 0] == UNKNOWN:
            unknown[state] = True
        elif step <= CLASS:
            following = table[state, CLASS - step] * width if table[state, CLASS - step] != DEAD else DEAD
        elif step != DEAD:
            for number in range(table.shape[1]):
                if may_end[step, number] and table[state, number] != DEAD:
                    following = state * width + step
                    break
        if following == DEAD:
            node = ends[node]
            continue
        places[depths[node]] = following
        for index in range(offsets[node], offsets[node + 1]):
            targets[tokens[index]] = following
        node += 1


@jit
def _nodes_from(
    offsets: Longs,
    targets: Ints,
    steps: Ints,
    may_end: Bools,
    place: int,
    trie: tuple[Ints, Ints, Ints, Ints, Ints],
    reached: Bools,
) -> None:
    """Marks the pairs of a node and a state of the decoder that some token leads to."""
    letters, depths, ends, token_offsets, _ = trie
    width, classes = may_end.shape
    nodes = len(reached) // width
    deepest = depths.max() + 1
    members = np.empty((deepest, nodes), dtype=np.int32)
    counts = np.zeros(deepest, dtype=np.int64)
    within = np.zeros(deepest, dtype=np.int64)
    added = np.zeros(nodes, dtype=np.int64)  # the node of the tree at which each member was last added
    members[0, 0], counts[0], within[0] = place // width, 1, place % width
    node = 1
    while node < len(letters):
        depth = depths[node]
        step = steps[within[depth - 1], letters[node]]
        count = 0
        for index in range(counts[depth - 1] if step != DEAD else 0):
            base = members[depth - 1, index] * classes
            if step <= CLASS:
                for arc in range(offsets[base + CLASS - step], offsets[base + CLASS - step + 1]):
                    if added[targets[arc]] != node:
                        added[targets[arc]] = node
                        members[depth, count] = targets[arc]
                        count += 1
            else:
                for number in range(classes):
                    if may_end[step, number] and offsets[base + number] < offsets[base + number + 1]:
                        members[depth, count] = members[depth - 1, index]
                        count += 1
                        break
        if count == 0:
            node = ends[node]
            continue
        counts[depth], within[depth] = count, step if step >= 0 else 0
        if token_offsets[node] < token_offsets[node + 1]:
            for index in range(count):
                reached[members[depth, index] * width + within[depth]] = True
        node += 1
