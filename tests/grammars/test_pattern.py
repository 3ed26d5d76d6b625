"""Patterns against Python's regular expressions."""

from __future__ import annotations

import itertools
import re

import pynini
import pytest

from lattice_simp.errors import LatticeSimpError
from lattice_simp.grammars.hindi.pattern import Alphabet, compile_pattern

LETTERS = Alphabet(("A", "B", "C"), ("[", "]"))
CLASSES = {"AB": "(A | B)", "PAIR": "$AB C", "SELF": "A $SELF", "ONE": "(B | $TWO)", "TWO": "$ONE?"}


@pytest.mark.parametrize(
    ("pattern", "expression"),
    [
        ("", ""),
        ("A", "A"),
        ("A B", "AB"),
        ("A | B C", "A|BC"),
        ("(A | B)* C", "[AB]*C"),
        ("A? B+", "A?B+"),
        ("$AB $AB", "[AB][AB]"),
        ("$PAIR*", "([AB]C)*"),
        (". .", "[ABC][ABC]"),
        ("^(A) B", "[BC]B"),
        ("^($AB)", "C"),
        ("[ .* ]", r"\[[ABC]*\]"),
        ("([ | A)* ]?", r"(\[|A)*\]?"),
        ("(A B?)+ | C*", "(AB?)+|C*"),
    ],
)
def test_same_strings_as_a_regular_expression(pattern, expression):
    fst = compile_pattern(pattern, LETTERS, CLASSES)
    for length in range(5):
        for names in itertools.product(("A", "B", "C", "[", "]"), repeat=length):
            accepted = pynini.compose(LETTERS.string(list(names)), fst).num_states() > 0
            assert accepted == bool(re.fullmatch(expression, "".join(names))), names


@pytest.mark.parametrize("pattern", ["(A", "A)", "* A", "| *", "D", "$D", "A ] b", "^", "A ^", "("])
def test_broken_patterns(pattern):
    with pytest.raises(LatticeSimpError):
        compile_pattern(pattern, LETTERS, CLASSES)


@pytest.mark.parametrize(("pattern", "chain"), [("A $SELF", "SELF > SELF"), ("$TWO*", "TWO > ONE > TWO")])
def test_a_class_that_names_itself(pattern, chain):
    with pytest.raises(LatticeSimpError, match=f"names itself: {chain}"):
        compile_pattern(pattern, LETTERS, CLASSES)
