"""Difference: the paths of a lattice whose words an acceptor does not accept."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.symbols import EPSILON
from lattice_simp.errors import InvalidLatticeError
from lattice_simp.ops.intersect import checked_acceptor

MAX_ARCS = 50_000_000
"""Arcs of a complement: states of the acceptor times words of the lattice."""


def difference(lattice: Lattice, acceptor: Lattice) -> Lattice:
    """Returns the paths of a lattice whose words a deterministic acceptor does not accept.

    >>> from lattice_simp.ops.nbest import nbest
    >>> lattice = Lattice.from_strings([("a cat", 1.0), ("a dog", 2.0)])
    >>> [(path.text, path.cost) for path in nbest(difference(lattice, Lattice.from_strings("a cat")), 2)]
    [('a dog', 2.0)]

    Paths keep their costs and features; the costs of the acceptor are ignored. The acceptor may have cycles, and
    words that the lattice does not have.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the acceptor has epsilons, two arcs of one word from a state, or is a transducer; or the
            lattice has too many words for it.
    """
    require_lattice("difference", lattice, acceptor)
    return lattice.connected() @ _complement(checked_acceptor(acceptor), lattice)


def _complement(acceptor: Lattice, lattice: Lattice) -> Lattice:
    """Returns an acceptor, without costs, of the strings of the lattice's words that `acceptor` rejects."""
    words = np.unique(lattice.olabels[lattice.olabels != EPSILON])
    states = acceptor.num_states
    if (states + 1) * len(words) > MAX_ARCS:
        raise InvalidLatticeError(
            f"{len(words)} words of the lattice times {states} states of the acceptor are too many; minimize() it"
        )
    places = np.full(len(lattice.symbols), -1, dtype=np.int64)
    places[words] = np.arange(len(words))
    labels = lattice.symbols.labels_of(acceptor.symbols, acceptor.olabels)
    columns = np.where(labels >= 0, places[labels], -1)
    goals = np.full((states + 1, len(words)), states, dtype=np.int64)  # the last state: `acceptor` has failed
    in_lattice = columns >= 0
    goals[acceptor.sources[in_lattice], columns[in_lattice]] = acceptor.nextstates[in_lattice]
    return Lattice.from_arcs(
        np.repeat(np.arange(states + 1), len(words)),
        np.tile(words, states + 1),
        np.zeros(goals.size),
        goals.ravel(),
        np.append(np.where(np.isfinite(acceptor.finals), np.inf, 0.0), 0.0),
        lattice.symbols,
    )
