"""Inversion: input and output change places."""

from __future__ import annotations

from dataclasses import replace

from lattice_simp.core.lattice import Lattice, require_lattice


def invert(lattice: Lattice) -> Lattice:
    """Returns the lattice with its input labels as words and its words as input labels.

    >>> from lattice_simp import SymbolTable
    >>> lexicon = Lattice.from_arcs([0], [1], [0.5], [1], [float("inf"), 0.0], SymbolTable(["house"]),
    ...     inputs=([1], SymbolTable(["Haus"])))
    >>> [(arc.label, arc.word) for arc in invert(lexicon).arcs_of(0)]
    [('house', 'Haus')]

    An acceptor is its own inverse.
    """
    require_lattice("invert", lattice)
    if lattice.is_acceptor:
        return lattice
    inputs = lattice.isymbols or lattice.symbols
    return replace(lattice, ilabels=lattice.olabels, olabels=lattice.ilabels, symbols=inputs, isymbols=lattice.symbols)
