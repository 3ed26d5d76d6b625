"""Finds clauses by rules: from the ends over the starts to the types (Sharma and Paul 2014b, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import pynini

from lattice_simp.hindi.clause import Clause, ClauseType, nested_order
from lattice_simp.hindi.rules.rewriting import BEGINNING, END, best_string, stage, to_string
from lattice_simp.hindi.rules.units import Unit, units_of
from lattice_simp.hindi.rules.wellformed import FINITE_END, NON_FINITE_END, well_formed
from lattice_simp.hindi.sentence import Sentence

STAGES = ("ends", "finite_starts", "nonfinite_starts", "sanity", "ki", "closing", "coordination", "closing", "types")
"""The rule files, in order."""

BALANCING = ("sanity", "closing")
"""The stages that add brackets at a cost: the cheapest well-formed string goes on."""

REMOVAL = "removal"
"""The rule file that takes brackets away."""

NON_FINITE_START = "{"


def rule_clauses(sentence: Sentence) -> list[Clause]:
    """Finds the clauses of a sentence by its tags and chunks; it needs no tree.

    >>> from lattice_simp.hindi.clause import bracketed
    >>> from lattice_simp.hindi.sentence import Chunk, Sentence, Token
    >>> words = "raam ne kahaa ki vaha gayaa".split()
    >>> tags = "NNP PSP VM CC PRP VM".split()
    >>> chunks = [Chunk("NP", 0, 2), Chunk("VGF", 2, 3), Chunk("CCP", 3, 4), Chunk("NP", 4, 5), Chunk("VGF", 5, 6)]
    >>> sentence = Sentence(tuple(map(Token, words, tags)), tuple(chunks))
    >>> bracketed(words, rule_clauses(sentence), kinds=True)
    '(main raam ne kahaa (comp ki vaha gayaa ) )'

    Returns:
        Clauses of which none cross, outer ones first; a sentence without words or chunks has none.
    """
    units = units_of(sentence)
    return clauses_of_brackets(bracketing(tuple(unit.symbol for unit in units)), units)


@lru_cache(maxsize=4096)
def bracketing(symbols: tuple[str, ...]) -> tuple[str, ...]:
    """Puts brackets with types into a string of symbols.

    >>> " ".join(bracketing(("NE", "SAY", "KI", "PRO", "FIN")))
    '[main NE SAY [comp KI PRO FIN ] ]'
    """
    return through(symbols, STAGES)


def through(symbols: Sequence[str], stages: Sequence[str]) -> tuple[str, ...]:
    """Takes a string of symbols through some stages."""
    string = to_string([BEGINNING, *symbols, END])
    for name in stages:
        string = _balanced(string, name) if name in BALANCING else stage(name)(string)
    return tuple(best_string(string)[1:-1])


def _balanced(string: pynini.Fst, name: str) -> pynini.Fst:
    """Mends a string: not at all if it is well-formed, else by what a stage adds, else by taking brackets away, too."""
    for steps in ((), (name,), (name, REMOVAL)):
        good = pynini.compose(string, _mending(steps))
        if good.num_states():
            return pynini.shortestpath(good).project("output").rmepsilon()
    raise AssertionError("a string without brackets is well-formed")


@cache
def _mending(steps: tuple[str, ...]) -> pynini.Fst:
    """Returns the transducer from any string to the well-formed ones that some stages make of it."""
    fst = well_formed()
    for name in reversed(steps):
        for rule in reversed(stage(name).rules):
            fst = pynini.compose(rule, fst)
    return fst.arcsort("ilabel")


def clauses_of_brackets(symbols: Sequence[str], units: Sequence[Unit]) -> list[Clause]:
    """Returns the clauses that the brackets around the units' symbols stand for."""
    found: list[Clause] = []
    open_clauses: list[tuple[int, ClauseType]] = []
    place = 0
    for symbol in symbols:
        if symbol in (FINITE_END, NON_FINITE_END):
            first, kind = open_clauses.pop()
            found.append(Clause(units[first].start, units[place - 1].end, kind))
        elif symbol == NON_FINITE_START:
            open_clauses.append((place, ClauseType.NON_FINITE))
        elif symbol.startswith("["):
            open_clauses.append((place, ClauseType(symbol[1:])))
        else:
            place += 1
    return nested_order(reversed(found))
