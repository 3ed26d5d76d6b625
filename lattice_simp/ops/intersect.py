"""Intersection: the strings that a lattice and an acceptor have in common, at the sum of both costs."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.growing import find_slot, grown, grown_table
from lattice_simp.core.kernel import Longs, Records, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.sorting import first_arc
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.errors import InvalidLatticeError


def intersect(lattice: Lattice, acceptor: Lattice) -> Lattice:
    """Returns the paths of a lattice whose words a deterministic acceptor accepts; its costs are added.

    >>> from lattice_simp import SymbolTable
    >>> even = Lattice.from_arcs([0, 1], [1, 1], [0.5, 0.5], [1, 0], [0.0, np.inf], SymbolTable(["a"]))
    >>> both = intersect(Lattice.from_strings([("a", 1.0), ("a a", 2.0), ("b b", 0.0)]), even)
    >>> from lattice_simp.ops.nbest import nbest
    >>> [(path.text, path.cost) for path in nbest(both, 3)]
    [('a a', 3.0)]

    The acceptor may have cycles, so it can be a condition on sentences of any length; `compose_gappy` allows gaps and
    edits. Words that the acceptor does not have are not accepted. A path of the lattice stays one path, with its
    features; a deterministic lattice stays deterministic.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the acceptor has epsilons, two arcs of one word from a state, or is a transducer.
    """
    lattice = lattice.connected()
    if not acceptor.is_acceptor:
        raise InvalidLatticeError("the second lattice is a transducer; take project_output() first")
    if acceptor.has_epsilons():
        raise InvalidLatticeError("the acceptor has epsilons; remove_epsilons() or determinize() it first")
    if lattice.empty or not acceptor.num_states:
        return Lattice.empty_like(lattice)
    condition = _by_word(acceptor, lattice.symbols)
    made, pairs = _product(lattice.arcs, condition)
    states, conditions = pairs["state"][:-1], pairs["condition"][:-1]
    return lattice.gather(
        made["arc"],
        pairs["begin"],
        made["nextstate"],
        states,
        weights=lattice.weights[made["arc"]] + made["cost"],
        finals=lattice.finals[states] + acceptor.finals[conditions],
    ).connected()


ARC = np.dtype([("arc", np.int32), ("nextstate", np.int32), ("cost", np.float64)])
"""An arc of the result: the lattice's arc, where it leads, and what the acceptor adds."""

PAIR = np.dtype([("state", np.int32), ("condition", np.int32), ("begin", np.int32)])
"""A state of the result: those of the lattice and of the acceptor, and where its arcs begin."""

_FOUND = np.dtype([("condition", np.int32), ("before", np.int32), ("number", np.int32)])
"""A pair in the order of finding: the acceptor's state, the pair of the same lattice state found before, its number."""


def _by_word(acceptor: Lattice, symbols: SymbolTable) -> Arcs:
    """Returns the acceptor with each state's arcs sorted by the label of their word in a table, -1 if it has none."""
    labels = acceptor.olabels
    if acceptor.symbols is not symbols:
        labels = symbols.lookup(acceptor.symbols)[labels]
    order = np.lexsort((acceptor.olabels, acceptor.sources))
    sources, words = acceptor.sources[order], acceptor.olabels[order]
    if ((sources[1:] == sources[:-1]) & (words[1:] == words[:-1])).any():
        raise InvalidLatticeError("the acceptor has two arcs of one word from a state; determinize() it first")
    order = np.lexsort((labels, acceptor.sources))
    return acceptor.arcs._replace(
        labels=labels[order], weights=acceptor.weights[order], nextstates=acceptor.nextstates[order]
    )


@jit
def _product(arcs: Arcs, acceptor: Arcs) -> tuple[Records, Records]:
    """Returns the arcs of the product that the start reaches, and its states, one more to end the last one's arcs.

    The lattice's states are sorted, so all pairs of a state are known when its turn comes.
    """
    offsets, labels, _, nextstates, _ = arcs
    begins, words, costs, goals, _ = acceptor
    conditions = len(begins) - 1
    keys, values = np.full(2048, -1, dtype=np.int64), np.empty(2048, dtype=np.int32)
    last = np.full(len(offsets) - 1, -1, dtype=np.int32)  # each state's pair that was found last
    found, known = np.empty(1024, dtype=_FOUND), 1
    found[0].condition, found[0].before, last[0] = 0, -1, 0
    pairs, count = np.empty(1024, dtype=PAIR), 0
    made, used = np.empty(1024, dtype=ARC), 0
    for state in range(len(last)):
        for own in _sorted_pairs(found, last[state]):
            condition = found[own].condition
            if count + 1 >= len(pairs):
                pairs = grown(pairs)
            pairs[count].state, pairs[count].condition, pairs[count].begin = state, condition, used
            found[own].number = count
            count += 1
            for arc in range(offsets[state], offsets[state + 1]):
                goal, cost, label = condition, 0.0, labels[arc]
                if label != 0:
                    match = first_arc(words, begins[condition], begins[condition + 1], label)
                    if match == begins[condition + 1] or words[match] != label:
                        continue
                    goal, cost = goals[match], costs[match]
                key = np.int64(nextstates[arc]) * conditions + goal
                slot = find_slot(keys, key)
                if keys[slot] < 0:
                    if known == len(found):
                        found = grown(found)
                        keys, values = grown_table(keys, values)
                        slot = find_slot(keys, key)
                    keys[slot], values[slot] = key, known
                    found[known].condition, found[known].before = goal, last[nextstates[arc]]
                    last[nextstates[arc]] = known
                    known += 1
                if used == len(made):
                    made = grown(made)
                made[used].arc, made[used].nextstate, made[used].cost = arc, values[slot], cost
                used += 1
    pairs[count].begin = used
    for arc in range(used):
        made[arc].nextstate = found[made[arc].nextstate].number
    return made[:used], pairs[: count + 1]


@jit
def _sorted_pairs(found: Records, last: int) -> Longs:
    """Returns the pairs of a lattice state by the acceptor's states; `last` is the one found last."""
    size, pair = 0, last
    while pair >= 0:
        size, pair = size + 1, found[pair].before
    keys = np.empty(size, dtype=np.int64)
    place, pair = 0, last
    while pair >= 0:
        keys[place] = (np.int64(found[pair].condition) << 32) + pair
        place, pair = place + 1, found[pair].before
    keys.sort()
    return keys & 0xFFFFFFFF
