"""Simpler words in the place of others: part of speech, form, government, names."""

from __future__ import annotations

import re

import pytest
from simplify_cases import rows

from lattice_simp.support.tables import grammar_table
from lattice_simp.systems.simplify.replacements import SimplerWords, redundant_words, replacements
from lattice_simp.systems.simplify.simplifier import Simplifier


def replaced(parse):
    text = list(parse.tokens)
    for replacement in reversed(replacements(parse)):
        text[replacement.positions[0] : replacement.positions[-1] + 1] = replacement.words
    return " ".join(text)


@pytest.mark.parametrize("row", rows("replacements.tsv"), ids=lambda row: row["source"])
def test_simpler_words_have_the_form_of_those_that_they_replace(parsed, row):
    """Sentences without a simpler one stay."""
    assert replaced(parsed(row["source"])) == (row["simple"] or row["source"]), row["why"]


def test_the_noun_of_a_phrase_is_inflected():
    texts = ("point of view", "big city")
    words = [SimplerWords(("perspective",), "noun", tuple(text.split()), ()) for text in texts]
    assert [" ".join(entry.simpler_forms("NNS")) for entry in words] == ["points of view", "big cities"]


def test_nouns_in_ing_keep_their_place(parsed):
    best = Simplifier.untrained().simplify(parsed("They demand the establishment of the new zone ."))[0]
    assert best.text == "They demand the setting up of the new zone ."


def test_also_stays(parsed):
    assert not redundant_words(parsed("He also met ten men in Rome ."))


def test_words_that_go(parsed):
    parse = parsed("He met a total of ten men in the city of Rome , thus ending the war .")
    gone = [" ".join(parse.tokens[position] for position in positions) for positions in redundant_words(parse)]
    assert gone == ["a total of", "the city of", "thus"]


def test_fillers_go(parsed):
    parse = parsed("You know , it sort of shows what kind of town it is , and it is , you know , kind of old .")
    gone = [" ".join(parse.tokens[position] for position in positions) for positions in redundant_words(parse)]
    assert gone == ["You know", "sort of"]
    assert not redundant_words(parsed("It ended in of course , losing the war ."))


_NAMES = re.compile(r"""[-^]*[<>]?[\w"'$`.:,%-]+""")


def test_rows_are_well_formed():
    """A mistake in a row would go unnoticed: a condition that never holds, or a row after one that always applies."""
    always = set()
    for row in grammar_table("english/simpler_words.tsv", ("words", "part", "simpler", "needs"), full=True):
        key = row["words"], row["part"]
        assert row["part"] in ("verb", "noun", "adjective", "adverb", "fixed"), key
        assert row["words"] == row["words"].lower() == " ".join(row["words"].split()), key
        assert row["words"] != row["simpler"], key
        assert key not in always, f"{key}: an earlier row always fits"
        groups = row["needs"].split()
        assert len(groups) == len(set(groups)), key
        assert row["part"] != "adverb" or "-advmod" not in groups, f"{key}: adverbs have this label themselves"
        assert all(_NAMES.fullmatch(name) for group in groups for name in group.split("|")), key
        always |= set() if groups else {key}
