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

from lattice_simp.growth import longer_floats, longer_ints
from lattice_simp.kernel import Bools, Bytes, Floats, Ints, Longs, jit

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
) -> Floats:
    """Gives for each pair the cost of its best completion (infinity for none).

    `by_label[label_begin[w]:label_begin[w + 1]]` are the acceptor's arcs with the word w, by source state; likewise
    `by_stem` for stem classes.
    """
    num_states, num_gaps = len(finals), len(gap_finals)
    cost = np.empty((num_states, num_gaps), dtype=np.float64)
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
    return cost


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
) -> tuple[Ints, Ints, Floats, Ints, Ints, Ints, Ints, Bytes]:
    """Gives the nodes in topological order (lattice state, acceptor state, least cost from the start), where each
    node's edges begin, and of each edge (target node, lattice arc or -1, acceptor arc or -1, kind).

    With more than `most_edges` edges the work stops, and there are no nodes.
    """
    num_states, num_gaps = completion.shape
    numbers = np.full((num_states, num_gaps), -1, dtype=np.int32)  # each pair's node, in order of discovery
    node_capacity = 1024
    forward = np.empty(node_capacity, dtype=np.float64)
    node_state = np.empty(node_capacity, dtype=np.int32)
    node_gap = np.empty(node_capacity, dtype=np.int32)
    order = np.empty(node_capacity, dtype=np.int32)
    edge_begin = np.empty(node_capacity + 1, dtype=np.int32)
    edge_capacity = 4096
    edge_target = np.empty(edge_capacity, dtype=np.int32)
    edge_arc = np.empty(edge_capacity, dtype=np.int32)
    edge_own = np.empty(edge_capacity, dtype=np.int32)
    edge_kind = np.empty(edge_capacity, dtype=np.int8)
    waiting = np.zeros(num_states, dtype=np.int32)  # each state's nodes that have not been followed yet
    edges = 0
    count = 1
    forward[0] = 0.0
    numbers[0, 0] = 0
    waiting[0] = 1
    done = 0
    edits = substitution_cost < np.inf or stem_cost < np.inf
    entries = len(gap_labels) > 0 and gap_labels.min() == 0
    for state in range(num_states):
        gap = -1
        while waiting[state] > 0:
            gap += 1
            node = numbers[state, gap]
            if node < 0:
                continue
            waiting[state] -= 1
            cost_here = forward[node]
            order[node] = done
            node_state[done], node_gap[done] = state, gap
            edge_begin[done] = edges
            done += 1
            begin, end = gap_offsets[gap], gap_offsets[gap + 1]
            # arc -1 stands for the moves that use no lattice arc
            for arc in range(offsets[state] - 1, offsets[state + 1]):
                standing = arc < offsets[state]
                if standing and not entries and deletion_cost == np.inf:
                    continue
                word = -1 if standing else labels[arc]
                goal = state if standing else nextstates[arc]
                arc_weight = 0.0 if standing else weights[arc]
                low = begin
                free = True  # no acceptor arc carries the word
                if word > 0:
                    high = end
                    while low < high:
                        middle = (low + high) >> 1
                        if gap_labels[middle] < word:
                            low = middle + 1
                        else:
                            high = middle
                    free = low == end or gap_labels[low] != word
                first = begin if standing or edits else low
                if word == 0:
                    first = end
                for own in range(first - 1, end):
                    if own < first:  # the loop, or a lattice arc without a word
                        if standing or (word != 0 and not (has_loop[gap] and (free or not rho))):
                            continue
                        kind, following, added = LOOP, gap, 0.0
                    else:
                        following, added = gap_nextstates[own], gap_weights[own]
                        if standing:
                            if gap_labels[own] == 0:
                                kind = ENTRY
                            else:
                                kind, added = DELETION, added + deletion_cost
                        elif gap_labels[own] == word:
                            kind = MATCH
                        elif not edits:
                            break
                        elif gap_labels[own] == 0:
                            continue
                        elif stem_cost <= substitution_cost and stem_of[gap_labels[own]] == stem_of[word]:
                            kind, added = STEM, added + stem_cost
                        else:
                            kind, added = SUBSTITUTION, added + substitution_cost
                    total = cost_here + arc_weight + added
                    rest = completion[goal, following]
                    if rest == np.inf or not total + rest <= bound or total == np.inf:
                        continue
                    other = numbers[goal, following]
                    if other < 0:
                        if count == node_capacity:
                            node_capacity *= 2
                            node_state, node_gap = longer_ints(node_state), longer_ints(node_gap)
                            forward, order = longer_floats(forward), longer_ints(order)
                            longer_begin = np.empty(node_capacity + 1, dtype=np.int32)
                            longer_begin[:done] = edge_begin[:done]
                            edge_begin = longer_begin
                        other = count
                        numbers[goal, following] = other
                        forward[other] = total
                        waiting[goal] += 1
                        count += 1
                    elif total < forward[other]:
                        forward[other] = total
                    if edges == edge_capacity:
                        edge_capacity *= 2
                        edge_target, edge_arc = longer_ints(edge_target), longer_ints(edge_arc)
                        edge_own = longer_ints(edge_own)
                        longer_kind = np.empty(edge_capacity, dtype=np.int8)
                        longer_kind[:edges] = edge_kind
                        edge_kind = longer_kind
                    edge_target[edges], edge_arc[edges] = other, arc
                    edge_own[edges] = -1 if own < first else own
                    if standing:
                        edge_arc[edges] = -1
                    edge_kind[edges] = kind
                    edges += 1
            if edges > most_edges:
                done = 0
                edges = 0
                count = 0
                waiting[:] = 0
                break
    edge_begin[done] = edges
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
