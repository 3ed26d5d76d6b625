"""Finds clauses by finite-state rewriting of chunk symbols (Sharma and Paul 2014b)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lattice_simp.grammars.hindi.bracketing import FINITE_END, NON_FINITE_END, NON_FINITE_START, bracketing
from lattice_simp.grammars.hindi.symbols import symbol_of
from lattice_simp.systems.hindi.clause import Clause, ClauseType, nested_order
from lattice_simp.systems.hindi.sentence import PUNCTUATION, Sentence


class Unit(NamedTuple):
    """Adjacent tokens that share one symbol of `grammars/hindi/rule_symbols.tsv`."""

    symbol: str
    start: int
    end: int


def rule_clauses(sentence: Sentence) -> list[Clause]:
    """Returns the clauses of a sentence from its tags and chunks, without a tree, outer ones first; none cross.

    >>> from lattice_simp.systems.hindi.clause import bracketed
    >>> from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token
    >>> words = "raam ne kahaa ki vaha gayaa".split()
    >>> tags = "NNP PSP VM CC PRP VM".split()
    >>> chunks = [Chunk("NP", 0, 2), Chunk("VGF", 2, 3), Chunk("CCP", 3, 4), Chunk("NP", 4, 5), Chunk("VGF", 5, 6)]
    >>> sentence = Sentence(tuple(map(Token, words, tags)), tuple(chunks))
    >>> bracketed(words, rule_clauses(sentence), kinds=True)
    '(main raam ne kahaa (comp ki vaha gayaa ) )'
    """
    units = units_of(sentence)
    return clauses_of_brackets(bracketing(tuple(unit.symbol for unit in units)), units)


def units_of(sentence: Sentence) -> list[Unit]:
    """Returns a unit for each chunk and each punctuation mark at its edges, none for elided words.

    >>> from lattice_simp.systems.hindi.sentence import Chunk, Token
    >>> tokens = (Token("raam", "NNP"), Token("ne", "PSP"), Token("khaayaa", "VM"), Token(".", "SYM"))
    >>> chunks = (Chunk("NP", 0, 2), Chunk("VGF", 2, 4))
    >>> [(unit.symbol, unit.start, unit.end) for unit in units_of(Sentence(tokens, chunks))]
    [('NE', 0, 2), ('FIN', 2, 3), ('STOP', 3, 4)]
    """
    units = []
    for chunk in sentence.chunks:
        pairs = {
            position: (token.form, token.tag)
            for position, token in enumerate(sentence.tokens[chunk.start : chunk.end], start=chunk.start)
            if not token.is_empty
        }
        words = [position for position, (_, tag) in pairs.items() if tag != PUNCTUATION]
        first, end = (words[0], words[-1] + 1) if words else (chunk.end, chunk.end)
        for position, pair in pairs.items():
            if position < first or position >= end:
                units.append(Unit(symbol_of(chunk.tag, [pair]), position, position + 1))
            elif position == first:
                units.append(Unit(symbol_of(chunk.tag, [pairs[word] for word in words]), first, end))
    return units


def clauses_of_brackets(symbols: Sequence[str], units: Sequence[Unit]) -> list[Clause]:
    """Returns the clauses marked by brackets among the symbols of units."""
    clauses: list[Clause] = []
    open_clauses: list[tuple[int, ClauseType]] = []
    position = 0
    for symbol in symbols:
        if symbol in (FINITE_END, NON_FINITE_END):
            first, kind = open_clauses.pop()
            clauses.append(Clause(units[first].start, units[position - 1].end, kind))
        elif symbol == NON_FINITE_START:
            open_clauses.append((position, ClauseType.NON_FINITE))
        elif symbol.startswith("["):
            open_clauses.append((position, ClauseType(symbol[1:])))
        else:
            position += 1
    return nested_order(reversed(clauses))
