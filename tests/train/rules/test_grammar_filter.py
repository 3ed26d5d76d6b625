"""Which sentences a table is made for."""

from __future__ import annotations

import pytest

from lattice_simp.errors import InputWarning
from lattice_simp.support.textio import open_text
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train.rules.grammar_filter import filter_sentences


def test_texts_and_skeletons_are_read_as_token_lines(tmp_path):
    text, skeletons = tmp_path / "a.txt", tmp_path / "b.jsonl"
    text.write_text("He came, Tom.\nHe came, Tom.\n", encoding="utf-8")
    tokens = '"tokens": ["Tom", "\'s", "old", "hat"]'
    skeletons.write_text(f'{{{tokens}, "keep": ["1101", "0011"]}}\n', encoding="utf-8")
    expected = ["he came , tom .", "tom 's old hat", "tom 's hat", "old hat"]
    assert filter_sentences([text, skeletons], Tokeniser("en")) == expected
    assert filter_sentences([skeletons], Tokeniser("en", case="keep")) == ["Tom 's old hat", "Tom 's hat", "old hat"]


def test_skeleton_files_are_known_by_their_names(tmp_path):
    line = '{"tokens": ["old", "hat"], "keep": ["01"]}\n'
    for name, expected in (("a.jsonl", 2), ("a.en.jsonl.xz", 2), ("a.txt.xz", 1), ("jsonl", 1)):
        with open_text(tmp_path / name, "w") as file:
            file.write(line)
        actual = filter_sentences([tmp_path / name], Tokeniser("en", tokenise=False, normalise=False))
        assert (len(actual), actual[0] == "old hat") == (expected, expected == 2), name


def test_lists_in_place_of_sentences_are_told(tmp_path):
    (tmp_path / "dev.fr").write_text("0 ||| le chat ||| -1\n1 ||| le chien ||| -1\n", encoding="utf-8")
    with pytest.warns(InputWarning, match=r"dev.fr: looks like an n-best list, and each line counts as a sentence"):
        filter_sentences([tmp_path / "dev.fr"], Tokeniser("fr", tokenise=False))
