"""Splits that can be read in one way only."""

from __future__ import annotations

import pytest
from simplify_cases import rows

from lattice_simp.systems.simplify.analysis import analyse
from lattice_simp.systems.simplify.certainty.certain import is_certain

ROWS = rows("certainty.tsv")
"""Sentences whose splits are certain, or the reason why none is."""


def certain(parse):
    return [split for split in analyse(parse).splits if is_certain(parse, split)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["source"])
def test_splits_are_certain_or_candidates_only(parsed, row):
    parse = parsed(row["source"])
    assert bool(certain(parse)) == (not row["uncertain"]), row["uncertain"]
    assert analyse(parse).splits  # else the row says nothing


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("The town has a club , known as the Old Bell ,", True),
        ("- Born in Rome e.g. Born in Rome although she left ... e.g. ] was tired The old man", False),
    ],
)
def test_sentences_may_end_anywhere(parsed, source, expected):
    (split,) = analyse(parsed(source)).splits
    assert is_certain(parsed(source), split) is expected
