"""Semantic graphs of sentences: events, entities and their properties, with the roles and relations between them.

A discourse representation structure, or the tree of a parser, is brought to this form; what may be split and deleted is
found on it (Narayan and Gardent 2014, section 3.1 and Figure 1).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from lattice_simp.errors import LatticeSimpError


class NodeKind(StrEnum):
    """What a node stands for."""

    EVENT = "event"
    ENTITY = "entity"
    PROPERTY = "property"


class EdgeKind(StrEnum):
    """How a dependant belongs to its head.

    `ROLE` is a core role (agent, patient ...), `RELATION` a preposition, a time or an adverbial clause, `MODIFIER` an
    adjective or an adverb, `CLAUSE` a relative or participial clause or an apposition, `CONJUNCT` a further member of a
    coordination.
    """

    ROLE = "role"
    RELATION = "relation"
    MODIFIER = "modifier"
    CLAUSE = "clause"
    CONJUNCT = "conjunct"


@dataclass(frozen=True)
class Node:
    """A discourse referent.

    Attributes:
        name: unique in its graph.
        kind: event, entity or property.
        predicates: what holds of it (lemmas); names and dates are predicates like others.
        positions: of its own words (from 0), in order; those of its dependants are theirs.
    """

    name: str
    kind: NodeKind
    predicates: tuple[str, ...]
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Edge:
    """A role, relation or modification.

    Attributes:
        head, dependent: names of nodes.
        label: the role (`agent`), or the word of the relation (`in`).
        kind: see `EdgeKind`.
        positions: of the words that express it: a preposition, a conjunction; mostly none for roles.
        shared: whether the dependant belongs elsewhere too and hangs there (the antecedent of a relative clause).
        obligatory: whether the dependant must stay although it is no core role (a negation, a possessor).
    """

    head: str
    dependent: str
    label: str
    kind: EdgeKind
    positions: tuple[int, ...] = ()
    shared: bool = False
    obligatory: bool = False


@dataclass(frozen=True)
class SemanticGraph:
    """The graph of a sentence. Each position is of one node, of one edge, or an orphan's.

    >>> nodes = (Node("X1", NodeKind.EVENT, ("rain",), (1,)), Node("X2", NodeKind.ENTITY, ("paris",), (3,)))
    >>> edges = (Edge("X1", "X2", "in", EdgeKind.RELATION, (2,)),)
    >>> graph = SemanticGraph(("it", "rained", "in", "Paris"), nodes, edges)
    >>> graph.orphans, graph.span("X1"), graph.labels("X1")
    ((0,), (1, 2, 3), ('in',))

    Attributes:
        tokens: the sentence.
        nodes, edges: see there. Edges that are not `shared` form trees.
        needed: orphans that must stay.

    Raises:
        LatticeSimpError: names that occur twice or are unknown, positions outside the sentence or of two owners, a
            node with two heads, or a cycle.
    """

    tokens: tuple[str, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    needed: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        names = Counter(node.name for node in self.nodes)
        if repeated := [name for name, count in names.items() if count > 1]:
            raise LatticeSimpError(f"two nodes of a graph have the name {repeated[0]}")
        for edge in self.edges:
            for name in (edge.head, edge.dependent):
                if name not in names:
                    raise LatticeSimpError(f"an edge {edge.label!r} of a graph with the unknown node {name}")
        owners = Counter(self._owned())
        for position, count in owners.items():
            if not 0 <= position < len(self.tokens):
                raise LatticeSimpError(f"a graph of {len(self.tokens)} tokens with the position {position}")
            if count > 1:
                raise LatticeSimpError(f"the position {position} of a graph has {count} owners")
        self._check_trees()

    def _check_trees(self) -> None:
        heads = Counter(edge.dependent for edge in self.edges if not edge.shared)
        if several := [name for name, count in heads.items() if count > 1]:
            raise LatticeSimpError(f"the node {several[0]} of a graph has two heads; one of the edges must be shared")
        reached = {name for root in self.roots for name in self.subtree(root)}
        if len(reached) < len(self.nodes):
            raise LatticeSimpError("the edges of a graph form a cycle; one of them must be shared")

    def _owned(self) -> list[int]:
        of_nodes = [position for node in self.nodes for position in node.positions]
        return of_nodes + [position for edge in self.edges for position in edge.positions]

    @cached_property
    def orphans(self) -> tuple[int, ...]:
        """The positions of words without node or relation, in order."""
        owned = set(self._owned())
        return tuple(position for position in range(len(self.tokens)) if position not in owned)

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The names of nodes that hang from no other."""
        hanging = {edge.dependent for edge in self.edges if not edge.shared}
        return tuple(node.name for node in self.nodes if node.name not in hanging)

    @cached_property
    def by_name(self) -> dict[str, Node]:
        """The nodes by their names."""
        return {node.name: node for node in self.nodes}

    @cached_property
    def outgoing(self) -> dict[str, tuple[Edge, ...]]:
        """The edges of each node to its dependants, shared ones included."""
        return {node.name: tuple(edge for edge in self.edges if edge.head == node.name) for node in self.nodes}

    @cached_property
    def incoming(self) -> dict[str, Edge]:
        """The edge that each node hangs from; roots have none."""
        return {edge.dependent: edge for edge in self.edges if not edge.shared}

    @cached_property
    def events(self) -> tuple[str, ...]:
        """The names of the events that have a core role, by their first words."""
        found = [
            node
            for node in self.nodes
            if node.kind == NodeKind.EVENT and any(edge.kind == EdgeKind.ROLE for edge in self.outgoing[node.name])
        ]
        return tuple(node.name for node in sorted(found, key=lambda node: node.positions[:1]))

    def node_at(self, position: int) -> str | None:
        """Returns the name of the node whose word this is; None for words of relations and orphans."""
        return next((node.name for node in self.nodes if position in node.positions), None)

    def labels(self, name: str) -> tuple[str, ...]:
        """Returns the roles and relations of a node, sorted (the feature of splits, Table 1)."""
        kinds = (EdgeKind.ROLE, EdgeKind.RELATION)
        return tuple(sorted(edge.label for edge in self.outgoing[name] if edge.kind in kinds))

    def subtree(self, name: str) -> tuple[str, ...]:
        """Returns a node and all that hangs from it; entities that it shares with others hang elsewhere."""
        found: dict[str, None] = {}
        pending = [name]
        while pending:
            current = pending.pop()
            if current not in found:
                found[current] = None
                pending += [edge.dependent for edge in reversed(self.outgoing[current]) if not edge.shared]
        return tuple(found)

    def span(self, name: str) -> tuple[int, ...]:
        """Returns the positions of a node and of all that hangs from it, in order; orphans are not among them."""
        names = self.subtree(name)
        inside = {position for one in names for position in self.by_name[one].positions}
        inside |= {position for one in names for edge in self.outgoing[one] for position in edge.positions}
        return tuple(sorted(inside))

    def phrase(self, edge: Edge) -> tuple[int, ...]:
        """Returns the positions of a relation: its own words, and what hangs from it."""
        hanging = () if edge.shared else self.span(edge.dependent)
        return tuple(sorted({*edge.positions, *hanging}))
