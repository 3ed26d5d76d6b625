"""Drawing: a lattice as a stand-alone SVG picture, without any outside program."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from lattice_simp.draw.curves import Curve, link_curve, loop_curve, number, straight_arrow
from lattice_simp.draw.figure import (
    COST_GAP,
    LINE_HEIGHT,
    RADIUS,
    ArcLabel,
    Bundle,
    Figure,
    make_figure,
)
from lattice_simp.draw.labels import text_width
from lattice_simp.draw.layout import Box
from lattice_simp.errors import LatticeSimpError

if TYPE_CHECKING:
    from lattice_simp.core.lattice import Lattice

_PADDING = 18.0
_START_ARROW = 26.0
_TITLE_HEIGHT = 30.0
_TITLE_SIZE = 15.0
_STYLE = """
.ls-paper{fill:#fcfcfd}
.ls-text{font-family:"Helvetica Neue",Helvetica,Arial,"Noto Sans","DejaVu Sans",sans-serif}
.ls-word{fill:#1f2933;font-size:14px;text-anchor:middle}
.ls-word.ls-end{text-anchor:end}
.ls-cost{fill:#7b8794;font-size:10.5px}
.ls-state{fill:#eef2f7;stroke:#52606d;stroke-width:1.4}
.ls-ring{fill:none;stroke:#52606d;stroke-width:1.1}
.ls-number{fill:#3e4c59;font-size:11px;text-anchor:middle}
.ls-line{fill:none;stroke:#8a97a6;stroke-width:1.3}
.ls-head{fill:#8a97a6}
.ls-title{fill:#1f2933;font-size:15px;font-weight:600}
.ls-on .ls-line{stroke:#d9480f;stroke-width:2.2}
.ls-on .ls-head{fill:#d9480f}
.ls-word.ls-on{fill:#c2410c;font-weight:600}
@media (prefers-color-scheme:dark){
.ls-paper{fill:#1b2129}
.ls-word,.ls-title{fill:#e6eaef}
.ls-cost{fill:#9aa5b1}
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


def to_svg(
    lattice: Lattice, *, title: str | None = None, highlight: Collection[int] = frozenset(), max_states: int = 200
) -> str:
    """Draws a lattice from left to right as SVG text.

    >>> from lattice_simp import Lattice
    >>> svg = to_svg(Lattice.from_strings([("good day", 1.5), ("good night", 2.0)]), title="Greetings")
    >>> svg.startswith("<svg "), "night" in svg, ">1.50<" in svg
    (True, True, True)

    Words stand above their arcs, with costs (nats, two decimals; zero is left out) in small grey type; arcs between
    the same two states share one curve and stack their labels, the cheapest on top. Loops rise above their state,
    final states have a double ring with the final cost below. Hovering over an arc shows its number and exact cost.
    Colours follow the reader's light or dark mode.

    Args:
        lattice: any lattice; of a cycle, the arc that closes it runs from right to left.
        title: a heading.
        highlight: numbers of the arcs to be drawn in colour.
        max_states: larger lattices are refused, since nobody could read the drawing.

    Raises:
        LatticeSimpError: the lattice has more than `max_states` states.
    """
    if lattice.num_states > max_states:
        raise LatticeSimpError(
            f"the lattice has {lattice.num_states} states, more than the {max_states} that a drawing may have; "
            "prune the lattice first, or raise max_states"
        )
    figure = make_figure(lattice)
    chosen = frozenset(highlight)
    bounds = _canvas(figure, title)
    body = [*_header(bounds, title)]
    if lattice.num_states:
        x, y = figure.layout.nodes[0]
        body.append(_curve(straight_arrow((x - RADIUS - _START_ARROW, y), (x - RADIUS, y))))
    bundles = [*enumerate(figure.links), *figure.loops.items()]
    chosen_last = sorted(bundles, key=lambda item: item[1].holds_any(chosen))
    body += [_bundle_curve(figure, bundle, index, on=bundle.holds_any(chosen)) for index, bundle in chosen_last]
    body += [_state(figure, state) for state in range(lattice.num_states)]
    body += [_bundle_label(lattice, figure, bundle, index, chosen) for index, bundle in bundles]
    return "\n".join([*body, "</svg>"]) + "\n"


def _canvas(figure: Figure, title: str | None) -> Box:
    bounds = figure.layout.bounds
    right = bounds.right
    if title:
        right = max(right, bounds.left - _START_ARROW + text_width(title, _TITLE_SIZE))
    top = bounds.top - _PADDING - (_TITLE_HEIGHT if title else 0.0)
    return Box(bounds.left - _START_ARROW - _PADDING, top, right + _PADDING, bounds.bottom + _PADDING)


def _header(bounds: Box, title: str | None) -> list[str]:
    width, height = number(bounds.right - bounds.left), number(bounds.bottom - bounds.top)
    corner = f'x="{number(bounds.left)}" y="{number(bounds.top)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
        f'viewBox="{number(bounds.left)} {number(bounds.top)} {width} {height}" '
        f"aria-label={_attribute(title or 'lattice')}>",
        f"<style>{_STYLE}</style>",
        f'<rect class="ls-paper" {corner} width="{width}" height="{height}" rx="6"/>',
    ]
    if title:
        place = f'x="{number(bounds.left + _PADDING)}" y="{number(bounds.top + _TITLE_HEIGHT)}"'
        lines.append(f'<text class="ls-text ls-title" {place}>{_text(title)}</text>')
    return lines


def _bundle_curve(figure: Figure, bundle: Bundle, index: int, *, on: bool) -> str:
    nodes = figure.layout.nodes
    if bundle.source == bundle.target:
        return _curve(loop_curve(nodes[bundle.source], RADIUS), on=on)
    turned = figure.layout.turned[index]
    ends = (bundle.target, bundle.source) if turned else (bundle.source, bundle.target)
    left, right = (nodes[end] for end in ends)
    return _curve(link_curve(left, figure.layout.routes[index], right, RADIUS, turned=turned), on=on)


def _bundle_label(lattice: Lattice, figure: Figure, bundle: Bundle, index: int, chosen: frozenset[int]) -> str:
    x, base = figure.label_anchor(bundle, index)
    lines = []
    for row, label in enumerate(reversed(bundle.labels)):
        tip = f"arc {label.arc}, cost {float(lattice.weights[label.arc])!r}"
        lines.append(_label(label, x, base - row * LINE_HEIGHT, tip, on=label.arc in chosen))
    return "\n".join(lines)


def _label(label: ArcLabel, x: float, y: float, tip: str, *, on: bool) -> str:
    """Writes one line of a label around `x`: the word ends and the cost begins at the same place for any font."""
    style = "ls-text ls-word ls-on" if on else "ls-text ls-word"
    hover = f"<title>{tip}</title>"
    if not label.cost:
        return f'<text class="{style}" x="{number(x)}" y="{number(y)}">{hover}{_text(label.words)}</text>'
    meeting = x - label.width / 2 + label.word_width
    return (
        f'<text class="{style} ls-end" x="{number(meeting)}" y="{number(y)}">{hover}{_text(label.words)}</text>'
        f'<text class="ls-text ls-cost" x="{number(meeting + COST_GAP)}" y="{number(y)}">{hover}{label.cost}</text>'
    )


def _curve(curve: Curve, *, on: bool = False) -> str:
    group = '<g class="ls-on">' if on else "<g>"
    return f'{group}<path class="ls-line" d="{curve.line}"/><path class="ls-head" d="{curve.head}"/></g>'


def _state(figure: Figure, state: int) -> str:
    x, y = figure.layout.nodes[state]
    centre = f'cx="{number(x)}" cy="{number(y)}"'
    cost = figure.final_costs[state]
    lines = [f'<circle class="ls-state" {centre} r="{number(RADIUS)}"/>']
    if cost is not None:
        lines.append(f'<circle class="ls-ring" {centre} r="{number(RADIUS - 3.5)}"/>')
    lines.append(f'<text class="ls-text ls-number" x="{number(x)}" y="{number(y + 4)}">{state}</text>')
    if cost:
        below = number(y + RADIUS + 12)
        lines.append(f'<text class="ls-text ls-cost" x="{number(x)}" y="{below}" text-anchor="middle">{cost}</text>')
    return "\n".join(lines)


def _text(text: str) -> str:
    """Escapes text; characters that XML cannot hold become the replacement character."""
    return escape("".join(character if _in_xml(character) else "\ufffd" for character in text))


def _attribute(text: str) -> str:
    return quoteattr("".join(character if _in_xml(character) else "\ufffd" for character in text))


def _in_xml(character: str) -> bool:
    code = ord(character)
    return code >= 0x20 and not 0xD800 <= code <= 0xDFFF and code not in (0xFFFE, 0xFFFF)
