"""N-best lists of several systems as one list, the mixture of their probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lattice_simp.core.arguments import reals, scale_of_costs
from lattice_simp.core.hypothesis import Hypothesis, Strings, as_hypotheses
from lattice_simp.core.symbols import as_sentences
from lattice_simp.errors import LatticeSimpError


def pool_nbest(
    lists: Sequence[Strings], shares: Sequence[float] | None = None, *, scale: float = 1.0
) -> list[Hypothesis]:
    """Returns the hypotheses of several lists, the most probable first, with costs that are negative log probabilities.

    >>> first = [Hypothesis(("a",), 0.0), Hypothesis(("b",), 0.0)]
    >>> second = [Hypothesis(("b",), 7.0)]
    >>> [(entry.text, round(math.exp(-entry.cost), 2)) for entry in pool_nbest([first, second], [0.6, 0.4])]
    [('b', 0.4), ('a', 0.3), ('b', 0.3)]

    Each list is normalised by itself, so systems whose scores differ by a constant can be pooled. Equal strings stay
    apart: `mbr_nbest` adds up their probabilities.

    Args:
        lists: of one sentence, one list for each system; costs are negative log probabilities, up to the scale and a
            constant. Empty lists are skipped, and the others keep the proportions of their shares.
        shares: the weight of each system, above 0; None for equal ones.
        scale: the factor of the costs before they become probabilities, above 0.

    Raises:
        LatticeSimpError: shares that are not positive numbers, or not one for each list; a scale that is not a number
            above 0.
    """
    scale = scale_of_costs(scale)
    lists = as_sentences(lists)
    weights = np.ones(len(lists)) if shares is None else np.array(reals(shares, "the shares"))
    if weights.shape != (len(lists),):
        raise LatticeSimpError(f"{len(weights)} shares for {len(lists)} lists; give one for each list")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise LatticeSimpError("the shares must be positive numbers")
    systems = [(as_hypotheses(entries), weight) for entries, weight in zip(lists, weights.tolist(), strict=True)]
    systems = [(entries, weight) for entries, weight in systems if entries]
    total = math.fsum(weight for _, weight in systems)
    pooled = []
    for entries, weight in systems:
        costs = scale * np.array([entry.cost for entry in entries])
        costs += np.logaddexp.reduce(-costs) - math.log(weight / total)
        pooled += [entry.with_cost(cost) for entry, cost in zip(entries, costs.tolist(), strict=True)]
    return sorted(pooled, key=lambda entry: entry.cost)
