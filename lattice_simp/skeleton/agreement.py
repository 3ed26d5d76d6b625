"""Finds the words of a hypothesis that belong to a translation of the skeleton, by the skeleton's hypotheses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from lattice_simp.core.arguments import scale_of_costs
from lattice_simp.core.hypothesis import Hypothesis, as_hypotheses
from lattice_simp.core.kernel import Floats
from lattice_simp.core.marks import MARKS, unmarked
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import SkeletonError
from lattice_simp.skeleton.embedding import fewest_gaps_mask


def skeleton_agreement(
    hypothesis: str | Iterable[str],
    skeletons: Sequence[Hypothesis],
    scale: float = 1.0,
    *,
    ignore: Collection[str] = MARKS,
) -> Floats:
    """Returns the probability that each word of a hypothesis belongs to a translation of the skeleton.

    >>> skeletons = [Hypothesis(("law", "passed"), 0.0), Hypothesis(("bill", "passed"), 0.0)]
    >>> skeleton_agreement("the law was passed", skeletons).tolist()
    [0.0, 0.5, 0.0, 0.5]

    Each translation of the skeleton that is a subsequence of the hypothesis counts with its posterior probability, at
    the place with the fewest gaps. A hypothesis that contains none gets zeros.

    Args:
        hypothesis: a string or words.
        skeletons: translations of the skeleton; the probability of one with cost c is exp(-scale * c) / Z.
        scale: above 0.
        ignore: labels of the skeletons that are not words.

    Raises:
        LatticeSimpError: a scale that is not a number above 0, or a cost that is not finite.
    """
    tokens = as_tokens(hypothesis)
    agreement = np.zeros(len(tokens))
    skeletons = as_hypotheses(skeletons)
    if not skeletons:
        return agreement
    costs = np.array([skeleton.cost for skeleton in skeletons]) * scale_of_costs(scale)
    shares = np.exp(costs.min() - costs)
    for skeleton, share in zip(unmarked(skeletons, ignore), (shares / shares.sum()).tolist(), strict=True):
        try:
            agreement += share * np.array(fewest_gaps_mask(tokens, skeleton.tokens))
        except SkeletonError:  # not contained
            continue
    return agreement
