"""The exact pass of the language-model search: a lattice times the model itself, within a cost bound."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.growing import find_slot, longer_floats, longer_ints, longer_longs
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, jit
from lattice_simp.lm.optimistic import advance
from lattice_simp.ops.lm_nodes import estimate, rehash


@jit
def exact_product(
    offsets: Ints,
    words: Ints,
    weights: Floats,
    nextstates: Ints,
    finals: Floats,
    children: Ints,
    child_word: Ints,
    suffix: Ints,
    backoff: Floats,
    match_cost: Floats,
    next_state: Ints,
    start: int,
    end: int,
    coarse: Ints,
    coarse_cost: Floats,
    estimate_keys: Longs,
    estimate_values: Floats,
    bound: float,
) -> tuple[Ints, Floats, Longs, Ints, Ints, Floats, Floats, Floats]:
    """Builds the nodes (lattice state, model state) whose cost so far plus estimated rest is within the bound.

    Gives (lattice state, forward, offsets, arc, target, model cost, end cost, model's part of the end cost), nodes
    in topological order. `words[arc]` is -1 where the arc carries no word.
    """
    num_states = len(finals)
    root = len(suffix) - 1
    num_contexts = np.int64(root + 1)
    capacity = 4096
    state = np.empty(capacity, dtype=np.int32)
    context = np.empty(capacity, dtype=np.int32)
    sibling = np.empty(capacity, dtype=np.int32)
    rest = np.empty(capacity, dtype=np.float64)
    forward = np.empty(capacity, dtype=np.float64)
    processed = np.empty(capacity, dtype=np.int32)
    begins = np.empty(capacity, dtype=np.int64)
    head = np.full(num_states, -1, dtype=np.int32)
    edge_capacity = 8192
    edge_arc = np.empty(edge_capacity, dtype=np.int32)
    target = np.empty(edge_capacity, dtype=np.int32)
    model_cost = np.empty(edge_capacity, dtype=np.float64)

    state[0], context[0], sibling[0], forward[0] = 0, start, -1, 0.0
    rest[0] = coarse_cost[start] + estimate(estimate_keys, estimate_values, num_contexts, 0, coarse[start])
    head[0] = 0
    table_keys, table_nodes = rehash(state, context, 1, num_contexts, 4 * capacity)
    count = 1
    edges = 0
    done = 0
    for lattice_state in range(num_states):
        node = head[lattice_state]
        while node >= 0:
            processed[done] = node
            begins[done] = edges
            done += 1
            so_far, history = forward[node], context[node]
            for arc in range(offsets[lattice_state], offsets[lattice_state + 1]):
                word = words[arc]
                added = 0.0
                following = history
                if word >= 0:
                    matched, added = advance(history, word, children, child_word, suffix, backoff, root)
                    added += match_cost[matched]
                    following = next_state[matched]
                total = so_far + weights[arc] + added
                goal = nextstates[arc]
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
                    sibling[known] = head[goal]
                    head[goal] = known
                if edges == edge_capacity:
                    edge_capacity *= 2
                    edge_arc, target = longer_ints(edge_arc), longer_ints(target)
                    model_cost = longer_floats(model_cost)
                edge_arc[edges], target[edges], model_cost[edges] = arc, known, added
                edges += 1
            node = sibling[node]

    position = np.empty(count, dtype=np.int32)
    for number in range(done):
        position[processed[number]] = number
    for edge in range(edges):
        target[edge] = position[target[edge]]
    processed = processed[:done]
    end_cost = np.full(done, np.inf)
    end_model_cost = np.zeros(done)
    for number in range(done):
        final = finals[state[processed[number]]]
        if final < np.inf:
            history = context[processed[number]]
            matched, added = advance(history, end, children, child_word, suffix, backoff, root)
            end_model_cost[number] = added + match_cost[matched]
            end_cost[number] = final + end_model_cost[number]
    edge_offsets = np.empty(done + 1, dtype=np.int64)
    edge_offsets[:done] = begins[:done]
    edge_offsets[done] = edges
    return (
        state[processed],
        forward[processed],
        edge_offsets,
        edge_arc[:edges].copy(),
        target[:edges].copy(),
        model_cost[:edges].copy(),
        end_cost,
        end_model_cost,
    )


@jit
def product_backward(
    offsets: Longs, arc: Ints, target: Ints, model_cost: Floats, end_cost: Floats, weights: Floats
) -> Floats:
    """Returns each node's least cost to the end."""
    backward = end_cost.copy()
    for node in range(len(end_cost) - 1, -1, -1):
        least = backward[node]
        for edge in range(offsets[node], offsets[node + 1]):
            least = min(least, weights[arc[edge]] + model_cost[edge] + backward[target[edge]])
        backward[node] = least
    return backward


@jit
def edges_within(
    offsets: Longs,
    arc: Ints,
    target: Ints,
    model_cost: Floats,
    forward: Floats,
    backward: Floats,
    weights: Floats,
    bound: float,
) -> Bools:
    """Tells which edges lie on a path within the bound."""
    within = np.zeros(len(arc), dtype=np.bool_)
    for node in range(len(forward)):
        for edge in range(offsets[node], offsets[node + 1]):
            cost = forward[node] + weights[arc[edge]] + model_cost[edge] + backward[target[edge]]
            within[edge] = cost <= bound
    return within


@jit
def beam_cost(
    offsets: Ints,
    words: Ints,
    weights: Floats,
    nextstates: Ints,
    finals: Floats,
    children: Ints,
    child_word: Ints,
    suffix: Ints,
    backoff: Floats,
    match_cost: Floats,
    next_state: Ints,
    start: int,
    end: int,
    coarse: Ints,
    coarse_cost: Floats,
    estimate_keys: Longs,
    estimate_values: Floats,
    width: int,
) -> float:
    """Returns the cost of a good path: a search that keeps the `width` most promising histories of each lattice state.

    The cost is that of a real path, hence an upper bound of the best one.
    """
    num_states = len(finals)
    root = len(suffix) - 1
    num_contexts = np.int64(root + 1)
    context = np.empty((num_states, width), dtype=np.int32)
    cost = np.empty((num_states, width), dtype=np.float64)
    promise = np.full((num_states, width), np.inf)
    kept = np.zeros(num_states, dtype=np.int32)
    context[0, 0], cost[0, 0], promise[0, 0], kept[0] = start, 0.0, 0.0, 1
    best = np.inf
    for state in range(num_states):
        for place in range(kept[state]):
            history, so_far = context[state, place], cost[state, place]
            if finals[state] < np.inf:
                matched, added = advance(history, end, children, child_word, suffix, backoff, root)
                best = min(best, so_far + finals[state] + added + match_cost[matched])
            for arc in range(offsets[state], offsets[state + 1]):
                following = history
                total = so_far + weights[arc]
                if words[arc] >= 0:
                    matched, added = advance(history, words[arc], children, child_word, suffix, backoff, root)
                    total += added + match_cost[matched]
                    following = next_state[matched]
                goal = nextstates[arc]
                hoped = total + coarse_cost[following]
                hoped += estimate(estimate_keys, estimate_values, num_contexts, goal, coarse[following])
                if not hoped < np.inf:
                    continue
                worst = 0
                same = -1
                for other in range(kept[goal]):
                    if context[goal, other] == following:
                        same = other
                    if promise[goal, other] > promise[goal, worst]:
                        worst = other
                if same >= 0:
                    if total >= cost[goal, same]:
                        continue
                    worst = same
                elif kept[goal] < width:
                    worst = kept[goal]
                    kept[goal] += 1
                elif hoped >= promise[goal, worst]:
                    continue
                context[goal, worst], cost[goal, worst], promise[goal, worst] = following, total, hoped
    return best
