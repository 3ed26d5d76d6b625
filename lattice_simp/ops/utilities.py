"""Utilities of a hypothesis where another one is the truth, for decisions between whole strings (`mbr_nbest`).

A utility knows all strings of a sentence, counts their n-grams once, and then scores one string against many. The
scores are sacrebleu's of sentences (`sentence_chrf`, `sentence_bleu` on tokens) up to the last bits of a float.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from lattice_simp.core.kernel import Floats, Ints, jit
from lattice_simp.core.symbols import SymbolTable

Tokens: TypeAlias = tuple[str, ...]

Scores: TypeAlias = Callable[[int, Ints], Floats]
"""The number of a string and those of its references (k,), to utilities (k,) float64; higher is better."""

UserUtility: TypeAlias = Callable[[str, str], float]
"""A hypothesis and a reference, their tokens joined by blanks, to a utility; higher is better."""

_CHRF_ORDER, _BLEU_ORDER = 6, 4
_BETA_SQUARED = 4.0
"""chrF2: recall counts twice as much as precision."""


def chrf(strings: Sequence[Tokens]) -> Scores:
    """Returns the scores of the character n-gram F-score chrF2 (Popović 2015), 0 to 100.

    >>> scores = chrf([("the", "cat"), ("the", "rat")])
    >>> scores(0, np.array([0, 1], dtype=np.int32)).round(2).tolist()
    [100.0, 28.06]
    """
    profiles = _Profiles.of(["".join("".join(tokens).split()) for tokens in strings], _CHRF_ORDER)

    def scores(number: int, references: Ints) -> Floats:
        own, other = profiles.totals[number], profiles.totals[references]
        matches = _matches(profiles, number, references)
        effective = (own > 0) & (other > 0)
        orders = np.maximum(effective.sum(axis=1), 1)
        precision = (matches / np.maximum(own, 1)).sum(axis=1, where=effective) / orders
        recall = (matches / np.maximum(other, 1)).sum(axis=1, where=effective) / orders
        below = _BETA_SQUARED * precision + recall
        return np.divide(
            100.0 * (1.0 + _BETA_SQUARED) * precision * recall, below, out=np.zeros(len(below)), where=below > 0
        )

    return scores


def bleu(strings: Sequence[Tokens]) -> Scores:
    """Returns the scores of sentence BLEU on the tokens, 0 to 100: exponential smoothing, effective order.

    >>> scores = bleu([("the", "cat", "sat"), ("the", "cat", "slept")])
    >>> scores(0, np.array([0, 1], dtype=np.int32)).round(2).tolist()
    [100.0, 55.03]
    """
    profiles = _Profiles.of(strings, _BLEU_ORDER)

    def scores(number: int, references: Ints) -> Floats:
        totals = profiles.totals[number]
        order = int(np.count_nonzero(totals))
        matches = _matches(profiles, number, references)[:, :order]
        if not order:
            return np.zeros(len(references))
        halvings = np.cumsum(matches == 0, axis=1)  # each order without a match counts half as much as the one before
        counts = np.where(matches > 0, matches, 0.5**halvings)
        brevity = np.minimum(0.0, 1.0 - profiles.totals[references, 0] / totals[0])
        logs = np.log(counts / totals[:order]).sum(axis=1) / order + brevity
        return np.where(matches.any(axis=1), 100.0 * np.exp(logs), 0.0)

    return scores


def wer(strings: Sequence[Tokens]) -> Scores:
    """Returns minus the word errors: insertions, deletions and substitutions (Stolcke, König and Weintraub 1997).

    >>> wer([("a", "b", "c"), ("a", "c")])(0, np.array([0, 1], dtype=np.int32)).tolist()
    [0.0, -1.0]
    """
    table = SymbolTable()
    words = [table.encode(tokens) for tokens in strings]
    offsets = np.concatenate(([0], np.cumsum([len(own) for own in words]))).astype(np.int32)
    joined = np.concatenate([*words, np.zeros(0, dtype=np.int32)]).astype(np.int32)

    def scores(number: int, references: Ints) -> Floats:
        return 0.0 - _edit_distances(joined, offsets, number, references)

    return scores


UTILITIES: Mapping[str, Callable[[Sequence[Tokens]], Scores]] = {"chrf": chrf, "bleu": bleu, "wer": wer}
"""By name; a new one is a function that makes `Scores`, and a line here."""


def user_scores(strings: Sequence[Tokens], utility: UserUtility) -> Scores:
    """Returns the scores of a user's function, which is called for each pair."""
    texts = [" ".join(tokens) for tokens in strings]

    def scores(number: int, references: Ints) -> Floats:
        own = texts[number]
        return np.array([utility(own, texts[other]) for other in references.tolist()], dtype=np.float64)

    return scores


# ---------------------------------------------------------------- n-grams


class _Profiles(NamedTuple):
    """The n-grams of each string, sorted by their numbers.

    Attributes:
        offsets: (strings + 1,) int32, where the n-grams of each string begin.
        grams: (entries,) int32, the numbers of n-grams, rising in each string.
        counts: (entries,) int32, how often the string holds each.
        orders: (entries,) int32, their lengths less 1.
        totals: (strings, max_order) int32, how many n-grams of each length a string has.
    """

    offsets: Ints
    grams: Ints
    counts: Ints
    orders: Ints
    totals: Ints

    @classmethod
    def of(cls, strings: Sequence[Sequence[str]], max_order: int) -> _Profiles:
        numbers: dict[Sequence[str], int] = {}
        grams, counts, orders, ends = [], [], [], [0]
        totals = np.zeros((len(strings), max_order), dtype=np.int32)
        for row, string in enumerate(strings):
            own: dict[int, list[int]] = {}
            for order in range(min(max_order, len(string))):
                totals[row, order] = len(string) - order
                for begin in range(len(string) - order):
                    number = numbers.setdefault(string[begin : begin + order + 1], len(numbers))
                    own.setdefault(number, [0, order])[0] += 1
            for number, (count, order) in sorted(own.items()):
                grams.append(number)
                counts.append(count)
                orders.append(order)
            ends.append(len(grams))
        columns = [np.array(values, dtype=np.int32) for values in (ends, grams, counts, orders)]
        return cls(columns[0], columns[1], columns[2], columns[3], totals)


@jit
def _matches(profiles: _Profiles, number: int, references: Ints) -> Ints:
    """Returns how many n-grams of each length a string shares with each reference, (references, max_order)."""
    offsets, grams, counts, orders, totals = profiles
    found = np.zeros((len(references), totals.shape[1]), dtype=np.int32)
    for row in range(len(references)):
        one, one_end = offsets[number], offsets[number + 1]
        other, other_end = offsets[references[row]], offsets[references[row] + 1]
        while one < one_end and other < other_end:
            if grams[one] < grams[other]:
                one += 1
            elif grams[one] > grams[other]:
                other += 1
            else:
                found[row, orders[one]] += min(counts[one], counts[other])
                one += 1
                other += 1
    return found


@jit
def _edit_distances(words: Ints, offsets: Ints, number: int, references: Ints) -> Floats:
    """Returns the edit distances of a string to each reference, (references,)."""
    own = words[offsets[number] : offsets[number + 1]]
    found = np.zeros(len(references))
    costs = np.zeros(len(own) + 1, dtype=np.int32)
    for row in range(len(references)):
        costs[:] = np.arange(len(own) + 1)
        for place in range(offsets[references[row]], offsets[references[row] + 1]):
            diagonal = costs[0]
            costs[0] += 1
            for index in range(len(own)):
                changed = diagonal + (0 if own[index] == words[place] else 1)
                diagonal = costs[index + 1]
                costs[index + 1] = min(changed, diagonal + 1, costs[index] + 1)
        found[row] = costs[len(own)]
    return found
