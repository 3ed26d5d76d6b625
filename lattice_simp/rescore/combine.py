"""Weighted sums of scorers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.arguments import finite_real
from lattice_simp.core.kernel import Floats
from lattice_simp.errors import LatticeSimpError
from lattice_simp.rescore.scorer import PrefixScorer, Scorer, State


def combine(parts: Sequence[tuple[Scorer, float]]) -> Scorer:
    """Returns a scorer with the weighted sums of the costs of other scorers.

    >>> from lattice_simp.lm import LanguageModel
    >>> from lattice_simp.rescore.language_model import NgramScorer
    >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
    >>> scorer = NgramScorer(LanguageModel.from_bytes(text.encode()))
    >>> combine([(scorer, 0.5), (scorer, 0.25)]).score([], [["a"]]).round(4).tolist()   # 0.75 * 0.75 * ln 10
    [1.2952]

    The result scores prefixes (is a `PrefixScorer`) if all parts do.

    Raises:
        LatticeSimpError: no parts, or a weight that is not finite.
    """
    if not parts:
        raise LatticeSimpError("no scorers to combine; give at least one")
    weights = tuple(finite_real(weight, "the weight of a scorer") for _, weight in parts)
    prefix_scorers = [scorer for scorer, _ in parts if isinstance(scorer, PrefixScorer)]
    if len(prefix_scorers) == len(parts):
        return CombinedPrefixScorer(tuple(prefix_scorers), weights)
    return CombinedScorer(tuple(scorer for scorer, _ in parts), weights)


@dataclass(frozen=True)
class CombinedScorer:
    """A weighted sum of scorers; each uses its fastest method."""

    parts: tuple[Scorer, ...]
    weights: tuple[float, ...]

    def score(self, source: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> Floats:
        return self._weighted([part.score(source, hypotheses) for part in self.parts])

    def _weighted(self, costs: Sequence[Floats]) -> Floats:
        return np.asarray(np.tensordot(np.asarray(self.weights), np.stack(costs), axes=1), dtype=np.float64)


@dataclass(frozen=True)
class CombinedPrefixScorer(CombinedScorer, PrefixScorer):
    """A weighted sum of prefix scorers; a state holds one state of each part."""

    parts: tuple[PrefixScorer, ...]

    def start(self, source: Sequence[str]) -> State:
        return tuple(part.start(source) for part in self.parts)

    def extend(self, states: Sequence[State], words: Sequence[str]) -> tuple[Floats, list[State]]:
        extensions = [part.extend([state[index] for state in states], words) for index, part in enumerate(self.parts)]
        following: list[State] = list(zip(*(part_states for _, part_states in extensions), strict=True))
        return self._weighted([costs for costs, _ in extensions]), following

    def end(self, states: Sequence[State]) -> Floats:
        return self._weighted([part.end([state[index] for state in states]) for index, part in enumerate(self.parts)])
