"""Grid search for the parameters of minimum Bayes-risk decoding, by the BLEU of a development set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, product
from typing import Any

from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.mbr import MbrSettings, evidence, gain_lattice
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.ngram_posteriors import NgramPosteriors, posterior_values
from lattice_simp.support.plurals import counted
from lattice_simp.support.threads import map_in_threads

SCALES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5)
PRECISIONS = (0.5, 0.6, 0.7, 0.8, 0.9)
RATIOS = (0.5, 0.6, 0.7, 0.8, 0.9)
"""The default grid: precisions of systems lie in these ranges; the best scale depends on how weights were found."""


@dataclass(frozen=True)
class GridPoint:
    """Settings, and the BLEU (0 to 100) they reach."""

    settings: MbrSettings
    bleu: float


@dataclass(frozen=True)
class MbrGrid:
    """The result of a grid search.

    Attributes:
        points: every point, in the order scale, precision, ratio.
        best: the point with the highest BLEU; of ties the first.
        best_path_bleu: the BLEU (0 to 100) of the lattices' best paths, without minimum Bayes risk.
    """

    points: tuple[GridPoint, ...]
    best: GridPoint
    best_path_bleu: float


def mbr_grid(
    lattices: Sequence[Lattice],
    references: Sequence[str | Sequence[str]],
    *,
    scales: Sequence[float] = SCALES,
    precisions: Sequence[float] = PRECISIONS,
    ratios: Sequence[float] = RATIOS,
    settings: MbrSettings | None = None,
    jobs: int = 1,
) -> MbrGrid:
    """Tries every combination of scale, precision and ratio.

    >>> lattice = Lattice.from_strings([("a b c d", 1.0), ("x b c d", 1.1), ("x b c e", 1.2)])
    >>> result = mbr_grid([lattice], ["x b c d"], scales=[0.5, 50.0], precisions=[0.8], ratios=[0.6])
    >>> [round(point.bleu) for point in result.points], result.best.settings.scale, round(result.best_path_bleu)
    ([100, 59], 0.5, 59)

    Args:
        lattices: one for each sentence.
        references: one or several for each sentence, tokenized like the words of the lattices.
        scales: scales of the costs; the posteriors are computed once for each.
        precisions, ratios: the other values of `MbrSettings` to combine with each scale.
        settings: the fixed settings: the order, the size of the evidence and the beam of the hypotheses.
        jobs: the number of threads.

    Raises:
        LatticeSimpError: no sentence, no point, lengths that differ, an empty lattice, or a value out of range.
    """
    if not lattices or len(lattices) != len(references):
        counts = f"{counted(len(lattices), 'lattice')} and {counted(len(references), 'reference')}"
        raise LatticeSimpError(f"{counts}; give a reference for each lattice")
    fixed = settings or MbrSettings()
    grid = [
        replace(fixed, scale=scale, precision=precision, ratio=ratio)
        for scale, precision, ratio in product(scales, precisions, ratios)
    ]
    if not grid:
        raise LatticeSimpError("the grid has no point; give at least one scale, one precision and one ratio")
    rows = map_in_threads(partial(_translations, grid), lattices, jobs)
    best_path_bleu, *scores = (_bleu(column, references) for column in zip(*rows, strict=True))
    points = tuple(map(GridPoint, grid, scores))
    return MbrGrid(points, max(points, key=lambda point: point.bleu), best_path_bleu)


def _translations(grid: Sequence[MbrSettings], lattice: Lattice) -> list[str]:
    """Returns the words of a lattice's best path, then those of the path that each point of the grid selects."""
    best = nbest(lattice, ignore=())
    if not best:
        raise LatticeSimpError("a lattice of the development set is empty; leave its sentence out")
    texts = [best[0].text]
    history = evidence(lattice, grid[0])
    for scale, points in groupby(grid, key=lambda settings: settings.scale):
        posteriors = NgramPosteriors(history, posterior_values(history, scale))
        texts += [nbest(gain_lattice(posteriors, settings), ignore=())[0].text for settings in points]
    return texts


def _bleu(translations: Sequence[str], references: Sequence[str | Sequence[str]]) -> float:
    from sacrebleu.metrics.bleu import BLEU

    several = [[sentence] if isinstance(sentence, str) else list(sentence) for sentence in references]
    most = max(map(len, several))
    streams: list[list[Any]] = [
        [sentence[index] if index < len(sentence) else None for sentence in several] for index in range(most)
    ]
    return float(BLEU(tokenize="none", force=True).corpus_score(list(translations), streams).score)
