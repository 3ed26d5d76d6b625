"""The acceptor of well-formed bracketings: balanced to a bounded depth, without clauses that hold no word."""

from __future__ import annotations

from functools import cache

import pynini
import pywrapfst

from lattice_simp.hindi.rules.rewriting import alphabet

MAX_DEPTH = 6
"""How deep clauses may lie in each other; the deepest of the treebank's trees lie five deep."""

FINITE_END, NON_FINITE_END = "]", "}"

SIGNS = ("COMMA", "SEMI", "DASH", "STOP", "QUOTE", "OTHER", "BOS", "EOS")
"""Symbols that do not fill a clause."""


@cache
def well_formed() -> pynini.Fst:
    """Returns the acceptor: its states are the open brackets (`[`, `{`), and whether the innermost clause has words.

    A finite clause may not lie in a non-finite one: Hindi's participles take no clauses.
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
        label = letters.label(name)
        fst.add_arc(source, pywrapfst.Arc(label, label, 0, states[target]))

    while waiting:
        stack, filled = place = waiting.pop()
        source = states[place]
        for name in SIGNS:
            arc(source, name, place)
        for name in words:
            arc(source, name, (stack, bool(stack)))
        for name in letters.brackets:
            if name[0] in "[{" and len(stack) < MAX_DEPTH and not (name[0] == "[" and "{" in stack):
                arc(source, name, (stack + name[0], False))
            closes = {FINITE_END: "[", NON_FINITE_END: "{"}.get(name)
            if closes and filled and stack.endswith(closes):
                arc(source, name, (stack[:-1], len(stack) > 1))
    return fst.optimize()
