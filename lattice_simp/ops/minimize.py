"""Minimization: the deterministic lattice with the fewest states."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.arcs import offsets_of
from lattice_simp.core.blocks import block_numbers
from lattice_simp.core.feature_names import TIME
from lattice_simp.core.kernel import Floats, Ints, jit
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.shortest_distance import Semiring, log_add
from lattice_simp.ops.determinize import MAX_STATES, SINGLE, determinize
from lattice_simp.ops.vector_graph import VectorGraph, quanta_of, rounds_same


def minimize(
    lattice: Lattice, *, semiring: Semiring = "tropical", max_states: int = MAX_STATES, precision: float = SINGLE
) -> Lattice:
    """Returns the equivalent deterministic lattice with the fewest states (Mohri 2000); see `determinize`.

    >>> minimize(Lattice.from_strings([("a b c", 1.0), ("d b c", 1.0), ("d c", 1.0)])).num_states
    5

    Costs and features move towards the start, except for the feature "time", which stays with its words. States whose
    best completions have different features are not merged.

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
    require_lattice("minimize", lattice)
    lattice = determinize(lattice, semiring=semiring, max_states=max_states, precision=precision)
    if lattice.empty:
        return lattice
    graph = VectorGraph.of(lattice)
    # The penalty of a word stays on its arc, as the header says.
    pushed = _pushed(graph, 0.0 - lattice.header.word_score, semiring == "log")
    columns = [column for column, name in enumerate(lattice.features, start=1) if name == TIME]
    pushed.arcs[:, columns], pushed.ends[:, columns] = graph.arcs[:, columns], graph.ends[:, columns]
    classes = _classes(pushed, quanta_of(pushed, precision))
    states = np.unique(classes)
    sources = block_numbers(graph.offsets)
    kept = classes[sources] == sources
    merged = pushed._replace(
        offsets=offsets_of(np.searchsorted(states, sources[kept]), len(states)),
        labels=pushed.labels[kept],
        nextstates=np.searchsorted(states, classes[pushed.nextstates[kept]]).astype(np.int32),
        arcs=pushed.arcs[kept],
        ends=pushed.ends[states],
    )
    return merged.lattice(lattice)


# ---------------------------------------------------------------- kernels


@jit
def _pushed(graph: VectorGraph, penalty: float, log: bool) -> VectorGraph:
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
                best[state] = log_add(best[state], cost)
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
    return VectorGraph(graph.offsets, graph.labels, graph.nextstates, arcs, ends)


@jit
def _classes(graph: VectorGraph, quanta: Floats) -> Ints:
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
def _have_same_rests(graph: VectorGraph, classes: Ints, quanta: Floats, first_state: int, second_state: int) -> bool:
    first, second = graph.offsets[first_state], graph.offsets[second_state]
    if graph.offsets[first_state + 1] - first != graph.offsets[second_state + 1] - second:
        return False
    if (graph.ends[first_state, 0] < np.inf) != (graph.ends[second_state, 0] < np.inf):
        return False
    for column in range(len(quanta)):
        if graph.ends[first_state, 0] < np.inf and not rounds_same(
            graph.ends[first_state, column], graph.ends[second_state, column], quanta[column]
        ):
            return False
        for place in range(graph.offsets[first_state + 1] - first):
            if not rounds_same(graph.arcs[first + place, column], graph.arcs[second + place, column], quanta[column]):
                return False
    for place in range(graph.offsets[first_state + 1] - first):
        if graph.labels[first + place] != graph.labels[second + place]:
            return False
        if classes[graph.nextstates[first + place]] != classes[graph.nextstates[second + place]]:
            return False
    return True
