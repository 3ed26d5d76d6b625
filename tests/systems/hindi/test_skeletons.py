"""Skeletons of Hindi sentences: deleted clauses and punctuation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lattice_simp.systems.hindi.clause import parse_bracketed
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token
from lattice_simp.systems.hindi.skeletons import line_skeleton


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(main raam (rel jo khelaa ) , ghar gayaa . )", "raam [[jo khelaa ,]] ghar gayaa ."),
        ("(main (nonfin khaanaa khaakar ) raam soyaa )", "[[khaanaa khaakar]] raam soyaa"),
        (
            "(main raam ne kahaa (comp ki (adv jab vaha aayaa ) mohan gayaa ) )",
            "raam ne kahaa ki [[jab vaha aayaa]] mohan gayaa",
        ),
        (
            "(coord raam gayaa ) aur (coord siitaa (nonfin khaakar ) soyii ) .",
            "raam gayaa aur siitaa [[khaakar]] soyii .",
        ),
        ("(main raam ghar gayaa , (adv jabki siitaa soyii ) . )", "raam ghar gayaa [[, jabki siitaa soyii]] ."),
    ],
)
def test_subordinate_clauses_go(text, wanted):
    words, clauses = parse_bracketed(text)
    sentence = Sentence(tuple(Token(word, "SYM" if word in ",." else "NN") for word in words))
    assert str(line_skeleton([(sentence, clauses)])) == wanted


@pytest.mark.parametrize("text", ["(main raam ghar gayaa . )", "(adv jab vaha aayaa ) .", "raam"])
def test_without_a_gap_or_without_words_there_is_none(text):
    words, clauses = parse_bracketed(text)
    sentence = Sentence(tuple(Token(word, "SYM" if word in ",." else "NN") for word in words))
    assert line_skeleton([(sentence, clauses)]) is None


def test_words_that_the_tree_gives_to_the_main_verb_stay():
    words, clauses = parse_bracketed("(main raam (nonfin aaj rotii khaakar ) soyaa )")
    chunks = (
        Chunk("NP", 0, 1, 4, "k1"),
        Chunk("NP", 1, 2, 4, "k7t"),
        Chunk("NP", 2, 3, 3, "k2"),
        Chunk("VGNF", 3, 4, 4, "vmod"),
        Chunk("VGF", 4, 5),
    )
    sentence = Sentence(tuple(Token(word, "NN") for word in words), chunks)
    assert str(line_skeleton([(sentence, clauses)])) == "raam [[aaj rotii khaakar]] soyaa"
    assert str(line_skeleton([(replace(sentence, is_parsed=True), clauses)])) == "raam aaj [[rotii khaakar]] soyaa"
