"""Gappy composition as a decoding strategy (Hasler et al. 2016, section 4.2)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import SkeletonError
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.derivation import path_labels
from lattice_simp.translate.gappy_composition import compose_with_expected, compose_with_skeletons
from lattice_simp.translate.lattice_decoder import LatticeDecoder
from lattice_simp.translate.result import Translation
from lattice_simp.translate.strategies.task import Task
from lattice_simp.translate.word_alignment import align_words


def translate(decoder: LatticeDecoder, task: Task) -> Translation:
    """Decodes sentence and skeletons separately, and keeps the full hypotheses that contain a skeleton hypothesis.

    If none does, it returns the plain lattice, and `reachable` is False.
    """
    settings, scores, engine = decoder.settings.skeleton, decoder.skeleton_scores, decoder.settings.engine
    if engine != "arrays":
        scores.refuse_features(f"with the engine {engine}; take arrays")
    full, beam = decoder.lattice(task.source, settings.beam), decoder.settings.beam
    at_gaps = task.hypotheses is None and settings.gaps == "at-gaps"
    if at_gaps and len(task.skeletons) != 1:
        raise SkeletonError(
            "insertions only at gaps (at-gaps) need exactly one skeleton; set gaps to 'everywhere' for several"
        )
    if settings.aggregation == "expected" and task.hypotheses is None and len(task.skeletons) > 1:
        scores.refuse_features("with the aggregation expected; take max")
        lists = [beyond_best(hypotheses) for hypotheses in task.skeleton_lists(decoder)]
        joint = compose_with_expected(full, lists, task.shares(), settings, beam)
        hypotheses = tuple(itertools.chain.from_iterable(lists))
    else:
        positions = None
        if at_gaps:
            hypotheses, positions = hypotheses_with_positions(decoder, task.skeletons[0])
        else:
            hypotheses = task.skeleton_nbest(decoder)
        weighted = replace(settings, weight=scores.factor)
        joint = compose_with_skeletons(full, [hypotheses], weighted, beam, positions, engine, features=scores.names)
    reachable = not joint.empty
    lattice = joint if reachable else decoder.operations.prune(full, beam)
    return Translation(task.words, "gappy", lattice, decoder.grammar, reachable, hypotheses)


def beyond_best(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Subtracts the least cost from all costs, so that hypotheses of skeletons of different lengths compare."""
    least = min((hypothesis.cost for hypothesis in hypotheses), default=0.0)
    return [hypothesis.with_cost(hypothesis.cost - least) for hypothesis in hypotheses]


def hypotheses_with_positions(
    decoder: LatticeDecoder, skeleton: Skeleton
) -> tuple[tuple[Hypothesis, ...], list[set[int]]]:
    """Returns exactly the skeleton's n best hypotheses, and for each the places where a gap of the source may open.

    A gap may open next to any target word that is aligned with a source word next to the gap.
    """
    lattice, paths = decoder.skeleton_nbest(skeleton.words, decoder.settings.skeleton.hypotheses)
    positions = [_gap_positions(decoder, skeleton, lattice, path) for path in paths]
    return tuple(map(decoder.skeleton_scores.scored, paths)), positions


def _gap_positions(decoder: LatticeDecoder, skeleton: Skeleton, lattice: Lattice, hypothesis: Hypothesis) -> set[int]:
    aligned = align_words(path_labels(lattice, hypothesis).uses(), skeleton.words, decoder.grammar)
    gaps = skeleton.gap_positions
    allowed = {0} if 0 in gaps else set()
    if len(skeleton.words) in gaps:
        allowed.add(len(aligned))
    for position, sources in enumerate(aligned):
        if any(gap - 1 in sources or gap in sources for gap in gaps):
            allowed |= {position, position + 1}
    return allowed
