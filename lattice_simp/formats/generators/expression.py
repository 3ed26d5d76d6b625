"""Regular expressions of automata of text, by elimination of their nodes (Brzozowski and McCluskey 1963).

The expression is made from the nondeterministic automaton, which is small even if the deterministic one is large: for
terms with gaps between them, the expression's size is linear in their letters.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from lattice_simp.errors import EmptyLatticeError, LatticeSimpError
from lattice_simp.formats.generators.automaton import Ranges, TextGraph
from lattice_simp.support.groups import grouped

MAX_SIZE = 100_000
"""The most characters of an expression; for some automata, every expression has exponential size."""

MAX_DEPTH = 100
"""The deepest nesting of choices, sequences and repetitions; some programs accept at most 250 nested groups."""


@dataclass(frozen=True, eq=False)
class Expression:
    """A regular expression; equal expressions of one `Expressions` are the same object.

    Attributes:
        kind: a character of `ranges`, a sequence of parts, a choice between them, or any number of the one part.
        parts: the parts of the expression; none for a character and for the empty text, which is an empty sequence.
        ranges: the code points of a character.
        size: the number of characters in it.
        depth: the depth of its nesting.
        may_be_empty: whether the empty text matches.
    """

    kind: Literal["character", "sequence", "choice", "repeated"]
    parts: tuple[Expression, ...]
    ranges: Ranges
    size: int
    depth: int
    may_be_empty: bool


class Expressions:
    """Makes and simplifies expressions; equal ones are the same object."""

    def __init__(self) -> None:
        self._interned: dict[tuple[object, ...], Expression] = {}
        self.empty = self._of("sequence", ())

    def _of(self, kind: Literal["sequence", "choice", "repeated"], parts: tuple[Expression, ...]) -> Expression:
        key = (kind, *map(id, parts))
        if key not in self._interned:
            empty = [part.may_be_empty for part in parts]
            may_be_empty = kind == "repeated" or (all(empty) if kind == "sequence" else any(empty))
            depth = 1 + max((part.depth for part in parts), default=0)
            self._interned[key] = Expression(kind, parts, (), sum(part.size for part in parts), depth, may_be_empty)
        return self._interned[key]

    def character(self, ranges: Iterable[tuple[int, int]]) -> Expression:
        """Returns the expression of one character."""
        joined = joined_ranges(ranges)
        return self._interned.setdefault(("character", joined), Expression("character", (), joined, 1, 1, False))

    def sequence(self, *parts: Expression) -> Expression:
        """Returns the concatenation of the parts."""
        flat: list[Expression] = []
        for part in parts:
            for inner in part.parts if part.kind == "sequence" else (part,):
                if not (flat and flat[-1] is inner and inner.kind == "repeated"):
                    flat.append(inner)
        return flat[0] if len(flat) == 1 else self._of("sequence", tuple(flat))

    def repeated(self, part: Expression) -> Expression:
        """Returns the expression of any number of repetitions, including none."""
        if part.kind == "choice":
            part = self.choice(*(inner for inner in part.parts if inner is not self.empty))
        return part if part is self.empty or part.kind == "repeated" else self._of("repeated", (part,))

    def choice(self, *parts: Expression) -> Expression:
        """Returns the union of expressions, at least one."""
        flat = dict.fromkeys(inner for part in parts for inner in (part.parts if part.kind == "choice" else (part,)))
        points = [inner for inner in flat if inner.kind == "character"]
        if len(points) > 1:
            merged = self.character(interval for inner in points for interval in inner.ranges)
            flat = {merged: None} | {inner: None for inner in flat if inner.kind != "character"}
        for last in (False, True):
            flat = dict.fromkeys(self._factored(list(flat), last))
        if len(flat) > 1 and self.empty in flat:
            flat = {self._or_nothing(inner): None for inner in flat if inner is not self.empty}
            if not any(inner.may_be_empty for inner in flat):
                flat[self.empty] = None
        if len(flat) == 1:
            return next(iter(flat))
        return self._of("choice", tuple(flat))

    def _factored(self, parts: Sequence[Expression], last: bool) -> list[Expression]:
        """Merges the alternatives that begin (or, if `last`, end) with the same part."""
        groups = grouped(
            (part if part.kind != "sequence" or part is self.empty else part.parts[-1 if last else 0], part)
            for part in parts
        )
        factored: list[Expression] = []
        for group in groups.values():
            if len(group) == 1:
                factored += group
                continue
            step = -1 if last else 1
            rows = [(part.parts if part.kind == "sequence" else (part,))[::step] for part in group]
            common = next(place for place, column in enumerate(zip_longest(*rows)) if len(set(column)) > 1)
            shared = rows[0][:common][::step]
            rest = self.choice(*(self.sequence(*row[common:][::step]) for row in rows))
            factored.append(self.sequence(rest, *shared) if last else self.sequence(*shared, rest))
        return factored

    def _or_nothing(self, part: Expression) -> Expression:
        """Returns x* for x x* and x* x, and any other expression unchanged."""
        if part.kind == "sequence":
            for repeated, rest in ((part.parts[-1], part.parts[:-1]), (part.parts[0], part.parts[1:])):
                if repeated.kind == "repeated" and repeated.parts[0] is self.sequence(*rest):
                    return repeated
        return part


class TooLargeError(LatticeSimpError):
    """An expression has too many characters, or is nested too deeply."""


def expression_of(graph: TextGraph, max_size: int = MAX_SIZE) -> Expression:
    """Returns the regular expression of the texts of an automaton.

    Raises:
        EmptyLatticeError: no text is accepted.
        TooLargeError: it would have more than `max_size` characters or be nested more deeply than `MAX_DEPTH`.
    """
    end, arcs = _simplified(graph)
    if not arcs:
        raise EmptyLatticeError("the lattice accepts nothing, so there is no text")
    elimination = _Elimination(max_size)
    labels = grouped(((source, target), label) for source, label, target in sorted(arcs))
    elimination.check(sum(any(between) for between in labels.values()), 0)
    for (source, target), between in labels.items():
        ranges = [interval for label in between if label for interval in graph.alphabet.classes[label - 1]]
        if ranges:
            elimination.add(source, target, elimination.expressions.character(ranges))
        if 0 in between:
            elimination.add(source, target, elimination.expressions.empty)
    nodes = {node for source, _, target in arcs for node in (source, target)} - {0, end}
    due = [(elimination.weight(node), node) for node in nodes]
    heapq.heapify(due)
    while due:
        old_weight, node = heapq.heappop(due)
        if node in nodes and old_weight == elimination.weight(node):
            nodes.remove(node)
            for neighbour in elimination.without(node) & nodes:
                heapq.heappush(due, (elimination.weight(neighbour), neighbour))
    return elimination.following[0][end]


class _Elimination:
    """An automaton whose arcs are expressions, at most one between two nodes; nodes are removed one by one."""

    def __init__(self, max_size: int) -> None:
        self.expressions, self._max_size = Expressions(), max_size
        self.following: dict[int, dict[int, Expression]] = defaultdict(dict)
        self.before: dict[int, dict[int, Expression]] = defaultdict(dict)

    def add(self, source: int, target: int, expression: Expression) -> None:
        """Adds an arc; raises TooLargeError."""
        if target in self.following[source]:
            expression = self.expressions.choice(self.following[source][target], expression)
        self.check(expression.size, expression.depth)
        self.following[source][target] = self.before[target][source] = expression

    def check(self, size: int, depth: int) -> None:
        """Raises TooLargeError if an expression of this size and depth is too large."""
        if size > self._max_size or depth > MAX_DEPTH:
            raise TooLargeError(
                f"the regular expression has more than {self._max_size:,} characters, or more than {MAX_DEPTH} groups "
                "within each other; prune the lattice, or write a grammar (GBNF)"
            )

    def weight(self, node: int) -> int:
        """Returns the growth of the expressions when a node is removed (Delgado and Morais 2004)."""
        incoming = [arc.size for source, arc in self.before[node].items() if source != node]
        outgoing = [arc.size for target, arc in self.following[node].items() if target != node]
        loop = self.following[node][node].size if node in self.following[node] else 0
        longer = loop * (len(incoming) * len(outgoing) - 1)
        return sum(incoming) * (len(outgoing) - 1) + sum(outgoing) * (len(incoming) - 1) + longer

    def without(self, node: int) -> set[int]:
        """Removes a node, replacing the paths through it by arcs, and returns its neighbours."""
        before, following = self.before.pop(node), self.following.pop(node)
        loop = following.pop(node, None)
        before.pop(node, None)
        middle = () if loop is None else (self.expressions.repeated(loop),)
        for source in before:
            del self.following[source][node]
        for target in following:
            del self.before[target][node]
        for source, incoming in before.items():
            for target, outgoing in following.items():
                self.add(source, target, self.expressions.sequence(incoming, *middle, outgoing))
        return {*before, *following}


_Arcs = set[tuple[int, int, int]]
"""The arcs of an automaton: source, label, target."""


def _simplified(graph: TextGraph) -> tuple[int, _Arcs]:
    """Returns an automaton with a single end: the end, and the arcs on paths from the start to it.

    Nodes with the same leaving or the same entering arcs are merged. No arc leads to the start.
    """
    end = graph.count
    arcs = {(source, label, target) for source, label, target, _ in graph.arcs} | {
        (node, 0, end) for node in graph.finals
    }
    arcs = {arc for arc in arcs if arc[0] != arc[2] or arc[1]}
    backward = {(target, label, source) for source, label, target in arcs}
    useful = {*_reached(arcs, 0)} & {*_reached(backward, end)}
    arcs = {arc for arc in arcs if arc[0] in useful and arc[2] in useful}
    size = 0
    while size != len(arcs):
        size = len(arcs)
        arcs = _merged(arcs, 0)
        backward = {(target, label, source) for source, label, target in arcs}
        arcs = {(target, label, source) for source, label, target in _merged(backward, end)}
        arcs = {arc for arc in arcs if arc[0] != arc[2] or arc[1]}
    return end, arcs


def _reached(arcs: _Arcs, start: int) -> list[int]:
    """Returns the nodes reachable from a start, in the postorder of a depth-first search."""
    targets = defaultdict(list)
    for source, _, target in sorted(arcs):
        targets[source].append(target)
    order, visited, stack = list[int](), {start}, [start]
    while stack:
        while targets[stack[-1]]:
            target = targets[stack[-1]].pop()
            if target not in visited:
                visited.add(target)
                stack.append(target)
        order.append(stack.pop())
    return order


def _merged(arcs: _Arcs, start: int) -> _Arcs:
    """Merges nodes with the same leaving arcs, except for the start."""
    leaving: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for source, label, target in arcs:
        leaving[source].add((label, target))
    first: dict[frozenset[tuple[int, int]], int] = {}
    node_of: dict[int, int] = {}
    for node in _reached(arcs, start)[:-1]:  # targets before sources in acyclic automata
        pairs = frozenset((label, node_of.get(target, target)) for label, target in leaving[node])
        node_of[node] = first.setdefault(pairs, node) if pairs else node
    return {(node_of.get(source, source), label, node_of.get(target, target)) for source, label, target in arcs}


def joined_ranges(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Returns ranges of the same code points, sorted and without overlap.

    >>> joined_ranges([(5, 9), (1, 2), (3, 6)])
    ((1, 9),)
    """
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)
