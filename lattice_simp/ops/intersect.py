"""Intersection: the strings that a lattice and an acceptor have in common, at the sum of both costs."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.growing import grown
from lattice_simp.core.kernel import Floats, Ints, Records, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import InvalidLatticeError


def intersect(lattice: Lattice, acceptor: Lattice) -> Lattice:
    """Returns the paths of a lattice whose words a deterministic acceptor accepts; its costs are added.

    >>> from lattice_simp import SymbolTable
    >>> even = Lattice.from_arcs([0, 1], [1, 1], [0.5, 0.5], [1, 0], [0.0, np.inf], SymbolTable(["a"]))
    >>> both = intersect(Lattice.from_strings([("a", 1.0), ("a a", 2.0), ("b b", 0.0)]), even)
    >>> from lattice_simp.ops.nbest import nbest
    >>> [(path.text, path.cost) for path in nbest(both, 3)]
    [('a a', 3.0)]

    The acceptor may have cycles, so that it can be a condition on sentences of any length; `compose` takes those with
    gaps and edits. Words that the acceptor does not know are not accepted. A path of the lattice stays one path, with
    its features; a deterministic lattice stays deterministic.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the acceptor has epsilons, two arcs of one word from a state, or is a transducer.
    """
    lattice = lattice.connected()
    if not acceptor.is_acceptor:
        raise InvalidLatticeError("the second lattice is a transducer; take project_output() first")
    words = acceptor.symbols.mapping_to(lattice.symbols) if acceptor.symbols is not lattice.symbols else None
    if acceptor.has_epsilons():
        raise InvalidLatticeError("the acceptor has epsilons; remove_epsilons() or determinize() it first")
    if lattice.empty or not acceptor.num_states:
        return Lattice.empty_like(lattice)
    labels = acceptor.olabels if words is None else words[acceptor.olabels]
    goals = np.full((acceptor.num_states, len(lattice.symbols)), -1, dtype=np.int32)
    costs = np.zeros(goals.shape)
    goals[acceptor.sources, labels], costs[acceptor.sources, labels] = acceptor.nextstates, acceptor.weights
    if int((goals >= 0).sum()) != acceptor.num_arcs:
        raise InvalidLatticeError("the acceptor has two arcs of one word from a state; determinize() it first")
    made, pairs = _product(lattice.arcs, goals, costs)
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


@jit
def _product(arcs: Arcs, goals: Ints, costs: Floats) -> tuple[Records, Records]:
    """Returns the arcs of the product that the start reaches, and its states, one more to end the last one's arcs.

    The lattice's states are sorted, so all pairs of a state are known when its turn comes.
    """
    conditions = len(goals)
    reached = np.zeros(len(arcs.finals) * conditions, dtype=np.bool_)
    reached[0] = True
    names = np.empty(len(reached), dtype=np.int32)
    pairs, count = np.empty(1024, dtype=PAIR), 0
    made, used = np.empty(1024, dtype=ARC), 0
    for pair in range(len(names)):
        if reached[pair]:
            state, condition = pair // conditions, pair % conditions
            if count + 1 >= len(pairs):
                pairs = grown(pairs)
            pairs[count].state, pairs[count].condition, pairs[count].begin = state, condition, used
            names[pair] = count
            count += 1
            for arc in range(arcs.offsets[state], arcs.offsets[state + 1]):
                label = arcs.labels[arc]
                goal = condition if label == 0 else goals[condition, label]
                if goal >= 0:
                    if used == len(made):
                        made = grown(made)
                    target = arcs.nextstates[arc] * conditions + goal
                    reached[target] = True
                    made[used].arc, made[used].nextstate = arc, target
                    made[used].cost = 0.0 if label == 0 else costs[condition, label]
                    used += 1
    pairs[count].begin = used
    for arc in range(used):
        made[arc].nextstate = names[made[arc].nextstate]
    return made[:used], pairs[: count + 1]
