"""The task of a strategy: a sentence, its skeletons, and hypotheses for them from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.source import Source

if TYPE_CHECKING:
    from lattice_simp.translate.decoder import Decoder


@dataclass(frozen=True)
class Task:
    """A sentence to translate.

    Attributes:
        source: the sentence, or a word lattice in its place.
        skeletons: none or several.
        hypotheses: translations of the skeleton from elsewhere; None for the decoder's own.
        probabilities: of several skeletons; equal ones by default.
    """

    source: Source
    skeletons: tuple[Skeleton, ...] = ()
    hypotheses: tuple[Hypothesis, ...] | None = None
    probabilities: tuple[float, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens of the sentence; of a word lattice, those of its best path."""
        return self.source.best_words

    def skeleton_nbest(self, decoder: Decoder) -> tuple[Hypothesis, ...]:
        """Returns the hypotheses from elsewhere, or exactly the n best translations of the skeletons, pooled."""
        if self.hypotheses is not None:
            return self.hypotheses
        settings = decoder.settings.skeleton
        return pool_hypotheses(self.skeleton_lists(decoder), settings.aggregation, settings.hypotheses)

    def skeleton_lists(self, decoder: Decoder) -> list[list[Hypothesis]]:
        """Returns exactly the n best translations of each skeleton."""
        count = decoder.settings.skeleton.hypotheses
        return [decoder.exact_nbest(skeleton.words, count)[1] for skeleton in self.skeletons]

    def shares(self) -> list[float]:
        """Returns the skeletons' probabilities, which sum to 1."""
        weights = self.probabilities or (1.0,) * len(self.skeletons)
        return [weight / sum(weights) for weight in weights]


def pool_hypotheses(lists: Iterable[Sequence[Hypothesis]], aggregation: str, count: int) -> tuple[Hypothesis, ...]:
    """Joins the n-best lists of several skeletons: strings and costs.

    >>> a, b = Hypothesis(("a",), 1.0), Hypothesis(("b",), 3.0)
    >>> [(pooled.text, pooled.cost) for pooled in pool_hypotheses([[a], [a, b]], "sum", 5)]
    [('a', 0.3068528194400547), ('b', 3.0)]
    """
    pooled: dict[tuple[str, ...], float] = {}
    for hypotheses in lists:
        for hypothesis in hypotheses:
            known, cost = pooled.get(hypothesis.tokens, math.inf), hypothesis.cost
            if aggregation == "sum" and known < math.inf:
                least = min(known, cost)
                pooled[hypothesis.tokens] = least - math.log1p(math.exp(-abs(known - cost)))
            else:
                pooled[hypothesis.tokens] = min(known, cost)
    ranked = sorted(pooled.items(), key=lambda pair: (pair[1], " ".join(pair[0])))
    return tuple(Hypothesis(tokens, cost) for tokens, cost in ranked[:count])
