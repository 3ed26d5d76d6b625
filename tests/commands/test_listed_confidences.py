"""Commands with the confidences of words that lists have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import written_json

import lattice_simp as ls
from lattice_simp.errors import InputWarning

WORDS = [
    {"word": "a", "start": 0.5, "end": 0.8, "confidence": 0.9},
    {"word": "cat", "start": 1.0, "end": 1.5, "confidence": 0.6},
]


def test_tokens_share_confidences(tmp_path: Path, call: Any) -> None:
    path = written_json(tmp_path, {"hypotheses": [{"text": "a cat.", "confidences": [0.9, 0.6], "score": -1}]})
    call("lattice", "tokens", path, "--language", "en", "--output", tmp_path / "out.jsonl")
    [[hypothesis]] = ls.read_nbest(tmp_path / "out.jsonl")
    assert (hypothesis.text, hypothesis.confidences) == ("a cat .", (0.9, 0.6, 0.6))


def test_unknown_confidences_are_empty(tmp_path: Path, call: Any) -> None:
    path = written_json(tmp_path, {"hypotheses": [{"text": "19 cats", "confidences": [None, 0.6], "score": -1}]})
    assert call("lattice", "confidence", path).stdout == "0\t0\t19\t\n0\t1\tcats\t0.600000\n"


def test_alternatives_without_confidences_are_reported(tmp_path: Path, call: Any) -> None:
    alternatives = [{"transcript": "a cat", "words": WORDS}, {"transcript": "a hat"}]
    path = written_json(tmp_path, {"results": [{"alternatives": alternatives}]})
    with pytest.warns(InputWarning, match=r"1 alternative has no confidences of words, so lattices of the list"):
        [[first, second]] = ls.read_nbest(path)
    assert (first.confidences, second.confidences) == ((0.9, 0.6), None)
    call("lattice", "texts", path, "-n", 1, "--output", tmp_path / "first.jsonl")
    done = call("lattice", "ctm", tmp_path / "first.jsonl")
    assert [line.split()[-1] for line in done.stdout.splitlines()] == ["0.9000", "0.6000"]
    done = call("lattice", "confidence", tmp_path / "first.jsonl")
    assert [line.split()[-1] for line in done.stdout.splitlines()] == ["0.900000", "0.600000"]


@pytest.mark.parametrize("command", ["ctm", "confidence"])
def test_computed_confidences_are_noted(tmp_path: Path, call: Any, command: str) -> None:
    """Once for a file, if several hypotheses have confidences; a single one keeps them."""
    other = [WORDS[0], {**WORDS[1], "word": "hat", "confidence": 0.2}]
    alternatives = [{"transcript": "a cat", "words": WORDS}, {"transcript": "a hat", "words": other}]
    path = written_json(tmp_path, {"results": [{"alternatives": alternatives}] * 2})
    done = call("lattice", command, path)
    assert done.stderr.count("those of the file are ignored (to keep them, write the first hypotheses: ") == 1
    assert [round(float(line.split()[-1]), 4) for line in done.stdout.splitlines()] == [1.0, 0.5] * 2
    call("lattice", "texts", path, "-n", 1, "--output", tmp_path / "first.jsonl")
    done = call("lattice", command, tmp_path / "first.jsonl")
    assert "ignored" not in done.stderr
    assert [round(float(line.split()[-1]), 4) for line in done.stdout.splitlines()] == [0.9, 0.6] * 2
