"""BLEU, chrF and TER against sacrebleu's own corpus scores."""

from __future__ import annotations

import numpy as np
import pytest
from metrics.corpora import random_sentences, real_sentences, with_mistakes
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import bleu_13a, bleu_tok, chrf, length_ratio, ter
from lattice_simp.metrics.metrics import METRICS, MetricOptions

PAIRS = [
    pytest.param(bleu_tok, lambda: BLEU(tokenize="none", lowercase=True, force=True), id="BLEU-tok"),
    pytest.param(bleu_13a, BLEU, id="BLEU-13a"),
    pytest.param(lambda n=1: bleu_13a(n, lowercase=True), lambda: BLEU(lowercase=True), id="BLEU-13a-lc"),
    pytest.param(chrf, CHRF, id="chrF"),
    pytest.param(lambda n=1: chrf(n, lowercase=True), lambda: CHRF(lowercase=True), id="chrF-lc"),
    pytest.param(ter, TER, id="TER"),
]
EXACT = {"rel": 1e-12, "abs": 1e-12}


def corpora(seed: int):
    """Hypotheses and one to three references, from good to hopeless."""
    references = random_sentences(1 + seed % 7, seed)
    hypotheses = (
        with_mistakes(references, [0.05, 0.3, 0.9][seed % 3], seed)
        if seed % 5
        else random_sentences(len(references), seed + 1000)
    )
    others = [with_mistakes(references, 0.5, seed + other) for other in range(seed % 3)]
    return hypotheses, [references, *others]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_corpus_scores_of_random_corpora_are_those_of_sacrebleu(ours, theirs):
    scores = set()
    for seed in range(80):
        hypotheses, references = corpora(seed)
        expected = theirs().corpus_score(hypotheses, references).score
        assert ours(len(references)).corpus_score(hypotheses, references) == pytest.approx(expected, **EXACT), seed
        scores.add(round(expected, 3))
    assert len(scores) > 30
    assert min(scores) == 0


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_every_row_of_many_sums_gets_its_own_score(ours, theirs):
    references = random_sentences(30, 3)
    hypotheses = with_mistakes(references, 0.4, 4)
    rows = ours().rows(hypotheses, [references])
    counts = np.random.default_rng(5).integers(0, 3, size=(7, 2, 30))
    counts[0, 0] = 0
    scorer = theirs()
    expected = [[scorer._compute_score_from_stats(list(sums)).score for sums in pair] for pair in counts @ rows]
    np.testing.assert_allclose(ours().score(counts @ rows), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("references", [1, 3])
def test_signatures_are_those_of_sacrebleu(ours, theirs, references):
    scorer = theirs()
    scorer.corpus_score(["a b"], [["a b"]] * references)
    assert ours(references).signature == str(scorer.get_signature())


@pytest.mark.shared
@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_corpus_scores_of_news_are_those_of_sacrebleu(ours, theirs, shared):
    references = real_sentences(shared, "newstest2013.en-de.de", 200)
    hypotheses = with_mistakes(references, 0.3, 1)
    expected = theirs().corpus_score(hypotheses, [references]).score
    assert 10 < expected < 90
    assert ours().corpus_score(hypotheses, [references]) == pytest.approx(expected, **EXACT)


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        ([], [[]], "nothing to score"),
        (["a"], [], "nothing to score"),
        (["a", "b"], [["a", "b"], ["a"]], "reference 2 has 1 line for 2"),
    ],
)
def test_what_cannot_be_scored_is_refused(hypotheses, references, message):
    for metric in (bleu_tok(), ter(), length_ratio()):
        with pytest.raises(LatticeSimpError, match=message):
            metric.rows(hypotheses, references)


@pytest.mark.parametrize("name", METRICS)
def test_scores_have_as_many_references_as_their_signature_states(name):
    """A signature that states another number would be published with a score that nobody can compute again."""
    metric = METRICS[name](MetricOptions(1, "en"))
    if "nrefs:" not in metric.signature:  # it ignores references
        assert np.isfinite(metric.corpus_score(["a b"], [["a b"], ["a"]], ["a b c"]))
        return
    assert metric.signature.startswith("nrefs:1|")
    message = r"made for 1 reference, but got 2; make it with num_references=2"
    with pytest.raises(LatticeSimpError, match=message):
        metric.corpus_score(["a b"], [["a b"], ["a"]], ["a b c"])


def test_texts_are_no_number_of_references():
    for make in (bleu_tok, bleu_13a, chrf, ter, length_ratio):
        with pytest.raises(TypeError, match="num_references must be a whole number"):
            make(["the cat sat"])


def test_the_length_ratio_takes_the_closest_reference_and_the_shorter_of_two():
    hypotheses = ["a b c", "a b", "", "a b c d"]
    references = [["a b c d", "a b c d", "a", "a"], ["a b", "a b c", "", "a b c d e"]]
    metric = length_ratio(2)
    assert metric.rows(hypotheses, references).tolist() == [[3, 2], [2, 3], [0, 0], [4, 5]]
    assert metric.corpus_score(hypotheses, references) == pytest.approx(0.9)
    assert metric.score([[3.0, 0.0], [0.0, 0.0]]).tolist() == [0.0, 0.0]


def test_the_lengths_are_those_of_bleu():
    for seed in range(5):
        references = [random_sentences(40, seed + other) for other in (0, 10, 20)]
        hypotheses = random_sentences(40, seed + 30)
        ours, theirs = (each(3).rows(hypotheses, references)[:, :2] for each in (length_ratio, bleu_tok))
        np.testing.assert_array_equal(ours, theirs, err_msg=f"seed {seed}")


def test_which_metrics_tell_cases_apart():
    tokens, other = ["the cat sat on the mat ."], [["The cat sat on the Mat ."]]
    assert bleu_tok().corpus_score(tokens, other) == pytest.approx(100.0)
    for metric in (bleu_13a(), chrf()):
        assert metric.corpus_score(tokens, other) < 99.0, metric.name
    assert bleu_13a(lowercase=True).corpus_score(tokens, other) == pytest.approx(100.0)
