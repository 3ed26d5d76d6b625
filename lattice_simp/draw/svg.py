"""Draws a lattice as a stand-alone SVG picture."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

import numpy as np

from lattice_simp.core.arguments import whole
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.draw.labels import (
    EPSILON,
    Numbers,
    arc_words,
    cost_text,
    highlighted,
    number_text,
    numbers_of,
    text_width,
    title_text,
)
from lattice_simp.draw.layout import HEAD_LENGTH, Curve, Link, Point, lay_out

NumberText: TypeAlias = Callable[[float], str]

MOST_LABELS = 40
"""The most arcs to draw between two states; if there are more, the cheapest are drawn."""

_MOST_LINKS = 600
_RADIUS = 15.0
_FINAL_RADIUS = 20.0
_WORD_SIZE = 14.0
_COST_SIZE = 10.5
_COST_GAP = 4.0
_LINE_HEIGHT = 17.0
_MARGIN = 14.0
_TITLE_SIZE = 15.0
_TITLE_HEIGHT = 30.0
_NOTE_SIZE = 12.0
_NOTE_HEIGHT = 24.0
_HEAD_TURN = math.radians(23)
_HEAD_SIDE = HEAD_LENGTH / math.cos(_HEAD_TURN)
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_NOT_XML = re.compile("[\x00-\x1f\ud800-\udfff\ufffe\uffff]")
SVG_STYLE = """
.ls-paper{fill:#fcfcfd}
.ls-text{font-family:"Helvetica Neue",Helvetica,Arial,"Noto Sans","DejaVu Sans",sans-serif}
.ls-word{fill:#1f2933;font-size:14px;text-anchor:end}
.ls-cost{fill:#7b8794;font-size:10.5px}
.ls-state{fill:#eef2f7;stroke:#52606d;stroke-width:1.4}
.ls-ring{fill:none;stroke:#52606d;stroke-width:1.1}
.ls-number{fill:#3e4c59;font-size:11px;text-anchor:middle}
.ls-line{fill:none;stroke:#8a97a6;stroke-width:1.3}
.ls-head{fill:#8a97a6}
.ls-title{fill:#1f2933;font-size:15px;font-weight:600}
.ls-note{fill:#7b8794;font-size:12px}
.ls-on .ls-line{stroke:#d9480f;stroke-width:2.2}
.ls-on .ls-head{fill:#d9480f}
.ls-word.ls-on{fill:#c2410c;font-weight:600}
@media (prefers-color-scheme:dark){
.ls-paper{fill:#1b2129}
.ls-word,.ls-title{fill:#e6eaef}
.ls-cost,.ls-note{fill:#9aa5b1}
.ls-state{fill:#2a333e;stroke:#9aa5b1}
.ls-ring{stroke:#9aa5b1}
.ls-number{fill:#cbd2d9}
.ls-line{stroke:#7b8794}
.ls-head{fill:#7b8794}
.ls-on .ls-line{stroke:#ff922b}
.ls-on .ls-head{fill:#ff922b}
.ls-word.ls-on{fill:#ffa94d}
}
"""
"""The style sheet of a drawing; a page with embedded drawings includes it once."""


def to_svg(
    lattice: Lattice,
    *,
    title: str | None = None,
    highlight: Collection[int] = frozenset(),
    max_states: int = 200,
    embedded: bool = False,
    numbers: Numbers | None = None,
) -> str:
    """Draws a lattice from left to right as SVG text.

    >>> from lattice_simp import Lattice
    >>> svg = to_svg(Lattice.from_strings([("good day", 1.5), ("good night", 2.0)]), title="Greetings")
    >>> svg.startswith("<svg "), "night" in svg, ">1.50<" in svg
    (True, True, True)

    Words are beside their arcs, with costs (nats, two decimals; zero is omitted) in small grey type. Arcs between the
    same two states share one curve and stack their labels (at most `MOST_LABELS`), the cheapest on top. Loops are above
    their state; final states have a double ring around their cost. Hovering over a label shows the number and the exact
    cost of its arc. In a confusion network, probabilities are shown instead of costs. Colours follow the reader's
    light or dark mode.

    Args:
        lattice: any lattice, even a cyclic one.
        title: a heading.
        highlight: the numbers of arcs to draw in colour.
        max_states: the most states to draw. Of a larger lattice, or one with too many arcs, the states nearest to the
            start are drawn, and a note below says so.
        embedded: whether the drawing is for a page that includes `SVG_STYLE`. It then has no style element, and lines
            and labels carry the numbers of their arcs as `data-arcs`, so that a script can find paths.
        numbers: `costs` or `probabilities` beside the words; by default the latter for confusion networks alone.

    Raises:
        LatticeSimpError: `numbers` is another name.
        MissingExtraError: pygraphviz is not installed.
    """
    require_lattice("to_svg", lattice)
    title = title_text(title)
    states = drawn_states(lattice, whole(max_states, "max_states", 1))
    kind = numbers_of(lattice, numbers)
    number = number_text(kind)
    bundles = _bundles(lattice, states, number)
    chosen = highlighted(highlight)
    radii = [_radius(float(lattice.finals[state])) for state in states]
    layout = lay_out(radii, list(bundles))
    drawn = [*zip(bundles.values(), layout.curves, strict=True)]
    body = [_arrow(layout.start)] if layout.start else []
    for arcs, curve in sorted(drawn, key=lambda item: not chosen.isdisjoint(item[0])):  # the chosen ones on top
        body.append(_arrow(curve, on=not chosen.isdisjoint(arcs), arcs=arcs if embedded else ()))
    for state, centre, radius in zip(states, layout.states, radii, strict=True):
        final = float(lattice.finals[state])
        body += _state(state, final, number(final) if final and np.isfinite(final) else "", centre, radius)
    for arcs, curve in drawn:
        body += _labels(lattice, arcs, curve.label, number, chosen, embedded=embedded)
    notes = []
    if len(states) < lattice.num_states:
        notes.append(f"the {len(states):,} of {lattice.num_states:,} states that are nearest to the start")
    if any(len(arcs) == MOST_LABELS for arcs in bundles.values()):
        best = "cheapest" if kind == "costs" else "most probable"
        notes.append(f"at most the {MOST_LABELS} {best} arcs between two states")
    if kind == "probabilities" and lattice.has_epsilons():
        notes.append(f"{EPSILON}: no word")
    note = "; ".join(notes)
    style = "" if embedded else SVG_STYLE
    return "\n".join([*_frame(layout.width, layout.height, title, note, style), *body, "</g>", "</svg>"]) + "\n"


def drawn_states(lattice: Lattice, max_states: int) -> list[int]:
    """Returns the states to draw: at most `max_states`, and fewer if there are too many links between them."""
    states = _nearest_states(lattice, max_states)
    while len(_bundles(lattice, states)) > _MOST_LINKS:
        states = _nearest_states(lattice, len(states) * 3 // 4)
    return states


def drawn_arcs(lattice: Lattice, states: list[int]) -> list[int]:
    """Returns the arcs to draw between these states: the cheapest ones between each two states."""
    return sorted(arc for arcs in _bundles(lattice, states).values() for arc in arcs)


def _nearest_states(lattice: Lattice, most: int) -> list[int]:
    """Returns the states that the fewest arcs separate from the start, in order."""
    if lattice.num_states <= most:
        return list(range(lattice.num_states))
    reached = {0: None}
    queue = [0]
    for state in queue:
        for target in lattice.nextstates[lattice.offsets[state] : lattice.offsets[state + 1]].tolist():
            if target not in reached and len(reached) < most:
                reached[target] = None
                queue.append(target)
    return sorted(reached)


def _bundles(lattice: Lattice, states: list[int], number: NumberText = cost_text) -> dict[Link, list[int]]:
    """Returns the links between states, with the arcs of each, cheapest first."""
    shown = {state: index for index, state in enumerate(states)}
    groups: dict[tuple[int, int], list[int]] = {}
    for state in states:
        for arc in range(lattice.offsets[state], lattice.offsets[state + 1]):
            target = int(lattice.nextstates[arc])
            if target in shown:
                groups.setdefault((shown[state], shown[target]), []).append(arc)
    for arcs in groups.values():
        arcs.sort(key=lambda arc: (float(lattice.weights[arc]), arc))
        del arcs[MOST_LABELS:]
    widths = {ends: max(_label_width(lattice, arc, number) for arc in arcs) for ends, arcs in groups.items()}
    bundles = {}
    for (source, target), arcs in groups.items():
        width = widths[source, target]
        if source != target:  # the labels of loops extend over the links beside them
            width += sum(max(0.0, widths.get((state, state), 0.0) / 2 - _RADIUS) for state in (source, target))
        bundles[Link(source, target, width, len(arcs) * _LINE_HEIGHT)] = arcs
    return bundles


def _label_width(lattice: Lattice, arc: int, number: NumberText) -> float:
    cost = number(float(lattice.weights[arc]))
    return text_width(arc_words(lattice, arc), _WORD_SIZE) + (_COST_GAP + text_width(cost, _COST_SIZE) if cost else 0.0)


def _radius(final: float) -> float:
    return _FINAL_RADIUS if np.isfinite(final) and final else _RADIUS


def _frame(width: float, height: float, title: str, note: str, style: str) -> list[str]:
    """Returns the head of the picture, up to the group of the drawing."""
    top = _MARGIN + (_TITLE_HEIGHT if title else 0.0)
    words = max(text_width(title, _TITLE_SIZE), text_width(note, _NOTE_SIZE))
    full = _number(max(width, words) + 2 * _MARGIN), _number(top + height + _MARGIN + (_NOTE_HEIGHT if note else 0.0))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{full[0]}" height="{full[1]}" '
        f'viewBox="0 0 {full[0]} {full[1]}" role="img">',
        f"<title>{_text(title or 'lattice')}</title>",
        *([f"<style>{style}</style>"] if style else []),
        f'<rect class="ls-paper" width="{full[0]}" height="{full[1]}" rx="6"/>',
    ]
    if title:
        lines.append(_written("title", _MARGIN, _MARGIN + _TITLE_SIZE, _text(title)))
    if note:
        lines.append(_written("note", _MARGIN, top + height + _NOTE_HEIGHT, _text(note)))
    return [*lines, f'<g transform="translate({_number(_MARGIN)} {_number(top)})">']


def _arrow(curve: Curve, *, on: bool = False, arcs: Sequence[int] = ()) -> str:
    (x, y), tip = curve.points[-1], curve.tip
    angle = math.atan2(tip[1] - y, tip[0] - x)
    corners = []
    for turn in (-_HEAD_TURN, _HEAD_TURN):
        corners.append((tip[0] - _HEAD_SIDE * math.cos(angle + turn), tip[1] - _HEAD_SIDE * math.sin(angle + turn)))
    line = f"M{_xy(curve.points[0])}C{' '.join(map(_xy, curve.points[1:]))}"
    head = f"M{_xy(tip)}L{_xy(corners[0])}L{_xy(corners[1])}Z"
    state = ' class="ls-on"' if on else ""
    return f'<g{state}{_numbers(arcs)}><path class="ls-line" d="{line}"/><path class="ls-head" d="{head}"/></g>'


def _state(state: int, final: float, cost: str, centre: Point, radius: float) -> list[str]:
    x, y = map(_number, centre)
    lines = [f'<circle class="ls-state" cx="{x}" cy="{y}" r="{_number(radius)}"/>']
    if np.isfinite(final):
        lines.append(f'<circle class="ls-ring" cx="{x}" cy="{y}" r="{_number(radius - 3.0)}"/>')
    lines.append(_written("number", centre[0], centre[1] + (-2.0 if cost else 4.0), str(state)))
    return [*lines, _written("cost", centre[0], centre[1] + 9.0, cost, ' text-anchor="middle"')] if cost else lines


def _numbers(arcs: Sequence[int]) -> str:
    return f' data-arcs="{" ".join(map(str, arcs))}"' if arcs else ""


def _labels(
    lattice: Lattice, arcs: list[int], middle: Point, number: NumberText, chosen: Collection[int], *, embedded: bool
) -> list[str]:
    """Draws the stacked labels; a word ends and its cost begins at the same point, whatever the font."""
    top = middle[1] - len(arcs) * _LINE_HEIGHT / 2
    lines = []
    for row, arc in enumerate(arcs):
        words, cost = arc_words(lattice, arc), float(lattice.weights[arc])
        meeting = middle[0] - _label_width(lattice, arc, number) / 2 + text_width(words, _WORD_SIZE)
        y = top + (row + 0.75) * _LINE_HEIGHT
        hover = f"<title>arc {arc}, cost {cost!r}</title>"
        numbers = _numbers([arc]) if embedded else ""
        lines.append(_written("word ls-on" if arc in chosen else "word", meeting, y, hover + _text(words), numbers))
        if shown := number(cost):
            lines.append(_written("cost", meeting + _COST_GAP, y, hover + _text(shown), numbers))
    return lines


def _written(kind: str, x: float, y: float, text: str, more: str = "") -> str:
    return f'<text class="ls-text ls-{kind}" x="{_number(x)}" y="{_number(y)}"{more}>{text}</text>'


def _xy(point: Point) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _number(value: float) -> str:
    return f"{value:z.1f}".removesuffix(".0")


def _text(text: str) -> str:
    """Escapes text; characters that XML forbids become the replacement character."""
    return _NOT_XML.sub("\ufffd", text).translate(_ESCAPES)
