"""Tokens are told apart by blanks alone, everywhere."""

from __future__ import annotations

from lattice_simp import Lattice, gappy, gappy_compose, nshortest


def test_a_no_break_space_belongs_to_its_token():
    full = Lattice.from_strings([("10\u00a0000 people", 1.0)])
    assert full.num_arcs == 2
    joint = gappy_compose(full, gappy([("10\u00a0000", 0.5)]))
    assert [path.words for path in nshortest(joint)] == ["10\u00a0000 people"]
