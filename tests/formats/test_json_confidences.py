"""Confidences of words in JSON of recognisers and speech services."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from helpers import written_json

import lattice_simp as ls
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.formats.ctm import ctm_fields
from lattice_simp.formats.json.times import ListedWord, confidences_of


def words(word: str, share: str, values: tuple[object, object] = (0.9, 0.6)) -> list[dict[str, Any]]:
    """Returns the words "a" and "cat" with times, and confidences under a name."""
    spans = (0.5, 0.8), (1.0, 1.5)
    return [
        {word: text, "start": begin, "end": end, share: value}
        for text, (begin, end), value in zip(("a", "cat"), spans, values, strict=True)
    ]


PLAIN = words("word", "confidence")


def test_tokens_of_several_words() -> None:
    """A token of several words is right if all are; punctuation counts only on its own."""
    listed = [ListedWord("twenty", confidence=0.9), ListedWord("-"), ListedWord("two", confidence=0.5)]
    assert confidences_of(["twenty-two"], listed) == (0.45,)
    assert confidences_of(["twenty", "-", "two"], listed) == (0.9, 1.0, 0.5)
    assert confidences_of(["Twenty,", "two", "!"], listed) == (0.9, 0.5, 1.0)
    assert confidences_of(["twelve"], listed) is None
    assert repr(confidences_of(["twenty", "two"], [*listed[:2], ListedWord("two")])) == "(0.9, nan)"


def test_lattices_and_ctm_have_confidences(tmp_path: Path) -> None:
    """The feature `posterior` holds the logs; those of a single hypothesis become its words' confidences in CTM."""
    [[hypothesis]] = ls.read_nbest(written_json(tmp_path, {"text": "a cat", "result": PLAIN}))
    lattice = ls.Lattice.from_nbest([hypothesis])
    is_word = lattice.olabels > 0
    assert lattice.features["posterior"][is_word].tolist() == pytest.approx([math.log(0.9), math.log(0.6)])
    assert lattice.features["posterior"][~is_word].tolist() == [0.0]
    for decide in ("best", "consensus"):
        assert [word.confidence for word in ls.timed_words(lattice, decide)] == pytest.approx([0.9, 0.6])
    assert [path.confidences for path in ls.nbest(lattice, 1)] == [pytest.approx((0.9, 0.6))]
    ls.write(lattice, tmp_path / "x.slf")
    assert ls.shortest_path(ls.read(tmp_path / "x.slf")).confidences == pytest.approx((0.9, 0.6))
    several = ls.Lattice.from_nbest([hypothesis, Hypothesis(("a", "hat"), 0.0, times=hypothesis.times)])
    assert "posterior" not in several.features
    assert [word.confidence for word in ls.timed_words(several)] == pytest.approx([1.0, 0.5])


def test_a_word_without_a_confidence_is_unknown(tmp_path: Path) -> None:
    """It is NaN in hypotheses, null in JSON, and has no field in SLF and CTM; the other words keep theirs."""
    row = {"segments": [{"text": " 19 a cat", "words": [{"word": "19"}, *words("word", "score")]}]}
    [[hypothesis]] = ls.read_nbest(written_json(tmp_path, row))
    assert repr(hypothesis.confidences) == "(nan, 0.9, 0.6)"
    ls.write_nbest([(0, [hypothesis])], tmp_path / "y.jsonl")
    assert '"confidences": [null, 0.9, 0.6]' in (tmp_path / "y.jsonl").read_text()
    [[again]] = ls.read_nbest(tmp_path / "y.jsonl")
    lattice = ls.Lattice.from_nbest([again])
    ls.write(lattice, tmp_path / "x.slf")
    ls.write(lattice, tmp_path / "x.plf")
    assert ls.nbest(lattice)[0].features["posterior"] == pytest.approx(math.log(0.9 * 0.6))
    for read in (lattice, ls.read(tmp_path / "x.slf"), ls.read(tmp_path / "x.plf")):
        assert ls.shortest_path(read).confidences == pytest.approx((math.nan, 0.9, 0.6), nan_ok=True)
    rows = ctm_fields(ls.timed_words(lattice))
    assert rows == ["0.500 0.000 19", "0.500 0.300 a 0.9000", "1.000 0.500 cat 0.6000"]


def test_prefixes_with_other_confidences_stay_apart() -> None:
    """Each hypothesis keeps its confidences, without times as well; an empty one has none."""
    entries = [
        Hypothesis(("a", "cat"), 1.0, confidences=(0.9, 0.6)),
        Hypothesis(("a", "hat"), 2.0, confidences=(0.5, 0.4)),
        Hypothesis((), 3.0, confidences=()),
    ]
    paths = ls.nbest(ls.Lattice.from_nbest(entries), 3)
    assert [path.confidences for path in paths] == [pytest.approx(entry.confidences) for entry in entries]
    assert [path.times for path in paths] == [None] * 3


def test_pieces_and_marks(tmp_path: Path) -> None:
    entry = {"tokens": ["<s>", "▁a", "▁c", "at."], "confidences": [1, 0.9, 0.8, 0.75], "score": -1}
    path = written_json(tmp_path, {"hypotheses": [entry]})
    [[hypothesis]] = ls.read_nbest(path, pieces="sentencepiece", ignore=["<s>"])
    assert (hypothesis.text, hypothesis.confidences) == ("a cat.", pytest.approx((0.9, 0.6)))
