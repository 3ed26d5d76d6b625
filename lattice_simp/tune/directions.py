"""Where a search of weights goes: the features' own units, lines along them and across, and how far signs allow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice

SPARSE = 3
"""The most features that a sparse random direction moves."""


def feature_units(lattices: Sequence[Lattice], weights: Floats) -> Floats:
    """Returns for each feature the weight with which it contributes as much to an arc as features do on average.

    Features that are 0 everywhere have the unit 0, so that no direction moves them.
    """
    squares = sum(np.square(lattice.features.arcs, dtype=np.float64).sum(axis=1) for lattice in lattices)
    squares = squares + sum(np.square(lattice.features.finals, dtype=np.float64).sum(axis=1) for lattice in lattices)
    sizes = np.sqrt(squares / max(1, sum(lattice.num_arcs for lattice in lattices)))
    contribution = float((np.abs(weights) * sizes).mean()) or 1.0
    return np.divide(contribution, sizes, out=np.zeros(len(weights)), where=sizes > 0)


def axes(units: Floats) -> Floats:
    """Returns the directions along single features, (features that move, features).

    >>> axes(np.array([2.0, 0.0, 1.0])).tolist()
    [[2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return np.diag(units)[units != 0]


def random_directions(rng: np.random.Generator, units: Floats, count: int) -> Floats:
    """Returns normally distributed directions, (count, features); every other one moves a few features only."""
    directions = rng.normal(size=(count, len(units))) * units
    movable = np.flatnonzero(units)
    for row in directions[1::2] if len(movable) > SPARSE else ():
        moved = rng.choice(movable, int(rng.integers(2, SPARSE + 1)), replace=False)
        row[np.setdiff1d(movable, moved)] = 0.0
    return directions[directions.any(axis=1)]


def gamma_bounds(weights: Floats, direction: Floats, least: Floats, greatest: Floats) -> tuple[float, float]:
    """Returns the least and the greatest gamma at which every weight stays in its bounds (as they do at 0).

    >>> bounds = np.array([0.0, -np.inf]), np.array([np.inf, 5.0])
    >>> gamma_bounds(np.array([1.0, 2.0]), np.array([1.0, 1.0]), *bounds)
    (-1.0, 3.0)
    """
    forward = direction > 0
    moves = direction != 0
    below = np.where(forward, least, greatest)[moves] - weights[moves]
    above = np.where(forward, greatest, least)[moves] - weights[moves]
    low, high = (below / direction[moves]).max(initial=-np.inf), (above / direction[moves]).min(initial=np.inf)
    return min(0.0, float(low)), max(0.0, float(high))
