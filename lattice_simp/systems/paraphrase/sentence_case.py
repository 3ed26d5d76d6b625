"""Removes the capitals of sentences before phrases are compared, and restores them in the results.

A sentence begins at the start of the text and after a stop; other marks (quotes, brackets) may precede its first word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable, is_word
from lattice_simp.grammars.english.lexicon import marks
from lattice_simp.ops.minimize import minimize
from lattice_simp.systems.paraphrase.tree import Tree

_NAMES = frozenset(("NNP", "NNPS"))


def begins_with_capital(trees: Sequence[Tree]) -> bool:
    """Returns whether some sentence of a set begins with a capital."""
    return any(tree.tokens[0][:1].isupper() for tree in trees)


def in_mid_sentence(trees: Sequence[Tree]) -> list[Tree]:
    """Returns the trees of a set with the first words of sentences in mid-sentence case.

    Names, abbreviations, `I`, and words that are always capitalised within sentences of the set keep their capitals.
    """
    inner = {tree.tokens[at] for tree in trees for at in set(range(len(tree.tokens))) - set(_first_words(tree.tokens))}
    lowered = []
    for tree in trees:
        tokens = list(tree.tokens)
        for at in _first_words(tokens):
            word = tokens[at]
            always = word in inner and word.lower() not in inner
            mixed = len(word) > 1 and not word[1:].islower()
            if not (tree.tags[at] in _NAMES or word == "I" or mixed or always):
                tokens[at] = word.lower()
        lowered.append(replace(tree, tokens=tuple(tokens)))
    return lowered


def with_capitals(tokens: Sequence[str]) -> tuple[str, ...]:
    """Capitalises the first words of sentences.

    >>> with_capitals(("it", "rained", ".", '"', "we", "left"))
    ('It', 'rained', '.', '"', 'We', 'left')
    """
    firsts = set(_first_words(tokens))
    return tuple(_capital(token) if at in firsts else token for at, token in enumerate(tokens))


def capitalised(lattice: Lattice) -> Lattice:
    """Capitalises the first words of sentences in a lattice.

    >>> lattice = capitalised(Lattice.from_strings([("it rained . we left", 0.0)]))
    >>> [lattice.symbols[label] for label in lattice.olabels.tolist()]
    ['It', 'rained', '.', 'We', 'left']
    """
    words = list(lattice.symbols)
    symbols = SymbolTable(
        [*words[1:], *dict.fromkeys(upper for word in words[1:] if (upper := _capital(word)) not in words)]
    )
    capital = np.array([0, *(symbols.find(_capital(word)) for word in words[1:])])
    begins = np.array([_is_stop(word) for word in words])
    goes_on = np.array([not is_word(word) for word in words])
    labels, size = lattice.olabels, lattice.num_states
    first, inside = np.where(begins | goes_on, 0, 1)[labels], np.where(begins, 0, 1)[labels]
    expanded = Lattice.from_arcs(  # states below `size` are at the beginning of a sentence, the others inside
        np.concatenate([lattice.sources, lattice.sources + size]),
        np.concatenate([capital[labels], labels]),
        np.tile(lattice.weights, 2),
        np.concatenate([lattice.nextstates + first * size, lattice.nextstates + inside * size]),
        np.tile(lattice.finals, 2),
        symbols,
    )
    return minimize(expanded.connected())


def _first_words(tokens: Sequence[str]) -> Iterator[int]:
    """Yields the positions of the first words of sentences."""
    begins = True
    for at, token in enumerate(tokens):
        if _is_stop(token):
            begins = True
        elif is_word(token):
            if begins:
                yield at
            begins = False


def _is_stop(token: str) -> bool:
    return marks().get(token) == "stop"


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]
