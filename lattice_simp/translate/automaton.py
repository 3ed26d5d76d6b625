"""From target sides to automata: shared prefixes, shared suffixes, and references that are replaced by copies.

An *item* is one target side in one span: a string of words and references to cells, from a start state to an end
state, with a cost and a number. The automaton of many items is a prefix tree as far as several items agree. The first
arc that only one item uses carries that item's cost and number; from there on, the rest of the string is a chain that
all items with the same rest and the same end share. So a path still identifies its items, and nothing is stored twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.growing import find_slot, grown, grown_table
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, Records, inlined, jit

NO_STEP = 0
"""The step number of an arc that completes no item."""

ARC = np.dtype(
    [
        ("source", np.int32),
        ("target", np.int32),
        ("symbol", np.int32),
        ("step", np.int32),
        ("cost", np.float64),
    ]
)
"""An arc of a cell: a symbol is a word (at least 0), or `-1 - c`, a reference to cell c."""

STEP = np.dtype([("item", np.int32), ("next", np.int32)])
"""The items that an arc completes: `item`, then those of the step `next`, until `NO_STEP`."""

_TREE_NODE = np.dtype([("parent", np.int32), ("label", np.int32), ("state", np.int32)])

_HASH_SIZE = 16384
"""The slots of a new hash table."""


class Items(NamedTuple):
    """Target sides: item i is the string `symbols[offsets[i]:offsets[i + 1]]`."""

    offsets: Ints
    symbols: Ints
    costs: Floats
    steps: Ints


class Cells(NamedTuple):
    """Finished cells: the arcs of cell c are `arcs[begin[c]:end[c]]`, its states 0 (start), 1 (end) and others."""

    begin: Longs
    end: Longs
    num_states: Ints
    arcs: Records


@jit
def item_automaton(starts: Ints, ends: Ints, items: Items, num_states: int) -> tuple[Records, Ints]:
    """Builds the automaton of all items; returns its arcs and the origins of its states.

    `starts` and `ends` are states below `num_states`; new ones are numbered from there, and `origin[state]` names
    the start or end state that a new state was made for. Of items with the same string between the same states, the
    cheapest stays.
    """
    nodes, last_node, chosen = prefix_tree(starts, ends, items, num_states)
    passing = _passing(nodes, last_node, chosen)
    arcs, count = np.empty(len(nodes) + len(starts) + 16, dtype=ARC), 0
    states = num_states
    origin = np.arange(num_states + len(nodes) + len(items.symbols), dtype=np.int32)
    for node in range(len(nodes)):  # the shared tree
        if nodes[node].parent >= 0 and passing[node] > 1:
            before = nodes[nodes[node].parent].state
            nodes[node].state = states
            origin[states] = origin[before]
            set_arc(arcs, count, before, states, nodes[node].label, 0.0, NO_STEP)
            states, count = states + 1, count + 1
    rest_keys, rest_states = np.full(_HASH_SIZE, -1, dtype=np.int64), np.empty(_HASH_SIZE, dtype=np.int32)
    rests = 0
    for item in range(len(starts)):  # each item's own arc, and the shared rests
        if not chosen[item]:
            continue
        node, following = last_node[item], ends[item]
        while _in_rest(nodes, passing, node):
            # The arc into this node belongs to the rest: a state with this one arc, shared by (symbol, next state).
            key = _pair_key(following, nodes[node].label)
            slot = find_slot(rest_keys, key)
            if rest_keys[slot] < 0:
                if 2 * rests >= len(rest_keys):
                    rest_keys, rest_states = grown_table(rest_keys, rest_states)
                    slot = find_slot(rest_keys, key)
                rest_keys[slot], rest_states[slot] = key, states
                origin[states] = ends[item]
                if count == len(arcs):
                    arcs = grown(arcs)
                set_arc(arcs, count, states, following, nodes[node].label, 0.0, NO_STEP)
                states, count, rests = states + 1, count + 1, rests + 1
            following, node = rest_states[slot], nodes[node].parent
        if count == len(arcs):
            arcs = grown(arcs)
        before = nodes[node].parent if nodes[node].parent >= 0 else node  # an empty string is one epsilon
        set_arc(arcs, count, nodes[before].state, following, nodes[node].label, items.costs[item], items.steps[item])
        count += 1
    return arcs[:count], origin[:states]


@jit
def prefix_tree(starts: Ints, ends: Ints, items: Items, num_states: int) -> tuple[Records, Ints, Bools]:
    """Returns the nodes (one root for each start state), the last node of each item, and which items are kept."""
    nodes, count = np.empty(4 * len(starts) + 16, dtype=_TREE_NODE), 0
    root_of = np.full(num_states, -1, dtype=np.int32)
    keys, values = np.full(_HASH_SIZE, -1, dtype=np.int64), np.empty(_HASH_SIZE, dtype=np.int32)
    end_keys, end_items = np.full(_HASH_SIZE, -1, dtype=np.int64), np.empty(_HASH_SIZE, dtype=np.int32)
    strings = 0
    last_node = np.empty(len(starts), dtype=np.int32)
    for item in range(len(starts)):
        node = root_of[starts[item]]
        if node < 0:
            if count == len(nodes):
                nodes = grown(nodes)
            nodes[count].parent, nodes[count].label, nodes[count].state = -1, 0, starts[item]
            node = root_of[starts[item]] = count
            count += 1
        for index in range(items.offsets[item], items.offsets[item + 1]):
            key = _pair_key(node, items.symbols[index])
            slot = find_slot(keys, key)
            if keys[slot] < 0:
                if 2 * count >= len(keys):
                    keys, values = grown_table(keys, values)
                    slot = find_slot(keys, key)
                if count == len(nodes):
                    nodes = grown(nodes)
                keys[slot], values[slot] = key, count
                nodes[count].parent, nodes[count].label, nodes[count].state = node, items.symbols[index], -1
                count += 1
            node = values[slot]
        last_node[item] = node
        key = np.int64(node) * num_states + ends[item]
        slot = find_slot(end_keys, key)
        if end_keys[slot] < 0:
            if 2 * strings >= len(end_keys):
                end_keys, end_items = grown_table(end_keys, end_items)
                slot = find_slot(end_keys, key)
            end_keys[slot], end_items[slot] = key, item
            strings += 1
        elif items.costs[item] < items.costs[end_items[slot]]:
            end_items[slot] = item
    chosen = np.zeros(len(starts), dtype=np.bool_)
    for slot in range(len(end_keys)):
        if end_keys[slot] >= 0:
            chosen[end_items[slot]] = True
    return nodes[:count], last_node, chosen


@jit
def _passing(nodes: Records, last_node: Ints, chosen: Bools) -> Ints:
    """Returns how many of the chosen items pass each node of the tree."""
    passing = np.zeros(len(nodes), dtype=np.int32)
    for item in range(len(last_node)):
        if chosen[item]:
            node = last_node[item]
            while node >= 0:
                passing[node] += 1
                node = nodes[node].parent
    return passing


@jit
def _in_rest(nodes: Records, passing: Ints, node: int) -> bool:
    """Returns whether only one item uses the arc into a node and the arc before, so that this arc carries no cost."""
    parent = nodes[node].parent
    return parent >= 0 and passing[node] == 1 and passing[parent] == 1 and nodes[parent].parent >= 0


@inlined  # else compiled for each mixture of integers
def _pair_key(number: int, symbol: int) -> np.int64:
    """Returns a key for a non-negative number and a symbol, which may be negative."""
    return (np.int64(number) << 32) + np.int64(symbol) + (np.int64(1) << 31)


@inlined  # else compiled for each mixture of integers
def set_arc(arcs: Records, index: int, source: int, target: int, symbol: int, cost: float, step: int) -> None:
    arcs[index].source, arcs[index].target, arcs[index].symbol = source, target, symbol
    arcs[index].cost, arcs[index].step = cost, step


@jit
def expand_references(
    arcs: Records, num_states: int, cells: Cells, steps: Records, num_steps: int
) -> tuple[Records, int, Records, int]:
    """Replaces every reference by a copy of its cell; returns the arcs, the state count, and the table of steps.

    The reference's cost and step go to the copy's first arcs; where such an arc already has a step, a new step chains
    the two.
    """
    total = 0
    for arc in range(len(arcs)):
        cell = -1 - arcs[arc].symbol
        total += 1 if cell < 0 else cells.end[cell] - cells.begin[cell]
    expanded, count = np.empty(total, dtype=ARC), 0
    for arc in range(len(arcs)):
        cell = -1 - arcs[arc].symbol
        if cell < 0:
            expanded[count] = arcs[arc]
            count += 1
            continue
        base = num_states - 2
        for inner in range(cells.begin[cell], cells.end[cell]):
            source, target = cells.arcs[inner].source, cells.arcs[inner].target
            cost, step = cells.arcs[inner].cost, cells.arcs[inner].step
            if source == 0:
                cost += arcs[arc].cost
                if arcs[arc].step != NO_STEP and step == NO_STEP:
                    step = arcs[arc].step
                elif arcs[arc].step != NO_STEP:
                    if num_steps == len(steps):
                        steps = grown(steps)
                    steps[num_steps].item, steps[num_steps].next = steps[arcs[arc].step].item, step
                    step = num_steps
                    num_steps += 1
            source = arcs[arc].source if source == 0 else base + source
            target = arcs[arc].target if target == 1 else base + target
            set_arc(expanded, count, source, target, cells.arcs[inner].symbol, cost, step)
            count += 1
        num_states += cells.num_states[cell] - 2
    return expanded, num_states, steps, num_steps


class TargetSides(NamedTuple):
    """The target sides of a grammar's patterns, with the costs of the rules; see `Grammar`."""

    pattern_rules: Ints
    offsets: Ints
    symbols: Ints
    costs: Floats


@jit
def items_of_matches(
    pattern: Ints, slot_cells: Ints, sides: TargetSides, copied: Ints
) -> tuple[Ints, Ints, Ints, Ints, Floats]:
    """Lists the target sides of every match: (match, rule, symbol offsets, symbols, cost).

    A match with the pattern -1 copies its token: the word `copied[match]`, rule -1, cost 0. `slot_cells` names the
    cells of each match's two slots; a slot becomes the symbol `-1 - cell`.
    """
    count, size = 0, 0
    for number in range(len(pattern)):
        if pattern[number] < 0:
            count, size = count + 1, size + 1
            continue
        for rule in range(sides.pattern_rules[pattern[number]], sides.pattern_rules[pattern[number] + 1]):
            count += 1
            size += sides.offsets[rule + 1] - sides.offsets[rule]
    item_match, item_rule = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    offsets, symbols = np.zeros(count + 1, dtype=np.int32), np.empty(size, dtype=np.int32)
    costs = np.empty(count, dtype=np.float64)
    item, used = 0, 0
    for number in range(len(pattern)):
        if pattern[number] < 0:
            item_match[item], item_rule[item], costs[item] = number, -1, 0.0
            symbols[used] = copied[number]
            used += 1
            item += 1
            offsets[item] = used
            continue
        for rule in range(sides.pattern_rules[pattern[number]], sides.pattern_rules[pattern[number] + 1]):
            item_match[item], item_rule[item], costs[item] = number, rule, sides.costs[rule]
            for index in range(sides.offsets[rule], sides.offsets[rule + 1]):
                symbol = sides.symbols[index]
                symbols[used] = symbol if symbol >= 0 else -1 - slot_cells[number, -1 - symbol]
                used += 1
            item += 1
            offsets[item] = used
    return item_match, item_rule, offsets, symbols, costs
