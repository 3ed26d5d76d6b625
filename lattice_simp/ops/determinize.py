"""Determinization: at most one arc of a state for each word.

A deterministic state is a set of the lattice's states, each with its residual cost: the cost of its paths beyond that
of the best state (Mohri 1997). Here costs are vectors of the cost and the scores of the features. Only the cost selects
the best path, so the best path of each string keeps its features.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lattice_simp.core.arguments import real, whole
from lattice_simp.core.columns import LARGEST
from lattice_simp.core.feature_names import POSTERIOR
from lattice_simp.core.features import Features
from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, inlined, jit
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.shortest_distance import Semiring, adds_probabilities, log_add
from lattice_simp.core.sorting import sort_first
from lattice_simp.core.symbols import EPSILON
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.vector_graph import VectorGraph, quanta_of, rounds_same

MAX_STATES = 1_000_000
"""The default limit for deterministic lattices."""

NOT_SUMMED = (POSTERIOR,)
"""Features that are not sums over a path, so arcs that several paths share cannot have them."""

SINGLE = 2.0**-22
"""The default precision, that of single-precision numbers: costs that differ by less than this share of the largest
cost are equal."""

LEAST_PRECISION = 2.0**-52
"""The smallest precision that double-precision numbers allow."""


def determinize(
    lattice: Lattice, *, semiring: Semiring = "tropical", max_states: int = MAX_STATES, precision: float = SINGLE
) -> Lattice:
    """Returns an equivalent lattice without epsilons whose states have at most one arc for each word (Mohri 1997).

    >>> from lattice_simp import SymbolTable
    >>> lattice = determinize(Lattice.from_arcs(
    ...     [0, 0], [1, 1], [1.0, 2.0], [1, 2], [float("inf"), 0.0, 0.0], SymbolTable(["a"]), features={"x": [3, 4]}))
    >>> lattice.num_arcs, lattice.weights.tolist(), lattice.features["x"].tolist()
    (1, [1.0], [3.0])

    Each string has one path. The result may need exponentially many states, so prune large lattices first. In the
    tropical semiring, the path of each string has the features of its best path (except "posterior", which is not a sum
    over a path). Words take the time of pauses next to them, and where paths merge, only the sum of their times is
    exact. In the log semiring, the result has no features.

    Args:
        lattice: an acyclic acceptor.
        semiring: `tropical` keeps the least cost of each string, `log` sums its paths' probabilities.
        max_states: the limit for the states of the result.
        precision: states whose costs differ by less than this share of the largest cost are merged.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the lattice is a transducer.
        LatticeSimpError: the result has more states than `max_states`, the precision is out of range, or the semiring
            is unknown.
    """
    require_lattice("determinize", lattice)
    adds = adds_probabilities(semiring)
    lattice = _checked(lattice, adds=adds)
    max_states, precision = min(whole(max_states, "max_states", 1), LARGEST), real(precision, "the precision")
    if not LEAST_PRECISION <= precision <= 1.0:
        raise LatticeSimpError(f"the precision is {precision}; give a share from {LEAST_PRECISION:.2g} to 1")
    if lattice.empty:
        return lattice
    graph = VectorGraph.of(lattice)
    subsets = _subsets(graph, quanta_of(graph, precision), adds, max_states)
    if subsets is None:
        raise LatticeSimpError(
            f"the deterministic lattice has more than {max_states:,} states; prune the lattice first, or allow more"
        )
    return subsets.lattice(lattice).connected()


def _checked(lattice: Lattice, *, adds: bool) -> Lattice:
    """Returns the connected lattice with the features that the result has."""
    lattice.require_acceptor()
    lattice = lattice.connected()
    if not adds:
        return lattice.without_features(*NOT_SUMMED)
    features = Features.empty(lattice.num_arcs, lattice.num_states)
    return replace(lattice, features=features, header=lattice.header.without_scales())


# ---------------------------------------------------------------- kernels


class _Reached(NamedTuple):
    """The states that are reached by a word, while they are collected.

    The helpers of `_expand` are inlined and take numbers of rows instead of slices: otherwise most of the time would go
    into counting references to arrays.

    Attributes:
        costs: (num_states * width,), the costs of the states.
        flags: (num_states,), whether each state is reached.
        waiting: (num_states,), a heap of the states whose epsilons are still to be followed.
        members: (num_states,), the reached states that are final or have an arc with a word, in order.
    """

    costs: Floats
    flags: Bools
    waiting: Ints
    members: Ints


class _Sets(NamedTuple):
    """Sets of states, which are the states of the deterministic graph, in arrays with spare capacity.

    Attributes:
        begins: where the members of each set begin.
        members: states.
        rests: for each member, its residual costs (`width` numbers): its best path beyond that of the set.
        hashes: of each set.
        table: the numbers of the sets by their hashes; -1 for a free slot.
        offsets: where the arcs of each set begin.
    """

    begins: Longs
    members: Ints
    rests: Floats
    hashes: Longs
    table: Ints
    offsets: Ints


class _NewArcs(NamedTuple):
    """The arcs of the deterministic graph, in arrays with spare capacity.

    Attributes:
        labels, nextstates: the word of each arc, and the set that it leads to.
        vectors: for each arc, its cost and its scores (`width` numbers).
    """

    labels: Ints
    nextstates: Ints
    vectors: Floats


class _Leaving(NamedTuple):
    """The arcs with words of a set, in arrays with room for all arcs of the lattice.

    Attributes:
        keys: the word of each arc and its index in the other arrays, sorted.
        arcs: the numbers of the arcs.
        places: the places of their source members.
    """

    keys: Longs
    arcs: Ints
    places: Longs


class _Progress(NamedTuple):
    """The next set, the next of its keys, the number of its keys, and the numbers of sets and arcs so far."""

    state: int
    key: int
    num_keys: int
    num_sets: int
    size: int


@jit
def _subsets(graph: VectorGraph, quanta: Floats, log: bool, most: int) -> VectorGraph | None:
    """Returns the deterministic graph; None if it has more than `most` states."""
    num_states, width = graph.ends.shape
    reached = _Reached(
        np.zeros(num_states * width),
        np.zeros(num_states, dtype=np.bool_),
        np.zeros(num_states, dtype=np.int32),
        np.empty(num_states, dtype=np.int32),
    )
    reached.flags[0] = True
    sets = _Sets(
        np.zeros(1024, dtype=np.int64),
        np.empty(1024 + num_states, dtype=np.int32),
        np.empty((1024 + num_states) * width),
        np.empty(1024, dtype=np.int64),
        np.full(4096, -1, dtype=np.int32),
        np.zeros(1024, dtype=np.int32),
    )
    new_arcs = _NewArcs(np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32), np.empty(1024 * width))
    num_arcs = len(graph.labels)
    leaving = _Leaving(
        np.empty(num_arcs, dtype=np.int64), np.empty(num_arcs, dtype=np.int32), np.empty(num_arcs, dtype=np.int64)
    )
    members = _closed(graph, reached, 1, log)
    _add(sets, 0, _hash(reached, members, quanta), members, reached)
    progress = _Progress(0, 0, _word_arcs(graph, sets, 0, leaving), 1, 0)
    while progress.state < progress.num_sets:
        sets, new_arcs = _with_room(sets, new_arcs, progress, num_states)
        progress = _expand(graph, reached, sets, new_arcs, leaving, progress, quanta, log)
        if progress.num_sets > most:
            return None
    count, size = progress.num_sets, progress.size
    ends = np.empty((count, width))
    for subset in range(count):
        _set_end(ends[subset], graph, sets, subset, log)
    return VectorGraph(
        sets.offsets[: count + 1].copy(),
        new_arcs.labels[:size].copy(),
        new_arcs.nextstates[:size].copy(),
        new_arcs.vectors[: size * width].copy().reshape((size, width)),
        ends,
    )


@jit
def _with_room(sets: _Sets, new_arcs: _NewArcs, progress: _Progress, num_states: int) -> tuple[_Sets, _NewArcs]:
    """Returns the arrays with room for another set and another arc."""
    begins, pool, rests, hashes, table, offsets = sets
    count = progress.num_sets
    if count + 2 > len(begins):
        begins, hashes, offsets = grown(begins), grown(hashes), grown(offsets)
    while begins[count] + num_states > len(pool):
        pool, rests = grown(pool), grown(rests)
    if 2 * count > len(table):
        table = np.full(2 * len(table), -1, dtype=np.int32)
        for number in range(count):
            _note(table, hashes[number], number)
    labels, nextstates, vectors = new_arcs
    if progress.size == len(labels):
        labels, nextstates, vectors = grown(labels), grown(nextstates), grown(vectors)
    return _Sets(begins, pool, rests, hashes, table, offsets), _NewArcs(labels, nextstates, vectors)


@jit
def _expand(
    graph: VectorGraph,
    reached: _Reached,
    sets: _Sets,
    new_arcs: _NewArcs,
    leaving: _Leaving,
    progress: _Progress,
    quanta: Floats,
    log: bool,
) -> _Progress:
    """Adds arcs and the sets that they lead to, until all sets are done or an array is full."""
    num_states, width = graph.ends.shape
    state, key, num_keys, count, size = progress
    is_full = False
    while state < count and not is_full:
        while key < num_keys and not is_full:
            label, waiting = leaving.keys[key] >> 32, 0
            while key < num_keys and leaving.keys[key] >> 32 == label:
                place = leaving.keys[key] & LARGEST
                waiting = _reach(graph, reached, waiting, sets.rests, leaving.places[place], leaving.arcs[place], log)
                key += 1
            members = _closed(graph, reached, waiting, log)
            _take_out(reached, members, new_arcs.vectors, size, width, log)
            hashed = _hash(reached, members, quanta)
            target = _find(sets, hashed, members, reached, quanta)
            if target < 0:
                target = count
                _add(sets, count, hashed, members, reached)
                count += 1
            new_arcs.labels[size], new_arcs.nextstates[size] = label, target
            size += 1
            is_full = (
                size == len(new_arcs.labels)
                or count + 2 > len(sets.begins)
                or 2 * count > len(sets.table)
                or sets.begins[count] + num_states > len(sets.members)
            )
        if key == num_keys:
            state += 1
            sets.offsets[state] = size
            key, num_keys = 0, _word_arcs(graph, sets, state, leaving) if state < count else 0
    return _Progress(state, key, num_keys, count, size)


@inlined
def _word_arcs(graph: VectorGraph, sets: _Sets, state: int, leaving: _Leaving) -> int:
    """Fills in the arcs of a set, sorted by their words; returns their number."""
    count = 0
    for place in range(sets.begins[state], sets.begins[state + 1]):
        member = sets.members[place]
        for arc in range(graph.offsets[member], graph.offsets[member + 1]):
            if graph.labels[arc] != EPSILON:
                leaving.keys[count] = (np.int64(graph.labels[arc]) << 32) | count
                leaving.places[count], leaving.arcs[count] = place, arc
                count += 1
    sort_first(leaving.keys, count)
    return count


@inlined
def _reach(graph: VectorGraph, reached: _Reached, waiting: int, before: Floats, row: int, arc: int, log: bool) -> int:
    """Records a path to a state: keeps the cheaper one, or sums both. Returns the number of waiting states."""
    width, state = graph.arcs.shape[1], graph.nextstates[arc]
    begin, cost = state * width, before[row * width] + graph.arcs[arc, 0]
    is_better = True
    if not reached.flags[state]:
        reached.flags[state] = True
        _push(reached.waiting, waiting, state)
        waiting += 1
    elif log:
        reached.costs[begin] = log_add(reached.costs[begin], cost)
        is_better = False
    else:
        is_better = cost < reached.costs[begin]
    if is_better:
        for column in range(width):
            reached.costs[begin + column] = before[row * width + column] + graph.arcs[arc, column]
    return waiting


@inlined
def _closed(graph: VectorGraph, reached: _Reached, waiting: int, log: bool) -> int:
    """Follows epsilons; returns the number of members."""
    count = 0
    while waiting > 0:
        waiting -= 1
        state = _pop(reached.waiting, waiting)
        reached.flags[state] = False
        is_kept = graph.ends[state, 0] < np.inf
        for arc in range(graph.offsets[state], graph.offsets[state + 1]):
            if graph.labels[arc] == EPSILON:
                waiting = _reach(graph, reached, waiting, reached.costs, state, arc, log)
            else:
                is_kept = True
        if is_kept:
            reached.members[count] = state
            count += 1
    return count


@inlined
def _push(heap: Ints, size: int, state: int) -> None:
    """Adds a state to a heap of `size` states."""
    place = size
    while place > 0 and heap[(place - 1) >> 1] > state:
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = state


@inlined
def _pop(heap: Ints, size: int) -> int:
    """Removes the lowest state from a heap and returns it; `size` states remain."""
    lowest, last, place = heap[0], heap[size], 0
    child = 1
    while child < size:
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = last
    return lowest


@inlined
def _take_out(reached: _Reached, count: int, vectors: Floats, row: int, width: int, log: bool) -> None:
    """Moves the common costs of all members, those of the best member, to a row of `vectors`."""
    costs, members = reached.costs, reached.members
    best = members[0]
    for place in range(count):
        if costs[members[place] * width] < costs[best * width]:
            best = members[place]
    for column in range(width):
        vectors[row * width + column] = costs[best * width + column]
    if log:
        for place in range(count):
            if members[place] != best:
                vectors[row * width] = log_add(vectors[row * width], costs[members[place] * width])
    for place in range(count):
        for column in range(width):
            costs[members[place] * width + column] -= vectors[row * width + column]


@inlined
def _hash(reached: _Reached, count: int, quanta: Floats) -> np.int64:
    """Returns a hash of the members and their costs."""
    width = len(quanta)
    key = np.uint64(count)
    for place in range(count):
        member = reached.members[place]
        key = (key ^ np.uint64(member)) * np.uint64(0x9E3779B97F4A7C15)
        for column in range(width):
            part = np.int64(np.rint(reached.costs[member * width + column] / quanta[column]))
            key = ((key ^ np.uint64(part)) * np.uint64(0x9E3779B97F4A7C15)) ^ (key >> np.uint64(29))
    return np.int64(key >> np.uint64(2))


@inlined
def _find(sets: _Sets, hashed: np.int64, count: int, reached: _Reached, quanta: Floats) -> int:
    """Returns the number of the set with these members and costs, or -1."""
    slot, number, same = hashed, 0, False
    while number >= 0 and not same:
        slot &= len(sets.table) - 1
        number = sets.table[slot]
        same = number >= 0 and sets.hashes[number] == hashed and _is_same(sets, number, count, reached, quanta)
        slot += 1
    return number


@inlined
def _add(sets: _Sets, number: int, hashed: np.int64, count: int, reached: _Reached) -> None:
    """Adds a set of these members and costs to arrays with room for it."""
    width, begin = len(reached.costs) // len(reached.flags), sets.begins[number]
    for place in range(count):
        member = reached.members[place]
        sets.members[begin + place] = member
        for column in range(width):
            sets.rests[(begin + place) * width + column] = reached.costs[member * width + column]
    sets.begins[number + 1], sets.hashes[number] = begin + count, hashed
    _note(sets.table, hashed, number)


@inlined
def _note(table: Ints, hashed: np.int64, number: int) -> None:
    """Puts the number of a set into a free slot."""
    slot = hashed & (len(table) - 1)
    while table[slot] >= 0:
        slot = (slot + 1) & (len(table) - 1)
    table[slot] = number


@inlined
def _is_same(sets: _Sets, number: int, count: int, reached: _Reached, quanta: Floats) -> bool:
    begin, width, place = sets.begins[number], len(quanta), 0
    same = sets.begins[number + 1] - begin == count
    while same and place < count:
        member, column = reached.members[place], 0
        same = sets.members[begin + place] == member
        while same and column < width:
            same = rounds_same(
                sets.rests[(begin + place) * width + column], reached.costs[member * width + column], quanta[column]
            )
            column += 1
        place += 1
    return same


@jit
def _set_end(vector: Floats, graph: VectorGraph, sets: _Sets, state: int, log: bool) -> None:
    """Computes the final costs of a set."""
    for column in range(len(vector)):
        vector[column] = 0.0
    vector[0] = np.inf
    for place in range(sets.begins[state], sets.begins[state + 1]):
        member, rest = sets.members[place], place * len(vector)
        cost = sets.rests[rest] + graph.ends[member, 0]
        if log and cost < np.inf:
            vector[0] = log_add(vector[0], cost)
        elif cost < vector[0]:
            for column in range(len(vector)):
                vector[column] = sets.rests[rest + column] + graph.ends[member, column]
