"""Strings of words with times: rows of words and pauses, each with its duration, for prefix trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis, Times
from lattice_simp.core.kernel import Floats, Ints, Longs
from lattice_simp.core.symbols import EPSILON, SymbolTable


class TimedStrings(NamedTuple):
    """Hypotheses as strings of labels that stand for a word, or a pause, of a certain duration.

    Attributes:
        labels: (count,) int32, the labels of all strings.
        begins: (strings + 1,) int64, where each string begins in `labels`.
        words: (distinct labels,) int32, the word of each label; epsilon for a pause.
        seconds: (distinct labels,) the duration of each label.
        start: when the strings begin, in seconds.
    """

    labels: Ints
    begins: Longs
    words: Ints
    seconds: Floats
    start: float

    @classmethod
    def of(cls, hypotheses: Sequence[Hypothesis], symbols: SymbolTable) -> TimedStrings | None:
        """Returns the strings of hypotheses; None if one with words has no times, or none has.

        All strings take the same time: shorter ones end with a pause. Times are rounded to milliseconds.
        """
        is_timed = any(hypothesis.times is not None for hypothesis in hypotheses)
        if not is_timed or any(len(entry.times or ()) != len(entry.tokens) for entry in hypotheses):
            return None
        spans = [np.rint(1000.0 * np.array(entry.times or (), dtype=np.float64).reshape(-1, 2)) for entry in hypotheses]
        start = min((int(times[0, 0]) for times in spans if len(times)), default=0)
        labels = [symbols.encode(entry.tokens).tolist() for entry in hypotheses]
        rows = [_row(words, times.tolist(), start) for words, times in zip(labels, spans, strict=True)]
        lengths = [sum(duration for _, duration in row) for row in rows]
        for row, length in zip(rows, lengths, strict=True):
            if length < max(lengths):
                row.append((EPSILON, max(lengths) - length))
        numbers: dict[tuple[int, int], int] = {}
        parts = [numbers.setdefault(part, len(numbers)) for part in chain.from_iterable(rows)]
        kinds = np.array(list(numbers), dtype=np.int64).reshape(-1, 2)
        begins = np.fromiter(accumulate(map(len, rows), initial=0), dtype=np.int64, count=len(rows) + 1)
        words = kinds[:, 0].astype(np.int32)
        return cls(np.array(parts, dtype=np.int32), begins, words, kinds[:, 1] / 1000.0, start / 1000.0)


def with_times_of(hypotheses: Iterable[Hypothesis], timed: Iterable[Hypothesis]) -> list[Hypothesis]:
    """Returns hypotheses with the times of the cheapest timed one that has their words, or else unchanged.

    >>> timed = [Hypothesis(("a", "cat"), 1.0, times=((0.0, 0.5), (0.5, 1.5)))]
    >>> [hypothesis.times for hypothesis in with_times_of([Hypothesis(("a", "cat")), Hypothesis(("a",))], timed)]
    [((0.0, 0.5), (0.5, 1.5)), None]
    """
    times = dict[tuple[str, ...], Times]()
    for entry in sorted(timed, key=lambda entry: entry.cost):
        if entry.times is not None:
            times.setdefault(entry.tokens, entry.times)
    return [replace(entry, times=times.get(entry.tokens, entry.times)) if times else entry for entry in hypotheses]


def _row(words: Sequence[int], spans: Sequence[tuple[float, float]], start: int) -> list[tuple[int, int]]:
    """Returns the words and pauses of a string with their milliseconds; words that overlap follow each other."""
    row, now = [], start
    for word, (begin, end) in zip(words, spans, strict=True):
        if begin > now:
            row.append((EPSILON, int(begin) - now))
            now = int(begin)
        row.append((word, max(int(end), now) - now))
        now = max(int(end), now)
    return row
