"""Resampling and p-values against sacrebleu's `PairedTest`, loops over samples, and exhaustive enumeration."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from metrics.corpora import random_sentences, with_mistakes
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from sacrebleu.significance import PairedTest

from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import (
    Groups,
    Lines,
    SignificanceTest,
    TestKind,
    bleu_13a,
    bleu_tok,
    chrf,
    compare,
    compare_groups,
    length_ratio,
    measure,
    significance,
    ter,
)
from lattice_simp.metrics.significance import holm, interval, randomisation_p

SEED = 12345


@pytest.fixture(scope="module")
def corpus():
    """A reference, and systems that are worse, alike, a little better and much better than the first."""
    references = random_sentences(150, 1, longest=15)
    rates = {"base": (0.3, 2), "worse": (0.36, 3), "alike": (0.3, 4), "better": (0.27, 5), "best": (0.1, 6)}
    return references, {name: with_mistakes(references, rate, seed) for name, (rate, seed) in rates.items()}


def measured_by(corpus, *metrics):
    references, systems = corpus
    lines = {name: Lines(system, system) for name, system in systems.items()}
    return measure(lines, [Lines(references, references)], metrics)


METRICS = [(bleu_13a, BLEU), (chrf, CHRF), (ter, TER)]


@pytest.fixture(scope="module")
def theirs(corpus):
    """sacrebleu's results for a kind of test, by metric and system."""
    references, systems = corpus

    def run(kind, samples):
        metrics = {ours().name: other() for ours, other in METRICS}
        names = list(metrics)
        _, scores = PairedTest(list(systems.items()), metrics, [references], kind, samples)()
        columns = [column for name, column in scores.items() if name != "System"]
        return {name: dict(zip(systems, column, strict=True)) for name, column in zip(names, columns, strict=True)}

    return run


def test_bootstrap_is_that_of_sacrebleu(corpus, theirs):
    expected = theirs("bs", 300)
    measured = measured_by(corpus, *(ours() for ours, _ in METRICS))
    actual = compare(measured, "base", SignificanceTest(samples=300, seed=SEED)).scores
    seen = []
    for metric, results in expected.items():
        for name, result in results.items():
            score = actual[name][metric]
            assert score.value == pytest.approx(result.score, rel=1e-9)
            low, high = score.interval
            assert (high - low) / 2 == pytest.approx(result.ci, abs=1e-3)
            if name == "base":
                assert score.p is None
                assert score.gain is None
            else:
                assert score.p == pytest.approx(result.p_value, abs=0.01)
                seen.append(score.p)
    assert min(seen) < 0.01
    assert max(seen) > 0.1


def test_randomisation_is_that_of_sacrebleu(corpus, theirs):
    """Swaps with the same difference count here, but not in sacrebleu; TER, with integer edits, has many."""
    expected = theirs("ar", 300)
    measured = measured_by(corpus, *(ours() for ours, _ in METRICS))
    test = SignificanceTest(TestKind.RANDOMISATION, samples=300, seed=SEED)
    actual = compare(measured, "base", test).scores
    for metric, results in expected.items():
        for name, result in results.items():
            if name != "base" and metric != "TER":
                assert actual[name][metric].p == pytest.approx(result.p_value, abs=0.01), (metric, name)
            elif name != "base":
                assert result.p_value - 1e-9 <= actual[name][metric].p <= result.p_value + 0.1


@pytest.mark.parametrize("cells", [1, 100, 1000])
def test_blocks_change_nothing(monkeypatch, cells):
    first, second = np.random.default_rng(1).integers(0, 9, size=(2, 13, 4)).astype(float)
    whole = significance.bootstrap_sums(first, 90), significance.swapped_sums(first, second, 90)
    monkeypatch.setattr(significance, "BLOCK_CELLS", cells)
    np.testing.assert_array_equal(significance.bootstrap_sums(first, 90), whole[0])
    np.testing.assert_array_equal(significance.swapped_sums(first, second, 90), whole[1])


def test_sums_are_those_of_a_loop():
    first, second = np.random.default_rng(2).integers(0, 9, size=(2, 6, 3)).astype(float)
    drawn = np.random.default_rng(7).choice(6, size=(40, 6), replace=True)
    np.testing.assert_array_equal(
        significance.bootstrap_sums(first, 40, 7), [first[rows].sum(axis=0) for rows in drawn]
    )
    mask = np.random.default_rng(7).integers(2, size=(40, 6), dtype=bool)
    entry, other = significance.swapped_sums(first, second, 40, 7)
    np.testing.assert_array_equal(entry, [np.where(row[:, None], first, second).sum(axis=0) for row in mask])
    np.testing.assert_array_equal(other, [np.where(row[:, None], second, first).sum(axis=0) for row in mask])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("make", [bleu_tok, chrf, ter, length_ratio])
def test_randomisation_nears_all_swaps(make, seed):
    """With 2 to 9 sentences, all swaps can be enumerated; random ones estimate their share."""
    metric, count = make(), 2 + seed + seed // 3
    references = [line + " end" for line in random_sentences(count, seed)]
    entry, other = (metric.rows(with_mistakes(references, rate, seed), [references]) for rate in (0.2, 0.7))
    observed = abs(metric.score(entry.sum(axis=0)) - metric.score(other.sum(axis=0)))
    as_large = 0
    for swaps in product([False, True], repeat=count):
        mask = np.array(swaps)[:, None]
        first, second = np.where(mask, other, entry).sum(axis=0), np.where(mask, entry, other).sum(axis=0)
        as_large += abs(metric.score(first) - metric.score(second)) >= observed - 1e-9
    exact = as_large / 2**count
    samples = 20_000
    error = 4 * np.sqrt(exact * (1 - exact) / samples) + 1 / samples
    assert randomisation_p(entry, other, metric, samples, seed) == pytest.approx(exact, abs=error)


@pytest.mark.parametrize("kind", TestKind)
def test_equal_systems_do_not_differ(corpus, kind):
    references, systems = corpus
    values = {"base": systems["base"], "copy": list(systems["base"])}
    measured = measured_by((references, values), bleu_tok(), ter(), length_ratio())
    for score in compare(measured, "base", SignificanceTest(kind, samples=100)).scores["copy"].values():
        assert (score.gain, score.gain_interval, score.p) == (0.0, (0.0, 0.0), 1.0)


def test_a_sentence_alone_is_never_significant(corpus):
    references, systems = corpus
    long = max(range(len(references)), key=lambda index: len(references[index]))
    labels = ["few" if index == long else "many" for index in range(len(references))]
    measured = measured_by((references, systems), ter())
    few = compare_groups(measured, Groups.of("size", labels), "base")["few"]
    assert few.sentences == 1
    assert few.scores["best"]["TER"].p is None
    randomised = SignificanceTest(TestKind.RANDOMISATION, samples=50)
    assert compare_groups(measured, Groups.of("size", labels), "base", randomised)["few"].scores["best"]["TER"].p == 1.0


def test_a_group_is_compared_as_a_corpus_of_its_own(corpus):
    references, systems = corpus
    labels = ["long" if len(line) > 40 else None for line in references]
    rows = [index for index, label in enumerate(labels) if label]
    metrics = (bleu_13a(), ter())
    grouped = compare_groups(measured_by(corpus, *metrics), Groups.of("size", labels), "base")["long"]
    part = [references[row] for row in rows], {name: [system[row] for row in rows] for name, system in systems.items()}
    alone = compare(measured_by(part, *metrics), "base")
    assert grouped.sentences == len(rows) == alone.sentences
    assert 10 < len(rows) < len(references)
    assert grouped.scores == alone.scores


def test_randomised_false_alarms_are_as_rare_as_promised():
    """Two samples of the same system differ "significantly" (p <= 0.1) in about a tenth of the cases."""
    metric, alarms = ter(), 0
    references = random_sentences(40, 9)
    for seed in range(60):
        first, other = (metric.rows(with_mistakes(references, 0.4, s), [references]) for s in (seed, seed + 500))
        alarms += randomisation_p(first, other, metric, 200, seed) <= 0.1
    assert 0 < alarms <= 14  # of 60; more would come up once in three thousand runs


def test_intervals_leave_out_equal_shares():
    values = np.random.default_rng(3).permutation(1000).astype(float)
    assert interval(values) == (25.0, 974.0)
    assert interval(values, 0.9) == (50.0, 949.0)
    assert interval(np.array([4.0])) == (4.0, 4.0)


@pytest.mark.parametrize(
    "options", [{"samples": 0}, {"confidence": 1.0}, {"confidence": 0.0}, {"seed": -1}, {"interval_samples": 0}]
)
def test_settings_out_of_range_are_refused(options):
    with pytest.raises(LatticeSimpError):
        SignificanceTest(**options)


def test_what_cannot_be_compared_is_refused(corpus):
    measured = measured_by(corpus, ter())
    with pytest.raises(LatticeSimpError, match="no system 'none'"):
        compare(measured, "none")
    with pytest.raises(LatticeSimpError, match="no sentences"):
        compare(measured, "base", rows=np.array([], dtype=np.intp))
    with pytest.raises(LatticeSimpError, match="1 label "):
        compare_groups(measured, Groups.of("size", ["a"]), "base")
    with pytest.raises(LatticeSimpError, match="BLEU-13a needs text"):
        measure({"a": Lines(tokens=["a"])}, [Lines(text=["a"])], [bleu_13a()])
    with pytest.raises(LatticeSimpError, match="nothing to evaluate"):
        measure({}, [Lines(tokens=["a"])], [bleu_tok()])


def test_a_metric_reads_the_form_it_prefers_where_all_have_it():
    both, lines = Lines(["a b"], ["A b"]), Lines(tokens=["a b"])
    assert measure({"a": both}, [both], [chrf()]).forms[0].value == "text"
    assert measure({"a": both}, [lines], [chrf()]).forms[0].value == "tokens"
    for bad in ({}, {"tokens": ["a"], "text": []}):
        with pytest.raises(LatticeSimpError):
            Lines(**bad)


def test_holm_rejects_what_the_closed_test_of_bonferroni_rejects():
    """A hypothesis is rejected if Bonferroni's test rejects every set of hypotheses that it belongs to."""
    random = np.random.default_rng(5)
    for count in (1, 2, 5, 7):
        values = random.choice([0.001, 0.01, 0.02, 0.3, 1.0], count).tolist()
        sets = [combination for size in range(1, count + 1) for combination in combinations(range(count), size)]
        for index, entry in enumerate(holm(values)):
            bounds = [min(1.0, len(group) * min(values[other] for other in group)) for group in sets if index in group]
            assert entry == pytest.approx(max(bounds)), values
    assert holm([]) == []
