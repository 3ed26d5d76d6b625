"""Shortest distances, pruning, n shortest paths and arc posteriors by OpenFst."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pynini
import pywrapfst

from lattice_simp.core.arguments import beam_of, whole
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.core.shortest_distance import Semiring, adds_probabilities
from lattice_simp.errors import LatticeSimpError

MOST_PATHS = 2**31 - 1
"""OpenFst counts the requested paths in 32 bits."""


def shortest_distance(lattice: Lattice, *, semiring: Semiring = "tropical", reverse: bool = False) -> Floats:
    """Returns each state's distance from the start or, with `reverse`, to the end (its final cost included).

    >>> lattice = Lattice.from_strings([("a b", 1.5), ("a c", 1.5)])
    >>> shortest_distance(lattice, reverse=True).tolist()
    [1.5, 1.5, 0.0]
    >>> shortest_distance(lattice, semiring="log", reverse=True).round(3).tolist()   # 1.5 - log 2
    [0.807, 0.807, 0.0]

    Raises:
        LatticeSimpError: the states are not sorted topologically, or the semiring is unknown.
    """
    if not lattice.is_topsorted:
        raise LatticeSimpError("the states are not sorted topologically; call topsorted() first, and use its states")
    fst = lattice.to_pynini()
    if adds_probabilities(semiring):
        fst = pynini.arcmap(fst, map_type="to_log64")
    distances = np.full(lattice.num_states, np.inf)
    reached = [float(weight) for weight in pywrapfst.shortestdistance(fst, reverse=reverse)]
    distances[: len(reached)] = reached  # OpenFst omits trailing states that it does not reach
    return distances


def arc_posteriors(lattice: Lattice) -> Floats:
    """Returns the probability that a path takes each arc, (num_arcs,) float64.

    >>> arc_posteriors(Lattice.from_strings([("a", 0.0), ("b", 0.0)])).round(6).tolist()
    [0.5, 0.5]

    Raises:
        LatticeSimpError: the states are not sorted topologically.
    """
    forward, backward = (shortest_distance(lattice, semiring="log", reverse=reverse) for reverse in (False, True))
    if lattice.empty or np.isinf(backward[0]):
        return np.zeros(lattice.num_arcs)
    return np.exp(backward[0] - forward[lattice.sources] - lattice.weights - backward[lattice.nextstates])


def prune(lattice: Lattice, beam: float | None = None) -> Lattice:
    """Keeps the arcs whose best path costs at most `beam` nats more than the best path of all.

    >>> prune(Lattice.from_strings([("a", 1.0), ("b", 2.0), ("c", 5.0)]), 1.5).num_arcs
    2

    Raises:
        LatticeSimpError: a negative or undefined beam.
        CyclicLatticeError: the lattice has a cycle.
    """
    width = beam_of(beam)
    lattice = lattice.connected()
    if beam is None:
        return lattice
    return Lattice.from_pynini(
        pynini.prune(lattice.to_pynini(), weight=width), lattice.symbols, lattice.isymbols
    ).connected()


def nbest(lattice: Lattice, n: int = 1, *, unique: bool = True, ignore: Collection[str] = MARKS) -> list[Hypothesis]:
    """Returns the n cheapest paths in order of their costs; with `unique`, the best path of each string only.

    >>> lattice = Lattice.from_strings([("a b", 1.0), ("a c", 0.5), ("d", 2.0)])
    >>> [(path.text, path.cost) for path in nbest(lattice, 2)]
    [('a c', 0.5), ('a b', 1.0)]

    Which of several equal paths come last, or not at all, is left to OpenFst.

    Raises:
        LatticeSimpError: n is not positive.
        TypeError: n is not a whole number.
        CyclicLatticeError: the lattice has a cycle.
    """
    n = whole(n, "n", 1)
    fst = lattice.without_words(ignore).project_output().connected().to_pynini()
    if unique:
        fst.rmepsilon()  # with unique strings, OpenFst takes epsilons for words
    paths = pynini.shortestpath(fst, nshortest=min(n, MOST_PATHS), unique=unique).paths()
    hypotheses = []
    while not paths.done():
        hypotheses.append(Hypothesis(tuple(lattice.symbols.decode(paths.olabels())), float(paths.weight())))
        paths.next()
    return sorted(hypotheses, key=lambda hypothesis: hypothesis.cost)
