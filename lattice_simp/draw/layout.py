"""Lays out drawings with Graphviz, whose library the wheel of `pygraphviz` includes: no program `dot` is needed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lattice_simp.errors import MissingExtraError

if TYPE_CHECKING:
    from pygraphviz import AGraph

Point = tuple[float, float]

HEAD_LENGTH = 7.0
"""The length of arrow heads, in px."""

# A label is a box of fixed size: Graphviz measures no text, so the machine's fonts do not matter.
_BOX = (
    '<<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="0">'
    '<TR><TD FIXEDSIZE="TRUE" WIDTH="{:.0f}" HEIGHT="{:.0f}"></TD></TR></TABLE>>'
)
_POINTS_AN_INCH = 72.0
_DENSE = 2.5
_MANY, _TOO_MANY = 100, 200
_HASTE = "graph [splines=line, nslimit=1, mclimit=0.1, searchsize=5];"
"""Straight lines and little optimisation, for many or dense links, which would take minutes otherwise."""


@dataclass(frozen=True)
class Link:
    """An arrow between two states, or a loop above one, with the size of its label (px)."""

    source: int
    target: int
    width: float
    height: float


@dataclass(frozen=True)
class Curve:
    """The course of an arrow: control points of Bezier curves up to its head, the head's tip, its label's middle."""

    points: tuple[Point, ...]
    tip: Point
    label: Point


@dataclass(frozen=True)
class Layout:
    """The positions of a drawing, in px from the upper left corner; `start` is the arrow into the first state."""

    width: float
    height: float
    states: tuple[Point, ...]
    curves: tuple[Curve, ...]
    start: Curve | None


def lay_out(radii: Sequence[float], links: Sequence[Link]) -> Layout:
    """Lays out states (circles of these radii, in px) and links from left to right.

    >>> layout = lay_out([15, 15], [Link(0, 1, 60, 17)])
    >>> layout.states[0][0] + 60 < layout.curves[0].tip[0] < layout.states[1][0]
    True
    """
    lines = [
        "digraph {",
        "graph [rankdir=LR, ranksep=0.2, nodesep=0.2];",
        _HASTE if len(links) > min(_TOO_MANY, max(_MANY, _DENSE * len(radii))) else "",
        'node [shape=circle, label="", fixedsize=true];',
        f"edge [arrowsize={HEAD_LENGTH / 10}];",
        *(f"{state} [width={2 * radius / _POINTS_AN_INCH}];" for state, radius in enumerate(radii)),
        *(_link_line(number, link) for number, link in enumerate(links)),
        *(["start [shape=point, width=0];", "start -> 0 [id=start];"] if radii else []),
        "}",
    ]
    drawing = json.loads(graphviz("\n".join(lines), "SVG").draw(format="json0", prog="dot"))
    _, _, width, height = map(float, drawing["bb"].split(","))
    nodes = {node["name"]: _point(node["pos"], height) for node in drawing.get("objects", ())}
    edges = {edge["id"]: _curve(edge, height) for edge in drawing.get("edges", ())}
    states = tuple(nodes[str(state)] for state in range(len(radii)))
    return Layout(width, height, states, tuple(edges[str(number)] for number in range(len(links))), edges.get("start"))


def graphviz(dot: str, wanted: str) -> AGraph:
    """Parses DOT text for a drawing in the format `wanted`; raises MissingExtraError without pygraphviz."""
    try:
        from pygraphviz import AGraph
    except ImportError:
        message = f"{wanted} needs Graphviz; pip install 'lattice-simp[draw]', or write DOT"
        raise MissingExtraError(message) from None
    return AGraph(string=dot)


def _link_line(number: int, link: Link) -> str:
    port = ":n" if link.source == link.target else ""  # loops are above their states
    label = _BOX.format(link.width, link.height)
    return f"{link.source}{port} -> {link.target}{port} [id={number}, label={label}];"


def _point(text: str, height: float) -> Point:
    """Reads `x,y`; Graphviz's y grows upwards."""
    x, y = map(float, text.split(","))
    return x, height - y


def _curve(edge: dict[str, str], height: float) -> Curve:
    """Reads `e,TIP POINT POINT ...`."""
    tip, *points = (_point(part, height) for part in edge["pos"].removeprefix("e,").split())
    return Curve(tuple(points), tip, _point(edge["lp"], height) if "lp" in edge else tip)
