"""Paired significance tests between two systems, and confidence intervals, for any metric.

Paired bootstrap resampling (Koehn 2004) and paired approximate randomisation (Riezler and Maxwell 2005). The first is
defined as in sacrebleu, whose p is about half that of a two-sided test; the second is two-sided, hence stricter.
Scores of resamples come from sums of sentence statistics, by matrix products in blocks of bounded memory. Random
numbers are drawn as in sacrebleu, so the same seed gives the same resamples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics.metric import Metric

DEFAULT_SEED = 12345
"""The default seed of sacrebleu."""

BLOCK_CELLS = 1 << 22
"""The sentences times resamples in memory at once: a few matrices of 32 MiB."""

_BITS = 32
"""numpy draws this many Booleans from one random number; blocks of as many rows waste none."""

FEWEST_FOR_BOOTSTRAP = 10
"""With fewer sentences, no p-value is computed: resamples hardly vary, and almost any difference looks significant."""

_TIE = 1e-9
"""Score differences (0 to 100) closer than this count as equal, since the order of a sum changes its last bits."""


class TestKind(str, Enum):
    """The significance tests."""

    __test__ = False  # pytest would take the class for a test case

    BOOTSTRAP = "bootstrap"
    RANDOMISATION = "randomisation"


@dataclass(frozen=True)
class SignificanceTest:
    """The kind of test, and its number of resamples.

    >>> SignificanceTest().description
    'paired bootstrap resampling, 1000 samples, seed 12345'

    Attributes:
        kind: the kind of test.
        samples: the samples of the test; by default 1000 or 10000, as in sacrebleu.
        seed: the seed of the random numbers, at least 0.
        confidence: the confidence level of the intervals, above 0 and below 1.
        interval_samples: the bootstrap resamples for the intervals if the test has none.

    Raises:
        LatticeSimpError: a number out of range.
    """

    kind: TestKind = TestKind.BOOTSTRAP
    samples: int | None = None
    seed: int = DEFAULT_SEED
    confidence: float = 0.95
    interval_samples: int = 1000

    def __post_init__(self) -> None:
        if self.trials < 1 or self.interval_samples < 1:
            raise LatticeSimpError("a significance test needs at least one sample")
        if not 0 < self.confidence < 1:
            raise LatticeSimpError(f"the confidence is {self.confidence}; give a number above 0 and below 1")
        if self.seed < 0:
            raise LatticeSimpError(f"the seed is {self.seed}; give a number from 0 up")

    @property
    def trials(self) -> int:
        """The number of samples of the test."""
        usual = 1000 if self.kind is TestKind.BOOTSTRAP else 10000
        return usual if self.samples is None else self.samples

    @property
    def bootstrap_samples(self) -> int:
        """The number of bootstrap resamples for intervals."""
        return self.trials if self.kind is TestKind.BOOTSTRAP else self.interval_samples

    @property
    def description(self) -> str:
        """The description of the test in tables."""
        name = "bootstrap resampling" if self.kind is TestKind.BOOTSTRAP else "approximate randomisation"
        return f"paired {name}, {self.trials} samples, seed {self.seed}"


def interval(values: Floats, confidence: float = 0.95) -> tuple[float, float]:
    """Returns the bounds that exclude an equal share of the resampled values on both sides.

    >>> interval(np.arange(100.0))
    (2.0, 97.0)

    As in sacrebleu: of 1000 sorted values, counted from 0, those at 25 and 974.
    """
    cut = int(len(values) * (1.0 - confidence) / 2.0 + _TIE)
    ordered = np.sort(values)
    return float(ordered[cut]), float(ordered[-1 - cut])


def bootstrap_p(baseline: Floats, system: Floats, difference: float) -> float:
    """Returns the p-value of paired bootstrap resampling, as sacrebleu defines it.

    It is the share of resamples whose absolute difference, less the mean absolute difference, exceeds the difference on
    all sentences; the observation itself is counted, too. A clear difference is exceeded on only one side, so p is that
    of a one-sided test, and hardly above 0.5 for equally good systems. Systems with equal scores get 1; sacrebleu
    returns its smallest p for them.

    Args:
        baseline, system: (samples,), the scores of the same resamples.
        difference: the difference of the scores on all sentences.
    """
    if abs(difference) <= _TIE:
        return 1.0
    differences = np.abs(system - baseline)
    exceeding = np.count_nonzero(differences - differences.mean() > abs(difference))
    return float((exceeding + 1) / (len(differences) + 1))


def randomisation_p(
    baseline: Floats, system: Floats, metric: Metric, samples: int = 10000, seed: int = DEFAULT_SEED
) -> float:
    """Returns the p-value of paired approximate randomisation.

    It is the share of random swaps after which the systems differ at least as much as observed; the observation itself
    is counted, too. (sacrebleu counts only larger differences, so a single sentence is "significant" there.)

    Args:
        baseline, system: (sentences, k) statistics.
        metric: the metric of the scores to compare.
        samples: the number of random swaps.
        seed: the seed of the swaps.
    """
    observed = abs(float(metric.score(system.sum(axis=0)) - metric.score(baseline.sum(axis=0))))
    first, second = swapped_sums(baseline, system, samples, seed)
    as_large = np.count_nonzero(np.abs(metric.score(first) - metric.score(second)) >= observed - _TIE)
    return float((as_large + 1) / (samples + 1))


def holm(values: Sequence[float]) -> list[float]:
    """Returns p-values corrected for multiple comparisons by Holm's method (1979).

    The probability of any false positive at a level is then at most that level.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(values)), key=lambda index: values[index])
    corrected, greatest = [0.0] * len(values), 0.0
    for rank, index in enumerate(order):
        greatest = max(greatest, min(1.0, (len(values) - rank) * values[index]))
        corrected[index] = greatest
    return corrected


def bootstrap_sums(statistics: Floats, samples: int, seed: int = DEFAULT_SEED) -> Floats:
    """Sums statistics, (sentences, k), over samples of the sentences drawn with replacement; returns (samples, k).

    >>> bootstrap_sums(np.ones((5, 2)), samples=3).tolist()
    [[5.0, 5.0], [5.0, 5.0], [5.0, 5.0]]
    """
    generator = np.random.default_rng(seed)
    sentences = len(statistics)
    sums = []
    for rows in _blocks(samples, max(1, BLOCK_CELLS // sentences)):
        drawn = generator.integers(0, sentences, size=(rows, sentences))
        drawn += np.arange(rows)[:, None] * sentences
        counts = np.bincount(drawn.ravel(), minlength=rows * sentences).reshape(rows, sentences)
        sums.append(counts.astype(np.float64) @ statistics)
    return np.concatenate(sums)


def swapped_sums(first: Floats, second: Floats, samples: int, seed: int = DEFAULT_SEED) -> tuple[Floats, Floats]:
    """Sums statistics of two systems, (sentences, k), with outputs swapped for a random half; returns two (samples, k).

    >>> swapped, other = swapped_sums(np.ones((8, 1)), np.zeros((8, 1)), samples=100)
    >>> bool((swapped + other == 8).all()), bool(3 < swapped.mean() < 5)
    (True, True)
    """
    generator = np.random.default_rng(seed)
    difference = first - second
    sums = []
    for rows in _blocks(samples, max(1, BLOCK_CELLS // (len(first) * _BITS)) * _BITS):
        swapped = generator.integers(2, size=(rows, len(first)), dtype=np.bool_)
        sums.append(swapped.astype(np.float64) @ difference)
    moved = np.concatenate(sums)
    return second.sum(axis=0) + moved, first.sum(axis=0) - moved


def _blocks(total: int, most: int) -> Iterator[int]:
    for start in range(0, total, most):
        yield min(most, total - start)
