"""Sufficient statistics and corpus BLEU against sacrebleu."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu

from lattice_simp.errors import LatticeSimpError
from lattice_simp.scores.bleu import References, brevity_penalty, corpus_bleu


def text(words):
    return " ".join(map(str, words))


def test_bleu_is_sacrebleus():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        words = 2 + seed % 4
        num_references = 1 + seed % 3
        hypotheses = [rng.integers(1, words + 1, rng.integers(0, 12)) for _ in range(8)]
        references = [
            [rng.integers(1, words + 1, rng.integers(1, 12)) for _ in range(num_references)] for _ in hypotheses
        ]
        rows = [
            References.of(reference).statistics(words) for reference, words in zip(references, hypotheses, strict=True)
        ]
        theirs = sacrebleu.corpus_bleu(
            [text(words) for words in hypotheses],
            [[text(reference[number]) for reference in references] for number in range(num_references)],
            tokenize="none",
            smooth_method="none",
            force=True,
        )
        total = np.sum(rows, axis=0)
        assert total.tolist() == [*theirs.counts, *theirs.totals, theirs.ref_len], f"seed {seed}"
        assert float(corpus_bleu(total)) == pytest.approx(theirs.score / 100.0, abs=1e-9), f"seed {seed}"
        assert brevity_penalty(total) == pytest.approx(theirs.bp, abs=1e-12), f"seed {seed}"


def test_most_random_corpora_have_a_bleu_above_zero():
    """The comparison above would say little about zeros alone."""
    rng = np.random.default_rng(0)
    rows = [References.of([rng.integers(1, 3, 9)]).statistics(rng.integers(1, 3, 9)) for _ in range(20)]
    assert (corpus_bleu(np.cumsum(rows, axis=0))[3:] > 0.1).all()


def test_many_rows_at_once_are_each_alone():
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 9, (50, 9))
    rows[:, 4:8] = rows[:, :4] + rng.integers(0, 3, (50, 4))
    assert corpus_bleu(rows.reshape(5, 10, 9)).reshape(-1).tolist() == [float(corpus_bleu(row)) for row in rows]


def test_clipping_takes_the_reference_with_the_most_and_ties_of_length_the_shorter():
    counts = References.of([[1, 1, 2], [1, 3, 3, 3, 3]])
    assert counts.statistics([1, 1, 1, 3]).tolist() == [3, 2, 0, 0, 4, 3, 2, 1, 3]


def test_the_counts_of_one_hypothesis_do_not_leak_into_the_next():
    counts = References.of([[1, 2, 1, 2, 3]])
    first = counts.statistics([1, 2, 1, 2, 3])
    counts.statistics([2, 2, 2, 1, 2])
    assert counts.statistics([1, 2, 1, 2, 3]).tolist() == first.tolist()


@pytest.mark.parametrize("references", [[], [[1, -1]]])
def test_broken_references_are_refused(references):
    with pytest.raises(LatticeSimpError):
        References.of(references)
