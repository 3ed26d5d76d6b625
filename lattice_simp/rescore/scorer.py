"""The interfaces of scorers, and how a scorer of single words scores whole hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import LatticeSimpError

State = Any
"""A scorer's state after a source sentence and a prefix of a hypothesis; only the scorer looks inside."""


@runtime_checkable
class Scorer(Protocol):
    """Scores hypotheses for a source sentence."""

    def score(self, source: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> Floats:
        """Returns the (hypotheses,) costs: negative natural log probabilities, end of sentence included."""


@runtime_checkable
class PrefixScorer(Scorer, Protocol):
    """Scores hypotheses word by word; the costs of the words and of the end sum to `score`."""

    def score(self, source: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> Floats:
        """Returns the (hypotheses,) costs, by `score_by_prefixes` unless a scorer has a faster way."""
        return score_by_prefixes(self, source, hypotheses)

    def start(self, source: Sequence[str]) -> State:
        """Returns the state before the first word."""

    def extend(self, states: Sequence[State], words: Sequence[str]) -> tuple[Floats, list[State]]:
        """Returns the cost of each word after its state, and the state after the word.

        The states of one call come from one `start`. States are never changed, so they may be extended many times.
        """

    def end(self, states: Sequence[State]) -> Floats:
        """Returns the cost of ending the sentence at each state."""


def score_by_prefixes(scorer: PrefixScorer, source: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> Floats:
    """Scores hypotheses with a prefix scorer; common prefixes are scored once.

    >>> from lattice_simp.lm import LanguageModel
    >>> from lattice_simp.rescore.language_model import NgramScorer
    >>> text = "\\\\data\\\\\\nngram 1=3\\n\\n\\\\1-grams:\\n-9 <s>\\n-0.5 a\\n-0.25 </s>\\n\\n\\\\end\\\\\\n"
    >>> score_by_prefixes(NgramScorer(LanguageModel.from_bytes(text.encode())), [], [["a"], []]).round(4).tolist()
    [1.7269, 0.5756]

    All hypotheses are extended by one word at a time, so a scorer gets as many calls as the longest one has words.
    """
    costs = np.zeros(len(hypotheses))
    states, sums = [scorer.start(source)], np.zeros(1)
    alive = list(range(len(hypotheses)))
    nodes = [0] * len(hypotheses)  # the number of each hypothesis's current prefix
    depth = 0
    while alive:
        ended = [number for number in alive if len(hypotheses[number]) == depth]
        if ended:
            indices = sorted({nodes[number] for number in ended})
            last = dict(zip(indices, scorer.end([states[index] for index in indices]).tolist(), strict=True))
            for number in ended:
                costs[number] = sums[nodes[number]] + last[nodes[number]]
            alive = [number for number in alive if len(hypotheses[number]) > depth]
        if alive:
            following: dict[tuple[int, str], int] = {}
            for number in alive:
                key = (nodes[number], hypotheses[number][depth])
                nodes[number] = following.setdefault(key, len(following))
            parents = [parent for parent, _ in following]
            step_costs, states = scorer.extend([states[parent] for parent in parents], [word for _, word in following])
            sums = sums[parents] + step_costs
        depth += 1
    return costs


def finite(costs: Floats, name: str = "the model") -> Floats:
    """Returns a model's costs if all are numbers.

    >>> finite(np.array([1.5, np.nan]))
    Traceback (most recent call last):
        ...
    lattice_simp.errors.LatticeSimpError: the model gives the score nan; get its files again

    Raises:
        LatticeSimpError: a cost is not finite: the model is damaged, or its numbers overflow.
    """
    broken = costs[~np.isfinite(costs)]
    if len(broken):
        raise LatticeSimpError(f"{name} gives the score {0.0 - broken[0]}; get its files again")
    return costs


def reads_source(scorer: Scorer) -> bool:
    """Returns whether a scorer reads the source sentence; a scorer that does not has `needs_source = False`."""
    return bool(getattr(scorer, "needs_source", True))
