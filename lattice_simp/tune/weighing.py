"""A feature lattice under weights, as a plain lattice: what the operations on lattices take."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lattice_simp.core.lattice import Lattice
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.tune.feature_lattice import FeatureLattice
from lattice_simp.tune.scores import weighted


def lattice_under(features: FeatureLattice, weights: Mapping[str, float], symbols: SymbolTable) -> Lattice:
    """Returns the lattice whose costs are those under the weights; its features come along.

    >>> arcs = ([0, 0], [1, 2], [1, 1], [[1.0, 0.0], [0.5, 2.0]], [False, True], ["x", "y"])
    >>> lattice = lattice_under(FeatureLattice.from_arcs(*arcs), {"x": 1.0, "y": 3.0}, SymbolTable(["a", "b"]))
    >>> lattice.weights.tolist(), {name: column.tolist() for name, column in lattice.features.items()}
    ([-1.0, -6.5], {'x': [1.0, 0.5], 'y': [0.0, 2.0]})

    Args:
        features: the lattice with features; arcs keep their numbers.
        weights: by feature; 0 where one is missing.
        symbols: numbers the words.
    """
    vector = np.array([weights.get(name, 0.0) for name in features.feature_names])
    columns, final_columns = features.columns, features.final_columns
    return Lattice.from_arcs(
        features.sources,
        features.words,
        -weighted(columns, vector),
        features.nextstates,
        np.where(features.final, -weighted(final_columns, vector), np.inf),
        symbols,
        features=dict(zip(features.feature_names, columns, strict=True)),
        final_features=dict(zip(features.feature_names, final_columns, strict=True)),
    )
