"""Linking adverbs and reports that move to the beginning of their sentence, or stay where the move would be wrong."""

from __future__ import annotations

import pytest
from simplify_cases import rows

from lattice_simp.systems.simplify.linking import linking_adverbs
from lattice_simp.systems.simplify.reports import fronted_reports
from lattice_simp.systems.simplify.sentence import words
from lattice_simp.systems.simplify.simplifier import Simplifier
from lattice_simp.systems.simplify.split import apply_splits

MOVES = {"link": linking_adverbs, "report": fronted_reports}


@pytest.mark.parametrize("row", rows("moves.tsv"), ids=lambda row: row["source"])
def test_moves(parsed, row):
    parse = parsed(row["source"])
    moves = list(MOVES[row["kind"]](parse))
    moved = [" ".join(words(sentence)) for sentence in apply_splits(parse.tokens, moves)] if moves else []
    assert moved == ([row["moved"]] if row["moved"] else []), row["kept for"]


def test_short_sentences_change_too(parsed):
    best = Simplifier.untrained().simplify(parsed("They therefore left ."))[0]
    assert best.text == "So they left ."
    assert [split.kind.value for split in best.splits] == ["link"]
