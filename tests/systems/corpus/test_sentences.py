"""Sentences, their places in the text, and the numbers of words."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest

from lattice_simp import LatticeSimpError
from lattice_simp.systems.corpus import sentences
from lattice_simp.systems.corpus.sentences import Splitter

SPLITTER = Splitter("en")
PIECES = ["Mr. Lund left.", "“Who?” she asked.", "It cost $3.50!", "Why", "naïve", "東京", "…", "e.g. this", "(Yes.)"]
BLANKS = [" ", "  ", "\t", "\u00a0", " \u2003"]


def texts_of(paragraphs, sentences):
    places = zip(sentences.paragraph.tolist(), sentences.begin.tolist(), sentences.end.tolist(), strict=True)
    return [paragraphs[number][begin:end] for number, begin, end in places]


def test_places():
    paragraphs = ["  Mr. Lund left.  “Who?” she asked. ", "", "   ", "No stop"]
    result = SPLITTER.split(paragraphs)
    assert texts_of(paragraphs, result) == ["Mr. Lund left.", "“Who?” she asked.", "No stop"]
    assert result.paragraph.tolist() == [0, 0, 3]


@pytest.mark.parametrize(
    "expected",
    [
        ["It was late.", '"Is it?" she asked the garden.', '"Nobody lives here," said a cat.'],
        ["He left.", "(Nobody knew why.)", "She stayed."],
        ["It rained.", "[2] Then it stopped."],
        ['He said "Go!"', "Then he left."],
        ['"Go!"', "Ann left."],
        ['("Why?")', '"Because."'],
    ],
)
def test_marks_that_open_belong_to_what_they_open(expected):
    paragraph = " ".join(expected)
    assert texts_of([paragraph], SPLITTER.split([paragraph])) == expected


def test_nothing_but_blanks_is_between_sentences():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        paragraphs = [
            "".join(rng.choice(PIECES) + rng.choice(BLANKS) for _ in range(rng.integers(0, 6)))
            for _ in range(rng.integers(0, 4))
        ]
        result = SPLITTER.split(paragraphs)
        actual = texts_of(paragraphs, result)
        for number, paragraph in enumerate(paragraphs):
            mine = "".join(text for text, at in zip(actual, result.paragraph.tolist(), strict=True) if at == number)
            assert "".join(mine.split()) == "".join(paragraph.split()), f"seed {seed}"
        assert all(text == text.strip() and text for text in actual), f"seed {seed}"
        assert len(result.offsets) == len(actual) + 1, f"seed {seed}"
        assert result.offsets[-1] == len(result.words), f"seed {seed}"


def test_words_are_distinguished_without_case_and_punctuation():
    offsets, words = SPLITTER.words(["The cat, sat.", "the CAT (sat)", "the dog sat", "!?", ""])
    first, second, third, *others = (words[begin:end].tolist() for begin, end in pairwise(offsets))
    assert first == second
    assert len(set(first) & set(third)) == 2
    assert others == [[], []]
    assert min(words) >= 0


def test_numbers_are_the_same_in_every_process():
    """Numbers that another process made are in the shards."""
    assert Splitter("en").words(["Rain falls"])[1].tolist() == [1729796480, 1063160148]


def test_a_splitter_can_be_sent():
    assert pickle.loads(pickle.dumps(SPLITTER)).words(["a b"])[1].tolist() == SPLITTER.words(["a b"])[1].tolist()


def test_unknown_language():
    with pytest.raises(LatticeSimpError, match=r"no rules for the language 'qq'.*give an ISO code"):
        Splitter("qq").check()


def test_a_paragraph_that_is_too_long(monkeypatch):
    monkeypatch.setattr(sentences, "LONGEST", 10)
    with pytest.raises(LatticeSimpError, match="a paragraph has 11 characters"):
        SPLITTER.split(["x" * 11])
