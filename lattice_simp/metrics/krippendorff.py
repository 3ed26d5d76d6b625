"""Krippendorff's alpha: the agreement of any number of judges, corrected for chance."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from lattice_simp.support.extras import Late

nltk_agreement = Late("nltk.metrics.agreement", "annotation")

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(units: Iterable[Hashable], values: npt.ArrayLike, level: Level = "nominal") -> float | None:
    """Returns Krippendorff's alpha of judgements, ignoring units with a single judgement.

    It is 1 minus the ratio of observed to expected disagreement: 1 for perfect agreement, 0 for chance agreement. The
    example is from Krippendorff, Computing Krippendorff's alpha-reliability, 2011, section B:

    >>> values = np.array([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]], bool)
    >>> round(krippendorff_alpha([*range(10), *range(10)], values.ravel()), 3)
    0.095

    Args:
        units: what each judgement is about.
        values: the judgements; bool, or int64 for categories and ratings.
        level: how judgements differ: not at all or entirely (`nominal`), by the number of judgements that lie between
            them (`ordinal`), by the square of their difference (`interval`).

    Returns:
        Alpha, or None if it is undefined: no unit has two judgements, or all judgements are the same.

    Raises:
        MissingExtraError: NLTK, which computes it, is not installed.
    """
    numbers: dict[Hashable, int] = {}
    unit = np.array([numbers.setdefault(each, len(numbers)) for each in units], np.int64)
    value, pairable = np.asarray(values), np.bincount(unit)[unit] > 1
    if len(set(value[pairable].tolist())) < 2:
        return None
    # NLTK requires the annotators, although alpha does not depend on them.
    judgements = zip(range(len(unit)), unit.tolist(), value.tolist(), strict=True)
    return float(nltk_agreement.AnnotationTask(judgements, _DISTANCES[level](value[pairable])).alpha())


def _nominal(values: np.ndarray) -> Callable[[Any, Any], float]:
    return lambda first, second: float(first != second)


def _interval(values: np.ndarray) -> Callable[[Any, Any], float]:
    return lambda first, second: float((first - second) ** 2)


def _ordinal(values: np.ndarray) -> Callable[[Any, Any], float]:
    """Returns the squared difference of mean ranks among all values."""
    points, counts = np.unique(values, return_counts=True)
    ranks = dict(zip(points.tolist(), (np.cumsum(counts) - counts / 2).tolist(), strict=True))

    # A value without a partner has no rank; alpha ignores it.
    return lambda first, second: float((ranks.get(first, 0.0) - ranks.get(second, 0.0)) ** 2)


_DISTANCES: Mapping[str, Callable[[np.ndarray], Callable[[Any, Any], float]]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
}
