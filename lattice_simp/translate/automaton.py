"""From target sides to automata: shared prefixes, shared suffixes, and references that are replaced by copies.

An *item* is one target side at one place: a string of words and references to cells, from a start state to an end
state, with a cost and a number. The automaton of many items is a prefix tree as far as several items agree; from the
arc on that only one item uses, which carries that item's cost and number, the rest of the string is a chain that all
items with the same rest and the same end share. So a path still tells its items, and nothing is stored twice.
"""

from __future__ import annotations

import numpy as np

from lattice_simp.core.growing import find_slot, grown_table, longer_floats, longer_ints
from lattice_simp.core.kernel import Floats, Ints, Longs, jit

NO_STEP = 0
"""The step number of an arc that completes no item."""

ArcArrays = tuple[Ints, Ints, Ints, Floats, Ints]


@jit
def item_automaton(
    starts: Ints, ends: Ints, offsets: Ints, symbols: Ints, costs: Floats, steps: Ints, num_states: int
) -> tuple[Ints, Ints, Ints, Floats, Ints, Ints]:
    """Builds the automaton of all items; gives (source, target, symbol, cost, step) of its arcs and state origins.

    `starts` and `ends` are states below `num_states`; new ones are numbered from there, and `origin[state]` names
    the start or end state that a new state was made for. Of items with the same string between the same states, the
    cheapest stays. A symbol is a word (at least 0) or a reference (below 0).
    """
    count = len(starts)
    # 1. The prefix tree. Its nodes hang below one root for each start state.
    capacity = 4 * count + 16
    parent = np.empty(capacity, dtype=np.int32)
    label = np.empty(capacity, dtype=np.int32)
    root_of = np.full(num_states, -1, dtype=np.int32)
    state_of = np.full(capacity, -1, dtype=np.int32)
    keys, values = np.full(16384, -1, dtype=np.int64), np.empty(16384, dtype=np.int32)
    end_keys, end_items = np.full(16384, -1, dtype=np.int64), np.empty(16384, dtype=np.int32)
    nodes = 0
    finals = 0
    last_node = np.empty(count, dtype=np.int32)
    for item in range(count):
        node = root_of[starts[item]]
        if node < 0:
            node = nodes
            if nodes == capacity:
                capacity *= 2
                parent, label, state_of = longer_ints(parent), longer_ints(label), longer_ints(state_of)
            parent[node], label[node], state_of[node] = -1, 0, starts[item]
            root_of[starts[item]] = node
            nodes += 1
        for place in range(offsets[item], offsets[item + 1]):
            key = (np.int64(node) << 32) + np.int64(symbols[place]) + (np.int64(1) << 31)
            slot = find_slot(keys, key)
            if keys[slot] < 0:
                if 2 * nodes >= len(keys):
                    keys, values = grown_table(keys, values)
                    slot = find_slot(keys, key)
                if nodes == capacity:
                    capacity *= 2
                    parent, label, state_of = longer_ints(parent), longer_ints(label), longer_ints(state_of)
                keys[slot], values[slot] = key, nodes
                parent[nodes], label[nodes], state_of[nodes] = node, symbols[place], -1
                nodes += 1
            node = values[slot]
        last_node[item] = node
        key = np.int64(node) * num_states + ends[item]
        slot = find_slot(end_keys, key)
        if end_keys[slot] < 0:
            if 2 * finals >= len(end_keys):
                end_keys, end_items = grown_table(end_keys, end_items)
                slot = find_slot(end_keys, key)
            end_keys[slot], end_items[slot] = key, item
            finals += 1
        elif costs[item] < costs[end_items[slot]]:
            end_items[slot] = item
    # 2. How many different items pass each node.
    passing = np.zeros(nodes, dtype=np.int32)
    chosen = np.zeros(count, dtype=np.bool_)
    for slot in range(len(end_keys)):
        if end_keys[slot] >= 0:
            chosen[end_items[slot]] = True
    for item in range(count):
        if chosen[item]:
            node = last_node[item]
            while node >= 0:
                passing[node] += 1
                node = parent[node]
    # 3. Arcs: the shared tree, each item's own arc, and the shared rests.
    arc_capacity = nodes + finals + 16
    source = np.empty(arc_capacity, dtype=np.int32)
    target = np.empty(arc_capacity, dtype=np.int32)
    symbol = np.empty(arc_capacity, dtype=np.int32)
    cost = np.zeros(arc_capacity, dtype=np.float64)
    step = np.zeros(arc_capacity, dtype=np.int32)
    arcs = 0
    states = num_states
    origin = np.arange(num_states + nodes + len(symbols), dtype=np.int32)
    for node in range(nodes):
        if parent[node] >= 0 and passing[node] > 1:
            state_of[node] = states
            origin[states] = origin[state_of[parent[node]]]
            states += 1
            source[arcs], target[arcs], symbol[arcs] = state_of[parent[node]], state_of[node], label[node]
            cost[arcs], step[arcs] = 0.0, 0
            arcs += 1
    rest_keys, rest_states = np.full(16384, -1, dtype=np.int64), np.empty(16384, dtype=np.int32)
    rests = 0
    for item in range(count):
        if not chosen[item]:
            continue
        node = last_node[item]
        following = ends[item]
        while parent[node] >= 0 and passing[node] == 1 and passing[parent[node]] == 1 and parent[parent[node]] >= 0:
            # The arc into this node belongs to the rest: a state with this one arc, shared by (symbol, next state).
            key = (np.int64(following) << 32) + np.int64(label[node]) + (np.int64(1) << 31)
            slot = find_slot(rest_keys, key)
            if rest_keys[slot] < 0:
                if 2 * rests >= len(rest_keys):
                    rest_keys, rest_states = grown_table(rest_keys, rest_states)
                    slot = find_slot(rest_keys, key)
                rest_keys[slot], rest_states[slot] = key, states
                origin[states] = ends[item]
                if arcs == arc_capacity:
                    arc_capacity *= 2
                    source, target, symbol = longer_ints(source), longer_ints(target), longer_ints(symbol)
                    cost, step = longer_floats(cost), longer_ints(step)
                source[arcs], target[arcs], symbol[arcs] = states, following, label[node]
                cost[arcs], step[arcs] = 0.0, 0
                arcs += 1
                states += 1
                rests += 1
            following = rest_states[slot]
            node = parent[node]
        if arcs == arc_capacity:
            arc_capacity *= 2
            source, target, symbol = longer_ints(source), longer_ints(target), longer_ints(symbol)
            cost, step = longer_floats(cost), longer_ints(step)
        before = parent[node] if parent[node] >= 0 else node  # an empty string is one epsilon from start to end
        source[arcs], target[arcs], symbol[arcs] = state_of[before], following, label[node]
        cost[arcs], step[arcs] = costs[item], steps[item]
        arcs += 1
    return source[:arcs], target[:arcs], symbol[:arcs], cost[:arcs], step[:arcs], origin[:states]


@jit
def expand_references(
    source: Ints,
    target: Ints,
    symbol: Ints,
    cost: Floats,
    step: Ints,
    num_states: int,
    cell_begin: Longs,
    cell_end: Longs,
    cell_states: Ints,
    cell_source: Ints,
    cell_target: Ints,
    cell_symbol: Ints,
    cell_cost: Floats,
    cell_step: Ints,
    step_item: Ints,
    step_next: Ints,
    num_steps: int,
) -> tuple[Ints, Ints, Ints, Floats, Ints, int, Ints, Ints, int]:
    """Replaces every reference arc by a copy of its cell (local states: 0 start, 1 end); `-1 - c` refers to cell c.

    The reference's cost and step go to the copy's first arcs; where such an arc has a step of its own, the two are
    chained (`step_next`). Gives the arcs, the state count, and the grown table of steps.
    """
    total = 0
    for arc in range(len(source)):
        cell = -1 - symbol[arc]
        total += 1 if cell < 0 else cell_end[cell] - cell_begin[cell]
    out_source = np.empty(total, dtype=np.int32)
    out_target = np.empty(total, dtype=np.int32)
    out_symbol = np.empty(total, dtype=np.int32)
    out_cost = np.empty(total, dtype=np.float64)
    out_step = np.empty(total, dtype=np.int32)
    count = 0
    for arc in range(len(source)):
        cell = -1 - symbol[arc]
        if cell < 0:
            out_source[count], out_target[count], out_symbol[count] = source[arc], target[arc], symbol[arc]
            out_cost[count], out_step[count] = cost[arc], step[arc]
            count += 1
            continue
        base = num_states - 2
        for inner in range(cell_begin[cell], cell_end[cell]):
            begin, end = cell_source[inner], cell_target[inner]
            out_source[count] = source[arc] if begin == 0 else base + begin
            out_target[count] = target[arc] if end == 1 else base + end
            out_symbol[count] = cell_symbol[inner]
            out_cost[count], out_step[count] = cell_cost[inner], cell_step[inner]
            if begin == 0:
                out_cost[count] += cost[arc]
                if step[arc] != 0:
                    if cell_step[inner] == 0:
                        out_step[count] = step[arc]
                    else:
                        if num_steps == len(step_item):
                            step_item, step_next = longer_ints(step_item), longer_ints(step_next)
                        step_item[num_steps], step_next[num_steps] = step_item[step[arc]], cell_step[inner]
                        out_step[count] = num_steps
                        num_steps += 1
            count += 1
        num_states += cell_states[cell] - 2
    return out_source, out_target, out_symbol, out_cost, out_step, num_states, step_item, step_next, num_steps


@jit
def items_of_matches(
    pattern: Ints,
    span: Ints,
    gap_cells: Ints,
    pattern_rules: Ints,
    target_offsets: Ints,
    target: Ints,
    rule_costs: Floats,
    copied: Ints,
) -> tuple[Ints, Ints, Ints, Ints, Floats]:
    """Lists the target sides of every match; gives (match, rule, symbol offsets, symbols, cost).

    A match with the pattern -1 copies its token: the word `copied[token]`, rule -1, cost 0. `gap_cells` names the
    cells of each match's two gaps; a gap becomes the symbol `-1 - cell`.
    """
    count = 0
    size = 0
    for number in range(len(pattern)):
        if pattern[number] < 0:
            count, size = count + 1, size + 1
            continue
        for rule in range(pattern_rules[pattern[number]], pattern_rules[pattern[number] + 1]):
            count += 1
            size += target_offsets[rule + 1] - target_offsets[rule]
    item_match = np.empty(count, dtype=np.int32)
    item_rule = np.empty(count, dtype=np.int32)
    offsets = np.zeros(count + 1, dtype=np.int32)
    symbols = np.empty(size, dtype=np.int32)
    costs = np.empty(count, dtype=np.float64)
    item = 0
    place = 0
    for number in range(len(pattern)):
        if pattern[number] < 0:
            item_match[item], item_rule[item], costs[item] = number, -1, 0.0
            symbols[place] = copied[span[number, 0]]
            place += 1
            item += 1
            offsets[item] = place
            continue
        for rule in range(pattern_rules[pattern[number]], pattern_rules[pattern[number] + 1]):
            item_match[item], item_rule[item], costs[item] = number, rule, rule_costs[rule]
            for at in range(target_offsets[rule], target_offsets[rule + 1]):
                symbols[place] = target[at] if target[at] >= 0 else -1 - gap_cells[number, -1 - target[at]]
                place += 1
            item += 1
            offsets[item] = place
    return item_match, item_rule, offsets, symbols, costs
