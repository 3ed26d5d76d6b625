"""Gappy composition of lattices: the hypotheses of a sentence that contain one of a skeleton's (Hasler et al. 2016).

It is the strategy `gappy` for lattices from any source.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.ops.compose_gappy import SKELETON, EditCosts, compose_gappy
from lattice_simp.ops.gappy_acceptor import gappy_acceptor
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.prune import prune
from lattice_simp.translate.settings import SkeletonSettings

EXPECTED_STRINGS = 200
"""How many strings get expected costs: compositions of whole lattices with edits, one after the other, take a hundred
times as long."""

JOINT_ARCS = 20_000
"""How many arcs a composition keeps before the next one; without a limit, each would multiply the lattice."""


def compose_with_skeletons(
    full: Lattice,
    lists: Sequence[Sequence[Hypothesis]],
    settings: SkeletonSettings,
    beam: float,
    positions: Sequence[Collection[int]] | None = None,
    engine: Engine = "arrays",
    *,
    features: Sequence[str] = (),
) -> Lattice:
    """Returns the hypotheses of a lattice that contain one of each skeleton's n-best list, with both costs.

    >>> from lattice_simp.ops.nbest import nbest
    >>> full = Lattice.from_strings([("a b c", 1.0), ("a x c", 2.0), ("b x", 3.0)])
    >>> lists = [[Hypothesis(("a", "c"), 0.5)], [Hypothesis(("x",), 0.0)]]
    >>> joint = compose_with_skeletons(full, lists, SkeletonSettings(weight=2.0), beam=8.0)
    >>> [(hypothesis.text, hypothesis.cost) for hypothesis in nbest(joint, 5)]
    [('a x c', 3.0)]

    Args:
        full: acyclic.
        lists: an n-best list for each skeleton.
        settings: loops, edits, and the weight of the lists' costs.
        beam: nats above the best path that the result keeps.
        positions: for each hypothesis of the only list, the numbers of its words that may come before a gap; None for
            loops everywhere.
        engine: the engine that runs the operations; OpenFst keeps no features.
        features: features of the only list that replace `Skeleton` in the result (see `SkeletonScores`).

    Returns:
        The lattice; empty (`.empty`) if nothing contains a hypothesis of each list. The features of the first list have
        the names that `compose_gappy` gives them; those of the others begin with `Skeleton2`, `Skeleton3`, ...
    """
    operations = ENGINES[engine]
    joint = full
    for number, hypotheses in enumerate(lists, start=1):
        name = SKELETON if number == 1 else f"{SKELETON}{number}"
        if number > 1:
            joint = prune(joint, max_arcs=JOINT_ARCS)
        kept = {"features": features} if features else {}
        acceptor = operations.gappy_acceptor(
            hypotheses, loops=settings.loops, positions=positions, symbols=full.symbols, **kept
        )
        joint = operations.compose_gappy(
            joint, acceptor, weight=settings.weight, beam=beam, edits=settings.edits, name=name
        )
        if joint.empty:
            break
    return joint


def compose_with_expected(
    full: Lattice,
    lists: Sequence[Sequence[Hypothesis]],
    shares: Sequence[float],
    settings: SkeletonSettings,
    beam: float,
) -> Lattice:
    """Returns the best hypotheses of a lattice with their expected costs over several skeletons.

    >>> from lattice_simp.ops.nbest import nbest
    >>> full = Lattice.from_strings([("a b c", 1.0), ("a x c", 1.5)])
    >>> lists = [[Hypothesis(("a", "x"), 0.0)], [Hypothesis(("b",), 0.0)]]
    >>> settings = SkeletonSettings(weight=1.0, edits=EditCosts(deletion=4.0, substitution=4.0))
    >>> joint = compose_with_expected(full, lists, [0.75, 0.25], settings, beam=8.0)
    >>> [(hypothesis.text, hypothesis.cost) for hypothesis in nbest(joint, 5)]
    [('a x c', 2.5), ('a b c', 4.0)]

    Args:
        full: acyclic; only its `EXPECTED_STRINGS` best strings are considered.
        lists: an n-best list for each skeleton.
        shares: the skeletons' probabilities.
        settings: loops, the lists' weight, and edits (`EditCosts()` if there are none), so that no skeleton excludes
            a hypothesis unless edits have infinite costs.
        beam: nats above the best path that the result keeps.

    Returns:
        The lattice; empty (`.empty`) if every string is excluded.
    """
    words = [path.text for path in nbest(full, EXPECTED_STRINGS, ignore=())]
    rows = [share * contained_costs(words, pool, settings) for share, pool in zip(shares, lists, strict=True)]
    costs = np.sum(rows, axis=0).tolist()
    contained = [(line, cost) for line, cost in zip(words, costs, strict=True) if cost < np.inf]
    return compose_gappy(full, Lattice.from_strings(contained, full.symbols), beam=beam)


def contained_costs(words: Sequence[str], hypotheses: Sequence[Hypothesis], settings: SkeletonSettings) -> Floats:
    """Returns (words,) float64, the least cost at which each string contains one of the hypotheses, with edits.

    It is infinite if a string contains none within the allowed edits.

    >>> settings = SkeletonSettings(weight=1.0, edits=EditCosts(deletion=2.0, substitution=9.0))
    >>> contained_costs(["a b c", "a b"], [Hypothesis(("a", "c"), 0.5)], settings).tolist()
    [0.5, 2.5]
    """
    strings = Lattice.from_strings([(line, 0.0) for line in words])
    acceptor = gappy_acceptor(hypotheses, loops=settings.loops, symbols=strings.symbols)
    joint = compose_gappy(strings, acceptor, weight=settings.weight, edits=settings.edits or EditCosts())
    costs = {path.text: path.cost for path in nbest(joint, len(words), ignore=())}
    return np.array([costs.get(line, np.inf) for line in words])
