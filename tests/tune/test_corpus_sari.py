"""SARI's sufficient statistics against those of the evaluation, and the line search against decoding."""

from __future__ import annotations

import numpy as np
import pytest
from tune_helpers import best_of_line

from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import sari_corpus
from lattice_simp.scores.sari import STATISTICS, SariReferences, corpus_sari
from lattice_simp.tune.envelope import segments
from lattice_simp.tune.line_search import search_line
from lattice_simp.tune.mert import MertOptions, evaluate, minimize_error
from lattice_simp.tune.metrics import SARI, TUNED_METRICS, tuned_metric


def sentence(rng, words, longest):
    return rng.integers(1, words + 1, rng.integers(0, longest)).astype(np.int32)


def text(words):
    return " ".join(f"w{word}" for word in words)


def packed(hypotheses):
    """Returns the words of hypotheses, and the beginning of each."""
    return np.concatenate(hypotheses), np.cumsum([0, *map(len, hypotheses)])


def test_statistics_and_scores_are_those_of_the_evaluation():
    """Few words make repetitions, many make n-grams that neither source nor references have."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        words, count = (2, 3, 5, 30)[seed % 4], 1 + seed % 3
        sources = [sentence(rng, words, 12) for _ in range(6)]
        references = [[sentence(rng, words, 12) for _ in range(count)] for _ in sources]
        prepared = SARI.prepared(references, sources)
        hypotheses = [[sentence(rng, words, 14) for _ in range(3)] for _ in sources]
        rows = [first.rows(*packed(hypothesis)) for first, hypothesis in zip(prepared, hypotheses, strict=True)]
        metric = sari_corpus(count, tokenise_source=False)
        columns = [[text(reference[number]) for reference in references] for number in range(count)]
        for number in range(3):  # each is one of several hypotheses of a call, so that counts would leak
            outputs = [text(hypothesis[number]) for hypothesis in hypotheses]
            theirs = metric.rows(outputs, columns, [text(source) for source in sources])
            assert [row[number].tolist() for row in rows] == theirs.tolist(), f"seed {seed}"
            total = np.sum([row[number] for row in rows], axis=0)
            assert float(corpus_sari(total)) == pytest.approx(float(metric.score(total)) / 100.0), f"seed {seed}"


def test_the_random_sentences_use_every_column():
    rng = np.random.default_rng(3)
    pairs = [SARI.prepared([[sentence(rng, 2, 12)] * 2], [sentence(rng, 2, 12)])[0] for _ in range(40)]
    total = np.sum([pair.rows(*packed([sentence(rng, 2, 12)])) for pair in pairs], axis=(0, 1))
    assert total.shape == (STATISTICS,)
    assert (total > 0).all()


def test_many_rows_at_once_are_each_alone():
    rows = np.random.default_rng(4).integers(0, 9, (50, STATISTICS))
    assert corpus_sari(rows.reshape(5, 10, -1)).reshape(-1).tolist() == [float(corpus_sari(row)) for row in rows]


def corpus(random_lattice, seed, sentences=5):
    """Sources are what most of the references keep, so that all operations count."""
    rng = np.random.default_rng(seed)
    lattices = [random_lattice(rng, states=12, words=3, arcs_per_state=2.5) for _ in range(sentences)]
    sources = [rng.integers(1, 4, 8) for _ in lattices]
    references = [[source[rng.random(8) < 0.7], np.append(source[:4], rng.integers(1, 4, 2))] for source in sources]
    return lattices, references, sources, rng.normal(size=3)


def test_no_point_of_the_line_is_better(random_lattice):
    gains = []
    for seed in range(15):
        lattices, references, sources, weights = corpus(random_lattice, seed)
        direction = np.random.default_rng(100 + seed).normal(size=3)
        optimum = best_of_line(lattices, SARI.prepared(references, sources), weights, direction, SARI)
        assert optimum.detail is None
        gains.append(optimum.score - optimum.here)
    assert np.count_nonzero(np.array(gains) > 0.01) > 5  # no plateaus


def test_the_score_of_the_weights_is_that_of_all_paths(random_lattice, all_paths):
    """Brute force without envelopes: at each of many gammas the best of all paths, scored by the evaluation."""
    metric = sari_corpus(2, tokenise_source=False)
    for seed in range(4):
        lattices, references, sources, weights = corpus(random_lattice, seed, sentences=3)
        direction = np.random.default_rng(200 + seed).normal(size=3)
        paths = [all_paths(lattice) for lattice in lattices]
        columns = [[text(reference[number]) for reference in references] for number in range(2)]
        prepared = SARI.prepared(references, sources)
        results = [segments(*pair, weights, [direction]) for pair in zip(lattices, prepared, strict=True)]
        best = search_line(results, metric=SARI, low=-3.0, high=3.0).score
        scores = []
        for gamma in np.linspace(-3.0, 3.0, 61)[1:-1]:
            vector = weights + gamma * direction
            outputs = [text(max(hypothesis, key=lambda path: float(vector @ path[1]))[0]) for hypothesis in paths]
            scores.append(metric.corpus_score(outputs, columns, [text(source) for source in sources]) / 100.0)
            assert scores[-1] == pytest.approx(evaluate(lattices, prepared, vector, SARI), abs=1e-12), f"seed {seed}"
        assert max(scores) <= best + 1e-12, f"seed {seed}"


def test_the_search_gains_and_keeps_its_promise(random_lattice):
    options = MertOptions(restarts=1, random_directions=4)
    for seed in range(4):
        lattices, references, sources, weights = corpus(random_lattice, seed)
        start = dict(zip(lattices[0].features, weights.tolist(), strict=True))
        result = minimize_error(lattices, references, start, options, metric="sari", sources=sources)
        prepared = SARI.prepared(references, sources)
        assert result.score == evaluate(lattices, prepared, list(result.weights.values()), SARI), f"seed {seed}"
        assert result.score > result.initial_score, f"seed {seed}"
        other = minimize_error(lattices, references, start, options)
        by_bleu = evaluate(lattices, prepared, list(other.weights.values()), SARI)
        assert result.score >= by_bleu, f"seed {seed}"


def test_an_empty_source_and_empty_references_have_statistics():
    rows = SariReferences.of([[], []], []).rows(*packed([np.array([1, 1], dtype=np.int32)]))
    assert np.flatnonzero(rows[0]).tolist() == [25, 28]  # one word and one pair are added
    assert float(corpus_sari(rows[0])) == 0.0


def test_what_cannot_be_scored_is_refused(random_lattice):
    lattices, references, sources, weights = corpus(random_lattice, 0)
    start = dict(zip(lattices[0].features, weights.tolist(), strict=True))
    with pytest.raises(LatticeSimpError, match="SARI needs --source"):
        minimize_error(lattices, references, start, metric="sari")
    with pytest.raises(LatticeSimpError, match="4 sources and references of 5 sentences"):
        minimize_error(lattices, references, start, metric="sari", sources=sources[1:])
    with pytest.raises(LatticeSimpError, match="no metric 'meteor'; choose from bleu, chrf"):
        minimize_error(lattices, references, start, metric="meteor")
    with pytest.raises(LatticeSimpError, match="no reference"):
        SariReferences.of([], [1])
    with pytest.raises(LatticeSimpError, match="negative word id"):
        SariReferences.of([[1]], [-1])


def test_metrics_are_found_by_name_or_are_their_own():
    assert [name for name in TUNED_METRICS if tuned_metric(name).needs_source] == ["sari"]
    assert tuned_metric(SARI) is SARI
