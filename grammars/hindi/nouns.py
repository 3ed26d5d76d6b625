"""The forms of Hindi nouns: a transducer from roots for each gender and case, compiled from `noun_endings.tsv`."""

from __future__ import annotations

from functools import cache
from typing import Any

import pynini

from lattice_simp.grammars.hindi.romanisation import letters, vowel_signs
from lattice_simp.grammars.hindi.spelling import composed
from lattice_simp.grammars.hindi.transducers import acceptor, any_of, cheapest, cross
from lattice_simp.support.tables import grammar_table

_CASES = ("plural", "oblique", "oblique_plural")


def noun_form(root: str, gender: str, case: str) -> str:
    """Returns the `plural`, `oblique` or `oblique_plural` of a noun (`m` or `f`) from its direct singular.

    >>> noun_form("बेटा", "m", "oblique"), noun_form("नेता", "m", "oblique"), noun_form("रात", "f", "plural")
    ('बेटे', 'नेता', 'रातें')
    """
    root = composed(root)
    best = cheapest(acceptor(root) @ _nouns()["f" if gender == "f" else "m", case])
    return root if best is None else best[0]


@cache
def _nouns() -> dict[tuple[str, str], Any]:
    """Returns the transducer for each gender and case: whole words take priority over endings, and these over the
    rest."""
    every = [*letters("consonant"), *letters("vowel"), *letters("mark"), *vowel_signs().values(), "्"]
    sigma = pynini.closure(any_of(every)).optimize()
    signs = set(vowel_signs().values())
    transducers = {}
    rows = list(grammar_table("hindi/noun_endings.tsv", ("gender", "root", *_CASES)))
    for gender in ("m", "f"):
        declined = [row for row in rows if row["gender"] == gender]
        words = [row for row in declined if len(row["root"]) > 2]
        endings = [row for row in declined if row["root"] in signs]
        for case in _CASES:
            whole = pynini.union(*(cross(row["root"], row[case]) for row in words), cross("ॐ", "ॐ"))
            ending = sigma + pynini.union(*(cross(row["root"], row[case]) for row in endings))
            rest = sigma + cross("", next(row[case] for row in declined if row["root"] == "*"))
            transducers[gender, case] = _priority(_priority(whole, ending), rest).optimize()
    return transducers


def _priority(first: Any, second: Any) -> Any:
    """Returns the union of two transducers in which the second applies only to strings that the first rejects."""
    taken = pynini.project(first.copy(), "input").rmepsilon().optimize()
    inputs = pynini.project(second.copy(), "input").rmepsilon().optimize()
    return pynini.union(first, pynini.difference(inputs, taken) @ second)
