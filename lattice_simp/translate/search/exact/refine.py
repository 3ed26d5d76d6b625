"""Makes the forest of an order within bounds: those of the forest one order lower, or matrices of the second order.

States of the chart are visited from the lowest up. A node is kept if the cost of its derivation plus the bound of its
outside cost is within the limit, so no derivation within the limit can be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from lattice_simp.core.kernel import Floats, Longs, Records, inlined, jit
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
        bound = _coarse_outside(bounds.nodes.slots, bounds.outside, place, lower)
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
    coarse_slots, outside, edges, used = bounds.nodes.slots, bounds.outside, pools.edges, pools.used
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
            elif bounds.order > 0:
                lower = coarse_border(model, bounds, pools, left, right, True) if behind else borders[border].coarse
                bound = _coarse_outside(coarse_slots, outside, coarse_place, lower)
            if best + bound <= limit:
                if head < 0:
                    head = _new_node(pools, key, best, bound)
                _add_edge(nodes, edges, used, head, best, (tail, NONE, junction, NONE))
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


class _Tail(NamedTuple):
    """A node whose state's arcs extend it.

    Attributes:
        node, border: its number and its border.
        left, right: the prefix and the state of the border.
        context: the context of the next word, as in the keys of hooks and junctions.
        before: that context in the second order, if matrices bound the search.
    """

    node: int
    border: int
    left: int
    right: int
    context: int
    before: int


class _Step(NamedTuple):
    """A node and an arc that extends it: their numbers, the state after them, their costs, and a bound after them."""

    tail: int
    arc: int
    target: int
    total: float
    beyond: float


@jit
def expand(
    chart: Chart, model: ContextModel, bounds: Bounds, pools: Pools, limit: float, cursor: Longs, quota: int
) -> int:
    """Continues the forest from `cursor` (state, node, arc); returns `FINISHED`, `FULL` or `PAUSED`.

    The exact search spends nearly all its time here, so the helpers are inlined.
    """
    offsets, symbols, ends, nodes, used = chart.offsets, chart.symbols, chart.ends, pools.nodes.rows, pools.used
    stop, room, num_states = used[EDGES] + quota, 0, len(offsets) - 1
    while cursor[0] < num_states:
        state = cursor[0]
        if cursor[1] == NONE:
            _sort(pools, state)
            cursor[1], cursor[2] = pools.heads[state], offsets[state]
        while cursor[1] >= 0:
            tail = _tail(chart, model, bounds, pools, state, cursor[1])
            while cursor[2] < offsets[state + 1]:
                arc = cursor[2]
                symbol, target = symbols[arc], chart.targets[arc]
                beyond = bounds.least[target] if bounds.order > 0 else 0.0
                step = _Step(tail.node, arc, target, nodes[tail.node].best + chart.costs[arc], beyond)
                if not _least_total(model, bounds, tail, step, symbol) <= limit:
                    cursor[2] += 1
                    continue
                size, place = 1, NONE  # of the continuations by a cell: how many, and where their nodes are
                if symbol < NO_WORD:
                    size = pools.sizes[ends[-2 - symbol]]
                    place = ends[-2 - symbol]
                    if size > 0 and (tail.left != EMPTY or tail.right != NONE):
                        hook = find_in(pools.hooks.slots, _hook_key(tail.context, chart.num_known[state], -2 - symbol))
                        place = num_states + hook if hook >= 0 else NONE
                        if hook >= 0:
                            size = pools.sizes[place]
                        elif used[HOOKS] == len(pools.hooks.rows) or used[PLACES] == len(pools.heads):
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
                second, junction, border, total = NONE, NONE, tail.border, step.total
                if symbol >= 0:
                    junction, border, total = _after_word(model, bounds, pools, limit, tail, step, symbol)
                elif symbol < NO_WORD:
                    if place == NONE:
                        known = chart.num_known[state]
                        place = _hook(chart, model, bounds, pools, limit, tail.context, known, -2 - symbol)
                    second = pools.heads[place]
                    total = step.total if second >= 0 else np.inf
                if total < np.inf:
                    _extend(model, bounds, pools, limit, tail, step, (total, second, junction, border))
                cursor[2] += 1
            cursor[1], cursor[2] = nodes[tail.node].next, offsets[state]
        cursor[0] += 1
        cursor[1] = NONE
    return FINISHED


@inlined
def _tail(chart: Chart, model: ContextModel, bounds: Bounds, pools: Pools, state: int, node: int) -> _Tail:
    """Returns a node of a state with the contexts of the next word."""
    border = pools.nodes.rows[node].border
    row = pools.borders.rows[border]
    left, right, before = row.left, row.right, row.last
    context = 2 * left + 1
    if chart.num_known[state] > model.order - 1:
        context = 2 * chart.contexts[state]
    elif right != NONE:
        context = 4 * right + (2 if model.level[right] == model.order - 1 else 0)  # as `open_context` says
    if bounds.dense.cells > 0 and chart.num_known[state] > 1:
        before = bounds.dense.contexts[chart.contexts[state]]
    return _Tail(node, border, left, right, context, before)


@inlined
def _least_total(model: ContextModel, bounds: Bounds, tail: _Tail, step: _Step, symbol: int) -> float:
    """Bounds the costs of derivations that extend a node by an arc; minus infinity where nothing is known."""
    least = -np.inf if step.beyond < np.inf else np.inf
    if bounds.dense.cells > 0 and tail.left != EMPTY:
        least = step.total + step.beyond
        if symbol < NO_WORD:
            row = bounds.dense.hooks[tail.before * bounds.dense.cells - 2 - symbol]
            least += bounds.dense.hook_inside[row] if row >= 0 else np.inf
        else:  # after several words of its own rule, a word may have a negative cost
            least = least + bounds.dense.pairs[tail.before, symbol] if tail.before < model.final else -np.inf
    return least


@inlined
def _after_word(
    model: ContextModel, bounds: Bounds, pools: Pools, limit: float, tail: _Tail, step: _Step, word: int
) -> tuple[int, int, float]:
    """Returns the junction, the border and the cost of a node extended by a word; infinity beyond the limit."""
    junction = find_in(pools.junctions.slots, (np.int64(tail.context) << 32) + 2 * word + 1)
    if junction < 0:
        junction = junction_of(model, bounds, pools, tail.context, EMPTY, word)
    meeting = pools.junctions.rows[junction]
    border, total = NONE, step.total + meeting.cost
    if total < np.inf and total + step.beyond <= limit:
        left = tail.left if tail.right != NONE else meeting.left
        border = find_in(pools.borders.slots, (np.int64(left) << 32) + meeting.right + 1)
        if border < 0:
            border = border_of(model, bounds, pools, left, meeting.right)
    else:
        total = np.inf
    return junction, border, total


@inlined
def _extend(
    model: ContextModel,
    bounds: Bounds,
    pools: Pools,
    limit: float,
    tail: _Tail,
    step: _Step,
    first: tuple[float, int, int, int],
) -> None:
    """Adds the derivations that extend a node by an arc and, if the arc is a cell, by each node of the cell.

    `first` holds the cost without those nodes, the first of them (or NONE), and the junction and border without them.
    """
    nodes, node_slots = pools.nodes.rows, pools.nodes.slots
    borders, border_slots = pools.borders.rows, pools.borders.slots
    coarse_slots, outside, edges, used = bounds.nodes.slots, bounds.outside, pools.edges, pools.used
    total, second, junction, border = first
    following, is_cheapest = NONE if second < 0 else nodes[second].jump, True  # the cheapest node of its prefix
    while True:
        best = total
        if second >= 0:
            best += nodes[second].best
        if not best + step.beyond <= limit:
            if is_cheapest or following < 0:  # later prefixes cost even more
                break
            second, following, is_cheapest = following, nodes[following].jump, True
            continue
        if second >= 0:
            border = nodes[second].border
            if tail.right != NONE:
                right = borders[border].right
                border = find_in(border_slots, (np.int64(tail.left) << 32) + right + 1)
                if border < 0:
                    border = border_of(model, bounds, pools, tail.left, right)
        key = (np.int64(step.target) << 32) + border
        head = find_in(node_slots, key)
        bound = 0.0
        if head >= 0:
            bound = nodes[head].bound
        elif bounds.dense.cells > 0:
            bound = dense_outside(bounds.dense, step.target, borders[border].first, borders[border].last)
        elif bounds.order > 0:
            bound = _coarse_outside(coarse_slots, outside, step.target, borders[border].coarse)
        if best + bound <= limit:
            if head < 0:
                head = _new_node(pools, key, best, bound)
            _add_edge(nodes, edges, used, head, best, (tail.node, second, junction, step.arc))
        if second < 0 or nodes[second].next < 0:
            break
        second, is_cheapest = nodes[second].next, False
        if second == following:
            following, is_cheapest = nodes[second].jump, True


@inlined
def _coarse_outside(slots: Longs, outside: Floats, place: int, border: int) -> float:
    """Returns the outside cost of the node one order lower; infinity if there is none."""
    node = find_in(slots, (np.int64(place) << 32) + border) if border >= 0 else NONE
    return outside[node] if node >= 0 else np.inf


@inlined
def _add_edge(
    nodes: Records, edges: Records, used: Longs, head: int, best: float, parts: tuple[int, int, int, int]
) -> None:
    """Adds an edge to a node, from its parts: tail, second tail, junction and arc."""
    nodes[head].best = min(nodes[head].best, best)
    edge = edges[used[EDGES]]
    edge.head = head
    edge.tail, edge.second, edge.junction, edge.arc = parts
    used[EDGES] += 1


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
