"""The product of two automata: pairs of paths where the output of the first is the input of the second."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.blocks import block_numbers
from lattice_simp.core.features import gather
from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Ints, Longs, Records, inlined, jit
from lattice_simp.core.records import NONE, Table, empty_table, enter, find_in, rehashed
from lattice_simp.core.sorting import lower_bound
from lattice_simp.errors import InvalidLatticeError

MAX_ARCS = 100_000_000
"""Arcs that a product may have: 2 GB while it is made."""

_ARC = np.dtype([("first", np.int32), ("second", np.int32), ("nextstate", np.int32)])
"""The arc of each automaton (-1 if only the other one moves), and the pair of states that both lead to."""

_STATE = np.dtype([("first", np.int32), ("second", np.int32), ("alone", np.int32), ("begin", np.int32)])
"""The state of each automaton, whether the last move was of the second one alone, and where the pair's arcs begin."""


class Product(NamedTuple):
    """The pairs of states and arcs of two automata.

    Attributes:
        offsets: (states + 1,) int32, where each pair's arcs begin.
        nextstates: (arcs,) int32.
        first_arcs, second_arcs: (arcs,) int32, the arc of each automaton; -1 if only the other one moves.
        first_states, second_states: (states,) int32, the state of each automaton.
    """

    offsets: Ints
    nextstates: Ints
    first_arcs: Ints
    second_arcs: Ints
    first_states: Ints
    second_states: Ints


def product(first: Arcs, second: Arcs) -> Product:
    """Returns the reachable pairs, in the order of their states; the labels of `second` are its input.

    Raises:
        InvalidLatticeError: there are more than `MAX_ARCS` arcs.
    """
    arcs, states = np.zeros(0, dtype=_ARC), np.zeros(0, dtype=_STATE)
    if len(first.finals) and len(second.finals):
        sources = block_numbers(second.offsets)
        order = np.lexsort((second.labels, sources)).astype(np.int32)
        by_label = second._replace(labels=second.labels[order], nextstates=second.nextstates[order])
        arcs, states = _pairs(first, by_label, empty_table(_STATE), MAX_ARCS)
        if len(arcs) > MAX_ARCS:
            raise InvalidLatticeError(f"the composition has more than {MAX_ARCS} arcs; prune the lattices first")
        pairs = states["first"].astype(np.int64) * len(second.finals) + states["second"]
        arcs, states = _in_order(arcs, states, np.argsort(pairs * 2 + states["alone"]))
        arcs["second"] = gather(order, arcs["second"], -1)
    offsets = np.append(states["begin"], np.int32(len(arcs)))
    columns = (arcs["nextstate"], arcs["first"], arcs["second"], states["first"], states["second"])
    return Product(offsets, *map(np.ascontiguousarray, columns))


@jit
def _in_order(arcs: Records, states: Records, order: Longs) -> tuple[Records, Records]:
    """Reorders the states, with their arcs: `order` lists the old numbers of the states in their new order."""
    new_name = np.empty(len(order), dtype=np.int32)
    for place in range(len(order)):
        new_name[order[place]] = place
    moved_arcs, moved, used = np.empty_like(arcs), np.empty_like(states), 0
    for place in range(len(order)):
        state = order[place]
        begin, end = states[state].begin, states[state + 1].begin if state + 1 < len(states) else len(arcs)
        moved[place] = states[state]
        moved[place].begin = used
        for arc in range(begin, end):
            moved_arcs[used] = arcs[arc]
            moved_arcs[used].nextstate = new_name[arcs[arc].nextstate]
            used += 1
    return moved_arcs, moved


@jit
def _pairs(first: Arcs, second: Arcs, pairs: Table, most: int) -> tuple[Records, Records]:
    """Returns the reachable arcs of the product, by source, and its states.

    The arcs of each state of `second` must be sorted by label; `pairs` is an empty table. The search stops after the
    first state with which there are more than `most` arcs.
    """
    width = np.int64(len(second.offsets) - 1)
    slots, states, count = pairs.slots, pairs.rows, 1
    enter(slots, 0, 0)
    arcs, used = np.empty(1024, dtype=_ARC), 0
    current = 0
    while current < count and used <= most:
        states[current].begin = used
        first_state, second_state = states[current].first, states[current].second
        arcs, end = _moves(first, second, first_state, second_state, states[current].alone, arcs, used)
        for move in range(used, end):
            arc, match = arcs[move].first, arcs[move].second
            goal_one = first.nextstates[arc] if arc >= 0 else first_state
            goal_two = second.nextstates[match] if match >= 0 else second_state
            key = 2 * (np.int64(goal_one) * width + goal_two) + (arc < 0)
            goal = find_in(slots, key)
            if goal == NONE:
                if count == len(states):
                    slots, states = rehashed(Table(slots, states), count, 2 * count)
                enter(slots, key, count)
                goal = count
                states[count].first, states[count].second, states[count].alone = goal_one, goal_two, arc < 0
                count += 1
            arcs[move].nextstate = goal
        used = end
        current += 1
    return arcs[:used], states[:count]


@inlined
def _moves(
    first: Arcs, second: Arcs, first_state: int, second_state: int, alone: int, arcs: Records, used: int
) -> tuple[Records, int]:
    """Writes the pairs of arcs that leave a pair of states behind the `used` ones; returns the pool and its new end.

    An epsilon filter makes each pair of paths one path: where each automaton could move alone, the first moves before
    the second; after the second has moved alone (`alone`), the first may not do so until both have moved together.
    """
    begin, end = second.offsets[second_state], second.offsets[second_state + 1]
    for arc in range(first.offsets[first_state] - 1, first.offsets[first_state + 1]):
        stays = arc < first.offsets[first_state]  # the first automaton stays, and the second moves alone
        label = 0 if stays else first.labels[arc]
        moves_alone = label == 0 and not stays
        if moves_alone and alone:
            continue
        match = -1 if moves_alone else lower_bound(second.labels, begin, end, label)
        while moves_alone or (match < end and second.labels[match] == label):
            if used == len(arcs):
                arcs = grown(arcs)
            arcs[used].first, arcs[used].second = -1 if stays else arc, match
            used += 1
            if moves_alone:
                break
            match += 1
    return arcs, used
