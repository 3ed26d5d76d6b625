"""The statistics of judgements against statsmodels, SciPy's other functions, and cases by hand."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from helpers import needs

from lattice_simp.support.extras import Late

pytest.importorskip("pydantic", reason="pydantic is not installed (the extra 'judging')")

from lattice_simp.systems.judging.statistics import anova, bradley_terry, clustered_mean, share, sign_test, tukey

needs("judging", "scipy")

stats = Late("scipy.stats")

NEEDS = {"reason": "statsmodels is not installed (the extra 'dev')"}


def test_a_mean_with_one_value_in_each_cluster_has_the_usual_interval():
    for seed in range(50):
        values = np.random.default_rng(seed).normal(3, 1, 2 + seed)
        estimate = clustered_mean(values, np.arange(len(values)) * 3)
        usual = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        assert (estimate.low, estimate.high) == pytest.approx(tuple(usual)), seed
        assert estimate.value == pytest.approx(values.mean())


def test_repeated_values_add_no_certainty():
    values, cluster = np.array([1.0, 2.0, 4.0, 5.0]), np.arange(4)
    once, often = clustered_mean(values, cluster), clustered_mean(np.repeat(values, 7), np.repeat(cluster, 7))
    assert (often.low, often.high) == pytest.approx((once.low, once.high))
    assert math.isnan(clustered_mean(values, np.zeros(4, int)).low)


def test_clustered_means_are_those_of_statsmodels():
    api = pytest.importorskip("statsmodels.api", **NEEDS)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        cluster = np.sort(rng.integers(0, 9, 40))
        values = rng.integers(1, 6, 40) + rng.normal(size=9)[cluster]
        fitted = api.OLS(values, np.ones(40)).fit(
            cov_type="cluster", cov_kwds={"groups": cluster, "df_correction": True}, use_t=True
        )
        estimate = clustered_mean(values, cluster)
        assert (estimate.low, estimate.high) == pytest.approx(tuple(fitted.conf_int()[0])), seed


def test_shares():
    estimate = share(91, 100)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.91, 0.8377, 0.9519), abs=5e-5)
    assert share(0, 7).low == pytest.approx(0)
    proportion = pytest.importorskip("statsmodels.stats.proportion", **NEEDS)
    for count in range(21):
        expected = proportion.proportion_confint(count, 20, method="wilson")
        assert (share(count, 20).low, share(count, 20).high) == pytest.approx(expected, abs=1e-9)


def test_analysis_of_variance_by_hand():
    groups = [np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 4.0]), np.array([6.0, 7.0, 8.0])]
    result = anova(groups)  # squares: 42 between, 6 within
    assert (result.statistic, result.between, result.within) == (pytest.approx(21.0), 2, 6)
    assert result.p == pytest.approx(float(stats.f.sf(21, 2, 6)))


@pytest.mark.parametrize(
    "groups", [[[1.0, 2.0]], [[1.0, 2.0], []], [[1.0], [2.0]], [[3.0, 3.0], [4.0, 4.0]], [[3.0, 3.0], [3.0, 3.0]]]
)
def test_what_cannot_be_tested_has_no_result(groups):
    arrays = [np.array(group) for group in groups]
    assert anova(arrays) is None
    assert tukey(arrays) == {}


@pytest.mark.slow
def test_variance_and_tukey_are_those_of_statsmodels():
    pytest.importorskip("statsmodels", **NEEDS)
    from statsmodels.stats.multicomp import pairwise_tukeyhsd
    from statsmodels.stats.oneway import anova_oneway

    for seed in range(5):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(4, 15, 4)
        groups = [rng.integers(1, 6, size) + 0.5 * number for number, size in enumerate(sizes)]
        labels = np.repeat(np.arange(4), sizes)
        variance = anova_oneway(np.concatenate(groups), labels, use_var="equal")
        assert (anova(groups).statistic, anova(groups).p) == pytest.approx((variance.statistic, variance.pvalue))
        expected = pairwise_tukeyhsd(np.concatenate(groups), labels)
        actual = tukey(groups)
        for number, pair in enumerate(combinations(range(4), 2)):
            difference = actual[pair]  # theirs is the second minus the first
            assert difference.estimate.value == pytest.approx(-expected.meandiffs[number]), seed
            bounds = difference.estimate.low, difference.estimate.high
            assert bounds == pytest.approx(tuple(-expected.confint[number][::-1]), abs=1e-3), seed
            assert difference.p == pytest.approx(expected.pvalues[number], abs=1e-3), seed


def test_signs_by_hand():
    assert sign_test(9, 1) == pytest.approx(2 * 11 / 1024)
    assert sign_test(5, 5) == sign_test(0, 0) == 1.0
    for wins in range(8):
        tail = sum(math.comb(7, count) for count in range(8) if math.comb(7, count) <= math.comb(7, wins)) / 2**7
        assert sign_test(wins, 7 - wins) == pytest.approx(tail)


def test_strengths_of_two_systems_are_log_odds():
    first, second = bradley_terry(np.array([[0, 12], [3, 0]]))
    assert first.value - second.value == pytest.approx(math.log(4))
    assert first.value == -second.value
    error = math.sqrt(1 / 12 + 1 / 3) / 2
    assert first.high - first.low == pytest.approx(2 * 1.959964 * error, rel=1e-5)


def test_strengths_explain_how_often_each_wins():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        wins = rng.integers(1, 12, (5, 5)) / 2
        values = np.array([strength.value for strength in bradley_terry(wins)])
        chances = 1 / (1 + np.exp(values[None, :] - values[:, None]))
        np.fill_diagonal(wins, 0)
        expected = ((wins + wins.T) * chances).sum(axis=1) - np.diag(wins + wins.T) / 2
        assert expected == pytest.approx(wins.sum(axis=1), abs=1e-6), seed
        assert values.sum() == pytest.approx(0)


def test_strengths_are_those_of_logistic_regression():
    api = pytest.importorskip("statsmodels.api", **NEEDS)
    for seed in range(10):
        wins = np.random.default_rng(seed).integers(1, 20, (4, 4))
        pairs = list(combinations(range(4), 2))
        design = np.zeros((len(pairs), 4))
        for row, (first, second) in enumerate(pairs):
            design[row, first], design[row, second] = 1, -1
        counts = np.array([(wins[pair], wins[pair[::-1]]) for pair in pairs])
        fitted = api.GLM(counts, design[:, :3] - design[:, 3:], family=api.families.Binomial()).fit()
        # The last strength is minus the sum of the others.
        strengths = bradley_terry(wins)
        assert [strength.value for strength in strengths[:3]] == pytest.approx(fitted.params, abs=1e-5), seed
        bounds = np.array([(strength.low, strength.high) for strength in strengths[:3]])
        assert bounds == pytest.approx(fitted.conf_int(), abs=1e-4), seed


def test_no_strengths_where_some_always_win():
    assert bradley_terry(np.array([[0, 3], [0, 0]])) is None
    assert bradley_terry(np.array([[0, 1, 4], [1, 0, 4], [0, 0, 0]])) is None
    assert bradley_terry(np.array([[0, 1, 4], [1, 0, 4], [0, 0.5, 0]])) is not None
