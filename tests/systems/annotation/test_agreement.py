"""Agreement of annotators on tokens and on skeletons."""

from __future__ import annotations

import sys

import pytest

from lattice_simp.errors import MissingExtraError
from lattice_simp.metrics import krippendorff_alpha
from lattice_simp.systems.annotation import (
    Judgement,
    Sentence,
    Verdict,
    pairwise_f1,
    token_alpha,
    verdict_agreement,
)

NEEDS = {"reason": "NLTK is not installed (the extra 'annotation')"}


def judgements(rows):
    """Makes judgements of rows of masks: a row a sentence, a column an annotator, "" for none."""
    results = []
    for number, row in enumerate(rows):
        length = max(map(len, row))
        sentence = Sentence(f"talk.{number}", number, tuple(f"w{position}" for position in range(length)))
        results += [
            Judgement(sentence, name, sentence.skeleton(mask)) for name, mask in zip("ABC", row, strict=False) if mask
        ]
    return results


SAME = [("110", "110"), ("0111", "0111")]
SOME = [("110", "011"), ("0111", "0111", "1000"), ("", "11")]


def test_f1_of_skeletons():
    assert pairwise_f1(judgements(SAME)) == {("A", "B"): 1.0}
    assert pairwise_f1(judgements(SOME)) == {("A", "B"): 0.75, ("A", "C"): 0.0, ("B", "C"): 0.0}


def test_alpha_of_skeletons():
    pytest.importorskip("nltk", **NEEDS)
    assert token_alpha(judgements(SAME)) == 1.0
    units = [
        [True, False],
        [True, True],
        [False, True],
        [False, False, True],
        *[[True, True, False]] * 3,
        [True],
        [True],
    ]
    assert token_alpha(judgements(SOME)) == krippendorff_alpha(
        [number for number, values in enumerate(units) for _ in values], [value for values in units for value in values]
    )


def test_no_alpha_where_nothing_can_be_expected():
    assert token_alpha(judgements([("111", "111")])) is None
    assert token_alpha(judgements([("110", ""), ("", "01")])) is None
    assert token_alpha([]) is None


def test_without_nltk_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "nltk.metrics.agreement", None)
    with pytest.raises(MissingExtraError, match=r"lattice-simp\[annotation\]"):
        token_alpha(judgements(SAME))


def test_agreement_on_bad_skeletons():
    result = judgements([("110", "011")])
    said = {"A": (True, False), "B": (True, True), "C": (False, False)}
    verdicts = [
        Verdict(first.sentence, name, first.skeleton, bad)
        for name, both in said.items()
        for first, bad in zip(result, both, strict=True)
    ]
    assert verdict_agreement(verdicts) == pytest.approx(1 / 3)
    assert verdict_agreement(verdicts[:1]) is None
