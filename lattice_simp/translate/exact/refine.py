"""Makes the forest of an order within the bounds of the forest one order lower.

States of the chart are visited from the lowest up. A node is kept if the cost of its derivation, plus what the coarser
forest says is missing at least, is within the limit, so that no derivation within the limit can be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from lattice_simp.core.kernel import Floats, Longs, Records, inlined, jit
from lattice_simp.core.records import NONE, SMALLEST, Table, empty_table, find, find_in, rehashed, slot_of
from lattice_simp.translate.exact.automaton import Automaton, lower_state, read, relaxed
from lattice_simp.translate.exact.dense import Dense, dense_hook_outside, dense_outside, no_dense
from lattice_simp.translate.exact.forest import (
    BORDER,
    BORDERS,
    EDGES,
    EMPTY,
    HOOK,
    HOOKS,
    JUNCTION,
    JUNCTIONS,
    LONGEST,
    NODE,
    NODES,
    PARTS,
    PLACES,
    PREFIX,
    PREFIXES,
    TRANSITION,
    TRANSITIONS,
    WHOLE,
    Forest,
    Pools,
)
from lattice_simp.translate.nested_chart import EDGE, NO_WORD, Chart

FINISHED, FULL, PAUSED = range(3)
"""Why the kernel returns: all is done, a pool is full, or enough steps were made."""


class Bounds(NamedTuple):
    """What a finished forest says about the next order.

    Attributes:
        order: of the forest; 0 if there is none, and everything is within bounds.
        borders, hooks, transitions: its tables.
        nodes: the table of its nodes, by place and border;  outside: (nodes,) what is missing to a whole derivation.
        least: (places,) the least of the nodes at a place.
        dense: further bounds of the second order; none at the others.
    """

    order: int
    borders: Table
    hooks: Table
    transitions: Table
    nodes: Table
    outside: Floats
    least: Floats
    dense: Dense


def no_bounds() -> Bounds:
    """Returns the bounds of the first order."""
    borders, hooks, transitions = (empty_table(kind) for kind in (BORDER, HOOK, TRANSITION))
    return Bounds(0, borders, hooks, transitions, empty_table(HOOK), np.zeros(0), np.zeros(0), no_dense())


def first_prefixes(root: int) -> Table:
    """Returns the table of the prefixes `EMPTY` and `WHOLE`."""
    table = empty_table(PREFIX)
    table.rows[EMPTY] = (NONE, NONE, 0, root, 0.0)
    table.rows[WHOLE] = (NONE, NONE, LONGEST, root, 0.0)
    return table


@jit
def _added(table: Table, key: int, used: Longs, counter: int) -> int:
    """Returns the number of a new record; its fields are still to be written."""
    slot = slot_of(table.keys, key)
    table.keys[slot], table.values[slot] = key, used[counter]
    used[counter] += 1
    return used[counter] - 1


@jit
def _transition(model: Automaton, pools: Pools, context: int, word: int) -> int:
    """Finds a word after a context, or adds it."""
    table = pools.transitions
    key = (np.int64(context) << 32) + word
    found = find(table, key)
    if found >= 0:
        return found
    found = _added(table, key, pools.used, TRANSITIONS)
    row = table.rows[found]
    row.context, row.word = context, word
    row.cost = relaxed(model, context, word)
    row.matched = row.next = len(model.suffix) - 1
    if word != model.final:
        row.matched, _ = read(model, context, word)
        row.next = lower_state(model, row.matched, model.order)
    return found


@jit
def _open(model: Automaton, state: int, words: int) -> int:
    """Returns the context of a state that stands for a number of words."""
    return 2 * state + (1 if model.level[state] == words else 0)


@jit
def _longer_prefix(model: Automaton, bounds: Bounds, pools: Pools, prefix: int, word: int) -> int:
    """Returns the prefix and one more word; `NONE` if no derivation within the bounds begins so."""
    table = pools.prefixes
    key = (np.int64(prefix) << 32) + word
    found = find(table, key)
    length = table.rows[prefix].length
    if found >= 0 or length < model.order - 2:
        return found
    context = _open(model, table.rows[prefix].state, length)
    coarse = find(bounds.transitions, (np.int64(context) << 32) + word)
    if coarse < 0 or not bounds.transitions.rows[coarse].cost < np.inf:
        return NONE
    found = _added(table, key, pools.used, PREFIXES)
    row = table.rows[found]
    row.parent, row.word, row.length = prefix, word, length + 1
    row.state, _ = read(model, context, word)
    row.charge = table.rows[prefix].charge + bounds.transitions.rows[coarse].cost
    return found


@jit
def _border(model: Automaton, bounds: Bounds, pools: Pools, left: int, right: int) -> int:
    """Finds a border, or adds it."""
    table = pools.borders
    key = (np.int64(left) << 32) + right + 1
    found = find(table, key)
    if found >= 0:
        return found
    found = _added(table, key, pools.used, BORDERS)
    row = table.rows[found]
    row.left, row.right = left, right
    row.coarse = _coarse_border(model, bounds, pools, left, right, False)
    return found


@jit
def _coarse_border(model: Automaton, bounds: Bounds, pools: Pools, left: int, right: int, behind: bool) -> int:
    """Returns the border one order lower, of a hook `behind` words that are a full context there."""
    if bounds.order == 0:
        return NONE
    length = model.order - 2
    prefixes = pools.prefixes.rows
    if right == NONE and prefixes[left].length >= length:
        right = prefixes[left].state
    if right != NONE:
        right = lower_state(model, right, model.order - 1)
    if behind:
        left = WHOLE
    elif left != WHOLE and prefixes[left].length > length:
        left = prefixes[left].parent
    return find(bounds.borders, (np.int64(left) << 32) + right + 1)


@jit
def _junction(model: Automaton, bounds: Bounds, pools: Pools, context: int, prefix: int, word: int) -> int:
    """Finds what words cost after a context, or adds it.

    The words are a prefix that was charged already, or, if `word` is not `NONE`, that word. `context` is
    `2 * context`, or `2 * prefix + 1` where the prefix is everything.
    """
    table = pools.junctions
    key = (np.int64(context) << 32) + (2 * prefix if word == NONE else 2 * word + 1)
    found = find(table, key)
    if found >= 0:
        return found
    prefixes = pools.prefixes.rows
    found = _added(table, key, pools.used, JUNCTIONS)
    row = table.rows[found]
    full = model.order - 1
    left, before = (context >> 1, NONE) if context & 1 else (WHOLE, context >> 1)
    right = lower_state(model, before >> 1, model.order) if before != NONE else NONE
    row.begin, row.fixed = pools.used[PARTS], 0.0
    row.cost = 0.0
    count = 1 if word != NONE else prefixes[prefix].length
    if word == NONE:
        row.fixed = -prefixes[prefix].charge
    for index in range(count):
        following = word
        if word == NONE:
            at = prefix
            for _ in range(count - 1 - index):
                at = prefixes[at].parent
            following = prefixes[at].word
        if before == NONE:
            charged = prefixes[left].charge
            left = _longer_prefix(model, bounds, pools, left, following)
            if left == NONE:
                row.cost = np.inf
                break
            row.fixed += prefixes[left].charge - charged
            if prefixes[left].length >= full:
                right = prefixes[left].state
                before = _open(model, right, full)
        else:
            part = _transition(model, pools, before, following)
            pools.junction_transitions[pools.used[PARTS]] = part
            pools.used[PARTS] += 1
            row.cost += pools.transitions.rows[part].cost
            right = pools.transitions.rows[part].next
            before = _open(model, right, full)
    row.cost += row.fixed
    row.end = pools.used[PARTS]
    row.left, row.right = left, right
    return found


@jit
def _new_node(pools: Pools, key: int, best: float, bound: float) -> int:
    """Adds a node with a key (of its place and border) to its place."""
    head = _added(pools.nodes, key, pools.used, NODES)
    row, place = pools.nodes.rows[head], key >> 32
    row.place, row.border, row.best, row.bound = place, key & 0xFFFFFFFF, best, bound
    row.next = pools.heads[place]
    pools.heads[place] = head
    pools.sizes[place] += 1
    return head


@jit
def _start_node(pools: Pools, bounds: Bounds, limit: float, place: int, border: int, best: float) -> None:
    """Adds a node that is made of nothing, if it is within the limit."""
    bound, lower = 0.0, pools.borders.rows[border].coarse
    if bounds.order > 0:
        coarser = find(bounds.nodes, (np.int64(place) << 32) + lower) if lower >= 0 else NONE
        bound = bounds.outside[coarser] if coarser >= 0 else np.inf
    if best + bound <= limit:
        _new_node(pools, (np.int64(place) << 32) + border, best, bound)


@jit
def _hook_key(context: int, known: int, cell: int) -> np.int64:
    return (((np.int64(context) << 8) + known) << 24) + cell


@jit
def _coarse_hook(
    model: Automaton, bounds: Bounds, pools: Pools, context: int, known: int, cell: int
) -> tuple[int, bool]:
    """Returns the hook one order lower, and whether a prefix that is everything is a full context there."""
    lower = model.order - 2
    behind = False
    if context & 1:
        prefix = pools.prefixes.rows[context >> 1]
        if prefix.length >= lower:
            context, behind = 2 * _open(model, prefix.state, lower), True
    elif known <= lower:
        context = 2 * _open(model, lower_state(model, context >> 2, lower + 1), lower)
    return find(bounds.hooks, _hook_key(context, known, cell)), behind


@jit
def _hook(
    chart: Chart,
    model: Automaton,
    bounds: Bounds,
    pools: Pools,
    limit: float,
    context: int,
    known: int,
    cell: int,
) -> int:
    """Finds the strings of a cell behind a context, or adds them; returns their place."""
    num_states = len(chart.offsets) - 1
    key = _hook_key(context, known, cell)
    hook = find(pools.hooks, key)
    if hook >= 0:
        return num_states + hook
    hook = _added(pools.hooks, key, pools.used, HOOKS)
    place = num_states + hook
    pools.heads[place], pools.sizes[place] = NONE, 0
    pools.used[PLACES] += 1
    behind, coarse_place, least = False, np.int64(NONE), 0.0
    if bounds.order > 0:
        coarse_hook, behind = _coarse_hook(model, bounds, pools, context, known, cell)
        if coarse_hook < 0:
            return place
        coarse_place = np.int64(num_states + coarse_hook)
        least = bounds.least[coarse_place]
    nodes, node_keys, node_values = pools.nodes.rows, pools.nodes.keys, pools.nodes.values
    borders, border_keys, border_values = pools.borders.rows, pools.borders.keys, pools.borders.values
    junctions, junction_keys, junction_values = pools.junctions.rows, pools.junctions.keys, pools.junctions.values
    coarse_keys, coarse_values, outside = bounds.nodes.keys, bounds.nodes.values, bounds.outside
    edges, used, bounded, dense = pools.edges, pools.used, bounds.order > 0, bounds.dense.cells > 0
    inner = pools.heads[chart.ends[cell]]
    while inner >= 0:
        # Behind a word, a first word costs no less than at the first order; later, potentials may say otherwise.
        if model.order <= 2 and not nodes[inner].best + least <= limit:
            break
        left, right = borders[nodes[inner].border].left, borders[nodes[inner].border].right
        junction = find_in(junction_keys, junction_values, (np.int64(context) << 32) + 2 * left)
        if junction < 0:
            junction = _junction(model, bounds, pools, context, left, NONE)
        tail, best = inner, nodes[inner].best + junctions[junction].cost
        inner = nodes[inner].next
        if not (best < np.inf and best + least <= limit):
            continue
        left = junctions[junction].left
        if right == NONE:
            right = junctions[junction].right
        border = find_in(border_keys, border_values, (np.int64(left) << 32) + right + 1)
        if border < 0:
            border = _border(model, bounds, pools, left, right)
        key = (np.int64(place) << 32) + border
        head = find_in(node_keys, node_values, key)
        if head < 0:
            bound = 0.0
            if bounded:
                lower = borders[border].coarse
                if behind:
                    lower = _coarse_border(model, bounds, pools, left, right, True)
                coarser = find_in(coarse_keys, coarse_values, (coarse_place << 32) + lower) if lower >= 0 else NONE
                bound = outside[coarser] if coarser >= 0 else np.inf
            if dense:
                behind_it = dense_hook_outside(bounds.dense, context >> 1, known, cell, chart.ends[cell], right)
                bound = max(bound, behind_it)
            if not best + bound <= limit:
                continue
            head = _new_node(pools, key, best, bound)
        elif not best + nodes[head].bound <= limit:
            continue
        nodes[head].best = min(nodes[head].best, best)
        _set_edge(edges, used[EDGES], head, tail, NONE, junction, NONE)
        used[EDGES] += 1
    _sort(pools, place)
    return place


@jit
def _sort(pools: Pools, place: int) -> None:
    """Chains the nodes of a place by their costs, the cheapest first."""
    count, nodes = pools.sizes[place], pools.nodes.rows
    if count < 2:
        return
    members, costs = np.empty(count, dtype=np.int32), np.empty(count)
    node = pools.heads[place]
    for index in range(count):
        members[index], costs[index] = node, nodes[node].best
        node = nodes[node].next
    order = np.argsort(costs)
    pools.heads[place] = members[order[0]]
    for index in range(count):
        nodes[members[order[index]]].next = members[order[index + 1]] if index + 1 < count else NONE


@jit
def start(chart: Chart, model: Automaton, bounds: Bounds, pools: Pools, limit: float) -> None:
    """Adds the nodes at the cells' starts."""
    full = model.order - 1
    root = len(model.suffix) - 1
    empty = _border(model, bounds, pools, EMPTY, root if full == 0 else NONE)
    whole = _border(model, bounds, pools, WHOLE, root if full == 0 else model.start_word)
    last = len(chart.starts) - 1
    for cell in range(last):
        _start_node(pools, bounds, limit, chart.starts[cell], empty, 0.0)
    _start_node(pools, bounds, limit, chart.starts[last], whole, model.potential[model.start_word])


@jit
def _fits(pools: Pools, more: int, order: int) -> bool:
    """Returns whether every pool has room for `more` edges and what comes with them."""
    used, deep = pools.used, more * (order + 1) + 2
    return (
        used[PREFIXES] + deep <= len(pools.prefixes.rows)
        and used[BORDERS] + 2 * more + 2 <= len(pools.borders.rows)
        and used[TRANSITIONS] + deep <= len(pools.transitions.rows)
        and used[PARTS] + deep <= len(pools.junction_transitions)
        and used[JUNCTIONS] + more + 2 <= len(pools.junctions.rows)
        and used[HOOKS] + 1 <= len(pools.hooks.rows)
        and used[NODES] + 2 * more + 2 <= len(pools.nodes.rows)
        and used[EDGES] + 2 * more + 2 <= len(pools.edges)
        and used[PLACES] + 1 <= len(pools.heads)
    )


@jit
def expand(
    chart: Chart, model: Automaton, bounds: Bounds, pools: Pools, limit: float, cursor: Longs, quota: int
) -> int:
    """Goes on with the forest from `cursor` (state, node, arc); returns `FINISHED`, `FULL` or `PAUSED`."""
    offsets, symbols, costs, targets, ends = chart.offsets, chart.symbols, chart.costs, chart.targets, chart.ends
    contexts, known, least, level = chart.contexts, chart.known, bounds.least, model.level
    nodes, node_keys, node_values = pools.nodes.rows, pools.nodes.keys, pools.nodes.values
    borders, border_keys, border_values = pools.borders.rows, pools.borders.keys, pools.borders.values
    coarse_keys, coarse_values, outside = bounds.nodes.keys, bounds.nodes.values, bounds.outside
    hook_keys, hook_values, heads, sizes = pools.hooks.keys, pools.hooks.values, pools.heads, pools.sizes
    junctions, junction_keys, junction_values = pools.junctions.rows, pools.junctions.keys, pools.junctions.values
    edges, used, bounded, dense = pools.edges, pools.used, bounds.order > 0, bounds.dense.cells > 0
    prefixes = pools.prefixes.rows
    num_states, full = len(offsets) - 1, model.order - 1
    stop, room = used[EDGES] + quota, 0
    while cursor[0] < num_states:
        state = cursor[0]
        if cursor[1] == NONE:
            _sort(pools, state)
            cursor[1], cursor[2] = heads[state], offsets[state]
        while cursor[1] >= 0:
            node = cursor[1]
            border = nodes[node].border
            left, right = borders[border].left, borders[border].right
            long = right != NONE
            context = 2 * left + 1
            if known[state] > full:
                context = 2 * contexts[state]
            elif long:
                context = 4 * right + (2 if level[right] == full else 0)  # as `_open` says
            while cursor[2] < offsets[state + 1]:
                arc = cursor[2]
                symbol, target = symbols[arc], targets[arc]
                total = nodes[node].best + costs[arc]
                beyond = least[target] if bounded else 0.0
                # What the arc may be followed with: nodes of a cell or of a hook, or the arc's own word.
                size, direct, hook = 1, left == EMPTY and not long, NONE
                if symbol < NO_WORD:
                    size = sizes[ends[-2 - symbol]]
                    if not direct:
                        hook = find_in(hook_keys, hook_values, _hook_key(context, known[state], -2 - symbol))
                        if hook >= 0:
                            size = sizes[num_states + hook]
                if room < size:  # of so many edges, and all that comes with them, every pool takes the rest
                    room = max(4 * size, 4096)
                    if not _fits(pools, room, model.order):
                        room = size
                        if not _fits(pools, room, model.order):
                            return FULL
                room -= size
                if used[EDGES] > stop:
                    return PAUSED
                other, junction, after = NONE, NONE, border
                if symbol >= 0:
                    junction = find_in(junction_keys, junction_values, (np.int64(context) << 32) + 2 * symbol + 1)
                    if junction < 0:
                        junction = _junction(model, bounds, pools, context, EMPTY, symbol)
                    total += junctions[junction].cost
                    if total < np.inf and total + beyond <= limit:
                        left_after = left if long else junctions[junction].left
                        right_after = junctions[junction].right
                        after = find_in(border_keys, border_values, (np.int64(left_after) << 32) + right_after + 1)
                        if after < 0:
                            after = _border(model, bounds, pools, left_after, right_after)
                    else:
                        total = np.inf
                elif symbol < NO_WORD:
                    place = ends[-2 - symbol]
                    if not direct:
                        place = num_states + hook
                        if hook < 0:
                            place = _hook(chart, model, bounds, pools, limit, context, known[state], -2 - symbol)
                    other = heads[place]
                    if other < 0:
                        total = np.inf
                while True:
                    best = total
                    if other >= 0:
                        best += nodes[other].best
                    if not best + beyond <= limit:  # nodes are in the order of their costs
                        break
                    if other >= 0:
                        after = nodes[other].border
                        if long:
                            right_after = borders[after].right
                            after = find_in(border_keys, border_values, (np.int64(left) << 32) + right_after + 1)
                            if after < 0:
                                after = _border(model, bounds, pools, left, right_after)
                    key = (np.int64(target) << 32) + after
                    head = find_in(node_keys, node_values, key)
                    bound = 0.0
                    if head >= 0:
                        bound = nodes[head].bound
                    elif bounded:
                        lower = borders[after].coarse
                        coarser = NONE
                        if lower >= 0:
                            coarser = find_in(coarse_keys, coarse_values, (np.int64(target) << 32) + lower)
                        bound = outside[coarser] if coarser >= 0 else np.inf
                        if dense and best + bound <= limit:
                            first = prefixes[borders[after].left].word
                            bound = max(bound, dense_outside(bounds.dense, target, first, borders[after].right))
                    if best + bound <= limit:
                        if head < 0:
                            head = _new_node(pools, key, best, bound)
                        nodes[head].best = min(nodes[head].best, best)
                        _set_edge(edges, used[EDGES], head, node, other, junction, arc)
                        used[EDGES] += 1
                    if other < 0 or nodes[other].next < 0:
                        break
                    other = nodes[other].next
                cursor[2] += 1
            cursor[1], cursor[2] = nodes[node].next, offsets[state]
        cursor[0] += 1
        cursor[1] = NONE
    return FINISHED


@inlined
def _set_edge(edges: Records, index: int, head: int, tail: int, second: int, junction: int, arc: int) -> None:
    edges[index].head, edges[index].tail, edges[index].second = head, tail, second
    edges[index].junction, edges[index].arc = junction, arc


# ---------------------------------------------------------------- from Python


GoesOn: TypeAlias = Callable[[int], bool]
"""Whether a search goes on, given the number of its edges."""


def refined_forest(
    chart: Chart, model: Automaton, bounds: Bounds, limit: float, prefixes: Table, quota: int, goes_on: GoesOn
) -> Forest | None:
    """Makes the forest of an automaton's order.

    Args:
        chart: of the sentence.
        model: the automaton.
        bounds: those of the forest one order lower.
        limit: no derivation is lost that costs at most so much.
        prefixes: those of the lower orders; the table with the new ones is in the forest's pools.
        quota: edges after which the clock is looked at.
        goes_on: asked then, with the number of edges; the search ends when it says no.

    Returns:
        The forest; None if it was not finished, or if no derivation is within the limit.
    """
    pools = _new_pools(chart, prefixes)
    start(chart, model, bounds, pools, limit)
    cursor = np.array([0, NONE, 0], dtype=np.int64)
    while (status := expand(chart, model, bounds, pools, limit, cursor, quota)) != FINISHED:
        if status == FULL:
            pools = _larger(pools)
        if not goes_on(int(pools.used[EDGES])):
            return None
    return _finished(chart, model, pools)


def _new_pools(chart: Chart, prefixes: Table) -> Pools:
    """Returns pools without nodes; the prefixes of lower orders stay."""
    used = np.zeros(9, dtype=np.int64)
    used[PREFIXES], used[PLACES] = np.count_nonzero(prefixes.keys >= 0) + 2, chart.num_states
    size = chart.num_states + SMALLEST
    borders, transitions, junctions, hooks = (empty_table(kind) for kind in (BORDER, TRANSITION, JUNCTION, HOOK))
    return Pools(
        used=used,
        prefixes=prefixes,
        borders=borders,
        transitions=transitions,
        junctions=junctions,
        hooks=hooks,
        nodes=empty_table(NODE, max(SMALLEST, 2 * chart.num_cells)),
        edges=np.empty(SMALLEST, dtype=EDGE),
        junction_transitions=np.empty(SMALLEST, dtype=np.int32),
        heads=np.full(size, NONE, dtype=np.int32),
        sizes=np.zeros(size, dtype=np.int32),
    )


_TABLES = {
    "prefixes": PREFIXES,
    "borders": BORDERS,
    "transitions": TRANSITIONS,
    "junctions": JUNCTIONS,
    "hooks": HOOKS,
    "nodes": NODES,
}
_ARRAYS = {"edges": EDGES, "junction_transitions": PARTS, "heads": PLACES, "sizes": PLACES}


def _larger(pools: Pools) -> Pools:
    """Returns the pools with more room in those that are half full, or in all if none is."""
    sizes = {name: len(getattr(pools, name).rows) for name in _TABLES}
    sizes |= {name: len(getattr(pools, name)) for name in _ARRAYS}
    counts = {name: int(pools.used[counter]) for name, counter in (_TABLES | _ARRAYS).items()}
    short = {name for name, size in sizes.items() if 2 * counts[name] > size} or set(sizes)
    larger = {}
    for name in short:
        own = getattr(pools, name)
        if name in _TABLES:
            larger[name] = rehashed(own, counts[name], 2 * sizes[name])
        else:
            larger[name] = np.concatenate((own, np.zeros_like(own)))
    return pools._replace(**larger)


def _finished(chart: Chart, model: Automaton, pools: Pools) -> Forest | None:
    """Returns the forest that the pools hold, None if it has no goal."""
    nodes = pools.nodes.rows[: pools.used[NODES]]
    places = np.ascontiguousarray(nodes["place"])
    first, goal = (np.flatnonzero(places == ends[-1]) for ends in (chart.starts, chart.ends))
    if not len(goal):
        return None
    axioms = np.where(np.isin(places, chart.starts), 0.0, np.inf)
    axioms[first] = model.potential[model.start_word]
    return Forest(
        order=model.order,
        places=places,
        borders=np.ascontiguousarray(nodes["border"]),
        axioms=axioms,
        first=int(first[0]),
        goal=int(goal[0]),
        edges=pools.edges[: pools.used[EDGES]],
        arc_costs=np.append(chart.costs, 0.0),
        junctions=pools.junctions.rows[: pools.used[JUNCTIONS]],
        parts=pools.junction_transitions[: pools.used[PARTS]],
        transitions=pools.transitions.rows[: pools.used[TRANSITIONS]],
        pools=pools,
    )


def bounds_of(forest: Forest, outside: Floats) -> Bounds:
    """Returns what a forest says about the next order, from what is missing to its nodes."""
    pools = forest.pools
    least = np.full(int(pools.used[PLACES]), np.inf)
    np.minimum.at(least, forest.places, outside)
    keys = (forest.places.astype(np.int64) << 32) + forest.borders
    return Bounds(
        order=forest.order,
        borders=pools.borders,
        hooks=pools.hooks,
        transitions=pools.transitions,
        nodes=_numbered(keys),
        outside=outside,
        least=least,
        dense=no_dense(),
    )


def only_dense(bounds: Bounds, dense: Dense) -> Bounds:
    """Returns bounds of a first order's forest that only say what is in it; the dense ones say what is missing.

    The costs of a forest and of matrices with other potentials cannot be compared.
    """
    anything = [np.where(costs < np.inf, -1e300, np.inf) for costs in (bounds.outside, bounds.least)]
    return bounds._replace(outside=anything[0], least=anything[1], dense=dense)


@jit
def _numbered(keys: Longs) -> Table:
    """Returns a table that finds the index of each key."""
    size = 16
    while size < 2 * len(keys):
        size *= 2
    slots, values = np.full(size, -1, dtype=np.int64), np.empty(size, dtype=np.int32)
    for index in range(len(keys)):
        slot = slot_of(slots, keys[index])
        slots[slot], values[slot] = keys[index], index
    return Table(slots, values, np.zeros(0, dtype=HOOK))
