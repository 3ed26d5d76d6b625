"""The order of the slots in each rank of a layered layout: few crossings, by barycentre sweeps and swaps."""

from __future__ import annotations

import itertools
from bisect import bisect_right, insort
from collections.abc import Sequence

Layers = list[list[int]]

_SWEEPS = 16
_SWAP_ROUNDS = 6


def order_slots(ranks: Sequence[int], segments: Sequence[tuple[int, int]]) -> Layers:
    """Returns the slots of each rank from top to bottom; segments join slots of neighbouring ranks.

    >>> order_slots([0, 0, 1, 1], [(0, 3), (1, 2)])
    [[0, 1], [3, 2]]
    """
    before: Layers = [[] for _ in ranks]
    after: Layers = [[] for _ in ranks]
    for left, right in segments:
        after[left].append(right)
        before[right].append(left)
    layers = _first_order(ranks, after)
    best, fewest = layers, count_crossings(layers, after)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        layers = _sweep(layers, before, forward=True) if sweep % 2 == 0 else _sweep(layers, after, forward=False)
        layers = _swap_neighbours(layers, before, after)
        crossings = count_crossings(layers, after)
        if crossings < fewest:
            best, fewest = layers, crossings
    return best


def count_crossings(layers: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> int:
    """Counts the pairs of segments that cross; `after` lists each slot's neighbours in the next rank.

    >>> count_crossings([[0, 1], [2, 3]], [[3], [2], [], []])
    1
    """
    total = 0
    for layer, following in itertools.pairwise(layers):
        places = {slot: place for place, slot in enumerate(following)}
        seen: list[int] = []
        for slot in layer:
            heads = sorted(places[head] for head in after[slot])
            total += sum(len(seen) - bisect_right(seen, head) for head in heads)
            for head in heads:
                insort(seen, head)
    return total


def _first_order(ranks: Sequence[int], after: Sequence[Sequence[int]]) -> Layers:
    """Orders each rank as a depth-first search meets its slots: what hangs together starts together."""
    layers: Layers = [[] for _ in range(max(ranks, default=-1) + 1)]
    seen = [False] * len(ranks)
    for root in range(len(ranks)):
        stack = [root]
        while stack:
            slot = stack.pop()
            if not seen[slot]:
                seen[slot] = True
                layers[ranks[slot]].append(slot)
                stack.extend(reversed(after[slot]))
    return layers


def _sweep(layers: Layers, neighbours: Sequence[Sequence[int]], *, forward: bool) -> Layers:
    """Sorts every rank by the mean place of each slot's neighbours in the rank before (or behind)."""
    swept = [list(layer) for layer in layers]
    places: dict[int, int] = {}
    for layer in swept if forward else reversed(swept):
        keys = {}
        for place, slot in enumerate(layer):
            near = [places[other] for other in neighbours[slot]]
            keys[slot] = sum(near) / len(near) if near else float(place)
        layer.sort(key=keys.__getitem__)
        places = {slot: place for place, slot in enumerate(layer)}
    return swept


def _swap_neighbours(layers: Layers, before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> Layers:
    """Swaps neighbours within a rank while that removes crossings; changes the lists in place."""
    places = {slot: place for layer in layers for place, slot in enumerate(layer)}
    for _ in range(_SWAP_ROUNDS):
        better = False
        for layer in layers:
            for place in range(len(layer) - 1):
                upper, lower = layer[place], layer[place + 1]
                gain = sum(
                    _crossings_of_pair(near[upper], near[lower], places)
                    - _crossings_of_pair(near[lower], near[upper], places)
                    for near in (before, after)
                )
                if gain > 0:
                    layer[place], layer[place + 1] = lower, upper
                    places[upper], places[lower] = place + 1, place
                    better = True
        if not better:
            break
    return layers


def _crossings_of_pair(upper: Sequence[int], lower: Sequence[int], places: dict[int, int]) -> int:
    return sum(places[one] > places[other] for one in upper for other in lower)
