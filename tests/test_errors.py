"""Errors are short, whatever they quote."""

from __future__ import annotations

import pickle

from lattice_simp.errors import FormatError, InvalidLatticeError


def test_long_quotations_lose_their_middle():
    error = FormatError(f"not a number: {'x' * 100_000}!", path="a.txt", line=7, remedy="write numbers")
    text = str(error)
    assert text.startswith("a.txt:7: not a number: xxx")
    assert text.endswith("xxx! (write numbers)")
    assert len(text) < 500
    assert len(str(InvalidLatticeError("y" * 100_000))) < 2100


def test_short_errors_stay_as_they_are():
    assert str(FormatError("b" * 400, path="a")) == "a: " + "b" * 400
    assert str(pickle.loads(pickle.dumps(InvalidLatticeError("c")))) == "c"
