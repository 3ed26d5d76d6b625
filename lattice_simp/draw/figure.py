"""What a drawing of a lattice shows and where: states, links with stacked labels, loops, costs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lattice_simp.draw.curves import LOOP_HEIGHT
from lattice_simp.draw.labels import arc_words, cost_text, text_width
from lattice_simp.draw.layout import Box, Extent, Layout, Link, lay_out

if TYPE_CHECKING:
    from lattice_simp.core.lattice import Lattice

RADIUS = 15.0
"""The radius of a state, in px."""
WORD_SIZE = 14.0
"""The font size of words, in px."""
COST_SIZE = 10.5
"""The font size of costs, in px."""
COST_GAP = 4.0
"""The space between a word and its cost, in px."""
LINE_HEIGHT = 17.0
"""The distance of stacked labels, in px."""
LABEL_RISE = 5.0
"""How far the lowest base line of a label stands above its link, in px."""

_COST_ROOM = 15.0
_MARGIN = 5.0


@dataclass(frozen=True)
class ArcLabel:
    """One line of a label: the words and the cost of an arc (an empty string for a cost of zero)."""

    arc: int
    words: str
    cost: str

    @property
    def word_width(self) -> float:
        """The estimated width of the words, in px."""
        return text_width(self.words, WORD_SIZE)

    @property
    def width(self) -> float:
        """The estimated width with the cost, in px."""
        return self.word_width + (COST_GAP + text_width(self.cost, COST_SIZE) if self.cost else 0.0)


@dataclass(frozen=True)
class Bundle:
    """The arcs between two states, drawn as one curve (or as one loop), cheapest arc on top."""

    source: int
    target: int
    labels: tuple[ArcLabel, ...]

    def holds_any(self, arcs: Collection[int]) -> bool:
        """Whether one of `arcs` is in the bundle."""
        return any(label.arc in arcs for label in self.labels)

    @property
    def room(self) -> Extent:
        """The room of the stacked labels around their link."""
        width = max(label.width for label in self.labels)
        return Extent(width + 2 * _MARGIN, len(self.labels) * LINE_HEIGHT + LABEL_RISE - 2.0, 4.0)


@dataclass(frozen=True)
class Figure:
    """A lattice with a place for everything.

    Attributes:
        links: the bundles between different states, in the order of `layout.routes`.
        loops: the bundles from a state to itself, by state.
        final_costs: the text below each final state; None where a state is not final.
        layout: the places.
    """

    links: tuple[Bundle, ...]
    loops: dict[int, Bundle]
    final_costs: tuple[str | None, ...]
    layout: Layout

    def label_anchor(self, bundle: Bundle, index: int) -> tuple[float, float]:
        """Returns the middle of the base line (px) of the lowest line of a bundle's label; `index` is its link."""
        if bundle.source == bundle.target:
            x, y = self.layout.nodes[bundle.source]
            return x, y - RADIUS - LOOP_HEIGHT - LABEL_RISE
        x, y = self.layout.labels[index]
        return x, y - LABEL_RISE

    def label_boxes(self) -> list[Box]:
        """Returns the boxes of all labels, each with all of its lines."""
        boxes = []
        for index, bundle in [*enumerate(self.links), *self.loops.items()]:
            x, base = self.label_anchor(bundle, index)
            half = max(label.width for label in bundle.labels) / 2
            top = base - LINE_HEIGHT * len(bundle.labels) + LABEL_RISE - 2.0
            boxes.append(Box(x - half, top, x + half, base + LABEL_RISE - 1.0))
        return boxes

    def state_boxes(self) -> list[Box]:
        """Returns the boxes of all states, without their loops."""
        return [Box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in self.layout.nodes]


def make_figure(lattice: Lattice) -> Figure:
    """Lays out a lattice; arcs between the same two states become one bundle.

    >>> from lattice_simp import Lattice
    >>> figure = make_figure(Lattice.from_strings([("a cat", 1.0), ("the cat", 0.5)]))
    >>> [[label.words for label in bundle.labels] for bundle in figure.links]
    [['a'], ['the'], ['cat'], ['cat']]
    """
    bundles = _bundles(lattice)
    links = tuple(bundle for bundle in bundles if bundle.source != bundle.target)
    loops = {bundle.source: bundle for bundle in bundles if bundle.source == bundle.target}
    costs = tuple(cost_text(float(cost)) if np.isfinite(cost) else None for cost in lattice.finals)
    extents = [_state_room(loops.get(state), cost) for state, cost in enumerate(costs)]
    layout = lay_out(extents, [Link(bundle.source, bundle.target, bundle.room) for bundle in links])
    return Figure(links, loops, costs, layout)


def _bundles(lattice: Lattice) -> list[Bundle]:
    groups: dict[tuple[int, int], list[int]] = {}
    for arc, ends in enumerate(zip(lattice.sources.tolist(), lattice.nextstates.tolist(), strict=True)):
        groups.setdefault(ends, []).append(arc)
    bundles = []
    for (source, target), arcs in groups.items():
        arcs.sort(key=lambda arc: (float(lattice.weights[arc]), arc))
        labels = tuple(ArcLabel(a, arc_words(lattice, a), cost_text(float(lattice.weights[a]))) for a in arcs)
        bundles.append(Bundle(source, target, labels))
    return bundles


def _state_room(loop: Bundle | None, final_cost: str | None) -> Extent:
    width, above = 2 * RADIUS, RADIUS
    if loop is not None:
        width, above = max(width, loop.room.width), RADIUS + LOOP_HEIGHT + loop.room.above
    if final_cost:
        width = max(width, text_width(final_cost, COST_SIZE))
    return Extent(width, above, RADIUS + (_COST_ROOM if final_cost else 0.0))
