"""Makes lattices for tuning from arcs in any order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from lattice_simp import Lattice, SymbolTable
from lattice_simp.tune.envelope import hypotheses, segments
from lattice_simp.tune.feature_lattice import tuning_lattice
from lattice_simp.tune.hulls import LINE, hulls
from lattice_simp.tune.line_search import search_line
from lattice_simp.tune.mert import evaluate
from lattice_simp.tune.metrics import BLEU
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


def best_of_line(lattices, prepared, weights, direction, metric=BLEU):
    """Searches a line of weights; checks the result against decoding within every interval of the line."""
    results = [segments(*pair, weights, [direction]) for pair in zip(lattices, prepared, strict=True)]
    optimum = search_line(results, metric=metric)
    ends = np.unique(np.concatenate([part.begins[1:] for part in results]))
    points = [ends[0] - 1, *(ends[1:] + ends[:-1]) / 2, ends[-1] + 1]

    def score(gamma):
        return evaluate(lattices, prepared, weights + gamma * direction, metric)

    scores = [score(gamma) for gamma in points]
    expected = (max(scores), score(0.0), scores[0], max(scores))
    actual = (optimum.score, optimum.here, optimum.at_low_end, score(optimum.gamma))
    assert actual == pytest.approx(expected, abs=1e-12)
    assert optimum.segments == sum(len(part.begins) for part in results)
    assert optimum.low <= optimum.gamma <= optimum.high
    return optimum


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
