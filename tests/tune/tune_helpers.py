"""Makes lattices for tuning from arcs in any order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lattice_simp import Lattice, SymbolTable
from lattice_simp.tune.envelope import hypotheses
from lattice_simp.tune.feature_lattice import tuning_lattice
from lattice_simp.tune.hulls import LINE, hulls
from lattice_simp.tune.scores import weighted

WORDS = 1000
"""The size of the vocabulary; words are the numbers below."""


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


@dataclass
class Envelope:
    """The best hypothesis for every gamma: segment `i` is best between `boundaries[i - 1]` and `boundaries[i]`."""

    boundaries: np.ndarray
    offsets: np.ndarray
    words: np.ndarray

    def hypothesis(self, segment):
        return self.words[self.offsets[segment] : self.offsets[segment + 1]]


def envelope(lattice, weights, direction, limit=np.inf):
    """Returns the best hypotheses along a line of weights, without references."""
    lattice = lattice.topsorted()
    arrays = (lattice.features.arcs, lattice.features.finals)
    lines = [
        np.stack([weighted(scores, np.asarray(each, float)) for each in (direction, weights)]) for scores in arrays
    ]
    pool, begin, end = hulls(lattice.arcs, *lines, limit, np.empty(1024, dtype=LINE))
    begins, offsets, words = hypotheses(lattice.arcs, pool, begin, end)
    return Envelope(begins[1:], offsets, words)
