"""The scores of a skeleton's translations: one weight for their cost, and one for each of their features.

A translation d of the sentence that contains the translation d' of its skeleton costs -(w.f(d) + w'.f(d')) (Hasler et
al. 2016, equation 1). The decoder's cost of d' times a weight is the default; a weight `Skeleton:NAME` adds the feature
NAME of d' by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import SkeletonError
from lattice_simp.ops.compose_gappy import EDITS, SKELETON

PREFIX = f"{SKELETON}:"
"""The beginning of the names of a skeleton's features."""


@dataclass(frozen=True)
class SkeletonScores:
    """The weights of a skeleton hypothesis.

    >>> scores = SkeletonScores.of(0.5, {"LM": 1.0, "Skeleton:LM": 0.1})
    >>> scores.scored(Hypothesis(("a",), 2.0, {"LM": -3.0}))
    Hypothesis(tokens=('a',), cost=1.3, features={'Skeleton': -2.0, 'Skeleton:LM': -3.0})

    Attributes:
        cost: the factor of its cost.
        features: a weight for each feature that counts separately; none by default.
    """

    cost: float
    features: Mapping[str, float]

    @classmethod
    def of(cls, cost: float, weights: Mapping[str, float]) -> SkeletonScores:
        """Returns the weights `Skeleton:NAME` of a model, and the factor of costs."""
        return cls(
            cost, {name.removeprefix(PREFIX): value for name, value in weights.items() if name.startswith(PREFIX)}
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The features that a composition keeps in addition to the cost; none if only the cost counts."""
        return (SKELETON, *(PREFIX + name for name in self.features)) if self.features else ()

    @property
    def factor(self) -> float:
        """The factor of a scored hypothesis's cost."""
        return 1.0 if self.features else self.cost

    def refuse_features(self, where: str) -> None:
        """Raises SkeletonError if features have weights of their own."""
        if self.features:
            raise SkeletonError(f"the weights {', '.join(self.names[1:])} have no effect {where}, or leave them out")

    def scored(self, hypothesis: Hypothesis) -> Hypothesis:
        """Returns a hypothesis with its weighted cost and the features `names`; unchanged if only the cost counts.

        Raises:
            SkeletonError: the hypothesis lacks a feature that has a weight.
        """
        if not self.features:
            return hypothesis
        features = hypothesis.features
        missing = sorted(set(self.features) - set(features))
        if missing:
            raise SkeletonError(
                f"the skeleton hypothesis {hypothesis.text!r} has no feature {missing[0]!r}, which has the weight "
                f"{PREFIX + missing[0]}; its features are {', '.join(sorted(features)) or 'none'}"
            )
        named = {PREFIX + name: features[name] for name in self.features}
        cost = self.cost * hypothesis.cost - sum(weight * features[name] for name, weight in self.features.items())
        return Hypothesis(hypothesis.tokens, cost, {SKELETON: -hypothesis.cost, **named})

    def ranked(self, hypotheses: Iterable[Hypothesis]) -> tuple[Hypothesis, ...]:
        """Returns scored hypotheses, cheapest first; in their own order if only the cost counts."""
        scored = tuple(map(self.scored, hypotheses))
        return tuple(sorted(scored, key=lambda entry: entry.cost)) if self.features else scored


def with_feature_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """Adds a weight of 0 for each feature of a skeleton without a weight.

    >>> with_feature_weights({"LM": 1.0, "Skeleton": 0.5})
    {'LM': 1.0, 'Skeleton': 0.5, 'Skeleton:LM': 0.0}
    """
    names = [name for name in weights if name not in (SKELETON, EDITS) and not name.startswith(PREFIX)]
    return {**weights, **{PREFIX + name: weights.get(PREFIX + name, 0.0) for name in names}}
