"""Epsilon removal with costs in double precision and features kept (Mohri 2002)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lattice_simp.core.arcs import Arcs, offsets_of
from lattice_simp.core.features import Features
from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Floats, Ints, Longs, Records, jit
from lattice_simp.core.lattice import Lattice, require_lattice

_ARC = np.dtype(
    [("source", np.int32), ("arc", np.int32), ("epsilon", np.int32), ("rest", np.int64), ("cost", np.float64)]
)
"""A word arc that `source` reaches by epsilons, and its cost with them: the first epsilon, and the record of the state
after it that holds the rest (-1 for none)."""


def remove_epsilons(lattice: Lattice) -> Lattice:
    """Returns an equivalent lattice without epsilon arcs.

    >>> from lattice_simp.ops.nbest import nbest
    >>> from lattice_simp.formats.moses.plf import parse_plf
    >>> network = parse_plf("((('a',0.5,1),('*EPS*',0.5,1),),(('b',1.0,1),),)")
    >>> lattice = remove_epsilons(network)
    >>> lattice.has_epsilons(), [path.text for path in nbest(lattice, 5)]
    (False, ['a b', 'b'])

    Each arc takes over the cost and the features of the cheapest epsilons before it, each final state those of the
    cheapest epsilons to the end.

    Args:
        lattice: an acyclic acceptor.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the lattice is a transducer.
    """
    require_lattice("remove_epsilons", lattice)
    lattice.require_acceptor()
    lattice = lattice.connected()
    if not lattice.has_epsilons():
        return lattice
    records, finals, final_epsilon = _without_epsilons(lattice.arcs)
    order = np.argsort(records["source"], kind="stable")
    arcs, epsilon = records["arc"][order], records["epsilon"][order]
    words_only = lattice.project_output().gather(
        arcs,
        offsets_of(records["source"][order], lattice.num_states),
        lattice.nextstates[arcs],
        np.arange(lattice.num_states, dtype=np.int32),
        weights=records["cost"][order],
        finals=finals,
    )
    if not lattice.features:
        return words_only.connected()
    scores = lattice.features.arcs
    before = _chain_sums(scores, epsilon, records["rest"][order], records)
    ends = _final_scores(lattice, final_epsilon)
    return replace(words_only, features=Features(lattice.features.names, scores[:, arcs] + before, ends)).connected()


def _chain_sums(scores: Floats, epsilon: Ints, rest: Longs, records: Records) -> Floats:
    """Returns (features, records) sums over the epsilons of each record."""
    total = np.zeros((len(scores), len(epsilon)))
    while (epsilon >= 0).any():
        total += np.where(epsilon >= 0, scores[:, epsilon], 0.0)
        epsilon, rest = (
            np.where(rest >= 0, records["epsilon"][rest], -1),
            np.where(rest >= 0, records["rest"][rest], -1),
        )
    return total


def _final_scores(lattice: Lattice, final_epsilon: Ints) -> Floats:
    """Returns (features, states) final scores; `final_epsilon` is the arc by which a state ends, -1 if in itself."""
    scores, ends = lattice.features.arcs, lattice.features.finals.copy()
    for state in range(lattice.num_states - 1, -1, -1):
        arc = final_epsilon[state]
        if arc >= 0:
            ends[:, state] = scores[:, arc] + ends[:, lattice.nextstates[arc]]
    return ends


@jit
def _without_epsilons(arcs: Arcs) -> tuple[Records, Floats, Ints]:
    """Returns the new arcs, the final costs, and the epsilon by which each state ends most cheaply (-1 for none)."""
    num_states = len(arcs.finals)
    records, count = np.empty(len(arcs.labels) + 16, dtype=_ARC), 0
    begin = np.zeros(num_states + 1, dtype=np.int64)  # the records of state s are begin[s] to end[s]
    end = np.zeros(num_states + 1, dtype=np.int64)
    finals, final_epsilon = arcs.finals.copy(), np.full(num_states, -1, dtype=np.int32)
    record_of = np.full(len(arcs.labels), -1, dtype=np.int64)
    for state in range(num_states - 1, -1, -1):
        begin[state] = count
        for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
            following = arcs.nextstates[arc]
            is_epsilon = arcs.labels[arc] == 0
            if is_epsilon and arcs.weights[arc] + finals[following] < finals[state]:
                finals[state], final_epsilon[state] = arcs.weights[arc] + finals[following], arc
            first, last = (begin[following], end[following]) if is_epsilon else (0, 1)
            for position in range(first, last):
                word = records[position].arc if is_epsilon else arc
                cost = arcs.weights[arc] + records[position].cost if is_epsilon else arcs.weights[arc]
                index = record_of[word]
                if index < begin[state]:  # a record of a later state: this state has none of the word arc yet
                    if count == len(records):
                        records = grown(records)
                    index = record_of[word] = count
                    count += 1
                elif records[index].cost <= cost:
                    continue
                records[index].source, records[index].arc, records[index].cost = state, word, cost
                records[index].epsilon = arc if is_epsilon else -1
                records[index].rest = position if is_epsilon else -1
        end[state] = count
    return records[:count], finals, final_epsilon
