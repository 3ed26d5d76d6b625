"""Translation without a skeleton."""

from __future__ import annotations

from lattice_simp.translate.hiero_decoder import HieroDecoder
from lattice_simp.translate.result import Translation
from lattice_simp.translate.strategies.task import Task


def translate(decoder: HieroDecoder, task: Task) -> Translation:
    """Returns the translations of the sentence alone."""
    settings = decoder.settings
    gap = None
    if settings.exact is not None:
        lattice, gap = decoder.certified(task.source, settings.exact)
    elif settings.search_gap is not None:
        lattice, gap = decoder.bounded(task.source, settings.search_gap)
    else:
        lattice = decoder.lattice(task.source, settings.beam)
    return Translation(task.words, "plain", lattice, decoder.grammar, gap=gap)
