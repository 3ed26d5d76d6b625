"""Coarse passes of the language-model search: a lattice times an optimistic lower order, with free choice of backoff.

A pass may always back off, even where the model holds the longer n-gram; that keeps it a lower bound, which is all
an estimate must be, and it makes it fast: a node follows only the n-grams that both its history and its lattice state
offer, and one backoff edge stands for all other words.
"""

from __future__ import annotations

import numpy as np

from lattice_simp.core.growing import find_slot, longer_floats, longer_ints, longer_longs
from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.lm.optimistic import advance
from lattice_simp.ops.lm_nodes import estimate, rehash

DIRECT_DEGREE = 3
"""A lattice state with so few arcs follows each of them exactly: that costs less than its backoff nodes would."""


@jit
def relaxed_product(
    offsets: Ints,
    words: Ints,
    weights: Floats,
    nextstates: Ints,
    finals: Floats,
    children: Ints,
    child_word: Ints,
    level: Ints,
    num_words: int,
    order: int,
    match_cost: Floats,
    next_state: Ints,
    suffix: Ints,
    backoff: Floats,
    fallback: Ints,
    fallback_cost: Floats,
    start: int,
    end: int,
    coarse: Ints,
    coarse_cost: Floats,
    estimate_keys: Longs,
    estimate_values: Floats,
    bound: float,
) -> tuple[Ints, Ints, Floats, Longs, Ints, Ints, Floats, Floats]:
    """Builds the nodes whose cost so far plus estimated rest is within the bound, in topological order.

    Gives (state, context, forward, offsets, arc, target, edge cost, end cost); a backoff edge has the arc -1.
    `words[arc]` is -1 where the arc carries no word, -2 where it stands for words unknown here, after which no
    history is left; with `end` -1, the end is free (a part of a sentence).
    """
    num_states = len(finals)
    root = len(level) - 1
    num_contexts = np.int64(root + 1)
    capacity = 16384
    state = np.empty(capacity, dtype=np.int32)
    context = np.empty(capacity, dtype=np.int32)
    sibling = np.empty(capacity, dtype=np.int32)
    rest = np.empty(capacity, dtype=np.float64)
    forward = np.empty(capacity, dtype=np.float64)
    processed = np.empty(capacity, dtype=np.int32)
    begins = np.empty(capacity, dtype=np.int64)
    edge_capacity = 65536
    edge_arc = np.empty(edge_capacity, dtype=np.int32)
    target = np.empty(edge_capacity, dtype=np.int32)
    edge_cost = np.empty(edge_capacity, dtype=np.float64)
    # The nodes of a lattice state, by the length of their history: backoff leads to shorter ones, processed later.
    head = np.full(num_states * order, -1, dtype=np.int32)
    # The arcs of the lattice state in hand, chained by word.
    first_arc = np.empty(num_words, dtype=np.int32)
    stamp = np.full(num_words, -1, dtype=np.int32)
    next_arc = np.empty(len(words), dtype=np.int32)
    widest = 1
    for lattice_state in range(num_states):
        widest = max(widest, offsets[lattice_state + 1] - offsets[lattice_state])
    choice_arc = np.empty(widest + 1, dtype=np.int32)
    choice_state = np.empty(widest + 1, dtype=np.int32)
    choice_context = np.empty(widest + 1, dtype=np.int32)
    choice_cost = np.empty(widest + 1, dtype=np.float64)

    state[0], context[0], sibling[0], forward[0] = 0, start, -1, 0.0
    rest[0] = coarse_cost[start] + estimate(estimate_keys, estimate_values, num_contexts, 0, coarse[start])
    head[level[start]] = 0
    table_keys, table_nodes = rehash(state, context, 1, num_contexts, 4 * capacity)
    count = 1
    edges = 0
    done = 0
    for lattice_state in range(num_states):
        occupied = False
        for length in range(order):
            occupied = occupied or head[lattice_state * order + length] >= 0
        if not occupied:
            continue
        first_epsilon = -1
        for arc in range(offsets[lattice_state], offsets[lattice_state + 1]):
            word = words[arc]
            if word < 0:
                next_arc[arc] = first_epsilon
                first_epsilon = arc
            else:
                next_arc[arc] = first_arc[word] if stamp[word] == lattice_state else -1
                first_arc[word] = arc
                stamp[word] = lattice_state
        for length in range(order - 1, -1, -1):
            node = head[lattice_state * order + length]
            while node >= 0:
                processed[done] = node
                begins[done] = edges
                done += 1
                history = context[node]
                found = 0
                arc = first_epsilon
                while arc >= 0:
                    choice_arc[found], choice_state[found], choice_cost[found] = arc, nextstates[arc], weights[arc]
                    choice_context[found] = history if words[arc] == -1 else root
                    found += 1
                    arc = next_arc[arc]
                if history == root:
                    for arc in range(offsets[lattice_state], offsets[lattice_state + 1]):
                        word = words[arc]
                        if word >= 0:
                            choice_arc[found], choice_state[found] = arc, nextstates[arc]
                            choice_context[found] = next_state[word]
                            choice_cost[found] = weights[arc] + match_cost[word]
                            found += 1
                elif offsets[lattice_state + 1] - offsets[lattice_state] <= DIRECT_DEGREE:
                    for arc in range(offsets[lattice_state], offsets[lattice_state + 1]):
                        word = words[arc]
                        if word >= 0:
                            matched, paid = advance(history, word, children, child_word, suffix, backoff, root)
                            choice_arc[found], choice_state[found] = arc, nextstates[arc]
                            choice_context[found] = next_state[matched]
                            choice_cost[found] = weights[arc] + paid + match_cost[matched]
                            found += 1
                else:
                    for child in range(children[history], children[history + 1]):
                        word = child_word[child]
                        if stamp[word] == lattice_state:
                            arc = first_arc[word]
                            while arc >= 0:
                                choice_arc[found], choice_state[found] = arc, nextstates[arc]
                                choice_context[found] = next_state[child]
                                choice_cost[found] = weights[arc] + match_cost[child]
                                found += 1
                                arc = next_arc[arc]
                    choice_arc[found], choice_state[found] = -1, lattice_state
                    choice_context[found] = fallback[history]
                    choice_cost[found] = fallback_cost[history]
                    found += 1
                so_far = forward[node]
                for choice in range(found):
                    goal, following = choice_state[choice], choice_context[choice]
                    total = so_far + choice_cost[choice]
                    key = np.int64(goal) * num_contexts + following
                    slot = find_slot(table_keys, key)
                    if table_keys[slot] >= 0:
                        known = table_nodes[slot]
                        if not total + rest[known] <= bound:
                            continue
                        if total < forward[known]:
                            forward[known] = total
                    else:
                        remaining = coarse_cost[following] + estimate(
                            estimate_keys, estimate_values, num_contexts, goal, coarse[following]
                        )
                        if not total + remaining <= bound:
                            continue
                        if count == capacity:
                            capacity *= 2
                            state, context, sibling = longer_ints(state), longer_ints(context), longer_ints(sibling)
                            processed, begins = longer_ints(processed), longer_longs(begins)
                            rest, forward = longer_floats(rest), longer_floats(forward)
                            table_keys, table_nodes = rehash(state, context, count, num_contexts, 4 * capacity)
                            slot = find_slot(table_keys, key)
                        known = count
                        count += 1
                        table_keys[slot] = key
                        table_nodes[slot] = known
                        state[known], context[known] = goal, following
                        forward[known], rest[known] = total, remaining
                        place = goal * order + level[following]
                        sibling[known] = head[place]
                        head[place] = known
                    if edges == edge_capacity:
                        edge_capacity *= 2
                        edge_arc, target = longer_ints(edge_arc), longer_ints(target)
                        edge_cost = longer_floats(edge_cost)
                    edge_arc[edges], target[edges], edge_cost[edges] = choice_arc[choice], known, choice_cost[choice]
                    edges += 1
                node = sibling[node]

    position = np.empty(count, dtype=np.int32)
    for number in range(done):
        position[processed[number]] = number
    for edge in range(edges):
        target[edge] = position[target[edge]]
    processed = processed[:done]
    end_cost = np.full(done, np.inf)
    for number in range(done):
        final = finals[state[processed[number]]]
        history = context[processed[number]]
        if final < np.inf and end < 0:
            end_cost[number] = final
        elif final < np.inf:
            matched, paid = advance(history, end, children, child_word, suffix, backoff, root)
            end_cost[number] = final + paid + match_cost[matched]
    edge_offsets = np.empty(done + 1, dtype=np.int64)
    edge_offsets[:done] = begins[:done]
    edge_offsets[done] = edges
    return state[processed], context[processed], forward[processed], edge_offsets, edge_arc, target, edge_cost, end_cost


@jit
def relaxed_backward(
    offsets: Longs, arc: Ints, target: Ints, edge_cost: Floats, end_cost: Floats, forward: Floats, num_arcs: int
) -> tuple[Floats, Floats]:
    """Returns each node's least cost to the end, and for each lattice arc the cost of the best path through it."""
    backward = end_cost.copy()
    through = np.full(num_arcs, np.inf)
    for node in range(len(end_cost) - 1, -1, -1):
        least = backward[node]
        for edge in range(offsets[node], offsets[node + 1]):
            cost = edge_cost[edge] + backward[target[edge]]
            least = min(least, cost)
            if arc[edge] >= 0:
                through[arc[edge]] = min(through[arc[edge]], forward[node] + cost)
        backward[node] = least
    return backward, through


@jit
def lattice_backward(
    offsets: Ints, words: Ints, weights: Floats, nextstates: Ints, finals: Floats, least_cost: Floats, end: int
) -> Floats:
    """Returns each lattice state's least cost to the end if every word costs its least over all histories (order 1)."""
    backward = np.full(len(finals), np.inf)
    for state in range(len(finals) - 1, -1, -1):
        least = finals[state] + (least_cost[end] if end >= 0 else 0.0)
        for arc in range(offsets[state], offsets[state + 1]):
            cost = weights[arc] + backward[nextstates[arc]]
            if words[arc] >= 0:
                cost += least_cost[words[arc]]
            least = min(least, cost)
        backward[state] = least
    return backward
