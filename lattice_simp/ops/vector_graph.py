"""A lattice whose costs are vectors, of the cost and the scores of the features, as determinization compares them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lattice_simp.core.features import Features
from lattice_simp.core.kernel import Floats, Ints, inlined
from lattice_simp.core.lattice import Lattice


class VectorGraph(NamedTuple):
    """A lattice whose costs are vectors: the cost, and the scores of the features.

    Attributes:
        offsets, labels, nextstates: of the arcs, as in a `Lattice`.
        arcs: (num_arcs, 1 + features).
        ends: (num_states, 1 + features); the cost of a state that is not final is infinite.
    """

    offsets: Ints
    labels: Ints
    nextstates: Ints
    arcs: Floats
    ends: Floats

    @classmethod
    def of(cls, lattice: Lattice) -> VectorGraph:
        """Returns the graph of a lattice."""
        arcs = np.vstack((lattice.weights, lattice.features.arcs)).T
        ends = np.vstack((lattice.finals, lattice.features.finals)).T
        return cls(
            lattice.offsets,
            lattice.olabels,
            lattice.nextstates,
            np.ascontiguousarray(arcs, dtype=np.float64),
            np.ascontiguousarray(ends, dtype=np.float64),
        )

    def lattice(self, origin: Lattice) -> Lattice:
        """Returns the graph as a lattice, with the symbols, the names of features and the header of `origin`."""
        ends = np.where(np.isfinite(self.ends[:, :1]), self.ends, 0.0)
        return replace(
            origin,
            offsets=self.offsets,
            ilabels=self.labels,
            olabels=self.labels,
            weights=self.arcs[:, 0].copy(),
            nextstates=self.nextstates,
            finals=self.ends[:, 0].copy(),
            features=Features(origin.features.names, self.arcs.T[1:].copy(), ends.T[1:].copy()),
        )


def quanta_of(graph: VectorGraph, precision: float) -> Floats:
    """Returns the units to which costs and scores are rounded before states are compared, (1 + features,)."""
    ends = np.where(np.isfinite(graph.ends[:, :1]), graph.ends, 0.0)
    largest = np.abs(np.vstack((graph.arcs, ends))).max(axis=0, initial=0.0)
    return np.maximum(precision * np.where(largest > 0.0, largest, 1.0), np.finfo(np.float64).tiny)


@inlined
def rounds_same(first: float, second: float, quantum: float) -> bool:
    """Returns whether two costs round to the same multiple of a unit."""
    return first == second or np.rint(first / quantum) == np.rint(second / quantum)
