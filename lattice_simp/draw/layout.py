"""Layered layout of a directed graph whose links carry labels, from left to right.

The method is Sugiyama's: links that close a cycle are turned round, nodes get ranks by the longest path, every link
becomes a chain of slots (one of them holds its label) through the ranks between its ends, the slots of each rank are
ordered by barycentre sweeps, and then placed where their neighbours pull them. Labels are slots of their own, so no two
labels and no label and node overlap. (Sugiyama, Tagawa and Toda 1981; Gansner et al. 1993.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lattice_simp.draw.layout_order import order_slots
from lattice_simp.draw.layout_rank import longest_path_ranks, turned_links
from lattice_simp.draw.layout_rows import place_rows
from lattice_simp.draw.layout_strands import find_strands

_PASSING = 7.0
_COLUMN_GAP = 16.0
_STEEPNESS = 0.22
_WIDEST_GAP = 90.0


@dataclass(frozen=True)
class Extent:
    """The room (px) that a thing needs around its reference point: half of `width` to each side."""

    width: float
    above: float
    below: float


@dataclass(frozen=True)
class Box:
    """An upright rectangle (px); y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Whether the two share an area.

        >>> Box(0, 0, 2, 2).overlaps(Box(1, 1, 3, 3)), Box(0, 0, 2, 2).overlaps(Box(2, 0, 3, 3))
        (True, False)
        """
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


@dataclass(frozen=True)
class Link:
    """A link between two different nodes, and the room that its label takes around the line."""

    tail: int
    head: int
    label: Extent


@dataclass(frozen=True)
class Piece:
    """A level stretch (px) of a link, across one column."""

    left: float
    right: float
    y: float


@dataclass(frozen=True)
class Layout:
    """Where everything stands; all in px, y downwards, within `bounds`.

    Attributes:
        nodes: the reference points of the nodes.
        labels: the reference points of the link labels: the middle of the line that they stand on.
        routes: for each link its level stretches between the two nodes, from left to right.
        turned: whether the link runs from right to left.
        bounds: the box around nodes, labels and routes.
    """

    nodes: tuple[tuple[float, float], ...]
    labels: tuple[tuple[float, float], ...]
    routes: tuple[tuple[Piece, ...], ...]
    turned: tuple[bool, ...]
    bounds: Box


def lay_out(nodes: Sequence[Extent], links: Sequence[Link]) -> Layout:
    """Lays out a graph; node 0 is the start.

    >>> node, label = Extent(30, 15, 15), Extent(40, 16, 3)
    >>> layout = lay_out([node, node], [Link(0, 1, label)])
    >>> [y for _, y in layout.nodes], layout.nodes[0][0] < layout.labels[0][0] < layout.nodes[1][0]
    ([0.0, 0.0], True)

    Nothing is random: the same graph gives the same layout.
    """
    pairs = [(link.tail, link.head) for link in links]
    turned = turned_links(len(nodes), pairs)
    forward = [(head, tail) if back else (tail, head) for (tail, head), back in zip(pairs, turned, strict=True)]
    ranks = [2 * rank for rank in longest_path_ranks(len(nodes), forward)]
    chains = _chain_slots(forward, ranks)
    extents = [*nodes, *(Extent(0, _PASSING, _PASSING) for chain in chains for _ in chain)]
    label_slots = [_middle_slot(chain) for chain in chains]
    for link, slot in zip(links, label_slots, strict=True):
        extents[slot] = link.label
    paths = [[left, *chain, right] for (left, right), chain in zip(forward, chains, strict=True)]
    segments = [pair for path in paths for pair in pairwise(path)]
    layers = order_slots(ranks, segments)
    strands = find_strands(len(extents), forward, chains)
    rows = place_rows(layers, segments, [(extent.above, extent.below) for extent in extents], strands)
    columns = _place_columns(layers, segments, ranks, extents, rows)
    middles = [(left + right) / 2 for left, right in columns]
    return Layout(
        nodes=tuple((middles[ranks[node]], rows[node]) for node in range(len(nodes))),
        labels=tuple((middles[ranks[slot]], rows[slot]) for slot in label_slots),
        routes=tuple(tuple(Piece(*columns[ranks[slot]], rows[slot]) for slot in chain) for chain in chains),
        turned=tuple(turned),
        bounds=Box(
            min((left for left, _ in columns), default=0.0),
            min((rows[slot] - extent.above for slot, extent in enumerate(extents)), default=0.0),
            max((right for _, right in columns), default=0.0),
            max((rows[slot] + extent.below for slot, extent in enumerate(extents)), default=0.0),
        ),
    )


def _chain_slots(links: Sequence[tuple[int, int]], ranks: list[int]) -> list[list[int]]:
    """Returns each link a slot in every rank between its ends; `ranks`, of the nodes, grows by those of the slots."""
    chains = []
    for left, right in links:
        between = range(ranks[left] + 1, ranks[right])
        chains.append(list(range(len(ranks), len(ranks) + len(between))))
        ranks += between
    return chains


def _middle_slot(chain: Sequence[int]) -> int:
    """Returns the slot for the label: nodes stand in even ranks, labels in odd ones."""
    middle = len(chain) // 2
    return chain[middle - middle % 2]


def _place_columns(
    layers: Sequence[Sequence[int]],
    segments: Sequence[tuple[int, int]],
    ranks: Sequence[int],
    extents: Sequence[Extent],
    rows: Sequence[float],
) -> list[tuple[float, float]]:
    """Returns the left and right rim of each rank's column; steeper links get a wider gap between two columns."""
    climbs = [0.0] * len(layers)
    for left, right in segments:
        climbs[ranks[left]] = max(climbs[ranks[left]], abs(rows[left] - rows[right]))
    columns: list[tuple[float, float]] = []
    x = 0.0
    for rank, layer in enumerate(layers):
        width = max(extents[slot].width for slot in layer)
        columns.append((x, x + width))
        x += width + min(_COLUMN_GAP + _STEEPNESS * climbs[rank], _WIDEST_GAP)
    return columns
