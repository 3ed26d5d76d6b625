"""The product of two automata: pairs of paths where the output of the first is the input of the second."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.features import Features, gather
from lattice_simp.core.growing import grown
from lattice_simp.core.header import Header
from lattice_simp.core.kernel import Longs, Records, inlined, jit
from lattice_simp.core.records import NONE, Table, empty_table, enter, find_in, rehashed
from lattice_simp.core.sorting import lower_bound
from lattice_simp.errors import InvalidLatticeError

if TYPE_CHECKING:
    from lattice_simp.core.lattice import Lattice

MAX_ARCS = 100_000_000
"""Arcs that a product may have: 2 GB while it is made."""

_ARC = np.dtype([("first", np.int32), ("second", np.int32), ("nextstate", np.int32)])
"""The arc of each automaton (-1 if only the other one moves), and the pair of states that both lead to."""

_STATE = np.dtype([("first", np.int32), ("second", np.int32), ("alone", np.int32), ("begin", np.int32)])
"""The state of each automaton, whether the last move was of the second one alone, and where the pair's arcs begin."""


def product(first: Lattice, second: Lattice) -> Lattice:
    """Returns the composition of two lattices (see `ops.compose`), its states in the order of the pairs."""
    inputs = second.isymbols or second.symbols
    middle = second.ilabels if inputs is first.symbols else first.symbols.labels_of(inputs, second.ilabels)
    order = np.lexsort((middle, second.sources)).astype(np.int32)
    by_input = second.arcs._replace(labels=middle[order], nextstates=second.nextstates[order])
    if not (first.num_states and second.num_states):
        return _labelled(first, second, np.zeros(0, dtype=_ARC), np.zeros(0, dtype=_STATE))
    arcs, states = _pairs(first.arcs, by_input, empty_table(_STATE), MAX_ARCS)
    if len(arcs) > MAX_ARCS:
        raise InvalidLatticeError(f"the composition has more than {MAX_ARCS} arcs; prune the lattices first")
    by_pair = np.argsort(
        (states["first"].astype(np.int64) * second.num_states + states["second"]) * 2 + states["alone"]
    )
    arcs, states = _in_order(arcs, states, by_pair)
    arcs["second"] = gather(order, arcs["second"], -1)
    return _labelled(first, second, arcs, states)


def _labelled(first: Lattice, second: Lattice, arcs: Records, states: Records) -> Lattice:
    """Returns the pairs of arcs as a lattice, with the input of the first and the output of the second."""
    first_arcs, second_arcs, nextstates = (
        np.ascontiguousarray(arcs[name]) for name in ("first", "second", "nextstate")
    )
    starts, ends = (np.ascontiguousarray(states[name]) for name in ("first", "second"))
    finals = gather(first.finals, starts, np.inf) + gather(second.finals, ends, np.inf)
    offsets = np.append(states["begin"], np.int32(len(arcs)))
    weights = gather(first.weights, first_arcs, 0.0) + gather(second.weights, second_arcs, 0.0)
    lattice = first.gather(first_arcs, offsets, nextstates, starts, weights=weights, finals=finals)
    second_features = second.features.gather(second_arcs, np.where(np.isfinite(finals), ends, -1))
    lattice = replace(lattice, features=_added(lattice.features, second_features), header=_header(first, second))
    if second.is_acceptor:
        return lattice
    return replace(
        lattice,
        olabels=gather(second.olabels, second_arcs, 0),
        symbols=second.symbols,
        isymbols=first.isymbols or first.symbols,
    )


def _header(first: Lattice, second: Lattice) -> Header:
    """Returns the first header, with the scales and the word score that are true of the summed costs.

    A feature of both sides keeps its scale only if both have the same one.
    """
    sides = (first, second)
    scales = {
        name: scale
        for name, scale in {**second.header.scales, **first.header.scales}.items()
        if all(side.header.scales.get(name, scale if name not in side.features else None) == scale for side in sides)
    }
    word_score = second.header.word_score
    if second.is_acceptor:  # the words of both are the same
        word_score += first.header.word_score
    elif first.header.word_score:
        word_score = 0.0
    return replace(first.header, scales=scales, word_score=word_score)


def _added(first: Features, second: Features) -> Features:
    """Adds the features of two lattices; a missing feature counts as 0."""
    if not second:
        return first
    names = tuple(dict.fromkeys((*first, *second)))
    left, right = first.select(names), second.select(names)
    return Features(names, left.arcs + right.arcs, left.finals + right.finals)


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
