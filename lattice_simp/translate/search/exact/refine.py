"""Makes the forest of an order within bounds: those of the forest one order lower, or matrices of the second order.

States of the chart are visited from the lowest up. A node is kept if the cost of its derivation plus the bound of its
outside cost is within the limit, so no derivation within the limit can be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from lattice_simp.core.kernel import Longs, Records, inlined, jit
from lattice_simp.core.records import NONE, SMALLEST, Table, added, empty_table, find, find_in, num_records, rehashed
from lattice_simp.core.sorting import stable_order
from lattice_simp.translate.search.chart import NO_WORD, Chart
from lattice_simp.translate.search.exact.bounds import Bounds
from lattice_simp.translate.search.exact.context_model import ContextModel, lower_state, open_context
from lattice_simp.translate.search.exact.dense_bounds import dense_hook, dense_hook_outside, dense_outside
from lattice_simp.translate.search.exact.forest import (
    BORDER,
    BORDERS,
    EDGES,
    EMPTY,
    HOOK,
    HOOKS,
    JUNCTION,
    JUNCTIONS,
    NODE,
    NODES,
    PARTS,
    PLACES,
    PREFIXES,
    TRANSITION,
    TRANSITIONS,
    WHOLE,
    BorderForest,
    Pools,
)
from lattice_simp.translate.search.exact.junctions import border_of, coarse_border, junction_of
from lattice_simp.translate.search.forest import EDGE

FINISHED, FULL, PAUSED = range(3)
"""Why the kernel returns: it has finished, a pool is full, or the quota of edges is used up."""


@jit
def _new_node(pools: Pools, key: int, best: float, bound: float) -> int:
    """Adds a node to its place; its key holds the place and the border."""
    head = added(pools.nodes, key, pools.used, NODES)
    row, place = pools.nodes.rows[head], key >> 32
    row.place, row.border, row.best, row.bound = place, key & 0xFFFFFFFF, best, bound
    row.next = pools.heads[place]
    pools.heads[place] = head
    pools.sizes[place] += 1
    return head


@jit
def _start_node(pools: Pools, bounds: Bounds, limit: float, place: int, border: int, best: float) -> None:
    """Adds an axiom if it is within the limit."""
    bound, lower = -np.inf, pools.borders.rows[border].coarse  # matrices do not bound the starts of cells
    if bounds.order > 0 and bounds.dense.cells == 0:
        coarser = find(bounds.nodes, (np.int64(place) << 32) + lower) if lower >= 0 else NONE
        bound = bounds.outside[coarser] if coarser >= 0 else np.inf
    if best + bound <= limit:
        _new_node(pools, (np.int64(place) << 32) + border, best, bound)


@jit
def _hook_key(context: int, num_known: int, cell: int) -> np.int64:
    return (((np.int64(context) << 8) + num_known) << 24) + cell


@jit
def _coarse_hook(
    model: ContextModel, bounds: Bounds, pools: Pools, context: int, num_known: int, cell: int
) -> tuple[int, bool]:
    """Returns the hook one order lower, and whether a prefix that is the whole string is a full context there."""
    lower = model.order - 2
    behind = False
    if context & 1:
        prefix = pools.prefixes.rows[context >> 1]
        if prefix.length >= lower:
            context, behind = 2 * open_context(model, prefix.state, lower), True
    elif num_known <= lower:
        context = 2 * open_context(model, lower_state(model, context >> 2, lower + 1), lower)
    return find(bounds.hooks, _hook_key(context, num_known, cell)), behind


@jit
def _dense_context(model: ContextModel, pools: Pools, context: int, num_known: int) -> int:
    """Returns the code of a hook's context in the second order: the context that its rule reveals, or a word."""
    if context & 1:
        return 2 * pools.prefixes.rows[context >> 1].word + 1
    return context >> 1 if num_known > 1 else 2 * lower_state(model, context >> 2, 2) + 1


@jit
def _hook(
    chart: Chart,
    model: ContextModel,
    bounds: Bounds,
    pools: Pools,
    limit: float,
    context: int,
    num_known: int,
    cell: int,
) -> int:
    """Finds or adds the hook of a cell after a context, with its nodes; returns its place."""
    num_states = len(chart.offsets) - 1
    key = _hook_key(context, num_known, cell)
    hook = find(pools.hooks, key)
    if hook >= 0:
        return num_states + hook
    hook = added(pools.hooks, key, pools.used, HOOKS)
    place = num_states + hook
    pools.heads[place], pools.sizes[place] = NONE, 0
    pools.used[PLACES] += 1
    behind, coarse_place, least, row, last = False, np.int64(NONE), 0.0, NONE, NONE
    dense, end = bounds.dense.cells > 0, chart.ends[cell]
    if dense:
        code = _dense_context(model, pools, context, num_known)
        row = dense_hook(bounds.dense, code, num_known, cell)
        least = bounds.dense.hook_least[row] if row >= 0 else np.inf
        last = code >> 1 if num_known <= 1 else NONE
    elif bounds.order > 0:
        coarse_hook, behind = _coarse_hook(model, bounds, pools, context, num_known, cell)
        coarse_place = np.int64(num_states + coarse_hook)
        least = bounds.least[coarse_place] if coarse_hook >= 0 else np.inf
    if not least < np.inf:
        return place
    nodes, node_slots = pools.nodes.rows, pools.nodes.slots
    borders, border_slots = pools.borders.rows, pools.borders.slots
    coarse_slots, outside = bounds.nodes.slots, bounds.outside
    edges, used, bounded = pools.edges, pools.used, bounds.order > 0
    inner = pools.heads[end]
    while inner >= 0:  # for each prefix
        if last != NONE:  # a quick test by the bounds of the second order
            first = borders[nodes[inner].border].first
            least_cost = bounds.dense.pairs[last, first] - bounds.dense.charges[first]
            if not nodes[inner].best + least_cost + least <= limit:
                inner = nodes[inner].jump
                continue
        junction = junction_of(model, bounds, pools, context, borders[nodes[inner].border].left, NONE)
        meeting = pools.junctions.rows[junction]
        left, cost, following = meeting.left, meeting.cost, nodes[inner].jump
        while inner != following:
            tail, best = inner, nodes[inner].best + cost
            if not (best < np.inf and best + least <= limit):
                break
            right = borders[nodes[inner].border].right
            right = meeting.right if right == NONE else right
            inner = nodes[inner].next
            border = find_in(border_slots, (np.int64(left) << 32) + right + 1)
            if border < 0:
                border = border_of(model, bounds, pools, left, right)
            key = (np.int64(place) << 32) + border
            head = find_in(node_slots, key)
            bound = 0.0
            if head >= 0:
                bound = nodes[head].bound
            elif dense:
                bound = dense_hook_outside(bounds.dense, row, end, borders[border].last)
            elif bounded:
                lower = borders[border].coarse
                if behind:
                    lower = coarse_border(model, bounds, pools, left, right, True)
                coarser = find_in(coarse_slots, (coarse_place << 32) + lower) if lower >= 0 else NONE
                bound = outside[coarser] if coarser >= 0 else np.inf
            if best + bound <= limit:
                if head < 0:
                    head = _new_node(pools, key, best, bound)
                nodes[head].best = min(nodes[head].best, best)
                _set_edge(edges, used[EDGES], head, tail, NONE, junction, NONE)
                used[EDGES] += 1
        inner = following
    _sort(pools, place)
    return place


@jit
def _sort(pools: Pools, place: int) -> None:
    """Chains the nodes of a place, grouped by prefix; groups, and nodes within a group, are sorted by cost."""
    count, nodes, borders = pools.sizes[place], pools.nodes.rows, pools.borders.rows
    members, costs = np.empty(count, dtype=np.int32), np.empty(count)
    node = pools.heads[place]
    for index in range(count):
        members[index], costs[index] = node, nodes[node].best
        node = nodes[node].next
    members = members[stable_order(costs)]
    lefts = np.empty(count, dtype=np.int32)
    for index in range(count):
        lefts[index] = borders[nodes[members[index]].border].left
    order = stable_order(lefts)  # stable: nodes of a prefix stay sorted
    members, lefts = members[order], lefts[order]
    begins, groups = np.empty(count + 1, dtype=np.int64), 0
    for index in range(count):
        if index == 0 or lefts[index] != lefts[index - 1]:
            begins[groups], costs[groups] = index, nodes[members[index]].best
            groups += 1
    begins[groups] = count
    pools.heads[place], following = NONE, NONE
    order = stable_order(costs[:groups])
    for number in range(groups - 1, -1, -1):
        jump = following
        for index in range(begins[order[number] + 1] - 1, begins[order[number]] - 1, -1):
            node = members[index]
            nodes[node].next, nodes[node].jump = following, jump
            following = node
    pools.heads[place] = following


@jit
def start(chart: Chart, model: ContextModel, bounds: Bounds, pools: Pools, limit: float) -> None:
    """Adds the nodes at the starts of cells."""
    full = model.order - 1
    root = len(model.suffix) - 1
    empty = border_of(model, bounds, pools, EMPTY, root if full == 0 else NONE)
    sentence = border_of(model, bounds, pools, WHOLE, root if full == 0 else model.start)
    last = len(chart.starts) - 1
    for cell in range(last):
        if bounds.dense.cells == 0 or bounds.least[chart.ends[cell]] < np.inf:
            _start_node(pools, bounds, limit, chart.starts[cell], empty, 0.0)
    _start_node(pools, bounds, limit, chart.starts[last], sentence, model.potential[model.start])


@jit
def _fits(pools: Pools, more: int, order: int) -> bool:
    """Returns whether every pool except the hooks has room for `more` edges and all records that they may add."""
    used, deep = pools.used, more * (order + 1) + 2
    return (
        used[PREFIXES] + deep <= len(pools.prefixes.rows)
        and used[BORDERS] + 2 * more + 2 <= len(pools.borders.rows)
        and used[TRANSITIONS] + deep <= len(pools.transitions.rows)
        and used[PARTS] + deep <= len(pools.junction_transitions)
        and used[JUNCTIONS] + more + 2 <= len(pools.junctions.rows)
        and used[NODES] + 2 * more + 2 <= len(pools.nodes.rows)
        and used[EDGES] + 2 * more + 2 <= len(pools.edges)
    )


@jit
def expand(
    chart: Chart, model: ContextModel, bounds: Bounds, pools: Pools, limit: float, cursor: Longs, quota: int
) -> int:
    """Continues the forest from `cursor` (state, node, arc); returns `FINISHED`, `FULL` or `PAUSED`.

    It is one long kernel because it can stop and resume inside three nested loops, and because the exact search spends
    nearly all its time here, so inner loops reuse what outer loops have looked up.
    """
    offsets, symbols, costs, targets, ends = chart.offsets, chart.symbols, chart.costs, chart.targets, chart.ends
    contexts, num_known, least, level = chart.contexts, chart.num_known, bounds.least, model.level
    nodes, node_slots = pools.nodes.rows, pools.nodes.slots
    borders, border_slots = pools.borders.rows, pools.borders.slots
    coarse_slots, outside = bounds.nodes.slots, bounds.outside
    hook_slots, heads, sizes = pools.hooks.slots, pools.heads, pools.sizes
    junctions, junction_slots = pools.junctions.rows, pools.junctions.slots
    edges, used, bounded, dense = pools.edges, pools.used, bounds.order > 0, bounds.dense.cells > 0
    num_states, dense_cells, full = len(offsets) - 1, bounds.dense.cells, model.order - 1
    pairs, dense_hooks, hook_inside = bounds.dense.pairs, bounds.dense.hooks, bounds.dense.hook_inside
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
            if num_known[state] > full:
                context = 2 * contexts[state]
            elif long:
                context = 4 * right + (2 if level[right] == full else 0)  # as `open_context` says
            before = borders[border].last
            if dense and num_known[state] > 1:
                before = bounds.dense.contexts[contexts[state]]
            while cursor[2] < offsets[state + 1]:
                arc = cursor[2]
                symbol, target = symbols[arc], targets[arc]
                total = nodes[node].best + costs[arc]
                beyond = least[target] if bounded else 0.0
                cheapest = -np.inf if beyond < np.inf else np.inf
                if dense and left != EMPTY:  # a quick test by the bounds of the second order
                    cheapest = total + beyond
                    if symbol < NO_WORD:
                        row = dense_hooks[before * dense_cells - 2 - symbol]
                        cheapest += hook_inside[row] if row >= 0 else np.inf
                    else:  # after several words of its own rule, a word may have a negative cost
                        cheapest = cheapest + pairs[before, symbol] if before < model.final else -np.inf
                if not cheapest <= limit:
                    cursor[2] += 1
                    continue
                # Continuations by the arc: the nodes of a cell or of a hook, or the arc's own word.
                size, direct, hook = 1, left == EMPTY and not long, NONE
                if symbol < NO_WORD:
                    size = sizes[ends[-2 - symbol]]
                    if not direct and size > 0:
                        hook = find_in(hook_slots, _hook_key(context, num_known[state], -2 - symbol))
                        if hook >= 0:
                            size = sizes[num_states + hook]
                        elif used[HOOKS] == len(pools.hooks.rows) or used[PLACES] == len(heads):
                            return FULL
                if size == 0:
                    cursor[2] += 1
                    continue
                if room < size:  # every pool must have room for this many more edges and their records
                    room = max(4 * size, 4096)
                    if not _fits(pools, room, model.order):
                        room = size
                        if not _fits(pools, room, model.order):
                            return FULL
                room -= size
                if used[EDGES] > stop:
                    return PAUSED
                second, junction, after = NONE, NONE, border
                if symbol >= 0:
                    junction = find_in(junction_slots, (np.int64(context) << 32) + 2 * symbol + 1)
                    if junction < 0:
                        junction = junction_of(model, bounds, pools, context, EMPTY, symbol)
                    total += junctions[junction].cost
                    if total < np.inf and total + beyond <= limit:
                        left_after = left if long else junctions[junction].left
                        right_after = junctions[junction].right
                        after = find_in(border_slots, (np.int64(left_after) << 32) + right_after + 1)
                        if after < 0:
                            after = border_of(model, bounds, pools, left_after, right_after)
                    else:
                        total = np.inf
                elif symbol < NO_WORD:
                    place = ends[-2 - symbol]
                    if not direct:
                        place = num_states + hook
                        if hook < 0:
                            place = _hook(chart, model, bounds, pools, limit, context, num_known[state], -2 - symbol)
                    second = heads[place]
                    if second < 0:
                        total = np.inf
                following = NONE if second < 0 else nodes[second].jump
                is_cheapest = True  # the cheapest node of its prefix
                while True:
                    best = total
                    if second >= 0:
                        best += nodes[second].best
                    if not best + beyond <= limit:
                        if is_cheapest or following < 0:  # later prefixes cost even more
                            break
                        second, following, is_cheapest = following, nodes[following].jump, True
                        continue
                    if second >= 0:
                        after = nodes[second].border
                        if long:
                            right_after = borders[after].right
                            after = find_in(border_slots, (np.int64(left) << 32) + right_after + 1)
                            if after < 0:
                                after = border_of(model, bounds, pools, left, right_after)
                    key = (np.int64(target) << 32) + after
                    head = find_in(node_slots, key)
                    bound = 0.0
                    if head >= 0:
                        bound = nodes[head].bound
                    elif dense:
                        bound = dense_outside(bounds.dense, target, borders[after].first, borders[after].last)
                    elif bounded:
                        lower = borders[after].coarse
                        coarser = NONE
                        if lower >= 0:
                            coarser = find_in(coarse_slots, (np.int64(target) << 32) + lower)
                        bound = outside[coarser] if coarser >= 0 else np.inf
                    if best + bound <= limit:
                        if head < 0:
                            head = _new_node(pools, key, best, bound)
                        nodes[head].best = min(nodes[head].best, best)
                        _set_edge(edges, used[EDGES], head, node, second, junction, arc)
                        used[EDGES] += 1
                    if second < 0 or nodes[second].next < 0:
                        break
                    second, is_cheapest = nodes[second].next, False
                    if second == following:
                        following, is_cheapest = nodes[second].jump, True
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
    chart: Chart, model: ContextModel, bounds: Bounds, limit: float, prefixes: Table, quota: int, goes_on: GoesOn
) -> BorderForest | None:
    """Makes the forest of an automaton's order.

    Args:
        chart: the chart of the sentence.
        model: the automaton.
        bounds: the bounds from the forest one order lower, or from matrices.
        limit: no derivation that costs at most this much is lost.
        prefixes: the prefixes of the lower orders; the table with the new ones is in the forest's pools.
        quota: the number of edges between calls of `goes_on`.
        goes_on: called with the number of edges; the search ends when it returns False.

    Returns:
        The forest; None if it did not finish, or if no derivation is within the limit.
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
    """Returns pools without nodes, with the prefixes of lower orders."""
    used = np.zeros(9, dtype=np.int64)
    used[PREFIXES], used[PLACES] = num_records(prefixes) + 2, chart.num_states
    size = chart.num_states + SMALLEST
    borders, transitions, junctions, hooks = (
        empty_table(kind, SMALLEST) for kind in (BORDER, TRANSITION, JUNCTION, HOOK)
    )
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
    """Returns the pools with more room in those that are at least half full, or in all if none is."""
    sizes = {name: len(getattr(pools, name).rows) for name in _TABLES}
    sizes |= {name: len(getattr(pools, name)) for name in _ARRAYS}
    counts = {name: int(pools.used[counter]) for name, counter in (_TABLES | _ARRAYS).items()}
    short = {name for name, size in sizes.items() if 2 * counts[name] > size} or set(sizes)
    larger = {}
    for name in short:
        pool = getattr(pools, name)
        if name in _TABLES:
            larger[name] = rehashed(pool, counts[name], 2 * sizes[name])
        else:
            larger[name] = np.concatenate((pool, np.zeros_like(pool)))
    return pools._replace(**larger)


def _finished(chart: Chart, model: ContextModel, pools: Pools) -> BorderForest | None:
    """Returns the forest that the pools hold, or None if it has no goal."""
    nodes = pools.nodes.rows[: pools.used[NODES]]
    places = np.ascontiguousarray(nodes["place"])
    first, goal = (np.flatnonzero(places == ends[-1]) for ends in (chart.starts, chart.ends))
    if not len(goal):
        return None
    axioms = np.where(np.isin(places, chart.starts), 0.0, np.inf)
    axioms[first] = model.potential[model.start]
    return BorderForest(
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
