"""Brackets around clauses: applies the rule files one after the other, and defines the acceptor of well-formed
bracketings. The rules add ends, then starts, then types (Sharma and Paul 2014b, section 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import pynini
import pywrapfst

from lattice_simp.grammars.hindi.rewriting import BEGINNING, END, alphabet, stage

STAGES = ("ends", "finite_starts", "nonfinite_starts", "sanity", "ki", "closing", "coordination", "closing", "types")
"""The rule files, in order."""

BALANCING = ("sanity", "closing")
"""The stages that add brackets at a cost; the next stage gets the cheapest well-formed string."""

REMOVAL = "removal"
"""The rule file that removes brackets."""

MAX_DEPTH = 6
"""The deepest nesting of clauses; the treebank's trees have at most five levels."""

FINITE_END, NON_FINITE_START, NON_FINITE_END = "]", "{", "}"

SIGNS = ("COMMA", "SEMI", "DASH", "STOP", "QUOTE", "OTHER", BEGINNING, END)
"""Symbols that do not count as words of a clause."""


@lru_cache(maxsize=4096)
def bracketing(symbols: tuple[str, ...]) -> tuple[str, ...]:
    """Adds typed brackets to a string of symbols.

    >>> " ".join(bracketing(("NE", "SAY", "KI", "PRO", "FIN")))
    '[main NE SAY [comp KI PRO FIN ] ]'
    """
    return through(symbols, STAGES)


def through(symbols: Sequence[str], stages: Sequence[str]) -> tuple[str, ...]:
    """Rewrites a string of symbols by some stages."""
    string = alphabet().string([BEGINNING, *symbols, END])
    for name in stages:
        if name in BALANCING:
            string = _balanced(string, name)
        else:
            for rule in stage(name):
                string = pynini.compose(string, rule).project("output").rmepsilon()
    return tuple(pynini.shortestpath(string).string(token_type=alphabet().table).split()[1:-1])


def _balanced(string: pynini.Fst, name: str) -> pynini.Fst:
    """Makes a string well-formed: unchanged if it is, else by a stage's additions, else by removing brackets, too."""
    for steps in ((), (name,), (name, REMOVAL)):
        good = pynini.compose(string, _to_well_formed(steps))
        if good.num_states():
            return pynini.shortestpath(good).project("output").rmepsilon()
    raise AssertionError("a string without brackets is well-formed")


@cache
def _to_well_formed(steps: tuple[str, ...]) -> pynini.Fst:
    """Returns the transducer from any string to its well-formed rewritings by some stages."""
    fst = well_formed()
    for name in reversed(steps):
        for rule in reversed(stage(name)):
            fst = pynini.compose(rule, fst)
    return fst.arcsort("ilabel")


@cache
def well_formed() -> pynini.Fst:
    """Returns the acceptor of balanced bracketings of bounded depth, without empty clauses.

    Its states are the open brackets (`[`, `{`), and whether the innermost clause has words.

    A finite clause must not be in a non-finite one, since Hindi participles take no clauses.
    """
    letters = alphabet()
    fst = pynini.Fst()
    states: dict[tuple[str, bool], int] = {}
    waiting = [("", False)]
    states[waiting[0]] = fst.add_state()
    fst.set_start(0)
    fst.set_final(0)
    words = [name for name in letters.units if name not in SIGNS]

    def arc(source: int, name: str, target: tuple[str, bool]) -> None:
        if target not in states:
            states[target] = fst.add_state()
            waiting.append(target)
        label = letters.table.find(name)
        fst.add_arc(source, pywrapfst.Arc(label, label, 0, states[target]))

    while waiting:
        stack, filled = state = waiting.pop()
        source = states[state]
        for name in SIGNS:
            arc(source, name, state)
        for name in words:
            arc(source, name, (stack, bool(stack)))
        for name in letters.brackets:
            if name[0] in "[{" and len(stack) < MAX_DEPTH and not (name[0] == "[" and "{" in stack):
                arc(source, name, (stack + name[0], False))
            closes = {FINITE_END: "[", NON_FINITE_END: "{"}.get(name)
            if closes and filled and stack.endswith(closes):
                arc(source, name, (stack[:-1], len(stack) > 1))
    return fst.optimize()
