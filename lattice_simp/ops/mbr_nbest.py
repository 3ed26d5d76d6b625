"""Minimum Bayes-risk decisions between whole strings, by any metric of sentences (Kumar and Byrne 2004).

The hypothesis with the greatest expected utility wins, where each hypothesis is the truth with its posterior
probability. That takes a utility for each pair. If there are more pairs than allowed calls, hypotheses that are
unlikely to win are pruned on a growing sample of references, by the bootstrap (Cheng and Vlachos 2023), and only the
others are compared with all references.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lattice_simp.core.arguments import instance, real, scale_of_costs, whole
from lattice_simp.core.hypothesis import Hypothesis, Strings, as_hypotheses, cheapest_of_strings
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs
from lattice_simp.core.marks import MARKS, unmarked
from lattice_simp.core.symbols import as_tokens
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.mbr_utilities import UTILITIES, BatchUtility, Scores, Tokens, UserUtility, user_scores
from lattice_simp.support.plurals import counted

FIRST_SAMPLE = 8
"""The size of the first sample of references; each further sample is twice as large."""

SAMPLES = 14
"""How many samples there are at most; the last one has 2^16 references."""

RESAMPLES = 500
"""How many resamples the bootstrap draws."""

MOST_PAIRS = 1 << 20
"""How many pairs are compared at once; the counts of a pair take about 24 bytes."""


@dataclass(frozen=True)
class MbrPruning:
    """Limits the number of pairs that `mbr_nbest` compares.

    Attributes:
        max_calls: the most calls of the utility; up to this number of pairs, all are compared: the decision is exact.
        confidence: a hypothesis is dropped when the best one so far is better in this share of resamples, above 0.5
            and below 1.
        seed: the seed of the samples; the same seed gives the same decision.
    """

    max_calls: int = 250_000
    confidence: float = 0.99
    seed: int = 0

    def __post_init__(self) -> None:
        whole(self.max_calls, "max_calls", 1)
        if not 0.5 < real(self.confidence, "the confidence") < 1:
            raise LatticeSimpError(f"the confidence is {self.confidence}; give a number above 0.5 and below 1")


def mbr_nbest(
    hypotheses: Strings,
    utility: str | UserUtility | BatchUtility | Floats = "chrf",
    *,
    scale: float = 1.0,
    evidence: Strings | None = None,
    pruning: MbrPruning | None = None,
    ignore: Collection[str] = MARKS,
    tokens: Callable[[str], Sequence[str] | Sequence[int]] | None = None,
) -> list[Hypothesis]:
    """Returns the hypotheses sorted by expected utility, the best first; their costs are the negative utilities.

    The most probable string has little in common with the others here, and another one wins:

    >>> hypotheses = mbr_nbest([Hypothesis(("a", "b"), 1.0), Hypothesis(("c", "d"), 1.1), Hypothesis(("c", "e"), 1.1)])
    >>> [(entry.text, round(entry.cost, 1)) for entry in hypotheses]
    [('c d', -40.3), ('c e', -40.3), ('a b', -35.6)]
    >>> def length_match(hypothesis: str, reference: str) -> float:
    ...     return -abs(len(hypothesis.split()) - len(reference.split()))
    >>> mbr_nbest([Hypothesis(("a",), 1.0), Hypothesis(("b", "c"), 0.9)], length_match)[0].text
    'b c'

    Args:
        hypotheses: of one sentence; costs are negative log probabilities, up to the scale and a constant. The
            probabilities of equal strings add up, and their cheapest hypothesis is kept.
        utility: `chrf`, `bleu` (sentence BLEU on tokens), `wer` (minus the number of word errors); a function of a
            hypothesis and a reference, both strings, whose values are higher for better ones; a `BatchUtility`, which
            gets many pairs at once; or a matrix (hypotheses, evidence) of utilities that are known.
        scale: the factor of the costs before they become probabilities, above 0.
        evidence: the hypotheses that may be the truth; None for the same list. A larger one, such as samples, may
            estimate the utilities better.
        pruning: limits the number of comparisons; see `MbrPruning`.
        ignore: tokens that are not words; they are removed from the hypotheses.
        tokens: splits the text of a hypothesis into the tokens that `bleu` and `wer` compare, where its own tokens are
            whole sentences (`lattice_simp.metrics.tokeniser("zh")`); they may be ids, as a model's tokeniser returns
            them. None for its own tokens, of which `chrf` compares the characters.

    Returns:
        The hypotheses that were not pruned, with their features. Ties are in the order of the old costs.

    Raises:
        LatticeSimpError: an unknown utility, a matrix of another shape, a scale that is not a number above 0, a utility
            that is not finite, no evidence, or fewer calls than hypotheses and references.
    """
    scale = scale_of_costs(scale)
    if isinstance(utility, str) and utility not in UTILITIES:
        raise LatticeSimpError(f"unknown utility {utility!r}; known are {', '.join(UTILITIES)}, and functions")
    if not isinstance(utility, str | np.ndarray | BatchUtility) and not callable(utility):
        raise TypeError(f"the utility must be a name, a function or a matrix, not {utility!r:.80}")
    pruning = MbrPruning() if pruning is None else pruning
    instance(pruning, MbrPruning, "the pruning", "MbrPruning(max_calls)")
    if tokens is not None and not callable(tokens):
        raise TypeError(f"tokens must be a function that splits a string, not {tokens!r:.80}")
    hypotheses = as_hypotheses(hypotheses)
    evidence = None if evidence is None else as_hypotheses(evidence)
    if evidence is not None and hypotheses and not evidence:
        raise LatticeSimpError("there is no evidence; give at least one hypothesis, or None for the same list")
    hypotheses = unmarked(hypotheses, ignore)
    evidence = None if evidence is None else unmarked(evidence, ignore)
    candidates = cheapest_of_strings(hypotheses)
    posteriors = string_probabilities(hypotheses if evidence is None else evidence, scale)
    strings = list(dict.fromkeys([*candidates, *posteriors]))
    if isinstance(utility, np.ndarray):
        scores = _known_scores(utility, strings, hypotheses, hypotheses if evidence is None else evidence)
    elif isinstance(utility, str):
        split = strings if tokens is None else [_split(tokens(" ".join(string)), utility) for string in strings]
        scores = UTILITIES[utility](split)
    else:
        scores = user_scores(strings, utility)
    number = {string: index for index, string in enumerate(strings)}
    references = np.array([number[string] for string in posteriors], dtype=np.int32)
    truth = np.array(list(posteriors.values()))
    kept, expected = _expected(_checked(scores, strings), len(candidates), references, truth, pruning)
    entries = list(candidates.values())
    ranked = [
        entries[number].with_cost(0.0 - gain) for number, gain in zip(kept.tolist(), expected.tolist(), strict=True)
    ]
    return sorted(ranked, key=lambda entry: entry.cost)


def _split(tokens: Any, utility: str) -> Tokens:
    """Returns the tokens of a string, whose ids become words.

    Raises:
        TypeError: they are neither strings nor ids, or ids for a utility of characters.
    """
    if isinstance(tokens, Mapping):
        raise TypeError(f"tokens must return a list, not a mapping: {tokens!r:.80}; return its ids, ['input_ids']")
    entries = tokens if isinstance(tokens, str) or not np.iterable(tokens) else list(tokens)
    if isinstance(entries, list) and entries and all(map(_is_id, entries)):
        if utility == "chrf":
            raise TypeError(f"chrf compares characters, which the ids {entries!r:.80} lack; take bleu or wer")
        return tuple(str(operator.index(entry)) for entry in entries)
    return as_tokens(entries)


def _is_id(token: object) -> bool:
    return hasattr(token, "__index__") and not isinstance(token, bool | np.bool_)


def string_probabilities(hypotheses: Sequence[Hypothesis], scale: float) -> dict[Tokens, float]:
    """Returns the probability of each string; those of equal strings add up."""
    least = min((entry.cost for entry in hypotheses), default=0.0)
    masses: dict[Tokens, float] = {}
    for entry in hypotheses:
        masses[entry.tokens] = masses.get(entry.tokens, 0.0) + math.exp(scale * (least - entry.cost))
    total = sum(masses.values())
    return {string: share / total for string, share in masses.items()}


def _known_scores(
    matrix: Floats, strings: Sequence[Tokens], hypotheses: Sequence[Hypothesis], evidence: Sequence[Hypothesis]
) -> Scores:
    """Looks utilities up in a matrix with rows for hypotheses and columns for evidence."""
    if matrix.shape != (len(hypotheses), len(evidence)):
        raise LatticeSimpError(
            f"the matrix of utilities has the shape {matrix.shape}; give one of {(len(hypotheses), len(evidence))}, a "
            "row for each hypothesis and a column for each one of the evidence"
        )
    number = {string: index for index, string in enumerate(strings)}
    rows, columns = np.zeros(len(strings), dtype=np.int64), np.zeros(len(strings), dtype=np.int64)
    rows[[number[entry.tokens] for entry in hypotheses]] = np.arange(len(hypotheses))
    columns[[number[entry.tokens] for entry in evidence]] = np.arange(len(evidence))
    return lambda numbers, references: matrix[np.ix_(rows[numbers], columns[references])]


def _checked(scores: Scores, strings: Sequence[Tokens]) -> Scores:
    def checked(numbers: Ints, references: Ints) -> Floats:
        utilities = scores(numbers, references)
        if not np.isfinite(utilities).all():
            row, column = np.argwhere(~np.isfinite(utilities))[0].tolist()
            hypothesis, reference = (" ".join(strings[index]) for index in (int(numbers[row]), int(references[column])))
            raise LatticeSimpError(f"the utility of {hypothesis!r} given {reference!r} is not finite")
        return utilities

    return checked


def _expected(scores: Scores, count: int, references: Ints, truth: Floats, pruning: MbrPruning) -> tuple[Longs, Floats]:
    """Returns the remaining hypotheses, and their expected utilities over all references."""
    alive = np.arange(count)
    if count * len(references) <= pruning.max_calls:
        return alive, np.array([row @ truth for rows in _tables(scores, alive, references) for row in rows])
    if count + len(references) > pruning.max_calls:
        raise LatticeSimpError(
            f"max_calls is {pruning.max_calls}; {counted(count, 'hypothesis', 'hypotheses')} and "
            f"{counted(len(references), 'reference')} need at least {count + len(references)}"
        )
    sample = _Sample(scores, references, truth, np.random.default_rng(pruning.seed), pruning.max_calls, alive)
    for size in (FIRST_SAMPLE << round for round in range(SAMPLES)):
        if sample.can_be_completed or not sample.grow(size):
            break
        sample.prune(pruning.confidence)
    return sample.completed()


def _tables(scores: Scores, numbers: Longs, references: Ints) -> Iterator[Floats]:
    """Yields the utilities of a few strings at a time, (strings, references)."""
    rows = max(1, MOST_PAIRS // max(len(references), 1))
    for begin in range(0, len(numbers), rows):
        yield scores(numbers[begin : begin + rows].astype(np.int32), references)


@dataclass
class _Sample:
    """The hypotheses that may still win, and their utilities for a sample of the references.

    Attributes:
        scores, references, truth: the utility, the numbers of the references, and their probabilities.
        rng: draws the references by their probabilities.
        calls: the remaining calls of the utility; they always suffice to compare one hypothesis with all references.
        alive: (hypotheses,) the hypotheses that may still win.
        columns: (columns,) the drawn references, in the order of the table's columns.
        table: (hypotheses, columns) the utilities of `alive` with these references.
        draws: (columns,) how often each reference was drawn.
    """

    scores: Scores
    references: Ints
    truth: Floats
    rng: np.random.Generator
    calls: int
    alive: Longs

    def __post_init__(self) -> None:
        self.columns = np.zeros(0, dtype=np.int64)
        self.draws = np.zeros(0, dtype=np.int64)
        self.table = np.zeros((len(self.alive), 0))

    @property
    def missing(self) -> Longs:
        """The references that were not drawn."""
        return np.setdiff1d(np.arange(len(self.references)), self.columns)

    @property
    def can_be_completed(self) -> bool:
        """Whether the calls suffice to compare all remaining hypotheses with all references."""
        return len(self.alive) * len(self.missing) <= self.calls

    def grow(self, size: int) -> bool:
        """Draws references up to a sample of `size`; returns whether the calls sufficed for all of them."""
        times = self.rng.multinomial(size - int(self.draws.sum()), self.truth / self.truth.sum())
        self.draws = self.draws + times[self.columns]
        times[self.columns] = 0
        drawn = np.flatnonzero(times)
        room = (self.calls - len(self.references)) // len(self.alive)
        self._compare(drawn[:room])
        self.draws = np.append(self.draws, times[drawn[:room]])
        return len(drawn) <= room

    def prune(self, confidence: float) -> None:
        """Drops the hypotheses that the best one so far beats in at least this share of the resamples."""
        size = int(self.draws.sum())
        counts = self.rng.multinomial(size, self.draws / size, RESAMPLES)
        means = self.table @ counts.T
        best = means[np.argmax(self.table @ self.draws)]
        self._keep((means >= best).mean(axis=1) > 1.0 - confidence)

    def completed(self) -> tuple[Longs, Floats]:
        """Compares as many of the best hypotheses as the calls allow with all references; returns them with means."""
        missing = self.missing
        if not self.can_be_completed:
            estimates = self.table @ self.draws
            worst = np.argsort(-estimates, kind="stable")[self.calls // len(missing) :]
            self._keep(~np.isin(np.arange(len(self.alive)), worst))
        self._compare(missing)
        return self.alive, self.table @ self.truth[self.columns]

    def _compare(self, drawn: Longs) -> None:
        tables = list(_tables(self.scores, self.alive, self.references[drawn]))
        self.table = np.hstack((self.table, np.concatenate([np.zeros((0, len(drawn))), *tables])))
        self.columns = np.append(self.columns, drawn)
        self.calls -= len(self.alive) * len(drawn)

    def _keep(self, kept: Bools) -> None:
        self.alive, self.table = self.alive[kept], self.table[kept]
