"""Translation without a skeleton."""

from __future__ import annotations

from lattice_simp.translate.hiero_decoder import HieroDecoder
from lattice_simp.translate.result import Translation
from lattice_simp.translate.strategies.task import Task


def translate(decoder: HieroDecoder, task: Task) -> Translation:
    """Returns the translations of the sentence alone."""
    settings = decoder.settings
    if settings.exact is None:
        return Translation(task.words, "plain", decoder.lattice(task.source, settings.beam), decoder.grammar)
    lattice, gap = decoder.certified(task.source, settings.exact)
    return Translation(task.words, "plain", lattice, decoder.grammar, gap=gap)
