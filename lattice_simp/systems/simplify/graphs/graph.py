"""Semantic graphs of sentences: events, entities and properties, with roles and relations between them.

Discourse representation structures and dependency trees are converted to this form, which determines the possible
splits and deletions (Narayan and Gardent 2014, section 3.1 and Figure 1).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.plurals import counted


class NodeKind(StrEnum):
    """The kind of a node."""

    EVENT = "event"
    ENTITY = "entity"
    PROPERTY = "property"


class EdgeKind(StrEnum):
    """The kind of an edge from a head to a dependent.

    `ROLE` is a core role (agent, patient ...), `RELATION` a preposition, a time or an adverbial clause, `MODIFIER` an
    adjective or an adverb, `CLAUSE` a relative or participial clause or an apposition, `CONJUNCT` another member of a
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
        name: a name unique in the graph.
        kind: event, entity or property.
        predicates: its predicates (lemmas), including names and dates.
        positions: the positions of its words (from 0) in order, without those of its dependents.
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
        kind: the kind of edge.
        positions: the positions of words that express it (a preposition, a conjunction); mostly none for roles.
        shared: whether the dependent is attached elsewhere (the antecedent of a relative clause).
        obligatory: whether the dependent must stay although it is not a core role (a negation, a possessor).
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
    """The graph of a sentence. Each position belongs to a node or an edge, or is an orphan.

    >>> nodes = (Node("X1", NodeKind.EVENT, ("rain",), (1,)), Node("X2", NodeKind.ENTITY, ("paris",), (3,)))
    >>> edges = (Edge("X1", "X2", "in", EdgeKind.RELATION, (2,)),)
    >>> graph = SemanticGraph(("it", "rained", "in", "Paris"), nodes, edges)
    >>> graph.orphans, graph.span("X1"), graph.labels("X1")
    ((0,), (1, 2, 3), ('in',))

    Attributes:
        tokens: the sentence.
        nodes, edges: the nodes and edges; edges that are not `shared` form trees.
        needed: orphans that must stay.
        tags: the Penn Treebank tag of each token; empty if unknown.

    Raises:
        LatticeSimpError: a name is repeated or unknown, a position is outside the sentence or has two owners, a node
            has two heads, the edges form a cycle, or there is another number of tags than tokens.
    """

    tokens: tuple[str, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    needed: frozenset[int] = frozenset()
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.tags and len(self.tags) != len(self.tokens):
            raise LatticeSimpError(
                f"a graph of {counted(len(self.tokens), 'token')} has {counted(len(self.tags), 'tag')}"
            )
        names = Counter(node.name for node in self.nodes)
        if repeated := [name for name, count in names.items() if count > 1]:
            raise LatticeSimpError(f"two nodes of a graph have the name {repeated[0]}")
        for edge in self.edges:
            for name in (edge.head, edge.dependent):
                if name not in names:
                    raise LatticeSimpError(f"the edge {edge.label!r} of a graph refers to the unknown node {name}")
        owners = Counter(self._owned())
        for position, count in owners.items():
            if not 0 <= position < len(self.tokens):
                raise LatticeSimpError(
                    f"position {position} of a graph is outside its {counted(len(self.tokens), 'token')}"
                )
            if count > 1:
                raise LatticeSimpError(f"position {position} of a graph has {count} owners; it must have one")
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
        """The positions of words that belong to no node or edge, in order."""
        owned = set(self._owned())
        return tuple(position for position in range(len(self.tokens)) if position not in owned)

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The names of nodes without a head."""
        hanging = {edge.dependent for edge in self.edges if not edge.shared}
        return tuple(node.name for node in self.nodes if node.name not in hanging)

    @cached_property
    def by_name(self) -> dict[str, Node]:
        """The nodes by name."""
        return {node.name: node for node in self.nodes}

    @cached_property
    def outgoing(self) -> dict[str, tuple[Edge, ...]]:
        """The edges from each node to its dependents, including shared ones."""
        return {node.name: tuple(edge for edge in self.edges if edge.head == node.name) for node in self.nodes}

    @cached_property
    def incoming(self) -> dict[str, Edge]:
        """The edge to each node from its head; roots have none."""
        return {edge.dependent: edge for edge in self.edges if not edge.shared}

    @cached_property
    def events(self) -> tuple[str, ...]:
        """The names of events with a core role, in the order of their first words."""
        events = [
            node
            for node in self.nodes
            if node.kind == NodeKind.EVENT and any(edge.kind == EdgeKind.ROLE for edge in self.outgoing[node.name])
        ]
        return tuple(node.name for node in sorted(events, key=lambda node: node.positions[:1]))

    def node_at(self, position: int) -> str | None:
        """Returns the name of the node that owns a position; None for words of relations and orphans."""
        return next((node.name for node in self.nodes if position in node.positions), None)

    def labels(self, name: str) -> tuple[str, ...]:
        """Returns the roles and relations of a node, sorted (the feature of splits, Table 1)."""
        kinds = (EdgeKind.ROLE, EdgeKind.RELATION)
        return tuple(sorted(edge.label for edge in self.outgoing[name] if edge.kind in kinds))

    def subtree(self, name: str) -> tuple[str, ...]:
        """Returns a node and its descendants, without entities attached elsewhere."""
        names: dict[str, None] = {}
        pending = [name]
        while pending:
            current = pending.pop()
            if current not in names:
                names[current] = None
                pending += [edge.dependent for edge in reversed(self.outgoing[current]) if not edge.shared]
        return tuple(names)

    def span(self, name: str) -> tuple[int, ...]:
        """Returns the positions of a node and its descendants in order, without orphans."""
        names = self.subtree(name)
        inside = {position for node in names for position in self.by_name[node].positions}
        inside |= {position for node in names for edge in self.outgoing[node] for position in edge.positions}
        return tuple(sorted(inside))

    def phrase(self, edge: Edge) -> tuple[int, ...]:
        """Returns the positions of a relation's words and of its dependent's subtree."""
        hanging = () if edge.shared else self.span(edge.dependent)
        return tuple(sorted({*edge.positions, *hanging}))
