"""The probability of each word of a hypothesis at its place, by a lattice of its alternatives (Wessel et al. 2001).

A place is a slot of the lattice's confusion network. Where in the network the words of the hypothesis are is a path,
too: the cheapest one with these words. Hypotheses of others have a path as well, since they take part in the network
with next to no probability.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import EPSILON, as_tokens
from lattice_simp.errors import EmptyLatticeError
from lattice_simp.ops.compose import compose
from lattice_simp.ops.confusion_network import confusion_network
from lattice_simp.ops.gappy_acceptor import GappyAcceptor
from lattice_simp.ops.nbest import shortest_path
from lattice_simp.ops.normalise import normalise
from lattice_simp.ops.prune import prune
from lattice_simp.ops.union import union

TRACE = 1e-9
"""The share of the hypothesis itself in the network: words that the lattice has nowhere have about this confidence."""


def word_confidences(
    lattice: Lattice, hypothesis: str | Iterable[str] | None = None, scale: float = 1.0, *, max_arcs: int | None = 5000
) -> Floats:
    """Returns the probability of each word of a hypothesis at its place, (words,) float64, from 0 to 1.

    >>> lattice = Lattice.from_strings([("the law passed", 0.0), ("the law failed", 0.0), ("a law passed", 0.0)])
    >>> word_confidences(lattice, "the law passed").round(3).tolist()
    [0.667, 1.0, 0.667]
    >>> word_confidences(lattice, "the rule passed").round(3).tolist()
    [0.667, 0.0, 0.667]

    They say how much the hypotheses agree, and rank words; how often such words are right is another matter
    (`experiments/confidence`). Costs of a tuned decoder are no log probabilities: choose a scale for them.

    Args:
        lattice: acyclic; a path with cost c has the probability exp(-scale * c) / Z.
        hypothesis: a string or words; None for the best path.
        scale: above 0; the larger, the closer to the best paths alone.
        max_arcs: larger lattices are pruned to so many arcs first; None keeps all.

    Raises:
        EmptyLatticeError: the lattice accepts nothing.
        LatticeSimpError: the scale is not a number above 0, or `max_arcs` below 1.
        CyclicLatticeError: the lattice has a cycle.
    """
    lattice = lattice.project_output().connected()
    if lattice.empty:
        raise EmptyLatticeError("the lattice accepts nothing, so it has no confidence in any word")
    tokens = shortest_path(lattice).tokens if hypothesis is None else as_tokens(hypothesis)
    if not tokens:
        return np.zeros(0)
    if max_arcs is not None:
        lattice = prune(lattice, max_arcs=max_arcs)
    own = Lattice.from_strings([(tokens, 0.0)], lattice.symbols)
    network = confusion_network(union([normalise(lattice, scale), own], shares=[1.0, TRACE]), max_arcs=None)
    joint = compose(network, GappyAcceptor.without_gaps(own))
    arcs = shortest_path(joint).arcs
    spoken = joint.olabels[arcs] != EPSILON
    return np.minimum(np.exp(-joint.weights[arcs][spoken]), 1.0)
