"""Ends of English sentences: the cases of the grammar, and invariants of any text."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from helpers import needs

from lattice_simp.errors import FormatError
from lattice_simp.grammars.english import stops
from lattice_simp.support.tables import grammar_path, read_table
from lattice_simp.systems.corpus.sentences import Splitter

needs("corpus", "spacy")

splitter = cache(lambda: Splitter("en"))
CASES = [row["sentences"].split(" || ") for row in read_table(grammar_path("english/cases_sentence_ends.tsv"))]
KINDS = {
    kind: [word for word, ending in stops.abbreviations().items() if ending == kind]
    for kind in ("anything", "numbers", "names")
}


def sentences_of(text):
    result = splitter().split([text])
    return [text[begin:end] for begin, end in zip(result.begin.tolist(), result.end.tolist(), strict=True)]


@pytest.mark.parametrize("sentences", CASES, ids=[case[0] for case in CASES])
def test_sentences_of_a_text(sentences):
    assert sentences_of(" ".join(sentences)) == sentences


@pytest.mark.parametrize("kind", KINDS)
def test_no_abbreviation_parts_a_sentence(kind):
    following = {"anything": ["Smith", "5", "low"], "numbers": ["5", "12–14", "low"], "names": ["Smith", "5", "low"]}[
        kind
    ]
    for word in KINDS[kind]:
        for text in [f"They saw the {word}. {entry} there." for entry in following]:
            assert sentences_of(text) == [text]


def test_abbreviations_can_end_a_sentence():
    for word in KINDS["names"]:
        text = f"They saw the {word}. It was there."
        assert sentences_of(text) == [f"They saw the {word}.", "It was there."]


def test_nothing_is_lost_or_moved():
    pieces = [
        "no.",
        "5",
        "Fig.",
        "J.",
        "It",
        "left.",
        "(He",
        "there.)",
        '"Go!"',
        "he",
        "...",
        "…",
        ". . .",
        "U.S.",
        "1.",
        "?",
    ]
    for seed in range(200):
        rng = np.random.default_rng(seed)
        text = " ".join(rng.choice(pieces, rng.integers(1, 12)))
        assert " ".join(sentences_of(text)) == text, f"seed {seed}"


def test_an_unknown_entry_of_the_table_is_refused(monkeypatch, tmp_path):
    table = tmp_path / "abbreviations.tsv"
    table.write_text("word\tbefore\nno\tnumber\n")
    monkeypatch.setattr(stops, "grammar_table", lambda name, columns, full: read_table(table, columns, full=full))
    with pytest.raises(FormatError, match=r"abbreviations.tsv:2: the entry 'number'"):
        stops.abbreviations.__wrapped__()
