"""The strands of a layered layout: paths of slots that are drawn as one level line wherever there is room."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

Fence = tuple[int, int, float]
"""Two slots, one right above the other, and the least distance (px) between them."""

_ROUNDS = 24
_INFINITY = float("inf")


def find_strands(num_slots: int, links: Sequence[tuple[int, int]], chains: Sequence[Sequence[int]]) -> list[int]:
    """Returns each slot the number of its strand.

    >>> find_strands(5, [(0, 1), (1, 2)], [[3], [4]])
    [0, 0, 0, 0, 0]
    >>> find_strands(5, [(0, 1), (0, 2)], [[3], [4]])
    [0, 1, 2, 1, 2]

    The slots of a link form one strand. It takes in the link's left node if nothing else leaves that node, and the
    right node if nothing else enters that one; so a run of words without branches is one strand.
    """
    leaving = Counter(left for left, _ in links)
    entering = Counter(right for _, right in links)
    parents = list(range(num_slots))

    def root(slot: int) -> int:
        while parents[slot] != slot:
            parents[slot] = parents[parents[slot]]
            slot = parents[slot]
        return slot

    for (left, right), chain in zip(links, chains, strict=True):
        path = [left] * (leaving[left] == 1) + [*chain] + [right] * (entering[right] == 1)
        for slot in path:
            one, other = sorted((root(path[0]), root(slot)))
            parents[other] = one
    strands = [root(slot) for slot in range(num_slots)]
    numbers = {strand: number for number, strand in enumerate(dict.fromkeys(strands))}
    return [numbers[strand] for strand in strands]


def level_strands(
    rows: list[float],
    layers: Sequence[Sequence[int]],
    offsets: Sequence[Sequence[float]],
    segments: Sequence[tuple[int, int]],
    strands: Sequence[int],
) -> None:
    """Makes strands level, near their rows so far, and then moves each to the mean row of its neighbours.

    Changes `rows` in place and keeps the order and the least distances of the slots of every rank. Where strands cross
    they cannot all be level: the longest of them is dissolved into its slots.

    Args:
        rows: the y (px) of each slot.
        layers: the slots of each rank from top to bottom.
        offsets: for each rank the least distance of its slots from its first one.
        segments: the joined slots.
        strands: for each slot the number of its strand.
    """
    fences = [
        (layer[place - 1], layer[place], offset[place] - offset[place - 1])
        for layer, offset in zip(layers, offsets, strict=True)
        for place in range(1, len(layer))
    ]
    pile = _gather(list(strands), fences, segments)
    wishes = {strand: sum(rows[slot] for slot in slots) / len(slots) for strand, slots in pile.members.items()}
    levels = _spread(wishes, pile)
    for sweep in range(_ROUNDS):
        for strand in pile.order if sweep % 2 == 0 else reversed(pile.order):
            if pile.pulls[strand]:
                mean = sum(levels[other] for other in pile.pulls[strand]) / len(pile.pulls[strand])
                lowest = max((levels[other] + gap for other, gap in pile.above[strand]), default=-_INFINITY)
                highest = min((levels[other] - gap for other, gap in pile.below[strand]), default=_INFINITY)
                levels[strand] = max(min(mean, highest), lowest)
    for strand, slots in pile.members.items():
        for slot in slots:
            rows[slot] = levels[strand]


@dataclass(frozen=True)
class _Pile:
    """Strands from top to bottom; by strand: its slots, what it is joined to, and its neighbours with distances."""

    order: list[int]
    members: dict[int, list[int]]
    pulls: dict[int, list[int]]
    above: dict[int, list[tuple[int, float]]]
    below: dict[int, list[tuple[int, float]]]


def _gather(owners: list[int], fences: Sequence[Fence], segments: Sequence[tuple[int, int]]) -> _Pile:
    order = _stacking_order(owners, fences)
    pile = _Pile(order, defaultdict(list), defaultdict(list), defaultdict(list), defaultdict(list))
    for slot, strand in enumerate(owners):
        pile.members[strand].append(slot)
    for upper, lower, gap in fences:
        pile.above[owners[lower]].append((owners[upper], gap))
        pile.below[owners[upper]].append((owners[lower], gap))
    for left, right in segments:
        if owners[left] != owners[right]:
            pile.pulls[owners[left]].append(owners[right])
            pile.pulls[owners[right]].append(owners[left])
    return pile


def _spread(wishes: dict[int, float], pile: _Pile) -> dict[int, float]:
    """Returns levels with all the least distances: halfway between pushing everything down and pushing it up."""
    down: dict[int, float] = {}
    for strand in pile.order:
        down[strand] = max([wishes[strand], *(down[other] + gap for other, gap in pile.above[strand])])
    up: dict[int, float] = {}
    for strand in reversed(pile.order):
        up[strand] = min([wishes[strand], *(up[other] - gap for other, gap in pile.below[strand])])
    return {strand: (down[strand] + up[strand]) / 2 for strand in pile.order}


def _stacking_order(owners: list[int], fences: Sequence[Fence]) -> list[int]:
    """Returns the strands from top to bottom; dissolves strands in `owners` until there is such an order."""
    while True:
        downward = {(owners[upper], owners[lower]) for upper, lower, _ in fences}
        order, rest = _peel(sorted(set(owners)), sorted(downward))
        if not rest:
            return order
        _, knotted = _peel(rest, sorted((lower, upper) for upper, lower in downward))
        sizes = Counter(owners)
        longest = max(knotted, key=lambda strand: (sizes[strand], -strand))
        unused = max(owners) + 1
        for slot, strand in enumerate(owners):
            if strand == longest:
                owners[slot], unused = unused, unused + 1


def _peel(strands: Sequence[int], edges: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Returns the strands in topological order as far as there is one, and the rest; edges to others do not count."""
    wanted = set(strands)
    following: dict[int, list[int]] = {strand: [] for strand in strands}
    waiting = Counter[int]()
    for first, second in edges:
        if first in wanted and second in wanted:
            following[first].append(second)
            waiting[second] += 1
    order = [strand for strand in strands if not waiting[strand]]
    for strand in order:
        for other in following[strand]:
            waiting[other] -= 1
            if not waiting[other]:
                order.append(other)
    return order, sorted(wanted.difference(order))
