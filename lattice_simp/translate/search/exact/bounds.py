"""The bounds for the forest of an order: lower bounds of outside costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Longs, jit
from lattice_simp.core.records import Table, empty_table, enter
from lattice_simp.translate.search.exact.dense_bounds import Dense, no_dense
from lattice_simp.translate.search.exact.forest import BORDER, HOOK, PLACES, TRANSITION, BorderForest

SLACK = 1e-6
"""Nats by which sums in another order may differ: limits are widened by this much."""


class Bounds(NamedTuple):
    """Bounds from a finished forest for the next order, or from matrices for the second and the third order.

    Attributes:
        order: the order of the forest, or of the matrices; 0 if there are none, and everything is within bounds.
        borders, hooks, transitions: the tables of the forest.
        nodes: the table of its nodes, by place and border.
        outside: (nodes,) their outside costs.
        least: (places,) the least outside cost of the nodes at a place; without a forest, (states,) in the matrices.
        dense: the matrices; none if there is a forest.
    """

    order: int
    borders: Table
    hooks: Table
    transitions: Table
    nodes: Table
    outside: Floats
    least: Floats
    dense: Dense


def no_bounds() -> Bounds:
    """Returns the bounds of the first order."""
    borders, hooks, transitions = (empty_table(kind) for kind in (BORDER, HOOK, TRANSITION))
    return Bounds(0, borders, hooks, transitions, empty_table(HOOK), np.zeros(0), np.zeros(0), no_dense())


def bounds_of(forest: BorderForest, outside: Floats) -> Bounds:
    """Returns the bounds that a forest gives for the next order, by the outside costs of its nodes."""
    pools = forest.pools
    least = np.full(int(pools.used[PLACES]), np.inf)
    np.minimum.at(least, forest.places, outside)
    keys = (forest.places.astype(np.int64) << 32) + forest.borders
    return Bounds(
        order=forest.order,
        borders=pools.borders,
        hooks=pools.hooks,
        transitions=pools.transitions,
        nodes=_numbered(keys),
        outside=outside,
        least=least,
        dense=no_dense(),
    )


def dense_bounds_of(dense: Dense) -> Bounds:
    """Returns the bounds that matrices of the second order give for that order and the third one."""
    return no_bounds()._replace(order=2, least=dense.least, dense=dense)


@jit
def _numbered(keys: Longs) -> Table:
    """Returns a table that maps keys to their indices."""
    size = 16
    while size < 2 * len(keys):
        size *= 2
    slots = np.full((size, 2), -1, dtype=np.int64)
    for index in range(len(keys)):
        enter(slots, keys[index], index)
    return Table(slots, np.zeros(0, dtype=HOOK))
