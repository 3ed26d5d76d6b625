"""Truecasing: the usual forms of words."""

from __future__ import annotations

import pyarrow as pa

from lattice_simp.text.truecase import read_casing, truecased, write_casing
from lattice_simp.train.text.truecase import learn_casing


def test_the_most_frequent_form_after_the_first_word_counts():
    lines = ["The Union and the union", "The Union said", "Dog the IBM", "A dog a ibm IBM"]
    casing = learn_casing([pa.chunked_array([lines[:2]]), pa.chunked_array([lines[2:]])])
    assert casing == {
        "union": "Union",
        "and": "and",
        "the": "the",
        "said": "said",
        "ibm": "IBM",
        "dog": "dog",
        "a": "a",
    }


def test_of_two_equally_frequent_forms_it_is_the_small_one():
    assert learn_casing([pa.chunked_array([["x Polish polish"]])]) == {"polish": "polish"}
    assert learn_casing([pa.chunked_array([["x polish Polish"]])]) == {"polish": "polish"}


def test_only_first_words_change():
    casing = {"the": "the", "union": "Union", "ibm": "IBM"}
    lines = ["The The end", "UNION x", "Ibm", "Unknown the", "", "the union"]
    expected = ["the The end", "Union x", "IBM", "Unknown the", "", "the union"]
    assert [truecased(line, casing) for line in lines] == expected


def test_forms_are_read_as_they_were_written(tmp_path):
    casing = {"the": "the", "union": "Union", "été": "Été", "i̇x": "İx"}
    write_casing(casing, tmp_path / "casing")
    assert read_casing(tmp_path / "casing") == casing
