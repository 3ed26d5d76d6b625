"""Tokens are told apart by blanks alone, everywhere."""

from __future__ import annotations

from lattice_simp import Lattice, compose, gappy_acceptor, nbest


def test_a_no_break_space_belongs_to_its_token():
    full = Lattice.from_strings([("10\u00a0000 people", 1.0)])
    assert full.num_arcs == 2
    joint = compose(full, gappy_acceptor([("10\u00a0000", 0.5)]))
    assert [path.text for path in nbest(joint)] == ["10\u00a0000 people"]
