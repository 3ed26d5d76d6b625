"""The kernel of gappy composition: a lattice times a gappy acceptor, with rho or sigma loops and bounded edits.

A node is a pair (lattice state, acceptor state). One backward pass over all pairs gives the exact cost of the best
completion; the forward pass then builds only pairs that some path within the beam visits, so no dead end is ever made.
The pairs are in a dense table, not in a hash table as in `lm_product.py`: most of them are reached, and a lattice arc
leads to several pairs at once.

Moves from a pair on a lattice arc with the word w, and their costs in addition to the weight of that arc:
    loop          stay in the acceptor (w falls into a gap), if the state has a loop; with rho only if no arc carries w
    match         follow an acceptor arc that carries w: its weight
    stem match    follow an arc whose word has w's stem: its weight + stem cost
    substitution  follow any arc: its weight + substitution cost
and without a lattice arc
    deletion      follow any arc: its weight + deletion cost
    entry         follow an acceptor arc without a word: its weight
On a lattice arc without a word, the acceptor stays in its state. Where both sides can move without a word, an epsilon
filter (Mohri, Pereira and Riley 1996) keeps one path from becoming several: the lattice moves first, and after a move
of the acceptor such arcs are closed until the next word. So there are two nodes for such a pair, the second one after
moves of the acceptor. The *place* of a node is its acceptor state, plus the number of acceptor states for second nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, Records, inlined, jit
from lattice_simp.core.sorting import lower_bound

LOOP, MATCH, STEM, SUBSTITUTION, DELETION, ENTRY = 0, 1, 2, 3, 4, 5
"""The kinds of moves."""

EDGE = np.dtype(
    [("target", np.int32), ("arc", np.int32), ("gap_arc", np.int32), ("kind", np.int32)],
)
"""The target node, the lattice arc and the acceptor arc (-1 for none), and the kind of move."""

NODE = np.dtype([("state", np.int32), ("gap", np.int32), ("begin", np.int32), ("order", np.int32)])
"""`state`, `gap` and `begin` (of the edges) are in the order in which nodes were followed; `order` maps the number that
a node got when it was found to its place in that order.

Costs so far are in a separate array: edges look them up in random order, and records would fill the cache.
"""


class Matcher(NamedTuple):
    """The words that the states of a gappy acceptor accept, and their costs.

    Attributes:
        has_loop: (acceptor states,) bool.
        rho: whether loops take only words that no arc of the state carries.
        stem_of: (labels,) int32, the class of each word's stem.
        stem, substitution, deletion: costs in nats, infinity forbids.
        by_label, label_begin: the acceptor's arcs with the word w are `by_label[label_begin[w]:label_begin[w + 1]]`,
            by source state.
        by_stem, stem_begin: likewise for stem classes.
        sources: (acceptor arcs,) int32.
    """

    has_loop: Bools
    rho: bool
    stem_of: Ints
    stem: float
    substitution: float
    deletion: float
    by_label: Ints
    label_begin: Longs
    by_stem: Ints
    stem_begin: Longs
    sources: Ints


class GapProduct(NamedTuple):
    """The nodes in topological order, and their edges.

    Attributes:
        states, gaps: (nodes,) int32, the pairs.
        forward: (nodes,) float64, the least cost from the start.
        offsets: (nodes + 1,) int32, where each node's edges begin.
        edges: (edges,) records of `EDGE`.
    """

    states: Ints
    gaps: Ints
    forward: Floats
    offsets: Ints
    edges: Records


class _Pools(NamedTuple):
    """The arrays that a product is written to; see `gap_product` for `numbers` and `waiting`."""

    numbers: Ints
    waiting: Ints
    nodes: Records
    so_far: Floats
    edges: Records


@jit
def completion_costs(full: Arcs, gaps: Arcs, matcher: Matcher, cost: Floats) -> None:
    """Fills in the cost of the best completion of each node, (states, places); infinity for none.

    There are as many places as acceptor states, or twice as many if both sides can move without a word.
    """
    num_gaps, num_places = len(gaps.finals), cost.shape[1]
    behind = num_places - num_gaps  # the distance from a state's first place to its second, 0 without a second
    stays, loops, moves_alone = np.full(num_gaps, np.inf), False, _moves_alone(gaps, matcher)
    for gap in range(num_gaps):
        if matcher.has_loop[gap]:
            stays[gap], loops = 0.0, True
    for state in range(len(full.finals) - 1, -1, -1):
        row, silent = cost[state], False
        for gap in range(num_gaps):
            row[gap] = full.finals[state] + gaps.finals[gap]
        for arc in range(full.offsets[state], full.offsets[state + 1]):
            word, weight, following = full.labels[arc], full.weights[arc], cost[full.nextstates[arc]]
            if word == 0:
                silent = True
                continue
            if loops:
                _stay(row, word, weight, following, matcher, stays)
            _match(row, word, weight, following, gaps, matcher)
            if matcher.substitution < np.inf:
                _substitute(row, weight + matcher.substitution, following, gaps)
        for place in range(num_gaps, num_places):
            row[place] = row[place - num_gaps]
        for arc in range(full.offsets[state], full.offsets[state + 1] if silent else full.offsets[state]):
            if full.labels[arc] == 0:
                following = cost[full.nextstates[arc]]
                for gap in range(num_gaps):
                    row[gap] = min(row[gap], full.weights[arc] + following[gap])
        if moves_alone:
            _move_alone(row, behind, gaps, matcher.deletion)


@inlined
def _stay(row: Floats, word: int, weight: float, following: Floats, matcher: Matcher, stays: Floats) -> None:
    """Lets the acceptor stay in states with loops; `stays` is the cost of that, 0 or infinity, so that sums are
    vectorised. With rho, states with an arc that carries the word do not stay.
    """
    arcs = matcher.by_label[matcher.label_begin[word] : matcher.label_begin[word + 1]]
    if matcher.rho:
        for gap_arc in arcs:
            stays[matcher.sources[gap_arc]] = np.inf
    for gap in range(len(stays)):
        row[gap] = min(row[gap], weight + following[gap] + stays[gap])
    if matcher.rho:
        for gap_arc in arcs:
            source = matcher.sources[gap_arc]
            stays[source] = 0.0 if matcher.has_loop[source] else np.inf


@inlined
def _match(row: Floats, word: int, weight: float, following: Floats, gaps: Arcs, matcher: Matcher) -> None:
    """Follows the acceptor's arcs with the word, or with its stem."""
    for gap_arc in matcher.by_label[matcher.label_begin[word] : matcher.label_begin[word + 1]]:
        total = weight + gaps.weights[gap_arc] + following[gaps.nextstates[gap_arc]]
        row[matcher.sources[gap_arc]] = min(row[matcher.sources[gap_arc]], total)
    if matcher.stem < np.inf:
        stem = matcher.stem_of[word]
        for gap_arc in matcher.by_stem[matcher.stem_begin[stem] : matcher.stem_begin[stem + 1]]:
            total = weight + gaps.weights[gap_arc] + matcher.stem + following[gaps.nextstates[gap_arc]]
            row[matcher.sources[gap_arc]] = min(row[matcher.sources[gap_arc]], total)


@inlined
def _substitute(row: Floats, weight: float, following: Floats, gaps: Arcs) -> None:
    """Follows all arcs of the acceptor that carry a word."""
    for gap in range(len(gaps.finals)):
        least = np.inf
        for gap_arc in range(gaps.offsets[gap], gaps.offsets[gap + 1]):
            if gaps.labels[gap_arc] != 0:
                least = min(least, gaps.weights[gap_arc] + following[gaps.nextstates[gap_arc]])
        row[gap] = min(row[gap], weight + least)


@inlined
def _move_alone(row: Floats, behind: int, gaps: Arcs, deletion: float) -> None:
    """Moves the acceptor without a lattice arc; its states are sorted topologically."""
    for gap in range(len(gaps.finals) - 1, -1, -1):
        for gap_arc in range(gaps.offsets[gap], gaps.offsets[gap + 1]):
            weight = gaps.weights[gap_arc] + (deletion if gaps.labels[gap_arc] != 0 else 0.0)
            total = weight + row[gaps.nextstates[gap_arc] + behind]
            row[gap], row[gap + behind] = min(row[gap], total), min(row[gap + behind], total)


@jit
def gap_product(
    full: Arcs, gaps: Arcs, matcher: Matcher, completion: Floats, bound: float, most_edges: int, numbers: Ints
) -> GapProduct:
    """Builds the nodes whose cost so far plus `completion` is within the bound.

    If there are more than `most_edges` edges, it stops and returns no nodes. `numbers` is room for the number of each
    node, (states, places), all 0: zeros from the operating system take no time until they are overwritten.
    """
    num_states, num_places = completion.shape
    nodes, so_far, edges = np.empty(1024, dtype=NODE), np.empty(1024, dtype=np.float64), np.empty(4096, dtype=EDGE)
    waiting = np.zeros(num_states, dtype=np.int32)  # how many nodes of each state have not been followed yet
    count, num_followed, num_edges = 1, 0, 0
    so_far[0], numbers[0, 0], waiting[0] = 0.0, 1, 1
    # Arrays that grow are slow in inner loops (each step counts references), so they grow once for each state.
    for state in range(num_states):
        if waiting[state] == 0:
            continue
        room = _most_edges(state, full, gaps, matcher, num_places, waiting[state])
        while num_edges + room > len(edges):
            edges = grown(edges)
        while count + min(room, num_states * num_places) + 1 > len(nodes):
            nodes, so_far = grown(nodes), grown(so_far)
        pools = _Pools(numbers, waiting, nodes, so_far, edges)
        count, num_followed, num_edges = _follow(
            state, full, gaps, matcher, completion, bound, pools, (count, num_followed, num_edges)
        )
        if num_edges > most_edges:
            count, num_edges = 0, 0
            break
    states, node_gaps = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    forward, offsets = np.empty(count, dtype=np.float64), np.empty(count + 1, dtype=np.int32)
    for node in range(count):
        states[node], node_gaps[node], offsets[node] = nodes[node].state, nodes[node].gap, nodes[node].begin
        forward[nodes[node].order] = so_far[node]
    offsets[count] = num_edges
    for edge in range(num_edges):
        edges[edge].target = nodes[edges[edge].target].order
    return GapProduct(states, node_gaps, forward, offsets, edges[:num_edges])


@jit
def _most_edges(state: int, full: Arcs, gaps: Arcs, matcher: Matcher, num_places: int, nodes: int) -> int:
    """Returns an upper bound of the edges from one lattice state, `nodes` of whose nodes have been found."""
    begin, end = full.offsets[state], full.offsets[state + 1]
    if matcher.substitution < np.inf or matcher.stem < np.inf or _moves_alone(gaps, matcher):
        return (end - begin + 1) * (num_places + 2 * len(gaps.labels))
    count = nodes * (end - begin)
    for arc in range(begin, end):
        count += matcher.label_begin[full.labels[arc] + 1] - matcher.label_begin[full.labels[arc]]
    return count


@jit
def _moves_alone(gaps: Arcs, matcher: Matcher) -> bool:
    """Returns whether the acceptor may move without a lattice arc."""
    moves = matcher.deletion < np.inf
    for label in gaps.labels:
        moves = moves or label == 0
    return moves


@jit
def _follow(
    state: int,
    full: Arcs,
    gaps: Arcs,
    matcher: Matcher,
    completion: Floats,
    bound: float,
    pools: _Pools,
    counts: tuple[int, int, int],
) -> tuple[int, int, int]:
    """Follows all edges from the nodes of one lattice state; returns the counts of nodes, followed nodes, and edges.

    It is one long kernel because arrays that are handed to a helper in the innermost loop double its time.
    """
    count, num_followed, num_edges = counts
    offsets, labels, weights, nextstates, _ = full
    gap_offsets, gap_labels, gap_weights, gap_nextstates, _ = gaps
    numbers, waiting, nodes, so_far, edges = pools
    has_loop, stem_of = matcher.has_loop, matcher.stem_of
    edits = matcher.substitution < np.inf or matcher.stem < np.inf
    begin_arc, end_arc = offsets[state], offsets[state + 1]
    if _moves_alone(gaps, matcher):
        begin_arc -= 1
    num_gaps = len(gap_offsets) - 1
    behind = completion.shape[1] - num_gaps
    place = -1
    while waiting[state] > 0:
        place += 1
        node = numbers[state, place] - 1
        if node < 0:
            continue
        gap = place if place < num_gaps else place - num_gaps
        waiting[state] -= 1
        nodes[node].order = num_followed
        nodes[num_followed].state, nodes[num_followed].gap, nodes[num_followed].begin = state, gap, num_edges
        num_followed += 1
        node_cost = so_far[node]
        begin, end = gap_offsets[gap], gap_offsets[gap + 1]
        for arc in range(begin_arc, end_arc):
            standing = arc < offsets[state]  # a move without a lattice arc
            word = -1 if standing else labels[arc]
            if word == 0 and place != gap:
                continue
            goal = state if standing else nextstates[arc]
            reached = node_cost if standing else node_cost + weights[arc]
            first = begin
            loop = word == 0  # whether the acceptor may stay where it is
            if word > 0:
                first = lower_bound(gap_labels, begin, end, word)
                loop = has_loop[gap] and not (matcher.rho and first < end and gap_labels[first] == word)
                if edits:
                    first = begin
            for gap_arc in range(first - 1 if loop else first, first if word == 0 else end):
                if gap_arc < first:
                    kind, following, total = LOOP, gap, reached
                else:
                    following, total = gap_nextstates[gap_arc], reached + gap_weights[gap_arc]
                    if standing:
                        kind = ENTRY
                        following += behind
                        if gap_labels[gap_arc] != 0:
                            kind, total = DELETION, total + matcher.deletion
                    elif gap_labels[gap_arc] == word:
                        kind = MATCH
                    elif not edits:
                        break
                    elif gap_labels[gap_arc] == 0:
                        continue
                    elif matcher.stem <= matcher.substitution and stem_of[gap_labels[gap_arc]] == stem_of[word]:
                        kind, total = STEM, total + matcher.stem
                    else:
                        kind, total = SUBSTITUTION, total + matcher.substitution
                estimate = total + completion[goal, following]
                if not estimate <= bound or estimate == np.inf:
                    continue
                target = numbers[goal, following] - 1
                if target < 0:
                    target = count
                    count += 1
                    numbers[goal, following] = count
                    waiting[goal] += 1
                    so_far[target] = total
                elif total < so_far[target]:
                    so_far[target] = total
                edges[num_edges].target, edges[num_edges].kind = target, kind
                edges[num_edges].arc = -1 if standing else arc
                edges[num_edges].gap_arc = -1 if gap_arc < first else gap_arc
                num_edges += 1
    return count, num_followed, num_edges
