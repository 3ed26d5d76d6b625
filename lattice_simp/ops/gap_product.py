"""The kernel of gappy composition: a lattice times a gappy acceptor, with rho or sigma loops and bounded edits.

A node is a pair (lattice state, acceptor state). One backward pass over all pairs gives the exact cost of the best
completion; the forward pass then builds only pairs that some path within the beam visits, so no dead end is ever made.

Moves from a pair on a lattice arc with the word w, and what they cost beside the arc's own weight:
    loop          stay in the acceptor (w falls into a gap), if the state has a loop; with rho only if no arc carries w
    match         follow an acceptor arc that carries w: its weight
    stem match    follow an arc whose word has w's stem: its weight + stem cost
    substitution  follow any arc: its weight + substitution cost
and without a lattice arc
    deletion      follow any arc: its weight + deletion cost
    entry         follow an acceptor arc without a word: its weight
"""

from __future__ import annotations

import numpy as np

from lattice_simp.core.growing import longer_floats, longer_ints
from lattice_simp.core.kernel import Bools, Bytes, Floats, Ints, Longs, jit

LOOP, MATCH, STEM, SUBSTITUTION, DELETION, ENTRY = 0, 1, 2, 3, 4, 5
"""The kinds of moves."""


@jit
def completion_costs(
    offsets: Ints,
    labels: Ints,
    weights: Floats,
    nextstates: Ints,
    finals: Floats,
    gap_offsets: Ints,
    gap_labels: Ints,
    gap_weights: Floats,
    gap_nextstates: Ints,
    gap_finals: Floats,
    by_label: Ints,
    label_begin: Longs,
    by_stem: Ints,
    stem_begin: Longs,
    stem_of: Ints,
    gap_sources: Ints,
    has_loop: Bools,
    rho: bool,
    stem_cost: float,
    substitution_cost: float,
    deletion_cost: float,
    cost: Floats,
) -> None:
    """Fills in for each pair, (states, acceptor states), the cost of its best completion (infinity for none).

    `by_label[label_begin[w]:label_begin[w + 1]]` are the acceptor's arcs with the word w, by source state; likewise
    `by_stem` for stem classes.
    """
    num_states, num_gaps = len(finals), len(gap_finals)
    least_next = np.empty(num_gaps, dtype=np.float64)
    toll = np.where(has_loop, 0.0, np.inf)  # what staying costs: a sum that the compiler can vectorise
    stays = toll.copy()
    skips = deletion_cost < np.inf or (len(gap_labels) > 0 and gap_labels.min() == 0)
    for state in range(num_states - 1, -1, -1):
        row = cost[state]
        for gap in range(num_gaps):
            row[gap] = finals[state] + gap_finals[gap]
        for arc in range(offsets[state], offsets[state + 1]):
            word, weight, following = labels[arc], weights[arc], cost[nextstates[arc]]
            if word == 0:
                for gap in range(num_gaps):
                    row[gap] = min(row[gap], weight + following[gap])
                continue
            first, last = label_begin[word], label_begin[word + 1]
            if rho:
                for place in range(first, last):
                    stays[gap_sources[by_label[place]]] = np.inf
            for gap in range(num_gaps):
                row[gap] = min(row[gap], weight + following[gap] + stays[gap])
            if rho:
                for place in range(first, last):
                    stays[gap_sources[by_label[place]]] = toll[gap_sources[by_label[place]]]
            for place in range(first, last):
                own = by_label[place]
                total = weight + gap_weights[own] + following[gap_nextstates[own]]
                row[gap_sources[own]] = min(row[gap_sources[own]], total)
            if stem_cost < np.inf:
                for place in range(stem_begin[stem_of[word]], stem_begin[stem_of[word] + 1]):
                    own = by_stem[place]
                    total = weight + gap_weights[own] + stem_cost + following[gap_nextstates[own]]
                    row[gap_sources[own]] = min(row[gap_sources[own]], total)
            if substitution_cost < np.inf:
                least_next[:] = np.inf
                for gap in range(num_gaps):
                    for own in range(gap_offsets[gap], gap_offsets[gap + 1]):
                        if gap_labels[own] != 0:
                            total = gap_weights[own] + following[gap_nextstates[own]]
                            least_next[gap] = min(least_next[gap], total)
                    row[gap] = min(row[gap], weight + substitution_cost + least_next[gap])
        if skips:
            for gap in range(num_gaps - 1, -1, -1):  # the acceptor is sorted topologically
                for own in range(gap_offsets[gap], gap_offsets[gap + 1]):
                    added = gap_weights[own] if gap_labels[own] == 0 else gap_weights[own] + deletion_cost
                    row[gap] = min(row[gap], added + row[gap_nextstates[own]])


@jit
def gap_product(
    offsets: Ints,
    labels: Ints,
    weights: Floats,
    nextstates: Ints,
    gap_offsets: Ints,
    gap_labels: Ints,
    gap_weights: Floats,
    gap_nextstates: Ints,
    stem_of: Ints,
    has_loop: Bools,
    rho: bool,
    stem_cost: float,
    substitution_cost: float,
    deletion_cost: float,
    completion: Floats,
    bound: float,
    most_edges: int,
    numbers: Ints,
) -> tuple[Ints, Ints, Floats, Ints, Ints, Ints, Ints, Bytes]:
    """Returns the nodes in topological order (lattice state, acceptor state, least cost from the start), where each
    node's edges begin, and of each edge (target node, lattice arc or -1, acceptor arc or -1, kind).

    With more than `most_edges` edges the work stops, and there are no nodes. `numbers` is room for a number for each
    pair, all 0 (zeros that the operating system gives need no time where nothing is written).
    """
    num_states, num_gaps = completion.shape
    forward = np.empty(1024, dtype=np.float64)
    node_state = np.empty(1024, dtype=np.int32)
    node_gap = np.empty(1024, dtype=np.int32)
    order = np.empty(1024, dtype=np.int32)
    edge_begin = np.empty(1024, dtype=np.int32)
    edge_target = np.empty(4096, dtype=np.int32)
    edge_arc = np.empty(4096, dtype=np.int32)
    edge_own = np.empty(4096, dtype=np.int32)
    edge_kind = np.empty(4096, dtype=np.int8)
    waiting = np.zeros(num_states, dtype=np.int32)  # each state's nodes that have not been followed yet
    count, done, edges = 1, 0, 0
    forward[0], numbers[0, 0], waiting[0] = 0.0, 1, 1
    # Arrays that grow are slow in inner loops (each step counts references): room for a state is made beforehand.
    for state in range(num_states):
        if waiting[state] == 0:
            continue
        room = (offsets[state + 1] - offsets[state] + 1) * (num_gaps + len(gap_labels))
        while edges + room > len(edge_arc):
            edge_target, edge_arc, edge_own = longer_ints(edge_target), longer_ints(edge_arc), longer_ints(edge_own)
            edge_kind = longer_bytes(edge_kind)
        room = min(room, num_states * num_gaps)
        while count + room + 1 > len(order):
            node_state, node_gap = longer_ints(node_state), longer_ints(node_gap)
            order, edge_begin, forward = longer_ints(order), longer_ints(edge_begin), longer_floats(forward)
        count, done, edges = _follow(
            state,
            offsets,
            labels,
            weights,
            nextstates,
            gap_offsets,
            gap_labels,
            gap_weights,
            gap_nextstates,
            stem_of,
            has_loop,
            rho,
            stem_cost,
            substitution_cost,
            deletion_cost,
            completion,
            bound,
            numbers,
            waiting,
            forward,
            node_state,
            node_gap,
            order,
            edge_begin,
            edge_target,
            edge_arc,
            edge_own,
            edge_kind,
            count,
            done,
            edges,
        )
        if edges > most_edges:
            count, edges = 0, 0
            break
    edge_begin[count] = edges
    least = np.empty(count, dtype=np.float64)
    for node in range(count):
        least[order[node]] = forward[node]
    for edge in range(edges):
        edge_target[edge] = order[edge_target[edge]]
    return (
        node_state[:count].copy(),
        node_gap[:count].copy(),
        least,
        edge_begin[: count + 1].copy(),
        edge_target[:edges].copy(),
        edge_arc[:edges].copy(),
        edge_own[:edges].copy(),
        edge_kind[:edges].copy(),
    )


@jit
def _follow(
    state: int,
    offsets: Ints,
    labels: Ints,
    weights: Floats,
    nextstates: Ints,
    gap_offsets: Ints,
    gap_labels: Ints,
    gap_weights: Floats,
    gap_nextstates: Ints,
    stem_of: Ints,
    has_loop: Bools,
    rho: bool,
    stem_cost: float,
    substitution_cost: float,
    deletion_cost: float,
    completion: Floats,
    bound: float,
    numbers: Ints,
    waiting: Ints,
    forward: Floats,
    node_state: Ints,
    node_gap: Ints,
    order: Ints,
    edge_begin: Ints,
    edge_target: Ints,
    edge_arc: Ints,
    edge_own: Ints,
    edge_kind: Bytes,
    count: int,
    done: int,
    edges: int,
) -> tuple[int, int, int]:
    """Follows all edges from the nodes of one lattice state; gives the new counts of nodes, nodes done, and edges."""
    edits = substitution_cost < np.inf or stem_cost < np.inf
    standing_moves = deletion_cost < np.inf or (len(gap_labels) > 0 and gap_labels.min() == 0)
    begin_arc, end_arc = offsets[state] - 1 if standing_moves else offsets[state], offsets[state + 1]
    gap = -1
    while waiting[state] > 0:
        gap += 1
        node = numbers[state, gap] - 1
        if node < 0:
            continue
        waiting[state] -= 1
        order[node] = done
        node_state[done], node_gap[done], edge_begin[done] = state, gap, edges
        done += 1
        begin, end = gap_offsets[gap], gap_offsets[gap + 1]
        for arc in range(begin_arc, end_arc):
            standing = arc < offsets[state]  # a move without a lattice arc
            word = -1 if standing else labels[arc]
            goal = state if standing else nextstates[arc]
            reached = forward[node] if standing else forward[node] + weights[arc]
            first = begin
            loop = word == 0  # whether the acceptor may stay where it is
            if word > 0:
                high = end
                while first < high:
                    middle = (first + high) >> 1
                    if gap_labels[middle] < word:
                        first = middle + 1
                    else:
                        high = middle
                loop = has_loop[gap] and not (rho and first < end and gap_labels[first] == word)
                if edits:
                    first = begin
            for own in range(first - 1 if loop else first, first if word == 0 else end):
                if own < first:
                    kind, following, total = LOOP, gap, reached
                else:
                    following, total = gap_nextstates[own], reached + gap_weights[own]
                    if standing:
                        kind = ENTRY
                        if gap_labels[own] != 0:
                            kind, total = DELETION, total + deletion_cost
                    elif gap_labels[own] == word:
                        kind = MATCH
                    elif not edits:
                        break
                    elif gap_labels[own] == 0:
                        continue
                    elif stem_cost <= substitution_cost and stem_of[gap_labels[own]] == stem_of[word]:
                        kind, total = STEM, total + stem_cost
                    else:
                        kind, total = SUBSTITUTION, total + substitution_cost
                hope = total + completion[goal, following]
                if not hope <= bound or hope == np.inf:
                    continue
                other = numbers[goal, following] - 1
                if other < 0:
                    other = count
                    count += 1
                    numbers[goal, following] = count
                    waiting[goal] += 1
                    forward[other] = total
                elif total < forward[other]:
                    forward[other] = total
                edge_target[edges], edge_kind[edges] = other, kind
                edge_arc[edges] = -1 if standing else arc
                edge_own[edges] = -1 if own < first else own
                edges += 1
    return count, done, edges


@jit
def longer_bytes(values: Bytes) -> Bytes:
    grown = np.empty(2 * len(values), dtype=values.dtype)
    grown[: len(values)] = values
    return grown
