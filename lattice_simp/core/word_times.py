"""Strings of words with times or confidences: rows of words and pauses with their values, for prefix trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import NamedTuple, TypeAlias

import numpy as np

from lattice_simp.core.hypothesis import Confidences, Hypothesis, Times
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.core.symbols import EPSILON, SymbolTable

_Part: TypeAlias = tuple[int, int, float]
"""A word, or epsilon for a pause, its milliseconds, and its confidence."""


class MarkedStrings(NamedTuple):
    """Hypotheses as strings of labels that stand for a word, or a pause, of a certain duration and confidence.

    Attributes:
        labels: (count,) int32, the labels of all strings.
        begins: (strings + 1,) int64, where each string begins in `labels`.
        words: (distinct labels,) int32, the word of each label; epsilon for a pause.
        seconds: (distinct labels,) the duration of each label; None without times.
        confidences: (distinct labels,) the confidence of each label, 1 for a pause; None without confidences.
        start: when the strings begin, in seconds.
    """

    labels: Ints
    begins: Longs
    words: Ints
    seconds: Floats | None
    confidences: Floats | None
    start: float

    @classmethod
    def of(cls, hypotheses: Sequence[Hypothesis], symbols: SymbolTable) -> MarkedStrings | None:
        """Returns the strings of hypotheses; None if they have neither times nor confidences.

        Times, or confidences, are left out unless all hypotheses with words have them. All strings take the same time:
        shorter ones end with a pause. Times are rounded to milliseconds.
        """
        is_timed = _have_all([entry.times for entry in hypotheses], hypotheses)
        is_sure = _have_all([entry.confidences for entry in hypotheses], hypotheses)
        if not is_timed and not is_sure:
            return None
        labels = [symbols.encode(entry.tokens).tolist() for entry in hypotheses]
        shares = [
            entry.confidences if is_sure and entry.confidences else (1.0,) * len(entry.tokens) for entry in hypotheses
        ]
        start = 0
        rows = [
            [(word, 0, share) for word, share in zip(*pair, strict=True)] for pair in zip(labels, shares, strict=True)
        ]
        if is_timed:
            rows, start = _timed(rows, [entry.times or () for entry in hypotheses])
        numbers: dict[_Part, int] = {}
        parts = [numbers.setdefault(part, len(numbers)) for part in chain.from_iterable(rows)]
        words, durations, sure = zip(*numbers, strict=True) if numbers else ((), (), ())
        return cls(
            labels=np.array(parts, dtype=np.int32),
            begins=np.fromiter(accumulate(map(len, rows), initial=0), dtype=np.int64, count=len(rows) + 1),
            words=np.array(words, dtype=np.int32),
            seconds=np.array(durations, dtype=np.float64) / 1000.0 if is_timed else None,
            confidences=np.array(sure, dtype=np.float64) if is_sure else None,
            start=start / 1000.0,
        )


def with_marks_of(hypotheses: Iterable[Hypothesis], marked: Iterable[Hypothesis]) -> list[Hypothesis]:
    """Returns the hypotheses, each with the times and confidences of the cheapest marked one with the same words.

    >>> timed = [Hypothesis(("a", "cat"), 1.0, times=((0.0, 0.5), (0.5, 1.5)))]
    >>> [hypothesis.times for hypothesis in with_marks_of([Hypothesis(("a", "cat")), Hypothesis(("a",))], timed)]
    [((0.0, 0.5), (0.5, 1.5)), None]
    """
    times, confidences = dict[tuple[str, ...], Times](), dict[tuple[str, ...], Confidences]()
    for entry in sorted(marked, key=lambda entry: entry.cost):
        if entry.times is not None:
            times.setdefault(entry.tokens, entry.times)
        if entry.confidences is not None:
            confidences.setdefault(entry.tokens, entry.confidences)
    if not times and not confidences:
        return list(hypotheses)
    return [
        replace(
            entry,
            times=times.get(entry.tokens, entry.times),
            confidences=confidences.get(entry.tokens, entry.confidences),
        )
        for entry in hypotheses
    ]


def longest_overlap(times: Times) -> float:
    """Returns for how many seconds at most a word begins before an earlier one ends, 0 if none does.

    >>> longest_overlap(((0.0, 0.5), (0.25, 0.75), (1.0, 1.5)))
    0.25
    """
    ends = accumulate((end for _, end in times), max)
    return max((end - begin for end, (begin, _) in zip(ends, times[1:], strict=False) if end > begin), default=0.0)


def _have_all(columns: Sequence[Sequence[object] | None], hypotheses: Sequence[Hypothesis]) -> bool:
    """Returns whether a column is set, and has a value for each word of each hypothesis."""
    is_set = any(column is not None for column in columns)
    return is_set and all(
        len(column or ()) == len(entry.tokens) for column, entry in zip(columns, hypotheses, strict=True)
    )


def _timed(rows: Sequence[Sequence[_Part]], times: Sequence[Times]) -> tuple[list[list[_Part]], int]:
    """Returns rows with pauses and milliseconds, which all take the same time, and when they begin."""
    spans = [np.rint(1000.0 * np.array(entry, dtype=np.float64).reshape(-1, 2)) for entry in times]
    start = min((int(entry[0, 0]) for entry in spans if len(entry)), default=0)
    timed = [_row(row, entry.tolist(), start) for row, entry in zip(rows, spans, strict=True)]
    lengths = [sum(duration for _, duration, _ in row) for row in timed]
    for row, length in zip(timed, lengths, strict=True):
        if length < max(lengths):
            row.append((EPSILON, max(lengths) - length, 1.0))
    return timed, start


def _row(row: Sequence[_Part], spans: Sequence[tuple[float, float]], start: int) -> list[_Part]:
    """Returns the words and pauses of a string with their milliseconds; words that overlap follow each other."""
    timed, now = list[_Part](), start
    for (word, _, confidence), (begin, end) in zip(row, spans, strict=True):
        if begin > now:
            timed.append((EPSILON, int(begin) - now, 1.0))
            now = int(begin)
        timed.append((word, max(int(end), now) - now, confidence))
        now = max(int(end), now)
    return timed
