"""Exact line search of a corpus score (Och 2003, section 5): the best interval of gamma by all envelopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.tune.envelope import Segments
from lattice_simp.tune.metric import TunedMetric
from lattice_simp.tune.metrics import BLEU

BEYOND = 0.1
"""How far gamma lies beyond the outermost boundaries, relative to their absolute value if that is above 1."""

SAME = 1e-12
"""Scores that differ by less count as equal."""


@dataclass(frozen=True)
class Optimum:
    """The best interval along a direction.

    Attributes:
        score: the corpus score anywhere inside.
        detail: the metric's further figure there, such as the brevity penalty of BLEU; None if it has none.
        low: where the interval begins; -infinity or the search's limit at the left end.
        high: where it ends.
        gamma: a point well inside; 0 where the score is no better than there.
        here: the score at gamma 0.
        at_low_end: the score of the leftmost interval.
        segments: hypothesis segments of all sentences together.
    """

    score: float
    detail: float | None
    low: float
    high: float
    gamma: float
    here: float
    at_low_end: float
    segments: int


def search_line(
    sentences: Sequence[Segments],
    direction: int = 0,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    min_width: float = 0.0,
    metric: TunedMetric = BLEU,
) -> Optimum:
    """Finds the interval of gamma with the highest score; of ties the one nearest to 0.

    Neighbouring intervals with equal scores of different hypotheses stay separate.

    Args:
        sentences: the envelopes of all sentences, at least one, with the same limit.
        direction: the number of the direction.
        low, high: the least allowed gamma, at most 0, and the greatest, at least 0.
        min_width: narrower intervals are skipped unless they hold 0, since their scores are due to chance.
        metric: the metric of the envelopes.
    """
    begins, totals, count = _intervals(sentences, direction)
    ends = np.append(begins[1:], sentences[0].limit)
    lows, highs = np.maximum(begins, low), np.minimum(ends, high)
    scores = metric.score(totals)
    zero = int(np.searchsorted(begins, 0.0, side="right")) - 1
    allowed = (highs > lows) & (highs - lows >= min_width)
    allowed[zero] = True
    candidates = np.flatnonzero(allowed & (scores >= scores[allowed].max() - SAME))
    distance = np.maximum(0.0, np.maximum(lows[candidates], -highs[candidates]))
    best = zero if zero in candidates else int(candidates[np.argmin(distance)])
    low, high = float(lows[best]), float(highs[best])
    return Optimum(
        score=float(scores[best]),
        detail=None if metric.detail is None else metric.detail(totals[best]),
        low=low,
        high=high,
        gamma=0.0 if best == zero else _inside(low, high, first=best == 0, last=best == len(begins) - 1),
        here=float(scores[zero]),
        at_low_end=float(scores[0]),
        segments=count,
    )


def _intervals(sentences: Sequence[Segments], direction: int) -> tuple[Floats, Longs, int]:
    """Returns where each interval begins, in order, the corpus statistics there, and the number of segments."""
    slices = [slice(part.offsets[direction], part.offsets[direction + 1]) for part in sentences]
    begins = np.concatenate([part.begins[rows] for part, rows in zip(sentences, slices, strict=True)])
    changes = np.concatenate([part.changes[rows] for part, rows in zip(sentences, slices, strict=True)])
    order = np.argsort(begins, kind="stable")
    begins = begins[order]
    totals = np.cumsum(changes[order], axis=0, dtype=np.int64)
    last = np.append(begins[1:] != begins[:-1], True)  # the last of equal begins has all changes
    return begins[last], totals[last], len(order)


def _inside(low: float, high: float, first: bool, last: bool) -> float:
    """Returns the middle of an interval, or for the first and the last interval a point near its boundary."""
    middle = (low + high) / 2.0
    if first:
        return max(middle, high - BEYOND * max(1.0, abs(high)))
    return min(middle, low + BEYOND * max(1.0, abs(low))) if last else middle
