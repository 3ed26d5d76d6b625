"""Utilities of a hypothesis given another one as the truth, for decisions between whole strings (`mbr_nbest`).

A utility knows all strings of a sentence, counts their n-grams once, and then scores one string against many. The
scores are sacrebleu's of sentences (`sentence_chrf`, `sentence_bleu` on tokens) up to the last bits of a float.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.errors import LatticeSimpError
from lattice_simp.scores.bleu import bleu_logs
from lattice_simp.scores.chrf import CHRF_ORDER, chrf_score
from lattice_simp.scores.edits import distance_table
from lattice_simp.scores.ngrams import ORDER, NgramTrie, numbered
from lattice_simp.support.plurals import counted

Tokens: TypeAlias = tuple[str, ...]

Scores: TypeAlias = Callable[[Ints, Ints], Floats]
"""Maps the numbers of strings (n,) and of references (k,) to utilities (n, k) float64; higher is better."""

UserUtility: TypeAlias = Callable[[str, str], float]
"""Maps a hypothesis and a reference, their tokens joined by blanks, to a utility; higher is better."""


@dataclass(frozen=True)
class BatchUtility:
    """A utility that scores many pairs at once, as neural metrics do.

    >>> longer = BatchUtility(lambda hypotheses, references: [len(one) - len(other) for one, other in
    ...                                                       zip(hypotheses, references)])
    >>> user_scores([("a",), ("b", "c")], longer)(np.array([0, 1]), np.array([0])).tolist()
    [[0.0], [2.0]]

    Attributes:
        function: maps hypotheses and references, two lists of equal length with tokens joined by blanks, to as many
            utilities; higher is better.
    """

    function: Callable[[list[str], list[str]], npt.ArrayLike]


def chrf(strings: Sequence[Tokens]) -> Scores:
    """Returns the scores of the character n-gram F-score chrF2 (Popović 2015), 0 to 100.

    >>> scores = chrf([("the", "cat"), ("the", "rat")])
    >>> scores(np.array([0]), np.array([0, 1])).round(2).tolist()
    [[100.0, 28.06]]
    """
    profiles = _Profiles.of(["".join("".join(tokens).split()) for tokens in strings], CHRF_ORDER)

    def scores(numbers: Ints, references: Ints) -> Floats:
        matches = _matches(profiles, numbers, references)
        return chrf_score(profiles.totals[numbers][:, None], profiles.totals[references], matches, scale=100.0)

    return scores


def bleu(strings: Sequence[Tokens]) -> Scores:
    """Returns the scores of sentence BLEU on the tokens, 0 to 100: exponential smoothing, effective order.

    >>> scores = bleu([("the", "cat", "sat"), ("the", "cat", "slept")])
    >>> scores(np.array([0]), np.array([0, 1])).round(2).tolist()
    [[100.0, 55.03]]
    """
    profiles = _Profiles.of(strings, ORDER)

    def scores(numbers: Ints, references: Ints) -> Floats:
        matches, lengths = _matches(profiles, numbers, references), profiles.totals[references, 0]
        totals = profiles.totals[numbers][:, None]
        brevity, precision = bleu_logs(matches, totals, lengths, smooth=True, effective=True)
        return 100.0 * np.exp(brevity + precision)

    return scores


def wer(strings: Sequence[Tokens]) -> Scores:
    """Returns minus the word errors: insertions, deletions and substitutions (Stolcke, König and Weintraub 1997).

    >>> wer([("a", "b", "c"), ("a", "c")])(np.array([0]), np.array([0, 1])).tolist()
    [[0.0, -1.0]]
    """

    def scores(numbers: Ints, references: Ints) -> Floats:
        hypotheses, reference_strings = (
            [strings[index] for index in numbered.tolist()] for numbered in (numbers, references)
        )
        return 0.0 - distance_table(hypotheses, reference_strings)

    return scores


UTILITIES: Mapping[str, Callable[[Sequence[Tokens]], Scores]] = {"chrf": chrf, "bleu": bleu, "wer": wer}
"""The utilities by name. To add one, write a function that makes `Scores` and add it here."""


def user_scores(strings: Sequence[Tokens], utility: UserUtility | BatchUtility) -> Scores:
    """Returns the scores of a user's function, which is called for each pair, or for many at once.

    Raises:
        LatticeSimpError: a function returns several values, or a `BatchUtility` another number of values than pairs.
    """
    texts = [" ".join(tokens) for tokens in strings]

    def scores(numbers: Ints, references: Ints) -> Floats:
        hypotheses = [texts[number] for number in numbers.tolist() for _ in references]
        reference_texts = [texts[reference] for reference in references.tolist()] * len(numbers)
        if isinstance(utility, BatchUtility):
            utilities = _numbers(utility.function(hypotheses, reference_texts))
        else:
            pairs = zip(hypotheses, reference_texts, strict=True)
            values = [utility(hypothesis, reference) for hypothesis, reference in pairs]
            if any(np.ndim(value) for value in values):
                raise LatticeSimpError(
                    "the utility returns several values for a hypothesis and a reference, not one; give a function of "
                    "two strings, or a BatchUtility for a function of two lists of strings"
                )
            utilities = _numbers(values)
        if len(utilities) != len(hypotheses):
            raise LatticeSimpError(
                f"the utility gives {counted(len(utilities), 'value')} for {counted(len(hypotheses), 'pair')}"
            )
        return utilities.reshape(len(numbers), len(references))

    return scores


def _numbers(values: npt.ArrayLike) -> Floats:
    """Returns the values of a user's function as a column."""
    try:
        return np.asarray(values, dtype=np.float64).ravel()
    except (TypeError, ValueError, OverflowError) as error:
        raise LatticeSimpError(f"the utility must return numbers: {error!s:.80}") from error


# ---------------------------------------------------------------- n-grams


class _Profiles(NamedTuple):
    """The n-grams of each string, sorted by their numbers.

    Attributes:
        offsets: (strings + 1,) int64, where the n-grams of each string begin.
        grams: (entries,) int64, the numbers of n-grams, rising in each string.
        counts: (entries,) int64, how often the string holds each.
        orders: (entries,) int32, their lengths less 1.
        totals: (strings, max_order) int32, the number of n-grams of each length in a string.
    """

    offsets: Longs
    grams: Longs
    counts: Longs
    orders: Ints
    totals: Ints

    @classmethod
    def of(cls, strings: Sequence[Sequence[str]], max_order: int) -> _Profiles:
        words = numbered(strings)
        trie = NgramTrie.of(words, max_order)
        num_nodes = len(trie.lengths)
        cells, counts = np.unique(trie.sentences() * num_nodes + trie.occurrences, return_counts=True)
        offsets = np.searchsorted(cells, np.arange(len(words) + 1) * num_nodes)
        grams = cells % num_nodes
        lengths = np.array([len(string) for string in words], dtype=np.int32)
        totals = np.maximum(0, lengths[:, None] - np.arange(max_order, dtype=np.int32))
        return cls(offsets, grams, counts, trie.lengths[grams] - 1, totals)


@jit
def _matches(profiles: _Profiles, numbers: Ints, references: Ints) -> Ints:
    """Returns how many n-grams of each length strings share with references, (strings, references, max_order)."""
    offsets, grams, counts, orders, totals = profiles
    shared = np.zeros((len(numbers), len(references), totals.shape[1]), dtype=np.int32)
    for row in range(len(numbers)):
        for column in range(len(references)):
            here, end = offsets[numbers[row]], offsets[numbers[row] + 1]
            there, other_end = offsets[references[column]], offsets[references[column] + 1]
            while here < end and there < other_end:
                if grams[here] < grams[there]:
                    here += 1
                elif grams[here] > grams[there]:
                    there += 1
                else:
                    shared[row, column, orders[here]] += min(counts[here], counts[there])
                    here += 1
                    there += 1
    return shared
