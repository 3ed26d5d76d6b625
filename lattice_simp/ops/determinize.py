"""Determinization and minimization: at most one arc of a state for each word, and the fewest states.

A deterministic state is a set of the lattice's states, each with its residual cost: the cost of its paths beyond that
of the best state (Mohri 1997). Here costs are vectors of the cost and the scores of the features. Only the cost selects
the best path, so the best path of each string keeps its features.
"""

from __future__ import annotations

import heapq
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lattice_simp.core.arcs import offsets_of
from lattice_simp.core.arguments import real, whole
from lattice_simp.core.columns import LARGEST
from lattice_simp.core.features import Features
from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.shortest_distance import Semiring
from lattice_simp.core.symbols import EPSILON
from lattice_simp.errors import InvalidLatticeError, LatticeSimpError

MAX_STATES = 1_000_000
"""The default limit for deterministic lattices."""

NOT_SUMMED = ("posterior",)
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
    over a path). In the log semiring, the result has no features.

    Args:
        lattice: an acyclic acceptor.
        semiring: `tropical` keeps the least cost of each string, `log` sums its paths' probabilities.
        max_states: the limit for the states of the result.
        precision: states whose costs differ by less than this share of the largest cost are merged.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the lattice is a transducer.
        LatticeSimpError: the result has more states than `max_states`, or the precision is out of range.
    """
    lattice = _checked(lattice, semiring)
    return lattice if lattice.empty else _determinized(lattice, semiring, max_states, precision)


def minimize(
    lattice: Lattice, *, semiring: Semiring = "tropical", max_states: int = MAX_STATES, precision: float = SINGLE
) -> Lattice:
    """Returns the equivalent deterministic lattice with the fewest states (Mohri 2000); see `determinize`.

    >>> minimize(Lattice.from_strings([("a b c", 1.0), ("d b c", 1.0), ("d c", 1.0)])).num_states
    5

    Costs and features move towards the start. States whose best completions have different features are not merged.

    Args:
        lattice: an acyclic acceptor.
        semiring: as for `determinize`.
        max_states: as for `determinize`, before states are merged.
        precision: as for `determinize`.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the lattice is a transducer.
        LatticeSimpError: as for `determinize`.
    """
    lattice = _checked(lattice, semiring)
    if lattice.empty:
        return lattice
    graph = _Graph.of(_determinized(lattice, semiring, max_states, precision))
    # The penalty of a word stays on its arc, as the header says.
    pushed = _pushed(graph, 0.0 - lattice.header.word_score, semiring == "log")
    classes = _classes(pushed, _quanta(pushed, precision))
    states = np.unique(classes)
    sources = np.repeat(np.arange(len(classes)), np.diff(graph.offsets))
    kept = classes[sources] == sources
    merged = pushed._replace(
        offsets=offsets_of(np.searchsorted(states, sources[kept]), len(states)),
        labels=pushed.labels[kept],
        nextstates=np.searchsorted(states, classes[pushed.nextstates[kept]]).astype(np.int32),
        arcs=pushed.arcs[kept],
        ends=pushed.ends[states],
    )
    return merged.lattice(lattice)


def _checked(lattice: Lattice, semiring: Semiring) -> Lattice:
    """Returns the connected lattice with the features that the result has."""
    if not lattice.is_acceptor:
        raise InvalidLatticeError("the lattice is a transducer; take project_output() first")
    if semiring not in ("tropical", "log"):
        raise InvalidLatticeError(f"unknown semiring {semiring!r}; known are tropical and log")
    lattice = lattice.connected()
    if semiring == "tropical":
        return lattice.without_features(*NOT_SUMMED)
    features = Features.empty(lattice.num_arcs, lattice.num_states)
    return replace(lattice, features=features, header=lattice.header.without_scales())


def _determinized(lattice: Lattice, semiring: Semiring, max_states: int, precision: float) -> Lattice:
    max_states, precision = min(whole(max_states, "max_states", 1), LARGEST), real(precision, "the precision")
    if not LEAST_PRECISION <= precision <= 1.0:
        raise LatticeSimpError(f"the precision is {precision}; give a share from {LEAST_PRECISION:.2g} to 1")
    graph = _Graph.of(lattice)
    subsets = _subsets(graph, _quanta(graph, precision), semiring == "log", max_states)
    if subsets is None:
        raise LatticeSimpError(
            f"the deterministic lattice has more than {max_states:,} states; prune the lattice first, or allow more"
        )
    return subsets.lattice(lattice).connected()


class _Graph(NamedTuple):
    """A lattice whose costs are vectors: the cost, and the scores of the features.

    Attributes:
        offsets, labels, nextstates: of the arcs, as in a `Lattice`.
        arcs: (num_arcs, 1 + features).
        ends: (num_states, 1 + features); the cost of a state that is not final is infinite.
    """

    offsets: Ints
    labels: Ints
    nextstates: Ints
    arcs: Floats
    ends: Floats

    @classmethod
    def of(cls, lattice: Lattice) -> _Graph:
        """Returns the graph of a lattice."""
        arcs = np.vstack((lattice.weights, lattice.features.arcs)).T
        ends = np.vstack((lattice.finals, lattice.features.finals)).T
        return cls(
            lattice.offsets,
            lattice.olabels,
            lattice.nextstates,
            np.ascontiguousarray(arcs, dtype=np.float64),
            np.ascontiguousarray(ends, dtype=np.float64),
        )

    def lattice(self, origin: Lattice) -> Lattice:
        """Returns the graph as a lattice, with the symbols, the names of features and the header of `origin`."""
        ends = np.where(np.isfinite(self.ends[:, :1]), self.ends, 0.0)
        return replace(
            origin,
            offsets=self.offsets,
            ilabels=self.labels,
            olabels=self.labels,
            weights=self.arcs[:, 0].copy(),
            nextstates=self.nextstates,
            finals=self.ends[:, 0].copy(),
            features=Features(origin.features.names, self.arcs.T[1:].copy(), ends.T[1:].copy()),
        )


def _quanta(graph: _Graph, precision: float) -> Floats:
    """Returns the units to which costs and scores are rounded before states are compared, (1 + features,)."""
    ends = np.where(np.isfinite(graph.ends[:, :1]), graph.ends, 0.0)
    largest = np.abs(np.vstack((graph.arcs, ends))).max(axis=0, initial=0.0)
    return np.asarray(precision * np.where(largest > 0.0, largest, 1.0))


# ---------------------------------------------------------------- determinization


class _Reached(NamedTuple):
    """The states that are reached by a word, while they are collected.

    Attributes:
        costs: (num_states, width), the costs of the states.
        flags: (num_states,), whether each state is reached.
        waiting: a heap of the states whose epsilons are still to be followed.
    """

    costs: Floats
    flags: Bools
    waiting: list[int]


class _Sets(NamedTuple):
    """Sets of states, in arrays with spare capacity.

    Attributes:
        begins: where the members of each set begin.
        members: states.
        rests: for each member, its residual costs (`width` numbers): its best path beyond that of the set.
        hashes: of each set.
        table: the numbers of the sets by their hashes; -1 for a free slot.
    """

    begins: Longs
    members: Ints
    rests: Floats
    hashes: Longs
    table: Ints


@jit
def _subsets(graph: _Graph, quanta: Floats, log: bool, most: int) -> _Graph | None:
    """Returns the deterministic graph; None if it has more than `most` states."""
    num_states, width = graph.ends.shape
    reached = _Reached(np.empty((num_states, width)), np.zeros(num_states, dtype=np.bool_), [0])
    reached.costs[0] = 0.0
    reached.flags[0] = True
    sets = _Sets(
        np.zeros(1024, dtype=np.int64),
        np.empty(1024, dtype=np.int32),
        np.empty(1024 * width),
        np.empty(1024, dtype=np.int64),
        np.full(4096, -1, dtype=np.int32),
    )
    sets, _ = _with_set(sets, 0, _closed(graph, reached, log), reached.costs, quanta)
    count = 1
    offsets = np.zeros(1024, dtype=np.int32)
    labels, nextstates, vectors, size = (
        np.empty(1024, dtype=np.int32),
        np.empty(1024, dtype=np.int32),
        np.empty(1024 * width),
        0,
    )
    state = 0
    while state < count:
        if count > most:
            return None
        origins, arcs = _word_arcs(graph, sets, state)
        place = 0
        while place < len(arcs):
            label = graph.labels[arcs[place]]
            while place < len(arcs) and graph.labels[arcs[place]] == label:
                arc = arcs[place]
                _reach(reached, graph.nextstates[arc], sets.rests[origins[place] * width :], graph.arcs[arc], log)
                place += 1
            members = _closed(graph, reached, log)
            vector = _taken_out(reached.costs, members, log)
            sets, target = _with_set(sets, count, members, reached.costs, quanta)
            if target == count:
                count += 1
            if size == len(labels):
                labels, nextstates, vectors = grown(labels), grown(nextstates), grown(vectors)
            labels[size], nextstates[size] = label, target
            _copy(vectors[size * width :], vector)
            size += 1
        state += 1
        if state == len(offsets):
            offsets = grown(offsets)
        offsets[state] = size
    ends = np.empty((count, width))
    for subset in range(count):
        _set_end(ends[subset], graph, sets, subset, log)
    return _Graph(
        offsets[: count + 1].copy(),
        labels[:size].copy(),
        nextstates[:size].copy(),
        vectors[: size * width].copy().reshape((size, width)),
        ends,
    )


@jit
def _word_arcs(graph: _Graph, sets: _Sets, state: int) -> tuple[Longs, Longs]:
    """Returns the arcs of a set with words, sorted by words: the places of their source members, and their numbers."""
    count = 0
    for place in range(sets.begins[state], sets.begins[state + 1]):
        member = sets.members[place]
        count += graph.offsets[member + 1] - graph.offsets[member]
    origins, arcs = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    count = 0
    for place in range(sets.begins[state], sets.begins[state + 1]):
        member = sets.members[place]
        for arc in range(graph.offsets[member], graph.offsets[member + 1]):
            if graph.labels[arc] != EPSILON:
                origins[count], arcs[count] = place, arc
                count += 1
    keys = np.empty(count, dtype=np.int64)
    for place in range(count):
        keys[place] = graph.labels[arcs[place]] * count + place
    keys.sort()
    by_word, words_arcs = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    for place in range(count):
        by_word[place], words_arcs[place] = origins[keys[place] % count], arcs[keys[place] % count]
    return by_word, words_arcs


@jit
def _reach(reached: _Reached, state: int, before: Floats, arc: Floats, log: bool) -> None:
    """Records a path to a state: keeps the cheaper one, or sums both."""
    costs, cost = reached.costs[state], before[0] + arc[0]
    if reached.flags[state] and log:
        costs[0] = _log_sum(costs[0], cost)
        return
    if not reached.flags[state]:
        reached.flags[state] = True
        heapq.heappush(reached.waiting, state)
    elif costs[0] <= cost:
        return
    for column in range(len(costs)):
        costs[column] = before[column] + arc[column]


@jit
def _closed(graph: _Graph, reached: _Reached, log: bool) -> Ints:
    """Follows epsilons; returns the reached states that are final or have an arc with a word, in order."""
    states = np.empty(16, dtype=np.int32)
    count = 0
    while len(reached.waiting) > 0:
        state = heapq.heappop(reached.waiting)
        reached.flags[state] = False
        is_kept = graph.ends[state, 0] < np.inf
        for arc in range(graph.offsets[state], graph.offsets[state + 1]):
            if graph.labels[arc] == EPSILON:
                _reach(reached, graph.nextstates[arc], reached.costs[state], graph.arcs[arc], log)
            else:
                is_kept = True
        if is_kept:
            if count == len(states):
                states = grown(states)
            states[count] = state
            count += 1
    return states[:count]


@jit
def _taken_out(costs: Floats, members: Ints, log: bool) -> Floats:
    """Returns the common costs of all members, those of the best member, and subtracts them from each member."""
    best = members[0]
    for member in members:
        if costs[member, 0] < costs[best, 0]:
            best = member
    vector = np.empty(costs.shape[1])
    _copy(vector, costs[best])
    if log:
        for member in members:
            if member != best:
                vector[0] = _log_sum(vector[0], costs[member, 0])
    for member in members:
        for column in range(len(vector)):
            costs[member, column] -= vector[column]
    return vector


@jit
def _with_set(sets: _Sets, count: int, members: Ints, costs: Floats, quanta: Floats) -> tuple[_Sets, int]:
    """Returns the sets and the number of the set with these members and costs; a new set gets the number `count`."""
    begins, pool, rests, hashes, table = sets
    width = len(quanta)
    key = np.uint64(len(members))
    for member in members:
        key = (key ^ np.uint64(member)) * np.uint64(0x9E3779B97F4A7C15)
        for column in range(width):
            part = np.int64(np.rint(costs[member, column] / quanta[column]))
            key = ((key ^ np.uint64(part)) * np.uint64(0x9E3779B97F4A7C15)) ^ (key >> np.uint64(29))
    hashed = np.int64(key >> np.uint64(2))
    slot = hashed & (len(table) - 1)
    while table[slot] >= 0:
        if hashes[table[slot]] == hashed and _is_same(sets, table[slot], members, costs, quanta):
            return sets, int(table[slot])
        slot = (slot + 1) & (len(table) - 1)
    begin = begins[count]
    if count + 2 > len(begins):
        begins, hashes = grown(begins), grown(hashes)
    while begin + len(members) > len(pool):
        pool, rests = grown(pool), grown(rests)
    for place, member in enumerate(members):
        pool[begin + place] = member
        _copy(rests[(begin + place) * width :], costs[member])
    begins[count + 1], hashes[count] = begin + len(members), hashed
    table[slot] = count
    if 2 * count > len(table):
        table = np.full(2 * len(table), -1, dtype=np.int32)
        for number in range(count + 1):
            slot = hashes[number] & (len(table) - 1)
            while table[slot] >= 0:
                slot = (slot + 1) & (len(table) - 1)
            table[slot] = number
    return _Sets(begins, pool, rests, hashes, table), count


@jit
def _is_same(sets: _Sets, number: int, members: Ints, costs: Floats, quanta: Floats) -> bool:
    begin, width = sets.begins[number], len(quanta)
    if sets.begins[number + 1] - begin != len(members):
        return False
    for place, member in enumerate(members):
        if sets.members[begin + place] != member:
            return False
        for column in range(width):
            rest = sets.rests[(begin + place) * width + column]
            if np.rint(rest / quanta[column]) != np.rint(costs[member, column] / quanta[column]):
                return False
    return True


@jit
def _set_end(vector: Floats, graph: _Graph, sets: _Sets, state: int, log: bool) -> None:
    """Computes the final costs of a set."""
    for column in range(len(vector)):
        vector[column] = 0.0
    vector[0] = np.inf
    for place in range(sets.begins[state], sets.begins[state + 1]):
        member, rest = sets.members[place], place * len(vector)
        cost = sets.rests[rest] + graph.ends[member, 0]
        if log and cost < np.inf:
            vector[0] = _log_sum(vector[0], cost)
        elif cost < vector[0]:
            for column in range(len(vector)):
                vector[column] = sets.rests[rest + column] + graph.ends[member, column]


@jit
def _copy(target: Floats, source: Floats) -> None:
    """Copies numbers to the beginning of an array; slices would take much longer to compile."""
    for column in range(len(source)):
        target[column] = source[column]


@jit
def _log_sum(first: float, second: float) -> float:
    """Returns the cost of the sum of two probabilities."""
    low, high = min(first, second), max(first, second)
    return low if high == np.inf else low - np.log1p(np.exp(low - high))


# ---------------------------------------------------------------- minimization


@jit
def _pushed(graph: _Graph, penalty: float, log: bool) -> _Graph:
    """Moves the costs of the best completions towards the start, except for a penalty of each word, which stays."""
    num_states, width = graph.ends.shape
    arcs, ends, potentials = graph.arcs.copy(), graph.ends.copy(), graph.ends.copy()
    best = graph.ends[:, 0].copy()  # with the penalties
    for state in range(num_states - 1, -1, -1):
        potential = potentials[state]
        for arc in range(graph.offsets[state], graph.offsets[state + 1]):
            following = graph.nextstates[arc]
            cost = graph.arcs[arc, 0] + best[following]
            if log:
                best[state] = _log_sum(best[state], cost)
                potential[0] = best[state]
            elif cost < best[state]:
                best[state] = cost
                for column in range(width):
                    potential[column] = graph.arcs[arc, column] + potentials[following, column]
                potential[0] -= penalty
        for arc in range(graph.offsets[state], graph.offsets[state + 1]):
            for column in range(width):
                rest = potentials[graph.nextstates[arc], column] - (potential[column] if state > 0 else 0.0)
                arcs[arc, column] += rest
        for column in range(width if state > 0 else 0):
            ends[state, column] -= potential[column]
    return _Graph(graph.offsets, graph.labels, graph.nextstates, arcs, ends)


@jit
def _classes(graph: _Graph, quanta: Floats) -> Ints:
    """Returns, for each state, the last state with the same completions at the same costs."""
    num_states, width = graph.ends.shape
    size = 16
    while size < 2 * num_states:
        size *= 2
    classes = np.empty(num_states, dtype=np.int32)
    table = np.full(size, -1, dtype=np.int32)
    for state in range(num_states - 1, -1, -1):
        key = np.uint64(graph.ends[state, 0] < np.inf)
        for arc in range(graph.offsets[state], graph.offsets[state + 1]):
            key = (key ^ np.uint64(graph.labels[arc])) * np.uint64(0x9E3779B97F4A7C15)
            key = (key ^ np.uint64(classes[graph.nextstates[arc]])) * np.uint64(0x9E3779B97F4A7C15)
            for column in range(width):
                part = np.int64(np.rint(graph.arcs[arc, column] / quanta[column]))
                key = ((key ^ np.uint64(part)) * np.uint64(0x9E3779B97F4A7C15)) ^ (key >> np.uint64(29))
        slot = np.int64((key >> np.uint64(20)) & np.uint64(size - 1))
        while table[slot] >= 0 and not _have_same_rests(graph, classes, quanta, table[slot], state):
            slot = (slot + 1) & (size - 1)
        if table[slot] < 0:
            table[slot] = state
        classes[state] = table[slot]
    return classes


@jit
def _have_same_rests(graph: _Graph, classes: Ints, quanta: Floats, state: int, other: int) -> bool:
    first, second = graph.offsets[state], graph.offsets[other]
    if graph.offsets[state + 1] - first != graph.offsets[other + 1] - second:
        return False
    if (graph.ends[state, 0] < np.inf) != (graph.ends[other, 0] < np.inf):
        return False
    for column in range(len(quanta)):
        if graph.ends[state, 0] < np.inf and not _rounds_same(graph.ends[state], graph.ends[other], quanta, column):
            return False
        for place in range(graph.offsets[state + 1] - first):
            if not _rounds_same(graph.arcs[first + place], graph.arcs[second + place], quanta, column):
                return False
    for place in range(graph.offsets[state + 1] - first):
        if graph.labels[first + place] != graph.labels[second + place]:
            return False
        if classes[graph.nextstates[first + place]] != classes[graph.nextstates[second + place]]:
            return False
    return True


@jit
def _rounds_same(cost: Floats, other: Floats, quanta: Floats, column: int) -> bool:
    return bool(np.rint(cost[column] / quanta[column]) == np.rint(other[column] / quanta[column]))
