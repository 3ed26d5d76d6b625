"""Adverbs that link a sentence to the one before it, and move to its beginning."""

from __future__ import annotations

import pytest

from lattice_simp.systems.simplify.linking import linking_adverbs
from lattice_simp.systems.simplify.sentence import words
from lattice_simp.systems.simplify.simplifier import Simplifier
from lattice_simp.systems.simplify.split import apply_splits

MOVED = {
    "The town , however , is old .": "But the town is old .",
    "The town however was not mentioned .": "But the town was not mentioned .",
    "In the end , however , they won the match .": "But in the end , they won the match .",
    "She admits , however , that the bridge is weak .": "But she admits that the bridge is weak .",
    "They therefore left the town .": "So they left the town .",
    "The man is , therefore , in danger .": "So the man is in danger .",
    "Are we therefore in danger ?": "So are we in danger ?",
    "What , therefore , does the king want ?": "So what does the king want ?",
    "The army thus has reserves for ten years .": "So the army has reserves for ten years .",
}
KEPT = {
    "The king sang , however , the queen left .": "two statements",
    "But the town , however , is old .": "another link",
    "The town , however , is old but clean .": "the opening is there already",
    "The house , however old , was sold .": "a degree",
    "He said that they therefore left the town .": "a clause within the statement",
    '" The town , however , is old , " she said .': "a quotation",
    "The town is therefore old , and it is however clean .": "two adverbs",
    "What is the plan of the town , which is therefore old ?": "a clause within the question",
}


@pytest.mark.parametrize("source", MOVED)
def test_moved(parsed, source):
    parse = parsed(source)
    moved = apply_splits(parse.tokens, linking_adverbs(parse))
    assert [" ".join(words(sentence)) for sentence in moved] == [MOVED[source]]


@pytest.mark.parametrize("source", KEPT)
def test_kept(parsed, source):
    assert not list(linking_adverbs(parsed(source))), KEPT[source]


def test_short_sentences_change_too(parsed):
    best = Simplifier.untrained().simplify(parsed("They therefore left ."))[0]
    assert best.text == "So they left ."
    assert [split.kind.value for split in best.splits] == ["link"]
