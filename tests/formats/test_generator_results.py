"""Hypotheses from Python results of other programs."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp.errors import LatticeSimpError


def test_results_of_ctranslate2():
    """The attributes of `ctranslate2.TranslationResult`; scores are empty unless requested."""
    namespace = SimpleNamespace(hypotheses=[["▁a", "▁hous", "e"], ["▁the", "▁house"]], scores=[-0.5, -0.75])
    hypotheses = ls.from_generator(namespace, pieces="sentencepiece")
    assert [(entry.text, entry.cost) for entry in hypotheses] == [("a house", 0.5), ("the house", 0.75)]
    namespace.scores = []
    assert [round(math.exp(-path.cost), 6) for path in ls.from_generator(namespace)] == [0.5, 0.5]


def test_the_class_of_ctranslate2_has_these_attributes():
    ctranslate2 = pytest.importorskip("ctranslate2", reason="the extra neural is not installed")
    assert {"hypotheses", "scores"} <= set(dir(ctranslate2.TranslationResult))


def test_texts_and_scores_of_hugging_face():
    hypotheses = ls.from_generator(["a house", "the house"], np.array([-0.25, -1.0], dtype=np.float32))
    assert ls.shortest_path(ls.Lattice.from_nbest(hypotheses)).text == "a house"
    assert [entry.score for entry in hypotheses] == [-0.25, -1.0]


def test_samples():
    hypotheses = ls.from_generator(["b", "a", "a", "a"])
    assert [(entry.text, round(math.exp(-entry.cost), 6)) for entry in hypotheses] == [("a", 0.75), ("b", 0.25)]


def test_scores_that_do_not_fit():
    with pytest.raises(LatticeSimpError, match="2 texts, but 1 score;"):
        ls.from_generator(["a", "b"], [1.0])
    with pytest.raises(LatticeSimpError, match="the score of 'b' is nan"):
        ls.from_generator(["a", "b"], [1.0, math.nan])


@pytest.mark.parametrize("texts", [[[1, 2, 3]], [b"a b"], [("a b", -1.0)]], ids=["ids", "bytes", "pair"])
def test_texts_of_other_types_are_refused(texts):
    with pytest.raises(TypeError, match=r"words must be strings, not .*decode token ids"):
        ls.from_generator(texts)
