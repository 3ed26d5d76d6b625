"""Optimistic lower orders of a language model, as automata ready for a search.

The automaton of order k remembers only k - 1 words, and each transition costs the least that any longer history
ending in those words could make it cost (the rest costs of Heafield, Koehn and Lavie 2012, taken over one lattice's
vocabulary). It never overestimates, so its shortest distances are admissible bounds for an exact search; at the
model's own order it is the model itself.
"""

from __future__ import annotations

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, jit
from lattice_simp.lm.automaton import NgramAutomaton


def least_costs(model: NgramAutomaton) -> NgramAutomaton:
    """Returns a restricted model with the least cost of each n-gram, and of each backoff, over all longer histories."""
    cost, backoff = _minimise(model.cost, model.backoff, model.suffix, model.parents)
    return model._replace(cost=cost, backoff=backoff)


def relax(model: NgramAutomaton, order: int, least: NgramAutomaton | None = None) -> NgramAutomaton:
    """Returns the automaton of a lower order, whose costs are lower bounds over all longer histories.

    Args:
        model: a restricted model.
        order: from 1 to the model's own.
        least: `least_costs(model)`, if several orders share it.
    """
    least = least or least_costs(model)
    shorter, begin, end = (0, *model.levels)[order - 1 : order + 2]
    cost, backoff = model.cost.copy(), model.backoff.copy()
    cost[begin:end] = least.cost[begin:end]
    backoff[shorter:begin] = least.backoff[shorter:begin]
    backoff[begin:] = 0.0  # words that the order does not remember are forgotten for free
    return model._replace(order=order, children=np.minimum(model.children, end), cost=cost, backoff=backoff)


@jit
def _minimise(cost: Floats, backoff: Floats, suffix: Ints, parent: Ints) -> tuple[Floats, Floats]:
    """Minimises over longer histories: each extends the n-gram (its own entry counts) or backs off to it (and pays)."""
    root = len(suffix) - 1
    least_extra = np.zeros(root + 1)  # the least sum of backoff costs from any longer history down to the context
    for node in range(root - 1, -1, -1):
        shorter = suffix[node]
        least_extra[shorter] = min(least_extra[shorter], backoff[node] + least_extra[node])
    best = cost.copy()
    for node in range(root - 1, -1, -1):
        best[node] = min(best[node], cost[node] + least_extra[parent[node]])
        shorter = suffix[node]
        if shorter != root:
            best[shorter] = min(best[shorter], best[node])
    return best, backoff + least_extra
