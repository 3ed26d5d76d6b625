"""Finds the best monotone alignment of two lists of sentences as the shortest path of a weighted acceptor.

The states are the points (i, j) of a grid, where i complex and j simple sentences are aligned. An arc is a move that
aligns some of both, labelled with its name; it costs minus the similarities of the sentences that it pairs, or the cost
of a skipped sentence. Skipping sentences before the first pair is free, as in the authors' recursion, whose base case
is 0 if one side is empty. One acceptor chains the grids of many paragraph pairs, each starting at the last point of the
previous one, so that one search aligns them all.

Costs are multiples of `STEP`, so that sums are exact in any order and ties are exact. Of several shortest paths, the
one whose first differing move comes first in `MOVES` wins: `nbest` follows the arcs of a state in the order of labels,
and prefixes of equal cost to their ends.

Source: Coster and Kauchak 2011, "Simple English Wikipedia: a new text simplification task", section 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.nbest import shortest_path
from lattice_simp.systems.corpus.settings import SKIP_COST


@dataclass(frozen=True)
class Move:
    """A step of an alignment.

    Attributes:
        name: the name.
        rows, columns: the number of complex and simple sentences that it consumes.
        pairs: the sentences that it pairs, relative to the next ones.
    """

    name: str
    rows: int
    columns: int
    pairs: tuple[tuple[int, int], ...] = ()


MOVES = (
    Move("1-1", 1, 1, ((0, 0),)),
    Move("1-2", 1, 2, ((0, 0), (0, 1))),
    Move("2-1", 2, 1, ((0, 0), (1, 0))),
    Move("crossed", 2, 2, ((0, 1), (1, 0))),
    Move("1-0", 1, 0),
    Move("0-1", 0, 1),
)
"""The moves, in order of preference in ties; the label of the first one is 1."""

STEP = 2.0**-30
"""The unit of costs, which makes sums of up to 2 ** 23 costs exact."""

MAX_STATES = 100_000
"""The most states of one acceptor, unless a single grid has more, to save memory."""


class Cells(NamedTuple):
    """The (cells,) int64 places of the cells of many grids, one grid after the other, row by row."""

    grid: Longs
    row: Longs
    column: Longs


def cells_of(heights: Longs, widths: Longs) -> Cells:
    """Returns the cells of grids.

    >>> cells = cells_of(np.array([1, 2]), np.array([2, 1]))
    >>> cells.grid.tolist(), cells.row.tolist(), cells.column.tolist()
    ([0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 0, 0])
    """
    sizes = heights * widths
    grid = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(grid)) - prefix_sums(sizes)[grid]
    return Cells(grid, *np.divmod(within, widths[grid]))


@dataclass(frozen=True, eq=False)
class Grids:
    """The similarities of the sentences of paragraph pairs.

    Attributes:
        heights: (grids,) int64 numbers of complex sentences.
        widths: (grids,) int64 numbers of simple sentences.
        similarities: flat float64, in the order of `cells_of(heights, widths)`.
    """

    heights: Longs
    widths: Longs
    similarities: Floats

    @cached_property
    def states(self) -> Longs:
        """The first state of each grid, (grids + 1,) int64; the last entry is the final state."""
        return prefix_sums((self.heights + 1) * (self.widths + 1) - 1)

    @cached_property
    def cells(self) -> Longs:
        """The first similarity of each grid, (grids + 1,) int64."""
        return prefix_sums(self.heights * self.widths)

    def part(self, begin: int, end: int) -> Grids:
        """Returns some of the grids."""
        flat = self.similarities[self.cells[begin] : self.cells[end]]
        return Grids(self.heights[begin:end], self.widths[begin:end], flat)

    def points(self, states: npt.NDArray[np.integer]) -> Cells:
        """Returns the points of states; the final state has none."""
        grid = np.searchsorted(self.states, states, side="right") - 1
        return Cells(grid, *np.divmod(states - self.states[grid], self.widths[grid] + 1))


class Alignments(NamedTuple):
    """The sentence pairs of best alignments, in their order.

    Attributes:
        grid: (pairs,) int64, the grid.
        row, column: (pairs,) int64 complex and simple sentences of that grid.
        move: (pairs,) int32 indices into `MOVES`, of the move that made the pair.
        similarity: (pairs,) float64.
    """

    grid: Longs
    row: Longs
    column: Longs
    move: Ints
    similarity: Floats


def alignment_lattice(grids: Grids, skip_cost: float = SKIP_COST) -> Lattice:
    """Returns the acceptor of all alignments; its shortest path has the greatest sum of similarities.

    >>> grid = Grids(np.array([1]), np.array([2]), np.array([0.25, 0.5]))
    >>> best = shortest_path(alignment_lattice(grid))
    >>> best.tokens, best.cost
    (('1-2',), -0.75)

    Raises:
        LatticeSimpError: the number of similarities differs from that of cells, or one is not finite.
    """
    if len(grids.similarities) != grids.cells[-1] or not np.isfinite(grids.similarities).all():
        expected = f"expected {grids.cells[-1]} finite similarities, one for each sentence pair"
        raise LatticeSimpError(f"{expected}, found {len(grids.similarities)}")
    states = np.arange(grids.states[-1])
    point = grids.points(states)
    heights, widths = grids.heights[point.grid], grids.widths[point.grid]
    cells = grids.cells[point.grid] + point.row * widths + point.column
    costs = -_rounded(grids.similarities)
    parts = []
    for label, move in enumerate(MOVES, start=1):
        fits = (point.row + move.rows <= heights) & (point.column + move.columns <= widths)
        weights = np.zeros(int(fits.sum()))
        for row, column in move.pairs:
            weights += costs[cells[fits] + row * widths[fits] + column]
        if not move.pairs:
            weights[~_before_any_pair(point, move)[fits]] = _rounded(np.array(skip_cost))
        targets = states[fits] + move.rows * (widths[fits] + 1) + move.columns
        parts.append((states[fits], np.full(len(weights), label), weights, targets))
    sources, labels, weights, targets = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    finals = np.full(len(states) + 1, np.inf)
    finals[-1] = 0.0
    return Lattice.from_arcs(sources, labels, weights, targets, finals, SymbolTable(move.name for move in MOVES))


def best_alignments(grids: Grids, skip_cost: float = SKIP_COST) -> Alignments:
    """Returns the pairs of each grid's best alignment; raises as `alignment_lattice`.

    >>> best = best_alignments(Grids(np.array([2]), np.array([2]), np.array([0.1, 0.9, 0.8, 0.2])))
    >>> [MOVES[move].name for move in best.move], best.row.tolist(), best.column.tolist()
    (['crossed', 'crossed'], [0, 1], [1, 0])
    """
    batches = [_aligned(grids.part(begin, end), begin, skip_cost) for begin, end in _batches(grids.states)]
    return Alignments(*(np.concatenate(columns) for columns in zip(*batches, strict=True)))


def _aligned(grids: Grids, first: int, skip_cost: float) -> Alignments:
    """Returns the pairs of a batch whose first grid is number `first`."""
    lattice = alignment_lattice(grids, skip_cost)
    arcs = shortest_path(lattice).arcs
    point, moves = grids.points(lattice.sources[arcs]), lattice.olabels[arcs] - 1
    parts: list[tuple[Longs, ...]] = []
    for number, move in enumerate(MOVES):
        moved = np.flatnonzero(moves == number)
        for index, (down, right) in enumerate(move.pairs):
            parts.append((2 * moved + index, point.grid[moved], point.row[moved] + down, point.column[moved] + right))
    order, grid, row, column = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    sorting = np.argsort(order)
    grid, row, column = grid[sorting], row[sorting], column[sorting]
    similarity = grids.similarities[grids.cells[grid] + row * grids.widths[grid] + column]
    return Alignments(grid + first, row, column, moves[order[sorting] // 2], similarity)


def _before_any_pair(point: Cells, move: Move) -> Bools:
    """Returns the points before any pair, at which skipping sentences is free."""
    return np.asarray((point.column if move.rows else point.row) == 0)


def _batches(states: Longs) -> Iterator[tuple[int, int]]:
    """Yields ranges of grids with about `MAX_STATES` states together."""
    begin, count = 0, len(states) - 1
    while True:
        end = max(begin + 1, int(np.searchsorted(states, states[begin] + MAX_STATES)))
        yield begin, min(end, count)
        begin = end
        if begin >= count:
            return


def _rounded(values: Floats) -> Floats:
    return np.asarray(np.rint(values / STEP) * STEP)
