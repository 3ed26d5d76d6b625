"""Gappy composition of lattices: the hypotheses of a sentence that contain one of a skeleton's (Hasler et al. 2016).

What the strategy `gappy` does with lattices that it decodes, for lattices from anywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.engines import ENGINES, Engine
from lattice_simp.ops.compose import MATCHED, SKELETON
from lattice_simp.ops.prune import prune
from lattice_simp.translate.settings import SkeletonSettings

JOINT_ARCS = 20_000
"""Arcs that a composition keeps before the next one: without a bound each one would multiply the lattice."""


def compose_with_skeletons(
    full: Lattice,
    lists: Sequence[Sequence[Hypothesis]],
    settings: SkeletonSettings,
    beam: float,
    positions: Sequence[Collection[int]] | None = None,
    engine: Engine = "arrays",
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
        lists: of one skeleton each.
        settings: loops, edits, and the weight that the lists' costs are multiplied with.
        beam: nats above the best path that the result keeps.
        positions: for each hypothesis of the only list, how many of its words may come before a gap; None for loops
            everywhere.
        engine: what runs the operations; OpenFst keeps no features.

    Returns:
        An empty lattice (`.empty`) if nothing contains one of each list. The first list's features have the names that
        `compose` returns them, those of the others begin with `Skeleton2`, `Skeleton3`, ...
    """
    operations = ENGINES[engine]
    joint = full
    for number, hypotheses in enumerate(lists, start=1):
        name = SKELETON if number == 1 else f"{SKELETON}{number}"
        if number > 1:
            joint = prune(joint, max_arcs=JOINT_ARCS)
        acceptor = operations.gappy_acceptor(
            hypotheses, loops=settings.loops, positions=positions, symbols=full.symbols
        )
        joint = operations.compose(joint, acceptor, weight=settings.weight, beam=beam, edits=settings.edits, name=name)
        if joint.empty:
            break
    return joint


def contained_hypotheses(
    joint: Lattice, paths: Sequence[Hypothesis], hypotheses: Sequence[Hypothesis], *, edits: bool
) -> list[int]:
    """Returns the index of the skeleton hypothesis that each path of a composition with one list contains.

    With edits the matched words need not spell it: then the score tells which it is.
    """
    if edits:
        costs = np.array([hypothesis.cost for hypothesis in hypotheses])
        return [int(np.abs(costs + path.features[SKELETON]).argmin()) for path in paths]
    index_of = {hypothesis.tokens: index for index, hypothesis in enumerate(hypotheses)}
    matched = joint.features[MATCHED]
    found = []
    for path in paths:
        labels = joint.olabels[path.arcs][matched[path.arcs] > 0]
        found.append(index_of[tuple(joint.symbols.decode(labels.tolist()))])
    return found
