"""Hypotheses of n-best lists, paths of lattices, translations; and strings with costs in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from lattice_simp.core.columns import FINITE, LARGEST_COST, is_cost
from lattice_simp.core.kernel import Ints
from lattice_simp.core.symbols import as_sentences, as_tokens
from lattice_simp.errors import InvalidLatticeError

Times: TypeAlias = tuple[tuple[float, float], ...]
"""The begin and the end of each word, in seconds."""

Confidences: TypeAlias = tuple[float, ...]
"""The probability that each word is right, from 0 to 1; NaN where it is unknown."""

_NO_ARCS = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class Hypothesis:
    """A string of words with its cost and its features, the terms of the cost.

    >>> hypothesis = Hypothesis(("a", "cat"), 2.5, {"LM": -2.0})
    >>> hypothesis.text, hypothesis.score
    ('a cat', -2.5)

    Attributes:
        tokens: the words; a string is split at its blanks.
        cost: nats; lower is better.
        features: scores by name; higher is better. If an n-best list has several values under one name, they are
            numbered: `TM_0`, `TM_1`, ...
        arcs: (length,) int32, for a path: the numbers of its arcs in the lattice that was searched (see `nbest`).
        inputs: for a path: its input labels without epsilons, in order.
        times: when each word begins and ends, in seconds, for a hypothesis that was read with them and for a path whose
            lattice has the feature "time", which `features` then sum up; None without times.
        confidences: the probability of each word, for a hypothesis that was read with them and for a path whose lattice
            has the feature "posterior"; NaN for a word without one, None if no word has one.
    """

    tokens: tuple[str, ...]
    cost: float = 0.0
    features: Mapping[str, float] = field(default_factory=dict, hash=False)
    arcs: Ints = field(default_factory=lambda: _NO_ARCS, compare=False, repr=False)
    inputs: tuple[int, ...] = field(default=(), compare=False, repr=False)
    times: Times | None = field(default=None, compare=False, repr=False)
    confidences: Confidences | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.tokens, tuple):
            object.__setattr__(self, "tokens", as_tokens(self.tokens))

    @property
    def text(self) -> str:
        """The words, joined by blanks."""
        return " ".join(self.tokens)

    @property
    def score(self) -> float:
        """Minus the cost; the total in n-best lists."""
        return 0.0 - self.cost

    def with_cost(self, cost: float) -> Hypothesis:
        """Returns the hypothesis with another cost; this takes a third of the time of `dataclasses.replace`.

        >>> Hypothesis(("a", "cat"), 2.5).with_cost(1.0).score
        -1.0
        """
        return Hypothesis(self.tokens, cost, self.features, self.arcs, self.inputs, self.times, self.confidences)


def cheapest_of_strings(hypotheses: Iterable[Hypothesis]) -> dict[tuple[str, ...], Hypothesis]:
    """Returns the cheapest hypothesis of each string, the cheapest string first; of ties the first.

    >>> list(cheapest_of_strings([Hypothesis(("a",), 2.0), Hypothesis(("b",), 1.5), Hypothesis(("a",), 1.0)]))
    [('a',), ('b',)]
    """
    cheapest: dict[tuple[str, ...], Hypothesis] = {}
    for hypothesis in sorted(hypotheses, key=lambda hypothesis: hypothesis.cost):
        cheapest.setdefault(hypothesis.tokens, hypothesis)
    return cheapest


WeightedWords: TypeAlias = Hypothesis | str | tuple[str, float] | tuple[Iterable[str], float]
"""A hypothesis, or a pair of words (a string or tokens) and a cost in nats."""

Strings: TypeAlias = str | Iterable[WeightedWords]


def words_and_cost(hypothesis: WeightedWords) -> tuple[tuple[str, ...], float]:
    """Returns the tokens and the cost of a hypothesis, or of a pair of words and a cost; a bare string costs 0.

    Raises:
        InvalidLatticeError: the value is not a pair, or its cost is not a finite number up to 1e100.
        TypeError: the cost is not a number.
    """
    if isinstance(hypothesis, str):
        return as_tokens(hypothesis), 0.0
    if isinstance(hypothesis, list) and hypothesis and isinstance(hypothesis[0], Hypothesis):
        raise InvalidLatticeError("a list of hypotheses in place of a hypothesis; pass the list of one sentence")
    try:
        words, cost = (hypothesis.tokens, hypothesis.cost) if isinstance(hypothesis, Hypothesis) else hypothesis
    except (TypeError, ValueError) as error:
        raise InvalidLatticeError(f"{hypothesis!r:.80} is not a pair of words and a cost") from error
    if isinstance(cost, str):
        message = f"{hypothesis!r:.80} is not a pair of words and a cost"
        raise InvalidLatticeError(f"{message}; join tokens by blanks, or add a cost")
    if not is_cost(cost):
        raise InvalidLatticeError(f"the cost of {words!r:.80} is {cost!s:.80}; costs are {FINITE}")
    return as_tokens(words), float(cost)


def as_hypotheses(strings: Strings) -> list[Hypothesis]:
    """Converts strings, pairs of words and a cost, or hypotheses to hypotheses; a single string is one sentence.

    >>> [(single.text, single.cost) for single in as_hypotheses("a cat")], as_hypotheses([("a dog", 2.0)])[0].tokens
    ([('a cat', 0.0)], ('a', 'dog'))

    Raises:
        InvalidLatticeError: as `words_and_cost`.
        TypeError: the value is not a list of hypotheses.
    """
    if not np.iterable(strings):
        remedy = "of a lattice, pass the best paths: nbest(lattice, 100)"
        raise TypeError(f"expected hypotheses, not {strings!r:.80}; {remedy}")
    return list(map(_as_hypothesis, as_sentences(strings)))


def _as_hypothesis(string: str | WeightedWords) -> Hypothesis:
    if isinstance(string, Hypothesis) and isinstance(string.cost, float) and abs(string.cost) <= LARGEST_COST:
        return string
    words, cost = words_and_cost(string)
    return string if isinstance(string, Hypothesis) else Hypothesis(words, cost)
