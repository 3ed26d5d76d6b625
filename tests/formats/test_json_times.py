"""Times of words in n-best lists: JSON of recognisers and speech services."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

import lattice_simp as ls
from lattice_simp.core.hypothesis import Hypothesis

SPANS = ((0.5, 0.8), (1.0, 1.5))


PLAIN = [{"word": "a", "start": 0.5, "end": 0.8}, {"word": "cat", "start": 1.0, "end": 1.5}]


def test_prefix_trees_hold_times_and_pauses() -> None:
    """Words at the same time share arcs; all paths take the same time."""
    hypotheses = [
        Hypothesis(("a", "cat"), 1.0, times=SPANS),
        Hypothesis(("a", "hat"), 2.0, times=(SPANS[0], (1.0, 1.6))),
        Hypothesis(("the", "cat"), 3.0, times=((0.4, 0.8), SPANS[1])),
    ]
    lattice = ls.Lattice.from_nbest(hypotheses)
    assert lattice.header.start == 0.4
    seconds = [path.features["time"] for path in ls.nbest(lattice, 3)]
    assert seconds == pytest.approx([1.2, 1.2, 1.2])
    found = [(word.word, round(word.begin, 3), round(word.duration, 3)) for word in ls.timed_words(lattice)]
    assert found == [("a", 0.5, 0.3), ("cat", 1.0, 0.5)]
    untimed = ls.Lattice.from_nbest([*hypotheses, Hypothesis(("dog",), 4.0)])
    assert "time" not in untimed.features
    assert ls.Lattice.from_nbest([Hypothesis((), 0.5, times=())]).num_arcs == 0


def test_pieces_and_marks_keep_times(tmp_path: Path) -> None:
    entry = {"tokens": ["<s>", "▁a", "▁c", "at"], "times": [[0, 0.5], [0.5, 0.8], [1, 1.2], [1.2, 1.5]], "score": -1}
    (tmp_path / "x.json").write_text(json.dumps({"hypotheses": [entry]}), encoding="utf-8")
    [[hypothesis]] = ls.read_nbest(tmp_path / "x.json", pieces="sentencepiece", ignore=["<s>"])
    assert (hypothesis.text, hypothesis.times) == ("a cat", SPANS)


def test_alternatives_without_words_need_no_times(tmp_path: Path) -> None:
    row = {"alternatives": [{"text": "a cat", "confidence": -1, "result": PLAIN}, {"text": "", "confidence": -2}]}
    (tmp_path / "x.json").write_text(json.dumps(row), encoding="utf-8")
    with warnings.catch_warnings(action="error"):
        hypotheses = ls.read_nbest(tmp_path / "x.json")[0]
    assert [entry.times for entry in hypotheses] == [SPANS, None]
    assert "time" in ls.Lattice.from_nbest(hypotheses).features
