"""The rows of a layered layout: how high each slot stands."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from lattice_simp.draw.layout_strands import level_strands

_SPACE = 8.0
_ROUNDS = 60
_STRAIGHTNESS = 8.0


def place_rows(
    layers: Sequence[Sequence[int]],
    segments: Sequence[tuple[int, int]],
    reaches: Sequence[tuple[float, float]],
    strands: Sequence[int],
) -> list[float]:
    """Returns the y (px, downwards) of each slot: near its neighbours, in the given order, without overlaps.

    >>> place_rows([[0], [1, 2]], [(0, 1), (0, 2)], [(5.0, 5.0)] * 3, strands=[0, 1, 2])
    [0.0, -9.0, 9.0]

    Each round moves the slots of one rank after the other to the weighted mean of their neighbours, as well as order
    and room allow: a least-squares problem that pooling adjacent violators solves exactly. Segments within a strand
    weigh most; then the strands are made level wherever there is room. Slot 0 ends at y = 0.

    Args:
        layers: the slots of each rank from top to bottom.
        segments: the joined slots.
        reaches: how far each slot reaches above and below its y.
        strands: for each slot the number of its strand; a strand is a path of slots that is best drawn level.
    """
    neighbours: list[list[tuple[int, float]]] = [[] for _ in reaches]
    for left, right in segments:
        weight = _STRAIGHTNESS if strands[left] == strands[right] else 1.0
        neighbours[left].append((right, weight))
        neighbours[right].append((left, weight))
    offsets = [_offsets(layer, reaches) for layer in layers]
    rows = [0.0] * len(reaches)
    for layer, layer_offsets in zip(layers, offsets, strict=True):
        for slot, offset in zip(layer, layer_offsets, strict=True):
            rows[slot] = offset - layer_offsets[-1] / 2
    for sweep in range(_ROUNDS):
        order = range(len(layers)) if sweep % 2 == 0 else range(len(layers) - 1, -1, -1)
        for rank in order:
            _relax(layers[rank], offsets[rank], neighbours, rows)
    level_strands(rows, layers, offsets, segments, strands)
    origin = rows[0] if rows else 0.0
    return [round(row - origin, 3) + 0.0 for row in rows]


def _offsets(layer: Sequence[int], reaches: Sequence[tuple[float, float]]) -> list[float]:
    """Returns the least distance of each slot of a rank from the first one."""
    offsets = [0.0]
    for upper, lower in itertools.pairwise(layer):
        offsets.append(offsets[-1] + reaches[upper][1] + reaches[lower][0] + _SPACE)
    return offsets


def _relax(
    layer: Sequence[int],
    offsets: Sequence[float],
    neighbours: Sequence[Sequence[tuple[int, float]]],
    rows: list[float],
) -> None:
    targets, weights = [], []
    for slot, offset in zip(layer, offsets, strict=True):
        weight = sum(w for _, w in neighbours[slot])
        mean = sum(rows[other] * w for other, w in neighbours[slot]) / weight if weight else rows[slot]
        targets.append(mean - offset)
        weights.append(weight or 0.01)
    for slot, offset, level in zip(layer, offsets, nondecreasing_fit(targets, weights), strict=True):
        rows[slot] = level + offset


def nondecreasing_fit(targets: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Returns the non-decreasing numbers nearest to `targets` by weighted least squares (pool adjacent violators).

    >>> nondecreasing_fit([1.0, 3.0, 2.0], [1.0, 1.0, 1.0])
    [1.0, 2.5, 2.5]
    """
    pools: list[tuple[float, float, int]] = []
    for target, weight in zip(targets, weights, strict=True):
        mean, total, count = target, weight, 1
        while pools and pools[-1][0] > mean:
            above, above_total, above_count = pools.pop()
            mean = (mean * total + above * above_total) / (total + above_total)
            total, count = total + above_total, count + above_count
        pools.append((mean, total, count))
    return [mean for mean, _, count in pools for _ in range(count)]
