"""The pairs of two paragraphs' sentences."""

from __future__ import annotations

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp.systems.corpus import alignment
from lattice_simp.systems.corpus.tfidf import Frequencies

COMPLEX = [
    "The river, which rises in the mountains, floods the valley every spring.",
    "Farmers used to abandon their fields until the water receded.",
    "Nobody remembers when the old bridge was built.",
]
SIMPLE = [
    "Nobody remembers when the bridge was built.",
    "The river rises in the mountains.",
    "It floods the valley every spring.",
    "Farmers left their fields until the water receded.",
]

LOW = ls.CorpusSettings(sentence_threshold=0.3)


def found(pairs):
    return [(pair.complex, pair.simple, pair.kind) for pair in pairs]


def test_splits_and_what_is_left_out():
    assert found(ls.align_sentences(COMPLEX[:2], SIMPLE[1:], settings=LOW)) == [
        (0, 0, "1-2"),
        (0, 1, "1-2"),
        (1, 2, "1-1"),
    ]
    assert found(ls.align_sentences(SIMPLE[1:], COMPLEX[:2], settings=LOW)) == [
        (0, 0, "2-1"),
        (1, 0, "2-1"),
        (2, 1, "1-1"),
    ]


def test_the_kind_is_that_of_the_move_even_if_one_pair_of_two_is_dropped():
    assert found(ls.align_sentences(["Rain fell on the hills.", "Cold winds blew."], ["Rain fell on hills."])) == [
        (0, 0, "2-1")
    ]


def test_crossed():
    pairs = ls.align_sentences(COMPLEX[1:], [SIMPLE[0], SIMPLE[3]])
    assert found(pairs) == [(0, 1, "crossed"), (1, 0, "crossed")]


def test_threshold():
    weakest = min(pair.similarity for pair in ls.align_sentences(COMPLEX[:2], SIMPLE[1:], settings=LOW))
    for threshold, count in ((weakest, 3), (weakest + 1e-6, 2)):
        settings = ls.CorpusSettings(sentence_threshold=threshold)
        assert len(ls.align_sentences(COMPLEX[:2], SIMPLE[1:], settings=settings)) == count


def test_tokens_are_taken_as_strings_are():
    tokens = [sentence.replace(",", " ,").replace(".", " .").split() for sentence in COMPLEX]
    assert ls.align_sentences(tokens, SIMPLE) == ls.align_sentences(COMPLEX, SIMPLE)


def test_frequencies_of_a_collection():
    table = Frequencies.of(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 1000)
    alike = ls.align_sentences(["the cat sat"], ["the dog sat"], frequencies=table)
    assert [round(pair.similarity, 6) for pair in alike] == [round(2 / 3, 6)]  # all words are as rare as can be


@pytest.mark.parametrize("sides", [([], []), ([], SIMPLE), (COMPLEX, []), (["!"], ["?"])])
def test_nothing_to_align(sides):
    assert ls.align_sentences(*sides) == []


def test_misuse(monkeypatch):
    with pytest.raises(ls.LatticeSimpError, match="give a list of sentences"):
        ls.align_sentences("One. Two.", SIMPLE)
    monkeypatch.setattr(alignment, "MAX_CELLS", 11)
    with pytest.raises(ls.LatticeSimpError, match="3 and 4 sentences; align shorter ones"):
        ls.align_sentences(COMPLEX, SIMPLE)


@pytest.mark.parametrize(
    ("name", "value"), [("paragraph_threshold", 1.5), ("sentence_threshold", -1), ("skip_cost", 2.0), ("min_words", -1)]
)
def test_settings_are_checked(name, value):
    with pytest.raises(ls.LatticeSimpError, match=f"--{name.replace('_', '-')} {value}"):
        ls.CorpusSettings(**{name: value})
