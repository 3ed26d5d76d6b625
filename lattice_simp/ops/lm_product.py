"""Products of a lattice and an order of a language model, within a cost bound.

A node is a pair (lattice state, state of the order's automaton). Two products differ only in the edges that leave a
node: the exact product follows each arc by the model itself; the relaxed product may always back off, even where the
model holds the longer n-gram. So its costs are lower bounds, which is all an estimate needs, and it is fast: a node
follows only the n-grams that both its history and its lattice state offer, and one backoff edge stands for all other
words.

Words are unigrams of a restricted model; `NO_WORD` where an arc carries none. States are settled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.growing import find_slot, grown
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, Records, inlined, jit
from lattice_simp.lm.automaton import NgramAutomaton, Settled, follow

NO_WORD = -1
"""The label of an arc that the model does not see."""

FREE_END = -1
"""Replaces `</s>` where the end costs nothing (a part of a sentence)."""

DIRECT_DEGREE = 3
"""A lattice state with at most this many arcs follows each of them exactly, which is cheaper than backoff nodes."""

NODE = np.dtype(
    [("state", np.int32), ("context", np.int32), ("sibling", np.int32), ("rest", np.float64), ("forward", np.float64)],
    align=True,
)
EDGE = np.dtype([("arc", np.int32), ("target", np.int32), ("cost", np.float64)], align=True)
VISIT = np.dtype([("node", np.int32), ("begin", np.int64)], align=True)
"""A node whose edges were built, and the first of these edges."""

CHOICE = np.dtype([("arc", np.int32), ("goal", np.int32), ("context", np.int32), ("cost", np.float64)], align=True)


class Estimates(NamedTuple):
    """Lower bounds of the cost from a node to the end, by the states of a coarser order.

    Attributes:
        coarse: where each n-gram settles in the coarser order.
        keys: the hash table's keys, lattice state * contexts + coarse state; if empty, lattice states index `values`.
        values: float64 costs to the end; a pair that is not in the table does not reach the end within the bound.
    """

    coarse: Settled
    keys: Longs
    values: Floats


class Product(NamedTuple):
    """A product's nodes in topological order, and their edges.

    Attributes:
        states, contexts: (nodes,) int32, the pairs.
        forward: (nodes,) float64, the least cost from the start.
        offsets: (nodes + 1,) int64, where each node's edges begin.
        edges: (edges,) records: the lattice arc (-1 for backing off), the target node, the model's cost.
        end_costs: (nodes,) float64, the model's cost of ending there.
    """

    states: Ints
    contexts: Ints
    forward: Floats
    offsets: Longs
    edges: Records
    end_costs: Floats


@inlined
def rest_of(state: int, coarse: int, num_contexts: int, keys: Longs, values: Floats) -> float:
    """Returns the estimated cost from a lattice state and a state of the coarser order to the end; infinity for none.

    It takes the arrays of `Estimates` one by one, so that kernels fetch them outside of their loops.
    """
    if len(keys) == 0:
        rest = values[state]
    else:
        slot = find_slot(keys, np.int64(state) * num_contexts + coarse)
        rest = values[slot] if keys[slot] >= 0 else np.inf
    return rest


@jit
def estimate_table(product: Product, backward: Floats, bound: float, num_contexts: int) -> tuple[Longs, Floats]:
    """Hashes the backward costs of the nodes that some path within the bound visits: (keys, values)."""
    alive = 0
    for node in range(len(backward)):
        alive += product.forward[node] + backward[node] <= bound
    size = 16
    while size < 2 * alive + 2:
        size *= 2
    keys, values = np.full(size, -1, dtype=np.int64), np.empty(size, dtype=np.float64)
    for node in range(len(backward)):
        if product.forward[node] + backward[node] <= bound:
            key = np.int64(product.states[node]) * num_contexts + product.contexts[node]
            slot = find_slot(keys, key)
            keys[slot], values[slot] = key, backward[node]
    return keys, values


class _Chains(NamedTuple):
    """The arcs of the current lattice state by word: the first arc of each word, its source state, and the next arc."""

    first: Ints
    state: Ints
    next: Ints


@jit
def exact_product(arcs: Arcs, model: NgramAutomaton, settled: Settled, estimates: Estimates, bound: float) -> Product:
    """Builds the nodes of the model itself whose cost so far plus estimated rest is within the bound."""
    offsets, labels, weights, nextstates, _ = arcs  # a named tuple's arrays are slow to fetch in inner loops
    children, words, suffix, backoff = model.children, model.word, model.suffix, model.backoff
    costs, states = model.cost + settled.costs, settled.states
    (coarse, coarse_cost), rest_keys, rests = estimates
    num_contexts = len(coarse)
    nodes, keys, numbers = _new_pool(states[model.start], estimates, 4096)
    visits, edges = np.empty(4096, dtype=VISIT), np.empty(8192, dtype=EDGE)
    heads = np.full(len(arcs.finals), -1, dtype=np.int32)
    heads[0] = 0
    count, num_edges, num_visits = 1, 0, 0
    for state in range(len(heads)):
        degree = offsets[state + 1] - offsets[state]
        node = heads[state]
        while node >= 0:
            if count + degree > len(nodes):
                nodes, keys, numbers = _more_room(nodes, count, degree, num_contexts)
            while num_edges + degree > len(edges):
                edges = grown(edges)
            if num_visits == len(visits):
                visits = grown(visits)
            visits[num_visits].node, visits[num_visits].begin = node, num_edges
            num_visits += 1
            history, so_far = nodes[node].context, nodes[node].forward
            for arc in range(offsets[state], offsets[state + 1]):
                cost, following = 0.0, history
                if labels[arc] >= 0:
                    matched, penalty = follow(history, labels[arc], 0.0, children, words, suffix, backoff)
                    cost, following = penalty + costs[matched], states[matched]
                goal, total, target = nextstates[arc], so_far + weights[arc] + cost, -1
                key = np.int64(goal) * num_contexts + following
                slot = find_slot(keys, key)
                if keys[slot] >= 0:
                    target = _improved(nodes, numbers[slot], total, bound)
                else:
                    rest = coarse_cost[following] + rest_of(goal, coarse[following], num_contexts, rest_keys, rests)
                    if total + rest <= bound:
                        _set_node(nodes, count, goal, following, rest, total)
                        keys[slot], numbers[slot] = key, count
                        nodes[count].sibling, heads[goal] = heads[goal], count
                        target, count = count, count + 1
                if target >= 0:
                    edges[num_edges].arc, edges[num_edges].target, edges[num_edges].cost = arc, target, cost
                    num_edges += 1
            node = nodes[node].sibling
    return _product(arcs, model, costs, nodes[:count], visits[:num_visits], edges[:num_edges])


@jit
def relaxed_product(arcs: Arcs, model: NgramAutomaton, settled: Settled, estimates: Estimates, bound: float) -> Product:
    """Builds the nodes of an order with free backoff whose cost so far plus estimated rest is within the bound."""
    weights, order, costs = arcs.weights, model.order, model.cost + settled.costs
    level = _lengths(model)
    (coarse, coarse_cost), rest_keys, rests = estimates
    num_contexts = len(coarse)
    nodes, keys, numbers = _new_pool(settled.states[model.start], estimates, 16384)
    visits = np.empty(16384, dtype=VISIT)
    edges = np.empty(max(65536, 4 * len(weights)), dtype=EDGE)  # unused room costs nothing
    # Lists of the nodes of a lattice state, by history length: backoff leads to shorter histories, followed later.
    heads = np.full(len(arcs.finals) * order, -1, dtype=np.int32)
    heads[level[nodes[0].context]] = 0
    words = model.children[0]
    first, stamp = np.full(words, -1, dtype=np.int32), np.full(words, -1, dtype=np.int32)
    chains = _Chains(first, stamp, np.empty(len(weights), dtype=np.int32))
    choices = np.empty(_widest(arcs) + 1, dtype=CHOICE)
    count, num_edges, num_visits = 1, 0, 0
    for state in range(len(arcs.finals)):
        occupied = False
        for length in range(order):
            occupied = occupied or heads[state * order + length] >= 0
        if not occupied:
            continue
        silent = _chain(arcs, state, chains)
        for length in range(order - 1, -1, -1):
            node = heads[state * order + length]
            while node >= 0:
                if num_visits == len(visits):
                    visits = grown(visits)
                visits[num_visits].node, visits[num_visits].begin = node, num_edges
                num_visits += 1
                history, so_far = nodes[node].context, nodes[node].forward
                chosen = _choose(choices, arcs, (state, history), silent, chains, model, costs, settled)
                if count + chosen > len(nodes):
                    nodes, keys, numbers = _more_room(nodes, count, chosen, num_contexts)
                while num_edges + chosen > len(edges):
                    edges = grown(edges)
                for number in range(chosen):
                    arc, goal, following = choices[number].arc, choices[number].goal, choices[number].context
                    step, target = choices[number].cost, -1
                    if arc >= 0:
                        step += weights[arc]
                    total, key = so_far + step, np.int64(goal) * num_contexts + following
                    slot = find_slot(keys, key)
                    if keys[slot] >= 0:
                        target = _improved(nodes, numbers[slot], total, bound)
                    else:
                        rest = coarse_cost[following] + rest_of(goal, coarse[following], num_contexts, rest_keys, rests)
                        if total + rest <= bound:
                            _set_node(nodes, count, goal, following, rest, total)
                            keys[slot], numbers[slot] = key, count
                            head = goal * order + level[following]
                            nodes[count].sibling, heads[head] = heads[head], count
                            target, count = count, count + 1
                    if target >= 0:
                        edges[num_edges].arc, edges[num_edges].target = arc, target
                        edges[num_edges].cost = choices[number].cost
                        num_edges += 1
                node = nodes[node].sibling
    return _product(arcs, model, costs, nodes[:count], visits[:num_visits], edges[:num_edges])


@jit
def _lengths(model: NgramAutomaton) -> Ints:
    """Returns `NgramAutomaton.lengths`, for kernels."""
    lengths = np.zeros(len(model.suffix), dtype=np.int32)
    begin = 0
    for length in range(1, model.order + 1):
        end = model.children[begin]
        lengths[begin:end] = length
        begin = end
    return lengths


@jit
def _chain(arcs: Arcs, state: int, chains: _Chains) -> int:
    """Chains the arcs of a lattice state by word; returns the first arc that the model skips (-1 for none)."""
    labels, silent = arcs.labels, -1
    first, stamp, following = chains
    for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
        word = labels[arc]
        if word < 0:
            following[arc], silent = silent, arc
        else:
            following[arc] = first[word] if stamp[word] == state else -1
            first[word], stamp[word] = arc, state
    return silent


@inlined
def _choose(
    choices: Records,
    arcs: Arcs,
    node: tuple[int, int],
    silent: int,
    chains: _Chains,
    model: NgramAutomaton,
    costs: Floats,
    settled: Settled,
) -> int:
    """Writes the edges that leave a node (state, history) of a relaxed product; returns their number."""
    state, history = node
    labels, nextstates, root, states = arcs.labels, arcs.nextstates, len(model.suffix) - 1, settled.states
    begin, end = arcs.offsets[state], arcs.offsets[state + 1]
    children, words, suffix, backoff = model.children, model.word, model.suffix, model.backoff
    first, stamp, chain = chains
    chosen = 0
    arc = silent
    while arc >= 0:
        _set_choice(choices, chosen, arc, nextstates[arc], history, 0.0)
        chosen, arc = chosen + 1, chain[arc]
    if history == root or end - begin <= DIRECT_DEGREE:
        for arc in range(begin, end):
            if labels[arc] >= 0:
                matched, penalty = follow(history, labels[arc], 0.0, children, words, suffix, backoff)
                _set_choice(choices, chosen, arc, nextstates[arc], states[matched], penalty + costs[matched])
                chosen += 1
    else:
        for child in range(children[history], children[history + 1]):
            if stamp[words[child]] == state:
                arc = first[words[child]]
                while arc >= 0:
                    _set_choice(choices, chosen, arc, nextstates[arc], states[child], costs[child])
                    chosen, arc = chosen + 1, chain[arc]
        shorter = suffix[history]
        _set_choice(choices, chosen, -1, state, states[shorter], backoff[history] + settled.costs[shorter])
        chosen += 1
    return chosen


@inlined
def _set_choice(choices: Records, index: int, arc: int, goal: int, context: int, cost: float) -> None:
    choices[index].arc, choices[index].goal = arc, goal
    choices[index].context, choices[index].cost = context, cost


@jit
def _widest(arcs: Arcs) -> int:
    widest = 1
    for state in range(len(arcs.finals)):
        widest = max(widest, arcs.offsets[state + 1] - arcs.offsets[state])
    return widest


# ---------------------------------------------------------------- the pool of nodes


@jit
def _new_pool(context: int, estimates: Estimates, size: int) -> tuple[Records, Longs, Ints]:
    """Returns a pool that holds the start node, and the hash table of its pairs (keys, numbers)."""
    nodes = np.empty(size, dtype=NODE)
    nodes[0].state, nodes[0].context, nodes[0].sibling, nodes[0].forward = 0, context, -1, 0.0
    (coarse, coarse_cost), keys, values = estimates
    nodes[0].rest = coarse_cost[context] + rest_of(0, coarse[context], len(coarse), keys, values)
    keys, numbers = _hashed(nodes, 1, len(coarse))
    return nodes, keys, numbers


@jit
def _more_room(nodes: Records, count: int, more: int, num_contexts: int) -> tuple[Records, Longs, Ints]:
    """Returns the pool with room for `more` nodes, and its hash table."""
    while count + more > len(nodes):
        nodes = grown(nodes)
    keys, numbers = _hashed(nodes, count, num_contexts)
    return nodes, keys, numbers


@jit
def _hashed(nodes: Records, count: int, num_contexts: int) -> tuple[Longs, Ints]:
    keys, numbers = np.full(4 * len(nodes), -1, dtype=np.int64), np.empty(4 * len(nodes), dtype=np.int32)
    for number in range(count):
        key = np.int64(nodes[number].state) * num_contexts + nodes[number].context
        slot = find_slot(keys, key)
        keys[slot], numbers[slot] = key, number
    return keys, numbers


@inlined
def _improved(nodes: Records, node: int, total: float, bound: float) -> int:
    """Lowers the cost of a known node; returns the node, or -1 if the path exceeds the bound."""
    target = -1
    if total + nodes[node].rest <= bound:
        target = node
        if total < nodes[node].forward:
            nodes[node].forward = total
    return target


@inlined
def _set_node(nodes: Records, node: int, state: int, context: int, rest: float, total: float) -> None:
    nodes[node].state, nodes[node].context = state, context
    nodes[node].rest, nodes[node].forward = rest, total


@jit
def _product(
    arcs: Arcs, model: NgramAutomaton, costs: Floats, nodes: Records, visits: Records, edges: Records
) -> Product:
    """Numbers the nodes in the order in which they were followed, and the targets of the edges in place."""
    children, words, suffix, backoff = model.children, model.word, model.suffix, model.backoff
    count = len(visits)
    position = np.empty(len(nodes), dtype=np.int32)
    states, contexts = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    forward, offsets = np.empty(count, dtype=np.float64), np.empty(count + 1, dtype=np.int64)
    end_costs = np.zeros(count, dtype=np.float64)
    for number in range(count):
        node = visits[number].node
        position[node] = number
        states[number], contexts[number] = nodes[node].state, nodes[node].context
        forward[number], offsets[number] = nodes[node].forward, visits[number].begin
        if model.end != FREE_END and arcs.finals[states[number]] < np.inf:
            matched, penalty = follow(contexts[number], model.end, 0.0, children, words, suffix, backoff)
            end_costs[number] = penalty + costs[matched]
    offsets[count] = len(edges)
    for edge in range(len(edges)):
        edges[edge].target = position[edges[edge].target]
    return Product(states, contexts, forward, offsets, edges, end_costs)


# ---------------------------------------------------------------- costs to the end


@jit
def product_backward(product: Product, arcs: Arcs) -> tuple[Floats, Floats]:
    """Returns each node's least cost to the end, and for each lattice arc the cost of the best path through it."""
    weights, edges, offsets, forward = arcs.weights, product.edges, product.offsets, product.forward
    backward, through = np.empty(len(forward), dtype=np.float64), np.full(len(weights), np.inf)
    for node in range(len(forward) - 1, -1, -1):
        least = arcs.finals[product.states[node]] + product.end_costs[node]
        so_far = forward[node]
        for index in range(offsets[node], offsets[node + 1]):
            arc, cost = edges[index].arc, edges[index].cost
            if arc >= 0:
                cost += weights[arc]
            cost += backward[edges[index].target]
            if arc >= 0:
                through[arc] = min(through[arc], so_far + cost)
            least = min(least, cost)
        backward[node] = least
    return backward, through


@jit
def edges_within(product: Product, arcs: Arcs, backward: Floats, bound: float) -> Bools:
    """Returns which edges of an exact product are on a path within the bound."""
    within = np.zeros(len(product.edges), dtype=np.bool_)
    for node in range(len(backward)):
        for index in range(product.offsets[node], product.offsets[node + 1]):
            cost = product.forward[node] + arcs.weights[product.edges[index].arc] + product.edges[index].cost
            within[index] = cost + backward[product.edges[index].target] <= bound
    return within


@jit
def unigram_backward(arcs: Arcs, least_cost: Floats, end: int) -> Floats:
    """Returns each lattice state's least cost to the end if every word costs its least over all histories (order 1)."""
    backward = np.full(len(arcs.finals), np.inf)
    for state in range(len(backward) - 1, -1, -1):
        least = arcs.finals[state] + (least_cost[end] if end != FREE_END else 0.0)
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            cost = arcs.weights[arc] + backward[arcs.nextstates[arc]]
            if arcs.labels[arc] >= 0:
                cost += least_cost[arcs.labels[arc]]
            least = min(least, cost)
        backward[state] = least
    return backward
