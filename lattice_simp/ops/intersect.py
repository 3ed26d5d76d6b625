"""Intersection: the strings that a lattice and an acceptor have in common, at the sum of both costs."""

from __future__ import annotations

import numpy as np

from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.errors import InvalidLatticeError


def intersect(lattice: Lattice, acceptor: Lattice) -> Lattice:
    """Returns the paths of a lattice whose words a deterministic acceptor accepts; its costs are added.

    >>> from lattice_simp import SymbolTable
    >>> even = Lattice.from_arcs([0, 1], [1, 1], [0.5, 0.5], [1, 0], [0.0, np.inf], SymbolTable(["a"]))
    >>> both = intersect(Lattice.from_strings([("a", 1.0), ("a a", 2.0), ("b b", 0.0)]), even)
    >>> from lattice_simp.ops.nbest import nbest
    >>> [(path.text, path.cost) for path in nbest(both, 3)]
    [('a a', 3.0)]

    The acceptor may have cycles, so it can be a condition on sentences of any length; `compose_gappy` allows gaps and
    edits. Words that the acceptor does not have are not accepted. A path of the lattice stays one path, with its
    features; a deterministic lattice stays deterministic.

    Raises:
        CyclicLatticeError: the lattice has a cycle.
        InvalidLatticeError: the acceptor has epsilons, two arcs of one word from a state, or is a transducer.
    """
    require_lattice("intersect", lattice, acceptor)
    plain = checked_acceptor(acceptor).without_features()
    return lattice.connected() @ plain


def checked_acceptor(acceptor: Lattice) -> Lattice:
    """Returns a deterministic acceptor.

    Raises:
        InvalidLatticeError: it has epsilons, two arcs of one word from a state, or is a transducer.
    """
    acceptor.require_acceptor("the second lattice")
    if acceptor.has_epsilons():
        raise InvalidLatticeError("the acceptor has epsilons; remove_epsilons() or determinize() it first")
    order = np.lexsort((acceptor.olabels, acceptor.sources))
    sources, words = acceptor.sources[order], acceptor.olabels[order]
    if ((sources[1:] == sources[:-1]) & (words[1:] == words[:-1])).any():
        raise InvalidLatticeError("the acceptor has two arcs of one word from a state; determinize() it first")
    return acceptor
