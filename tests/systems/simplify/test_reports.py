"""Reports that move before their statements."""

from __future__ import annotations

import pytest

from lattice_simp.systems.simplify.reports import fronted_reports
from lattice_simp.systems.simplify.sentence import words
from lattice_simp.systems.simplify.split import apply_splits

FRONTED = {
    "The old bridge is too weak , said the head of the council .": (
        "The head of the council said that the old bridge is too weak ."
    ),
    "Bell will close the bridge in May , the mayor said on Monday .": (
        "The mayor said on Monday that Bell will close the bridge in May ."
    ),
    "According to experts , the bridge is weak .": "Experts say that the bridge is weak .",
    "The bridge is weak , according to Ann Lee .": "Ann Lee says that the bridge is weak .",
    "According to the police , he was at home .": "The police say that he was at home .",
    "According to her , the bridge is weak .": "She says that the bridge is weak .",
    "The bridge is weak , according to figures released on Monday .": (
        "Figures released on Monday show that the bridge is weak ."
    ),
    "According to a new study , the bridge is weak .": "A new study says that the bridge is weak .",
    '" The bridge is weak , " said the king .': 'The king said : " The bridge is weak . "',
    '" We need you ! " said the mayor on Monday .': 'The mayor said on Monday : " We need you ! "',
}
KEPT = {
    "I met my father there , said the king .": "the king speaks of himself",
    "The bridge is weak , and we will close it , said the king .": "two statements",
    "The bridge is weak , said the king , who had seen it .": "a clause behind the speaker",
    '" The bridge is weak , " the king said .': "the usual order",
    '" The bridge , " said the king , " is weak . "': "a quotation in two parts",
    '" The bridge is weak , " said the king , who had seen it .': "a clause behind the speaker",
    "But the bridge is weak , said the king .": "a link to the sentence before",
    "The bridge was moved , according to plan .": "nobody says that",
    "The firm sold the bridge , according to its report .": "the owner would come later",
    "Ann Lee is ill , her doctor said .": "the owner would come later",
    "The bridge is weak , according to the king and police records .": "two sources",
    "According to it , the bridge is weak .": "what says that is unknown",
    "According to the head of the bank , Ann Lee , the bridge is weak .": "whose name is Ann Lee",
}


@pytest.mark.parametrize("source", FRONTED)
def test_fronted(parsed, source):
    parse = parsed(source)
    assert [" ".join(words(sentence)) for sentence in apply_splits(parse.tokens, fronted_reports(parse))] == [
        FRONTED[source]
    ]


@pytest.mark.parametrize("source", KEPT)
def test_kept(parsed, source):
    assert not list(fronted_reports(parsed(source)))
