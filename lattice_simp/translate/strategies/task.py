"""The task of a strategy: a sentence, its skeletons, and hypotheses for them from elsewhere."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.lattice_decoder import LatticeDecoder
from lattice_simp.translate.source import Source


@dataclass(frozen=True)
class Task:
    """A sentence to translate.

    Attributes:
        source: the sentence, or a word lattice.
        skeletons: none or several.
        hypotheses: translations of the skeleton from elsewhere; None for the decoder's own.
        probabilities: the probabilities of several skeletons; equal by default.
    """

    source: Source
    skeletons: tuple[Skeleton, ...] = ()
    hypotheses: tuple[Hypothesis, ...] | None = None
    probabilities: tuple[float, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens of the sentence; of a word lattice, those of its best path."""
        return self.source.best_words

    def skeleton_nbest(self, decoder: LatticeDecoder) -> tuple[Hypothesis, ...]:
        """Returns the hypotheses from elsewhere, or exactly the n best translations of the skeletons, pooled.

        Raises:
            SkeletonError: features of several skeletons have weights, and the aggregation is not `max`.
        """
        scores = decoder.skeleton_scores
        if self.hypotheses is not None:
            return scores.ranked(self.hypotheses)
        settings = decoder.settings.skeleton
        if len(self.skeletons) > 1 and settings.aggregation != "max":
            scores.refuse_features(f"with the aggregation {settings.aggregation}; take max")
        return pool_hypotheses(self.skeleton_lists(decoder), settings.aggregation, settings.hypotheses)

    def skeleton_lists(self, decoder: LatticeDecoder) -> list[tuple[Hypothesis, ...]]:
        """Returns exactly the n best translations of each skeleton."""
        scores, count = decoder.skeleton_scores, decoder.settings.skeleton.hypotheses
        return [scores.ranked(decoder.skeleton_nbest(skeleton.words, count)[1]) for skeleton in self.skeletons]

    def shares(self) -> list[float]:
        """Returns the skeletons' probabilities, which sum to 1."""
        weights = self.probabilities or (1.0,) * len(self.skeletons)
        return [weight / sum(weights) for weight in weights]


def pool_hypotheses(lists: Iterable[Sequence[Hypothesis]], aggregation: str, count: int) -> tuple[Hypothesis, ...]:
    """Joins the n-best lists of several skeletons.

    >>> a, b = Hypothesis(("a",), 1.0), Hypothesis(("b",), 3.0)
    >>> [(pooled.text, pooled.cost) for pooled in pool_hypotheses([[a], [a, b]], "sum", 5)]
    [('a', 0.3068528194400547), ('b', 3.0)]
    """
    pooled: dict[tuple[str, ...], Hypothesis] = {}
    for hypothesis in itertools.chain.from_iterable(lists):
        earlier = pooled.get(hypothesis.tokens)
        least = hypothesis if earlier is None or hypothesis.cost < earlier.cost else earlier
        cost = least.cost
        if aggregation == "sum" and earlier is not None:
            cost -= math.log1p(math.exp(-abs(earlier.cost - hypothesis.cost)))
        pooled[hypothesis.tokens] = Hypothesis(least.tokens, cost, least.features)
    return tuple(sorted(pooled.values(), key=lambda entry: (entry.cost, entry.text))[:count])
