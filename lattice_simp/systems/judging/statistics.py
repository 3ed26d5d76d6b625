"""Statistics of judgements: means with intervals, analysis of variance, sign tests, strengths from preferences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lattice_simp.support.extras import Late

stats = Late("scipy.stats", "judging")
optimize = Late("scipy.optimize", "judging")
csgraph = Late("scipy.sparse.csgraph", "judging")

CONFIDENCE = 0.95
"""The level of intervals."""


@dataclass(frozen=True)
class Estimate:
    """A value with its interval; the bounds are NaN if there are too few judgements."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Anova:
    """A one-way analysis of variance: the statistic, its degrees of freedom, and the p-value."""

    statistic: float
    between: int
    within: int
    p: float


@dataclass(frozen=True)
class Difference:
    """The difference of two means, its simultaneous interval, and its p-value."""

    estimate: Estimate
    p: float


def clustered_mean(values: np.ndarray, cluster: np.ndarray) -> Estimate:
    """Returns the mean of values and its t interval, which accounts for correlation within clusters.

    With one value in each cluster, it is the usual interval.

    >>> mean = clustered_mean(np.array([1.0, 2.0, 3.0, 4.0]), np.arange(4))
    >>> mean.value, round(mean.low, 3), round(mean.high, 3)
    (2.5, 0.446, 4.554)

    Args:
        values: the values, such as the ratings of a system; float64.
        cluster: the index of the cluster of each value, such as the rated item; int64.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    mean = float(values.mean())
    _, cluster = np.unique(cluster, return_inverse=True)
    residuals = np.bincount(cluster, values - mean)
    count = len(residuals)
    if count < 2:
        return Estimate(mean, np.nan, np.nan)
    error = np.sqrt(count / (count - 1) * np.square(residuals).sum()) / len(values)
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 1) * error)
    return Estimate(mean, mean - reach, mean + reach)


def share(count: int, total: int) -> Estimate:
    """Returns a share and its interval by Wilson (1927).

    >>> estimate = share(91, 100)
    >>> estimate.value, round(estimate.low, 3), round(estimate.high, 3)
    (0.91, 0.838, 0.952)

    Args:
        count: the number of successes, from 0 to `total`.
        total: the number of trials, at least 1.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    interval = stats.binomtest(count, total).proportion_ci(CONFIDENCE, "wilson")
    return Estimate(count / total, float(interval.low), float(interval.high))


def anova(groups: Sequence[np.ndarray]) -> Anova | None:
    """Returns the one-way analysis of variance of groups of values.

    >>> result = anova([np.array([4.0, 5.0, 5.0]), np.array([2.0, 3.0, 2.0])])
    >>> round(result.statistic, 2), round(result.p, 4)
    (24.5, 0.0078)

    Returns:
        None if it is undefined: fewer than two groups, an empty one, as many groups as values, or groups without
        any variation.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    if not _vary(groups):
        return None
    result = stats.f_oneway(*groups)
    within = sum(map(len, groups)) - len(groups)
    return Anova(float(result.statistic), len(groups) - 1, within, float(result.pvalue))


def tukey(groups: Sequence[np.ndarray]) -> dict[tuple[int, int], Difference]:
    """Returns Tukey's test of the honestly significant difference (Kramer's for unequal sizes) for each pair of groups.

    >>> difference = tukey([np.array([4.0, 5.0, 5.0]), np.array([2.0, 3.0, 2.0])])[0, 1]
    >>> round(difference.estimate.value, 2), round(difference.p, 4)
    (2.33, 0.0078)

    Args:
        groups: the values of each group.

    Returns:
        The first mean minus the second, by the indices of the groups; empty where `anova` is undefined.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    if not _vary(groups):
        return {}
    result = stats.tukey_hsd(*groups)
    bounds = result.confidence_interval(CONFIDENCE)
    return {
        (first, second): Difference(
            Estimate(*(float(part[first, second]) for part in (result.statistic, bounds.low, bounds.high))),
            float(result.pvalue[first, second]),
        )
        for first in range(len(groups))
        for second in range(first + 1, len(groups))
    }


def sign_test(wins: int, losses: int) -> float:
    """Returns the two-sided p-value of the sign test; leave ties out.

    >>> sign_test(9, 1)
    0.021484375
    >>> sign_test(0, 0)
    1.0

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    return float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def bradley_terry(wins: np.ndarray) -> list[Estimate] | None:
    """Returns the strength of each system by the model of Bradley and Terry (1952).

    A system of strength a is preferred to one of strength b with probability 1 / (1 + exp(b - a)). Strengths add up
    to 0. They maximise the likelihood, and the intervals come from its curvature there.

    >>> [round(strength.value, 3) for strength in bradley_terry(np.array([[0, 3], [1, 0]]))]
    [0.549, -0.549]

    Args:
        wins: the number of times that the row's system is preferred to the column's; a tie counts half for both. Shape
            (n, n).

    Returns:
        None if the likelihood has no maximum: the systems form two groups, and no system of one group is ever preferred
        to one of the other.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    wins = np.asarray(wins, np.float64) * (1 - np.eye(len(wins)))
    if csgraph.connected_components(wins > 0, connection="strong", return_labels=False) > 1:
        return None
    games, won = wins + wins.T, wins.sum(axis=1)

    def expected(strengths: np.ndarray) -> np.ndarray:
        return np.asarray(1 / (1 + np.exp(strengths[None, :] - strengths[:, None])))

    def gradient(strengths: np.ndarray) -> np.ndarray:
        return np.asarray((games * expected(strengths)).sum(axis=1) - won + strengths.sum())

    def information(strengths: np.ndarray) -> np.ndarray:
        chance = expected(strengths)
        weights = games * chance * (1 - chance)
        return np.asarray(np.diag(weights.sum(axis=1)) - weights)

    # Only differences of strengths matter to the likelihood; the square of their sum makes the solution unique.
    def loss(strengths: np.ndarray) -> float:
        gaps = strengths[None, :] - strengths[:, None]
        return float((wins * np.logaddexp(0, gaps)).sum() + strengths.sum() ** 2 / 2)

    start = np.zeros(len(wins))
    result = optimize.minimize(
        loss, start, method="trust-exact", jac=gradient, hess=lambda point: information(point) + 1.0, tol=1e-10
    )
    strengths = result.x - result.x.mean()
    errors = np.sqrt(np.diag(np.linalg.pinv(information(strengths), hermitian=True)))
    reach = stats.norm.ppf((1 + CONFIDENCE) / 2) * errors
    return [
        Estimate(*map(float, bounds)) for bounds in zip(strengths, strengths - reach, strengths + reach, strict=True)
    ]


def _vary(groups: Sequence[np.ndarray]) -> bool:
    """Returns whether values differ within groups, so that differences between groups can be tested."""
    sizes = [len(group) for group in groups]
    if len(groups) < 2 or min(sizes) == 0 or sum(sizes) <= len(groups):
        return False
    return any(np.ptp(group) > 0 for group in groups)
