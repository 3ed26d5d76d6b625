"""Gappy composition as a decoding strategy (Hasler et al. 2016, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import SkeletonError
from lattice_simp.ops.prune import prune
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.gappy_composition import compose_with_skeletons
from lattice_simp.translate.result import Translation

if TYPE_CHECKING:
    from lattice_simp.translate.decoder import Decoder, Hypotheses


def translate_gappy(
    decoder: Decoder, words: tuple[str, ...], skeletons: Sequence[Skeleton], hypotheses: Hypotheses | None
) -> Translation:
    """Decodes sentence and skeletons apart, and keeps the full hypotheses that contain a skeleton hypothesis.

    Where none does, the plain lattice comes back, and `reachable` is False.
    """
    settings = decoder.settings.skeleton
    full = decoder.lattice(words, settings.beam)
    positions = None
    if hypotheses is None and settings.gaps == "at-gaps":
        if len(skeletons) != 1:
            raise SkeletonError("loops at the gaps alone need one skeleton; set gaps to 'everywhere' for several")
        hypotheses, positions = hypotheses_with_positions(decoder, skeletons[0])
    elif hypotheses is None:
        hypotheses = decoder.skeleton_nbest(skeletons)
    joint = compose_with_skeletons(full, [hypotheses], settings, decoder.settings.beam, positions)
    reachable = not joint.empty
    lattice: Lattice = joint if reachable else prune(full, decoder.settings.beam)
    return Translation(words, "gappy", lattice, decoder.grammar, reachable, tuple(hypotheses))


def hypotheses_with_positions(decoder: Decoder, skeleton: Skeleton) -> tuple[Hypotheses, list[set[int]]]:
    """Returns the skeleton's n-best list, and for each hypothesis where a gap of the source may open.

    A gap may open beside any target word that is aligned to a source word beside the gap.
    """
    from lattice_simp.translate.word_alignment import align_words

    lattice = decoder.lattice(skeleton.words, decoder.settings.skeleton.beam)
    result = Translation(skeleton.words, "plain", lattice, decoder.grammar)
    hypotheses, positions = [], []
    gaps = skeleton.gap_positions
    for path in result.nbest(decoder.settings.skeleton.hypotheses):
        aligned = align_words(result.derivation(path), skeleton.words, decoder.grammar)
        allowed = {0} if 0 in gaps else set()
        if len(skeleton.words) in gaps:
            allowed.add(len(aligned))
        for place, sources in enumerate(aligned):
            if any(gap - 1 in sources or gap in sources for gap in gaps):
                allowed |= {place, place + 1}
        hypotheses.append((path.words, path.cost))
        positions.append(allowed)
    return hypotheses, positions
