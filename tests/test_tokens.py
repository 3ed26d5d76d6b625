"""Only blanks separate tokens, everywhere."""

from __future__ import annotations

import pytest

from lattice_simp import Lattice, compose_gappy, gappy_acceptor, nbest
from lattice_simp.core.symbols import as_tokens, split_tokens


def test_a_no_break_space_belongs_to_its_token():
    full = Lattice.from_strings([("10\u00a0000 people", 1.0)])
    assert full.num_arcs == 2
    joint = compose_gappy(full, gappy_acceptor([("10\u00a0000", 0.5)]))
    assert [path.text for path in nbest(joint)] == ["10\u00a0000 people"]


@pytest.mark.parametrize("blank", [" ", "\t", "  ", "\t\t", " \t "])
def test_blanks_and_tabs_separate_tokens_and_are_in_none(blank):
    text = f"{blank}a{blank}cat{blank}"
    assert split_tokens(text) == ["a", "cat"]
    assert as_tokens(text) == ("a", "cat")
    assert [path.tokens for path in nbest(Lattice.from_strings([(text, 1.0)]))] == [("a", "cat")]
    assert split_tokens(blank) == []


@pytest.mark.parametrize("space", "\u00a0\u2028\u3000\u0085\v\f\r\x1c")
def test_other_white_space_belongs_to_its_token(space):
    assert split_tokens(f"10{space}000 people") == [f"10{space}000", "people"]
