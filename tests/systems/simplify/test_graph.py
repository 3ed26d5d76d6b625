"""Semantic graphs: their checks and their queries."""

from __future__ import annotations

import pytest

from lattice_simp.errors import LatticeSimpError
from lattice_simp.systems.simplify.graphs.drawing import graph_dot, graph_image, graph_svg
from lattice_simp.systems.simplify.graphs.graph import Edge, EdgeKind, Node, NodeKind, SemanticGraph

TOKENS = tuple("the cat which slept in a box ran".split())
CAT = Node("X1", NodeKind.ENTITY, ("cat",), (0, 1))
SLEPT = Node("X2", NodeKind.EVENT, ("sleep",), (3,))
BOX = Node("X3", NodeKind.ENTITY, ("box",), (5, 6))
RAN = Node("X4", NodeKind.EVENT, ("run",), (7,))
EDGES = (
    Edge("X4", "X1", "agent", EdgeKind.ROLE),
    Edge("X1", "X2", "relcl", EdgeKind.CLAUSE),
    Edge("X2", "X3", "in", EdgeKind.RELATION, (4,)),
    Edge("X2", "X1", "agent", EdgeKind.ROLE, shared=True),
)


@pytest.fixture
def graph():
    return SemanticGraph(TOKENS, (CAT, SLEPT, BOX, RAN), EDGES)


def test_questions(graph):
    assert graph.orphans == (2,)
    assert graph.roots == ("X4",)
    assert graph.events == ("X2", "X4")
    assert graph.labels("X2") == ("agent", "in")
    assert graph.subtree("X4") == ("X4", "X1", "X2", "X3")
    assert graph.span("X2") == (3, 4, 5, 6)
    assert graph.phrase(EDGES[2]) == (4, 5, 6)
    assert graph.phrase(EDGES[3]) == ()
    assert graph.node_at(6) == "X3"
    assert graph.node_at(2) is None


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        ((CAT, CAT), (), "the name X1"),
        ((CAT,), (Edge("X1", "X9", "of", EdgeKind.RELATION),), "unknown node X9"),
        ((CAT, Node("X2", NodeKind.ENTITY, (), (1,))), (), "2 owners"),
        ((Node("X1", NodeKind.ENTITY, (), (8,)),), (), "position 8 of a graph is outside"),
        ((CAT, SLEPT, RAN), (EDGES[0], Edge("X2", "X1", "agent", EdgeKind.ROLE)), "two heads"),
        ((CAT, RAN), (EDGES[0], Edge("X1", "X4", "of", EdgeKind.RELATION)), "cycle"),
    ],
)
def test_what_is_no_graph(nodes, edges, message):
    with pytest.raises(LatticeSimpError, match=message):
        SemanticGraph(TOKENS, nodes, edges)


def test_a_drawing_has_all_nodes_edges_and_orphans(graph):
    dot = graph_dot(graph)
    assert dot.count("->") == len(EDGES)
    assert "style=dashed" in dot
    assert '"orphan 2" [label="which"' in dot
    assert dot.count("shape=box") == 2


def test_a_drawing_escapes(graph):
    odd = SemanticGraph(('"', "\\"), (Node('X"1', NodeKind.EVENT, ("a",), (0, 1)),), ())
    assert 'X\\"1' in graph_dot(odd)
    assert '\\" \\\\' in graph_dot(odd)


def test_svg(graph):
    pytest.importorskip("pygraphviz")
    assert "slept" in graph_svg(graph)
    assert graph_svg(graph).rstrip().endswith("</svg>")
    assert graph_image(graph, "pdf").startswith(b"%PDF-")
