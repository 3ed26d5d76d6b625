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
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lattice_simp.growth import find_slot, grown_table, longer_floats, longer_ints
from lattice_simp.kernel import Bools, Bytes, Floats, Ints, Longs, jit

LOOP, MATCH, STEM, SUBSTITUTION, DELETION = 0, 1, 2, 3, 4
"""The kinds of moves."""

Singles = npt.NDArray[np.float32]


@jit
def completion_costs(
    offsets: Ints,
    labels: Ints,
    weights: Floats,
    nextstates: Ints,
    finals: Floats,
    gap_offsets: Ints,
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
) -> Singles:
    """Gives for each pair the cost of its best completion (float32, infinity for none).

    `by_label[label_begin[w]:label_begin[w + 1]]` are the acceptor's arcs with the word w, by source state; likewise
    `by_stem` for stem classes.
    """
    num_states, num_gaps = len(finals), len(gap_finals)
    cost = np.full((num_states, num_gaps), np.inf, dtype=np.float32)
    least_next = np.empty(num_gaps, dtype=np.float32)
    blocked = np.empty(num_gaps, dtype=np.bool_)
    for state in range(num_states - 1, -1, -1):
        row = cost[state]
        if finals[state] < np.inf:
            for gap in range(num_gaps):
                row[gap] = np.float32(finals[state] + gap_finals[gap])
        for arc in range(offsets[state], offsets[state + 1]):
            word, weight, following = labels[arc], np.float32(weights[arc]), cost[nextstates[arc]]
            if word == 0:
                for gap in range(num_gaps):
                    row[gap] = min(row[gap], weight + following[gap])
                continue
            first, last = label_begin[word], label_begin[word + 1]
            if rho and last > first:
                blocked[:] = False
                for place in range(first, last):
                    blocked[gap_sources[by_label[place]]] = True
                for gap in range(num_gaps):
                    if has_loop[gap] and not blocked[gap]:
                        row[gap] = min(row[gap], weight + following[gap])
            else:
                for gap in range(num_gaps):
                    if has_loop[gap]:
                        row[gap] = min(row[gap], weight + following[gap])
            for place in range(first, last):
                own = by_label[place]
                total = weight + np.float32(gap_weights[own]) + following[gap_nextstates[own]]
                row[gap_sources[own]] = min(row[gap_sources[own]], total)
            if stem_cost < np.inf:
                for place in range(stem_begin[stem_of[word]], stem_begin[stem_of[word] + 1]):
                    own = by_stem[place]
                    total = weight + np.float32(gap_weights[own] + stem_cost) + following[gap_nextstates[own]]
                    row[gap_sources[own]] = min(row[gap_sources[own]], total)
            if substitution_cost < np.inf:
                least_next[:] = np.inf
                for gap in range(num_gaps):
                    for own in range(gap_offsets[gap], gap_offsets[gap + 1]):
                        total = np.float32(gap_weights[own]) + following[gap_nextstates[own]]
                        least_next[gap] = min(least_next[gap], total)
                    row[gap] = min(row[gap], weight + np.float32(substitution_cost) + least_next[gap])
        if deletion_cost < np.inf:
            for gap in range(num_gaps - 1, -1, -1):  # the acceptor is sorted topologically
                for own in range(gap_offsets[gap], gap_offsets[gap + 1]):
                    total = np.float32(gap_weights[own] + deletion_cost) + row[gap_nextstates[own]]
                    row[gap] = min(row[gap], total)
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
    completion: Singles,
    bound: float,
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints, Bytes]:
    """Gives (lattice state, acceptor state) of the nodes in topological order, and of each edge (source node, target
    node, lattice arc or -1, acceptor arc or -1, kind)."""
    num_states, num_gaps = completion.shape
    node_capacity = 1024
    node_state = np.empty(node_capacity, dtype=np.int32)
    node_gap = np.empty(node_capacity, dtype=np.int32)
    forward = np.empty(node_capacity, dtype=np.float64)
    sibling = np.empty(node_capacity, dtype=np.int32)
    keys, numbers = np.full(4096, -1, dtype=np.int64), np.empty(4096, dtype=np.int32)
    head = np.full(num_states, -1, dtype=np.int32)
    edge_capacity = 4096
    edge_source = np.empty(edge_capacity, dtype=np.int32)
    edge_target = np.empty(edge_capacity, dtype=np.int32)
    edge_arc = np.empty(edge_capacity, dtype=np.int32)
    edge_own = np.empty(edge_capacity, dtype=np.int32)
    edge_kind = np.empty(edge_capacity, dtype=np.int8)
    here = np.full(num_gaps, -1, dtype=np.int32)
    count = 1
    edges = 0
    node_state[0], node_gap[0], forward[0], sibling[0] = 0, 0, 0.0, -1
    head[0] = 0
    keys[find_slot(keys, 0)] = 0
    numbers[find_slot(keys, 0)] = 0
    order = np.empty(1024, dtype=np.int32)
    done = 0
    for state in range(num_states):
        if head[state] < 0:
            continue
        lowest = num_gaps
        node = head[state]
        while node >= 0:
            here[node_gap[node]] = node
            lowest = min(lowest, node_gap[node])
            node = sibling[node]
        for gap in range(lowest, num_gaps):
            node = here[gap]
            if node < 0:
                continue
            here[gap] = -1
            if done == len(order):
                order = longer_ints(order)
            order[done] = node
            done += 1
            begin, end = gap_offsets[gap], gap_offsets[gap + 1]
            # arc -1 stands for the deletions, which use no lattice arc
            for arc in range(offsets[state] - 1, offsets[state + 1]):
                deleting = arc < offsets[state]
                if deleting and deletion_cost == np.inf:
                    continue
                word = -1 if deleting else labels[arc]
                goal = state if deleting else nextstates[arc]
                arc_weight = 0.0 if deleting else weights[arc]
                free = True  # no acceptor arc carries the word
                if not deleting and word != 0:
                    low, high = begin, end
                    while low < high:
                        middle = (low + high) >> 1
                        if gap_labels[middle] < word:
                            low = middle + 1
                        else:
                            high = middle
                    free = low == end or gap_labels[low] != word
                loose = deleting or substitution_cost < np.inf or stem_cost < np.inf
                first = begin if loose else (low if word > 0 else end)
                for own in range(first - 1, end):
                    if own < first:  # the loop, or an epsilon
                        if deleting or (word != 0 and not (has_loop[gap] and (free or not rho))):
                            continue
                        kind, following, added = LOOP, gap, 0.0
                    elif word == 0:
                        break
                    else:
                        following, added = gap_nextstates[own], gap_weights[own]
                        if deleting:
                            kind, added = DELETION, added + deletion_cost
                        elif gap_labels[own] == word:
                            kind = MATCH
                        elif not loose:
                            break
                        elif (
                            stem_cost <= substitution_cost
                            and stem_cost < np.inf
                            and stem_of[gap_labels[own]] == stem_of[word]
                        ):
                            kind, added = STEM, added + stem_cost
                        elif substitution_cost < np.inf:
                            kind, added = SUBSTITUTION, added + substitution_cost
                        else:
                            continue
                    total = forward[node] + arc_weight + added
                    rest = np.float64(completion[goal, following])
                    if not total + rest <= bound or rest == np.inf:
                        continue
                    key = np.int64(goal) * num_gaps + following
                    slot = find_slot(keys, key)
                    if keys[slot] < 0:
                        if 2 * count >= len(keys):
                            keys, numbers = grown_table(keys, numbers)
                            slot = find_slot(keys, key)
                        if count == node_capacity:
                            node_capacity *= 2
                            node_state, node_gap = longer_ints(node_state), longer_ints(node_gap)
                            sibling, forward = longer_ints(sibling), longer_floats(forward)
                        keys[slot], numbers[slot] = key, count
                        node_state[count], node_gap[count], forward[count] = goal, following, total
                        if deleting:
                            sibling[count] = -1
                            here[following] = count
                        else:
                            sibling[count] = head[goal]
                            head[goal] = count
                        count += 1
                    other = numbers[slot]
                    if total < forward[other]:
                        forward[other] = total
                    if edges == edge_capacity:
                        edge_capacity *= 2
                        edge_source, edge_target = longer_ints(edge_source), longer_ints(edge_target)
                        edge_arc, edge_own = longer_ints(edge_arc), longer_ints(edge_own)
                        longer = np.empty(edge_capacity, dtype=np.int8)
                        longer[:edges] = edge_kind
                        edge_kind = longer
                    edge_source[edges], edge_target[edges] = node, other
                    edge_arc[edges], edge_own[edges] = -1 if deleting else arc, -1 if own < first else own
                    edge_kind[edges] = kind
                    edges += 1
    position = np.empty(count, dtype=np.int32)
    for place in range(done):
        position[order[place]] = place
    for edge in range(edges):
        edge_source[edge], edge_target[edge] = position[edge_source[edge]], position[edge_target[edge]]
    order = order[:done]
    return (
        node_state[order],
        node_gap[order],
        edge_source[:edges].copy(),
        edge_target[:edges].copy(),
        edge_arc[:edges].copy(),
        edge_own[:edges].copy(),
        edge_kind[:edges].copy(),
    )
