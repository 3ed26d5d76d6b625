"""Lattices for tuning from arcs in any order."""

from __future__ import annotations

import numpy as np

from lattice_simp import Lattice, SymbolTable
from lattice_simp.tune.feature_lattice import tuning_lattice

WORDS = 1000
"""Words are the numbers below."""


def lattice_of_arcs(sources, words, nextstates, features, final, names, ends=None):
    """Makes a lattice; `features` are (arcs, features), `ends` (states, features), `words` numbers from 1, or 0."""
    order = np.argsort(sources, kind="stable")
    finals = np.where(final, 0.0, np.inf)
    symbols = SymbolTable(map(str, range(1, WORDS)))
    lattice = Lattice.from_arcs(sources, words, np.zeros(len(order)), nextstates, finals, symbols)
    matrix = np.asarray(features).reshape(len(order), -1 if len(order) else len(names))[order].T
    return tuning_lattice(lattice, names, matrix, None if ends is None else np.asarray(ends).T)


def empty_lattice(names):
    """Makes the lattice without paths."""
    return lattice_of_arcs([], [], [], [], [False], names)
