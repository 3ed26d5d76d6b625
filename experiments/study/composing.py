"""Gappy composition of stored spaces with skeleton n-best lists, both under any weights."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.study.nbest import Nbest
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.ops.compose_gappy import MATCHED
from lattice_simp.ops.compose_gappy import SKELETON as SKELETON_SCORE
from lattice_simp.ops.nbest import nbest
from lattice_simp.translate.gappy_composition import compose_with_expected, compose_with_skeletons
from lattice_simp.translate.settings import SkeletonSettings
from lattice_simp.tune.scores import lattice_under

SKELETON = "Skeleton:"
"""The prefix of the names of a skeleton hypothesis' features."""


@dataclass(frozen=True, eq=False)
class Composed:
    """The translations of a sentence.

    Attributes:
        nbest: the hypotheses, cheapest first; the features of the skeleton hypothesis that each one contains have
            names with the prefix `SKELETON`.
        costs: of the hypotheses, nats.
        skeletons: the skeleton hypothesis in each hypothesis; "" without one.
        reachable: whether any was contained; where not, or without skeletons (None), these are the hypotheses of the
            space alone.
    """

    nbest: Nbest
    costs: list[float]
    skeletons: list[str]
    reachable: bool | None


def compose(
    space: Lattice,
    lists: Sequence[Nbest],
    weights: Mapping[str, float],
    count: int,
    how: SkeletonSettings,
    positions: Mapping[str, Collection[int]] | None = None,
    shares: Sequence[float] | None = None,
) -> Composed:
    """Finds the `count` best hypotheses of a space that contain one of the hypotheses of each list.

    Args:
        space: the full sentence's, see `read_space`.
        lists: the hypotheses of a skeleton each, of which the first `how.hypotheses` are taken; none for the best
            hypotheses without a skeleton. Several lists share the cost, and their features are left out, since each
            list has a set of them.
        weights: of the features of the space, and with the prefix `SKELETON` of those of the skeletons.
        count: the number of distinct strings.
        how: the library's settings, whose beam prunes the result.
        positions: for each hypothesis of the only list, the numbers of its words that may precede a gap; None for loops
            everywhere.
        shares: of the lists, in the place of equal ones: a hypothesis costs what is expected over them, with edits.
    """
    full, names = lattice_under(space, weights), space.features.names
    skeletons = lists[0] if len(lists) == 1 else Nbest([], np.zeros((0, 0)), ())
    if not lists:
        return _composed(full, names, skeletons, None, count, None)
    hypotheses = [_costed(part, weights, len(lists) if shares is None else 1, how.hypotheses) for part in lists]
    if not all(hypotheses):
        return _composed(full, names, skeletons, None, count, False)
    allowed = None if positions is None else [positions[hypothesis.text] for hypothesis in hypotheses[0]]
    if shares is None:
        joint = compose_with_skeletons(full, hypotheses, how, how.beam, allowed)
    else:
        joint = compose_with_expected(full, hypotheses, shares, how, how.beam)
    if joint.empty:
        return _composed(full, names, skeletons, None, count, False)
    contained = hypotheses[0] if len(hypotheses) == 1 and shares is None else None
    return _composed(joint, names, skeletons, contained, count, True, how.edits is not None)


def _costed(ranked: Nbest, weights: Mapping[str, float], shares: int, count: int) -> list[Hypothesis]:
    costs = (ranked.costs(weights, SKELETON) / shares).tolist()
    return [Hypothesis(tuple(words.split()), cost) for words, cost in zip(ranked.words[:count], costs, strict=False)]


def _composed(
    lattice: Lattice,
    names: tuple[str, ...],
    ranked: Nbest,
    hypotheses: Sequence[Hypothesis] | None,
    count: int,
    reachable: bool | None,
    edits: bool = False,
) -> Composed:
    """Reads the best paths, with the features of the contained skeleton hypotheses (0 without any)."""
    paths = nbest(lattice, count)
    full = np.array([[path.features[name] for name in names] for path in paths])
    contained = [] if hypotheses is None else _contained_hypotheses(lattice, paths, hypotheses, edits=edits)
    skeleton = ranked.features[contained] if contained else np.zeros((len(paths), len(ranked.names)))
    every = Nbest(
        [path.text for path in paths],
        np.hstack([full, skeleton]),
        (*names, *(SKELETON + name for name in ranked.names)),
    )
    skeletons = [ranked.words[index] for index in contained] or [""] * len(paths)
    return Composed(every, [path.cost for path in paths], skeletons, reachable)


def _contained_hypotheses(
    joint: Lattice, paths: Sequence[Hypothesis], hypotheses: Sequence[Hypothesis], *, edits: bool
) -> list[int]:
    """Returns the index of the skeleton hypothesis that each path of a composition with one list contains.

    With edits, the matched words need not spell it; then the score identifies it.
    """
    if edits:
        costs = np.array([hypothesis.cost for hypothesis in hypotheses])
        return [int(np.abs(costs + path.features[SKELETON_SCORE]).argmin()) for path in paths]
    index_of = {hypothesis.tokens: index for index, hypothesis in enumerate(hypotheses)}
    matched = joint.features[MATCHED]
    indices = []
    for path in paths:
        labels = joint.olabels[path.arcs][matched[path.arcs] > 0]
        indices.append(index_of[tuple(joint.symbols.decode(labels.tolist()))])
    return indices
