"""Reweighting: costs as a weighted sum of features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lattice_simp.core.arguments import mapping, real
from lattice_simp.core.columns import LARGEST_COST, is_cost
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.errors import InvalidLatticeError


def reweight(lattice: Lattice, weights: Mapping[str, float], *, word_score: float | None = None) -> Lattice:
    """Returns the lattice whose costs are minus the weighted sum of its features.

    >>> from lattice_simp import Hypothesis
    >>> lattice = Lattice.from_nbest([Hypothesis(("a",), 5.0, {"acoustic": -20.0, "lm": -3.0})])
    >>> reweight(lattice, {"acoustic": 0.1, "lm": 1.0}).weights.tolist()
    [5.0]

    Features are scores, logs of probabilities for instance, so a score of -3 costs 3 at the weight 1. Features without
    a weight are ignored, and so are costs that come from no feature. The weights become the scales of the header,
    as SLF files keep them.

    Args:
        lattice: any lattice with these features.
        weights: of features, by name.
        word_score: the log score of each label but epsilon in addition, negative for a penalty; by default that of the
            header, which is `wdpenalty` of SLF files. Marks such as `<s>` count, too.

    Raises:
        InvalidLatticeError: the lattice lacks a feature, or a cost is not finite.
    """
    require_lattice("reweight", lattice)
    factors = {name: real(weight, f"the weight of {name}") for name, weight in mapping(weights, "the weights").items()}
    for name in factors:
        lattice.features.require(name)
        if not is_cost(factors[name]):
            raise InvalidLatticeError(f"the weight of {name!r} is {factors[name]}; give a finite number up to 1e100")
    features = lattice.features.select(tuple(factors))
    vector = np.array(list(factors.values()))
    finals = np.where(np.isfinite(lattice.finals), 0.0 - vector @ features.finals, np.inf)
    scales = {name: factors.get(name, 0.0) for name in lattice.features}
    word_score = lattice.header.word_score if word_score is None else real(word_score, "the score of a word")
    header = replace(lattice.header, scales=scales, word_score=word_score)
    costs = 0.0 - vector @ features.arcs
    if word_score:
        costs -= word_score * (lattice.olabels != EPSILON)
    reweighted = replace(lattice, weights=costs, finals=finals, header=header)
    reweighted.validate(largest=LARGEST_COST)
    return reweighted


def rescale(lattice: Lattice, scales: Mapping[str, float]) -> Lattice:
    """Returns the lattice with these weights of features; other features keep their scales in the header.

    Raises:
        InvalidLatticeError: as `reweight`.
    """
    stored = {name: scale for name, scale in lattice.header.scales.items() if name in lattice.features}
    return reweight(lattice, {**stored, **mapping(scales, "the scales")})
