"""Gappy composition of stored spaces with skeleton n-best lists, both under any weights."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.study.nbest import Nbest
from experiments.study.spaces import Space
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.compose import EditCosts
from lattice_simp.ops.compose import compose as compose_lattices
from lattice_simp.ops.gappy_acceptor import Loops, gappy_acceptor
from lattice_simp.ops.nbest import Path, nbest
from lattice_simp.ops.prune import prune

JOINT_ARCS = 20_000
"""What stays of a composition before the next one: without a bound each one would multiply the lattice."""

SKELETON = "Skeleton:"
"""Begins the names of a skeleton hypothesis' features."""


@dataclass(frozen=True)
class Composition:
    """How a space is composed.

    Attributes:
        hypotheses: the n of the skeleton's n-best list.
        loops: `sigma` or `rho`.
        edits: what deviations from the skeleton cost; None forbids them.
        beam: nats that the result keeps.
        positions: by hypothesis, how many of its words may stand before a gap; None for loops everywhere.
    """

    hypotheses: int = 1000
    loops: Loops = "sigma"
    edits: EditCosts | None = None
    beam: float = 8.0
    positions: Mapping[str, Collection[int]] | None = None


@dataclass(frozen=True, eq=False)
class Composed:
    """The translations of a sentence.

    Attributes:
        nbest: the hypotheses, cheapest first; the features of the skeleton hypothesis that each one contains have
            names with the prefix `SKELETON`.
        costs: of the hypotheses, nats.
        skeletons: the skeleton hypothesis that each one contains; "" without one.
        reachable: whether any was contained; where not, or without skeletons (None), these are the hypotheses of the
            space alone.
    """

    nbest: Nbest
    costs: list[float]
    skeletons: list[str]
    reachable: bool | None


def compose(
    space: Space,
    skeletons: Nbest | None,
    weights: Mapping[str, float],
    count: int,
    how: Composition,
) -> Composed:
    """Finds the `count` best hypotheses of a space that contain a skeleton hypothesis.

    Args:
        space: of the full sentence.
        skeletons: the skeleton's hypotheses, of which the first `how.hypotheses` are taken; None for the best
            hypotheses without a skeleton.
        weights: of the features of the space, and with the prefix `SKELETON` of those of the skeletons.
        count: of different strings.
        how: see `Composition`.
    """
    full = space.under(weights)
    names = space.lattice.feature_names
    if skeletons is None:
        return _plain(full, names, (), count, None)
    costs = skeletons.costs(weights, SKELETON)
    given = list(zip(skeletons.words, costs.tolist(), strict=True))[: how.hypotheses]
    joint = _joint(full, given, how)
    if joint is None:
        return _plain(full, names, skeletons.names, count, False)
    paths = nbest(joint, count)
    contained = _contained(joint, paths, given, how)
    rows = [-np.array([path.scores[name] for name in names]) for path in paths]
    features = np.hstack([np.array(rows), skeletons.features[contained]])
    hypotheses = Nbest(
        [path.text for path in paths], features, (*names, *(SKELETON + name for name in skeletons.names))
    )
    return Composed(hypotheses, [path.cost for path in paths], [skeletons.words[place] for place in contained], True)


def compose_all(space: Space, lists: Sequence[Nbest], weights: Mapping[str, float], how: Composition) -> Composed:
    """Finds the best hypothesis that contains one of each list; what they cost is shared out among the lists.

    The features of the skeletons are left out: there is one set of them for each list.
    """
    full = joint = space.under(weights)
    names = space.lattice.feature_names
    for own in lists:
        costs = (own.costs(weights, SKELETON) / len(lists)).tolist()
        found = _joint(joint, list(zip(own.words, costs, strict=True))[: how.hypotheses], how)
        if found is None:
            return _plain(full, names, (), 1, False)
        joint = prune(found, max_arcs=JOINT_ARCS)
    return _plain(joint, names, (), 1, True)


def _joint(full: Lattice, given: Sequence[tuple[str, float]], how: Composition) -> Lattice | None:
    """Composes with a list; None if nothing contains any of its hypotheses."""
    positions = None if how.positions is None else [how.positions[words] for words, _ in given]
    if not given:
        return None
    acceptor = gappy_acceptor(given, loops=how.loops, positions=positions, symbols=full.symbols)
    joint = compose_lattices(full, acceptor, weight=1.0, beam=how.beam, edits=how.edits)
    return None if joint.empty else joint


def _plain(
    full: Lattice, names: tuple[str, ...], skeleton_names: Sequence[str], count: int, reachable: bool | None
) -> Composed:
    paths = nbest(full, count)
    rows = [[-path.scores[name] for name in names] + [0.0] * len(skeleton_names) for path in paths]
    every = (*names, *(SKELETON + name for name in skeleton_names))
    hypotheses = Nbest([path.text for path in paths], np.array(rows), every)
    return Composed(hypotheses, [path.cost for path in paths], [""] * len(paths), reachable)


def _contained(
    joint: Lattice,
    paths: Sequence[Path],
    given: Sequence[tuple[str, float]],
    how: Composition,
) -> list[int]:
    """Returns the place of the skeleton hypothesis that each path contains: its matched words spell it.

    With edits they need not: then the cost tells which it is.
    """
    if how.edits is not None:
        costs = np.array([cost for _, cost in given])
        return [int(np.abs(costs - path.scores["skeleton"]).argmin()) for path in paths]
    place_of = {words: place for place, (words, _) in enumerate(given)}
    words = joint.symbols
    found = []
    for path in paths:
        labels = joint.olabels[path.arcs][joint.scores["matched"][path.arcs] > 0]
        found.append(place_of[" ".join(words.decode(labels.tolist()))])
    return found
