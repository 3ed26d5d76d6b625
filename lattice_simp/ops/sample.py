"""Random paths of a lattice, each as probable as its cost or all alike."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from lattice_simp.core.arcs import Arcs
from lattice_simp.core.arguments import flag, whole
from lattice_simp.core.blocks import prefix_sums
from lattice_simp.core.columns import LARGEST
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Bools, Floats, Ints, Longs, jit
from lattice_simp.core.lattice import Lattice, require_lattice
from lattice_simp.core.marks import MARKS
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.arc_posteriors import ways_on
from lattice_simp.ops.count_paths import unweighted
from lattice_simp.ops.nbest import path_hypothesis


def sample(
    lattice: Lattice,
    n: int = 1,
    *,
    seed: int | np.random.Generator = 0,
    uniform: bool = False,
    ignore: Collection[str] = MARKS,
) -> list[Hypothesis]:
    """Draws paths at random, with replacement; a path's probability is exp(-cost), divided by the sum of all paths'.

    >>> lattice = Lattice.from_strings([("a b", 1.0), ("a c", 900.0)])
    >>> [path.text for path in sample(lattice, 3)]
    ['a b', 'a b', 'a b']
    >>> sorted({path.text for path in sample(lattice, 20, uniform=True)})
    ['a b', 'a c']

    Paths are drawn arc by arc, without listing them: the probability of an arc is the probability of all paths from its
    state that take it, among all paths from the state. To draw strings rather than paths, call `determinize` first.

    Args:
        lattice: acyclic.
        n: the number of paths.
        seed: the seed of the random numbers, or a generator to draw them from.
        uniform: whether all paths are equally probable, whatever they cost.
        ignore: labels that are not words, as in `nbest`.

    Returns:
        n hypotheses in the order of the draws, as `nbest` makes them; none if the lattice accepts nothing.

    Raises:
        LatticeSimpError: n is negative, or beyond 32 bits.
        CyclicLatticeError: the lattice has a cycle.
    """
    require_lattice("sample", lattice)
    if not isinstance(seed, np.random.Generator):
        seed = whole(seed, "the seed", 0)
    if not 0 <= whole(n, "n", 0) <= LARGEST:
        raise LatticeSimpError(f"n is {n!s:.80}; give a number from 0 to {LARGEST}")
    lattice = lattice.connected().without_words(ignore)
    if lattice.empty:
        return []
    measured = unweighted(lattice) if flag(uniform, "uniform") else lattice
    leaving, ending = ways_on(measured, 1.0)
    generator = np.random.default_rng(seed)
    shares = measured.arcs._replace(weights=leaving, finals=ending)
    offsets, arcs, ends = _walks(shares, np.isfinite(lattice.finals), n, generator)
    return [path_hypothesis(lattice, arcs[offsets[i] : offsets[i + 1]], int(ends[i])) for i in range(n)]


def _walks(shares: Arcs, final: Bools, n: int, generator: np.random.Generator) -> tuple[Longs, Ints, Ints]:
    """Draws n walks at once; returns where the arcs of each walk begin, the arcs, and the final states."""
    states = np.zeros(n, dtype=np.int32)
    walking = np.arange(n)
    steps: list[tuple[Longs, Ints]] = []
    while len(walking):
        next_arcs = _choose(shares, final, states[walking], generator.random(len(walking)))
        walking, next_arcs = walking[next_arcs >= 0], next_arcs[next_arcs >= 0]
        states[walking] = shares.nextstates[next_arcs]
        steps.append((walking, next_arcs))
    walks = np.concatenate([part for part, _ in steps]) if steps else np.zeros(0, dtype=np.int64)
    arcs = np.concatenate([part for _, part in steps]) if steps else np.zeros(0, dtype=np.int32)
    offsets = prefix_sums(np.bincount(walks, minlength=n))
    return offsets, arcs[np.argsort(walks, kind="stable")], states


@jit
def _choose(shares: Arcs, final: Bools, states: Ints, chances: Floats) -> Ints:
    """Returns the arc that each random number from 0 to 1 selects, -1 for the end of the walk."""
    arcs = np.empty(len(states), dtype=np.int32)
    for walk in range(len(states)):
        state = states[walk]
        left = chances[walk] - shares.finals[state]
        begin, end = shares.offsets[state], shares.offsets[state + 1]
        arc = -1
        if left >= 0.0 or not final[state]:
            arc = begin
            while arc < end - 1 and left >= shares.weights[arc]:  # the last arc takes the rounding error
                left -= shares.weights[arc]
                arc += 1
            arc = arc if arc < end else -1
        arcs[walk] = arc
    return arcs
