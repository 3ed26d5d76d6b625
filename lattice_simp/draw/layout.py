"""The layout of a drawing, by Graphviz: the wheel of `pygraphviz` brings the library, so no program `dot` is needed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from lattice_simp.errors import MissingExtraError

Point = tuple[float, float]

HEAD_LENGTH = 7.0
"""The length of arrow heads, in px."""

# A label is a box of given size: Graphviz measures no text, so the fonts of the machine do not matter.
_BOX = (
    '<<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="0">'
    '<TR><TD FIXEDSIZE="TRUE" WIDTH="{:.0f}" HEIGHT="{:.0f}"></TD></TR></TABLE>>'
)
_POINTS_AN_INCH = 72.0
_DENSE = 2.5
_MANY, _TOO_MANY = 100, 200
_HASTE = "graph [splines=line, nslimit=1, mclimit=0.1, searchsize=5];"
"""Straight lines and little optimisation, for many links, or between few states: these take minutes otherwise."""


@dataclass(frozen=True)
class Link:
    """An arrow between two states, or above one, with a label of given size (px)."""

    source: int
    target: int
    width: float
    height: float


@dataclass(frozen=True)
class Curve:
    """Where an arrow runs: control points of Bezier curves up to its head, the head's tip, the middle of its label."""

    points: tuple[Point, ...]
    tip: Point
    label: Point


@dataclass(frozen=True)
class Layout:
    """Where everything is, in px from the upper left corner.

    Attributes:
        width, height: of the whole drawing.
        states: the centres.
        curves: of the links.
        start: the arrow into the first state; None without states.
    """

    width: float
    height: float
    states: tuple[Point, ...]
    curves: tuple[Curve, ...]
    start: Curve | None


def lay_out(radii: Sequence[float], links: Sequence[Link]) -> Layout:
    """Lays out states (circles of given radius, in px) and links from left to right.

    >>> layout = lay_out([15, 15], [Link(0, 1, 60, 17)])
    >>> layout.states[0][0] + 60 < layout.curves[0].tip[0] < layout.states[1][0]
    True

    Raises:
        MissingExtraError: pygraphviz is not installed.
    """
    try:
        from pygraphviz import AGraph
    except ImportError:
        raise MissingExtraError("SVG needs Graphviz's layout; pip install 'lattice-simp[draw]', or write DOT") from None
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
    found = json.loads(AGraph(string="\n".join(lines)).draw(format="json0", prog="dot"))
    _, _, width, height = map(float, found["bb"].split(","))
    nodes = {node["name"]: _point(node["pos"], height) for node in found.get("objects", ())}
    edges = {edge["id"]: _curve(edge, height) for edge in found.get("edges", ())}
    states = tuple(nodes[str(state)] for state in range(len(radii)))
    return Layout(width, height, states, tuple(edges[str(number)] for number in range(len(links))), edges.get("start"))


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
