"""Clauses for a terminal: brackets in colours that tell how deep they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lattice_simp.hindi.clause import Clause, nested_order

COLOURS = (36, 33, 35, 32, 34, 31)
"""ANSI colours from the outermost clause inwards; they begin again when they are used up."""


def coloured(words: Sequence[str], clauses: Iterable[Clause], *, kinds: bool = False) -> str:
    r"""Writes a sentence with its clauses in coloured brackets.

    >>> coloured(["soyaa"], [Clause(0, 1)])
    '\x1b[36m(\x1b[0m soyaa \x1b[36m)\x1b[0m'
    """
    opening: list[list[str]] = [[] for _ in words]
    closing: list[list[str]] = [[] for _ in words]
    ends: list[int] = []
    for clause in nested_order(clauses):
        while ends and ends[-1] <= clause.start:
            ends.pop()
        colour = COLOURS[len(ends) % len(COLOURS)]
        ends.append(clause.end)
        opening[clause.start].append(_painted(f"({clause.kind}" if kinds and clause.kind else "(", colour))
        closing[clause.end - 1].append(_painted(")", colour))
    parts: list[str] = []
    for word, before, behind in zip(words, opening, closing, strict=True):
        parts += [*before, word, *reversed(behind)]
    return " ".join(parts)


def _painted(text: str, colour: int) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m"
