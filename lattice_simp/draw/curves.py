"""The curves of a drawing: links between states, loops above them, and their arrow heads, as SVG path data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lattice_simp.draw.layout import Piece

Point = tuple[float, float]

_HEAD_LENGTH = 8.0
_HEAD_HALF = 3.4
_STEEPEST = math.radians(50)
_LOOP_SPREAD = math.radians(28)
LOOP_HEIGHT = 24.0
"""How far a loop rises above the rim of its state, in px."""


@dataclass(frozen=True)
class Curve:
    """The path data of a line and of the filled arrow head at its end."""

    line: str
    head: str


def link_curve(left: Point, pieces: Sequence[Piece], right: Point, radius: float, *, turned: bool = False) -> Curve:
    """Returns the curve from the rim of the left state along the level pieces to the rim of the right one.

    >>> link_curve((0, 0), [Piece(30, 60, 0)], (90, 0), 15).line
    'M15 0C22.5 0 22.5 0 30 0L60 0C64.3 0 64.3 0 68.6 0'

    A turned curve has its arrow head at the left state.
    """
    first, last = pieces[0], pieces[-1]
    leaving = _clamp(math.atan2(first.y - left[1], first.left - left[0]))
    arriving = _clamp(math.atan2(right[1] - last.y, right[0] - last.right))
    start = _polar(left, leaving, radius)
    end = _polar(right, arriving, -radius)
    if turned:
        head, start = _head(start, leaving + math.pi)
    else:
        head, end = _head(end, arriving)
    parts = [f"M{_xy(start)}", _bend(start, (first.left, first.y), leaving, 0.0)]
    for piece, following in zip(pieces, [*pieces[1:], None], strict=True):
        parts.append(f"L{_xy((piece.right, piece.y))}")
        if following is not None:
            parts.append(_bend((piece.right, piece.y), (following.left, following.y), 0.0, 0.0))
    parts.append(_bend((last.right, last.y), end, 0.0, arriving))
    return Curve("".join(parts), head)


def loop_curve(centre: Point, radius: float) -> Curve:
    """Returns a loop above a state, with its arrow head on the right."""
    up = -math.pi / 2
    start, tip = _polar(centre, up - _LOOP_SPREAD, radius), _polar(centre, up + _LOOP_SPREAD, radius)
    inwards = up + _LOOP_SPREAD * 0.6 + math.pi
    head, end = _head(tip, inwards)
    rise = LOOP_HEIGHT * 1.3
    first = (start[0] - rise * 0.35, start[1] - rise)
    second = (end[0] - rise * math.cos(inwards) * 0.9, end[1] - rise * math.sin(inwards) * 0.85)
    return Curve(f"M{_xy(start)}C{_xy(first)} {_xy(second)} {_xy(end)}", head)


def straight_arrow(start: Point, tip: Point) -> Curve:
    """Returns a straight arrow."""
    head, end = _head(tip, math.atan2(tip[1] - start[1], tip[0] - start[0]))
    return Curve(f"M{_xy(start)}L{_xy(end)}", head)


def _bend(start: Point, end: Point, leaving: float, arriving: float) -> str:
    """Returns a cubic curve with the given directions (radians) at its ends."""
    reach = abs(end[0] - start[0]) * 0.5
    return f"C{_xy(_polar(start, leaving, reach))} {_xy(_polar(end, arriving, -reach))} {_xy(end)}"


def _head(tip: Point, direction: float) -> tuple[str, Point]:
    """Returns the arrow head at `tip` and where its line ends."""
    back = _polar(tip, direction, -_HEAD_LENGTH)
    side = direction + math.pi / 2
    corners = _xy(_polar(back, side, _HEAD_HALF)), _xy(_polar(back, side, -_HEAD_HALF))
    return f"M{_xy(tip)}L{corners[0]}L{corners[1]}Z", _polar(tip, direction, -_HEAD_LENGTH * 0.8)


def _clamp(angle: float) -> float:
    return max(-_STEEPEST, min(_STEEPEST, angle * 0.85))


def _polar(origin: Point, angle: float, distance: float) -> Point:
    return origin[0] + distance * math.cos(angle), origin[1] + distance * math.sin(angle)


def _xy(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def number(value: float) -> str:
    """Writes a coordinate with at most one decimal.

    >>> number(3.0), number(-0.04), number(2.25)
    ('3', '0', '2.2')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
