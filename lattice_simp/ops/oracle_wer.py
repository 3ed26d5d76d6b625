"""The path with the fewest word errors: the shortest path through lattice x reference positions.

That is the composition of lattice, edit transducer and reference, without writing it out: from state and position, an
arc's word is matched, substituted or inserted, and a word of the reference is deleted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Ints, jit
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.nbest import path_hypothesis


def wer_oracle(lattice: Lattice, references: Sequence[tuple[str, ...]]) -> tuple[Hypothesis, float]:
    """Returns the path with the fewest errors against any reference (of ties the cheapest), and their number."""
    hypotheses = []
    for reference in references:
        arcs, end, errors = _search(lattice.arcs, lattice.symbols.lookup(reference))
        hypotheses.append((float(errors), path_hypothesis(lattice, arcs, int(end))))
    errors, hypothesis = min(hypotheses, key=lambda entry: (entry[0], entry[1].cost))
    return hypothesis, errors


_DELETION = -1
"""The step that deletes a word of the reference; others are `2 * arc`, plus 1 if the arc consumes a word of it."""


@jit
def _search(lattice: Arcs, reference: Ints) -> tuple[Ints, int, int]:
    """Returns (arcs, final state, errors) of the path with the fewest errors and, among those, the least cost."""
    offsets, labels, weights, nextstates, finals = lattice
    num_states, length = len(finals), len(reference)
    errors = np.full((num_states, length + 1), np.iinfo(np.int32).max, dtype=np.int32)
    costs = np.full((num_states, length + 1), np.inf)
    steps = np.full((num_states, length + 1), _DELETION, dtype=np.int64)
    errors[0, 0], costs[0, 0] = 0, 0.0
    best_end, best_errors, best_cost = -1, np.iinfo(np.int32).max, np.inf
    for state in range(num_states):
        for place in range(length):
            if _less(errors[state, place] + 1, costs[state, place], errors[state, place + 1], costs[state, place + 1]):
                errors[state, place + 1], costs[state, place + 1] = errors[state, place] + 1, costs[state, place]
                steps[state, place + 1] = _DELETION
        for arc in range(offsets[state], offsets[state + 1]):
            target = nextstates[arc]
            for place in range(length + 1):
                if costs[state, place] == np.inf:
                    continue
                cost = costs[state, place] + weights[arc]
                same = errors[state, place] + (1 if labels[arc] != 0 else 0)
                if _less(same, cost, errors[target, place], costs[target, place]):
                    errors[target, place], costs[target, place], steps[target, place] = same, cost, 2 * arc
                if labels[arc] != 0 and place < length:
                    on = errors[state, place] + (1 if labels[arc] != reference[place] else 0)
                    if _less(on, cost, errors[target, place + 1], costs[target, place + 1]):
                        errors[target, place + 1], costs[target, place + 1] = on, cost
                        steps[target, place + 1] = 2 * arc + 1
        if finals[state] < np.inf:
            cost = costs[state, length] + finals[state]
            if _less(errors[state, length], cost, best_errors, best_cost):
                best_end, best_errors, best_cost = state, errors[state, length], cost
    sources = np.empty(len(labels), dtype=np.int32)
    for state in range(num_states):
        sources[offsets[state] : offsets[state + 1]] = state
    path = np.empty(num_states, dtype=np.int32)
    state, place, used = best_end, length, 0
    while state > 0 or place > 0:
        step = steps[state, place]
        if step == _DELETION:
            place -= 1
            continue
        path[used] = step // 2
        used += 1
        place -= step % 2
        state = sources[step // 2]
    return path[:used][::-1].copy(), best_end, best_errors


@jit
def _less(errors: int, cost: float, other_errors: int, other_cost: float) -> bool:
    return cost < np.inf and (errors < other_errors or (errors == other_errors and cost < other_cost))
