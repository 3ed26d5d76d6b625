"""Drawings of semantic graphs."""

from __future__ import annotations

from lattice_simp.draw.dot import quoted
from lattice_simp.draw.image import ImageFormat, rendered
from lattice_simp.systems.simplify.graphs.graph import EdgeKind, NodeKind, SemanticGraph

_SHAPES = {NodeKind.EVENT: "box", NodeKind.ENTITY: "ellipse", NodeKind.PROPERTY: "plaintext"}
_STYLES = {EdgeKind.ROLE: "bold", EdgeKind.RELATION: "solid", EdgeKind.MODIFIER: "dotted"}


def graph_dot(graph: SemanticGraph) -> str:
    r"""Returns a semantic graph in the DOT language: events as boxes, entities as ellipses, with their words.

    >>> from lattice_simp.systems.simplify.graphs.graph import Node
    >>> print(graph_dot(SemanticGraph(("it", "rained"), (Node("X1", NodeKind.EVENT, ("rain",), (1,)),), ())), end="")
    digraph sentence {
      graph [rankdir=TB, nodesep=0.25, ranksep=0.4];
      node [fontsize=14];
      edge [fontsize=12];
      "X1" [label="X1\nrained", shape=box];
      "orphan 0" [label="it", shape=plaintext, fontcolor="#7b8794"];
    }

    Core roles are bold, modifiers dotted; dashed edges lead to entities that hang elsewhere too. Orphan words are grey.
    """
    lines = [
        "digraph sentence {",
        "  graph [rankdir=TB, nodesep=0.25, ranksep=0.4];",
        "  node [fontsize=14];",
        "  edge [fontsize=12];",
    ]
    for node in graph.nodes:
        text = " ".join(graph.tokens[position] for position in node.positions) or " ".join(node.predicates)
        lines.append(
            f'  "{quoted(node.name)}" [label="{quoted(node.name)}\\n{quoted(text)}", shape={_SHAPES[node.kind]}];'
        )
    for edge in graph.edges:
        style = "dashed" if edge.shared else _STYLES.get(edge.kind, "solid")
        ends = f'"{quoted(edge.head)}" -> "{quoted(edge.dependent)}"'
        lines.append(f'  {ends} [label="{quoted(edge.label)}", style={style}];')
    for position in graph.orphans:
        text = quoted(graph.tokens[position])
        lines.append(f'  "orphan {position}" [label="{text}", shape=plaintext, fontcolor="#7b8794"];')
    return "\n".join([*lines, "}"]) + "\n"


def graph_svg(graph: SemanticGraph) -> str:
    """Returns the drawing as SVG text.

    Raises:
        MissingExtraError: pygraphviz is not installed.
    """
    return rendered(graph_dot(graph), "svg").decode()


def graph_image(graph: SemanticGraph, format: ImageFormat = "png") -> bytes:
    """Returns the drawing as PNG or PDF; raises the errors of `to_image`."""
    return rendered(graph_dot(graph), format)
