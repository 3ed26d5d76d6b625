"""Skeletons of Hindi sentences: which clauses and which punctuation go."""

from __future__ import annotations

import pytest

from lattice_simp.systems.hindi.clause import parse_bracketed
from lattice_simp.systems.hindi.sentence import Sentence, Token
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
