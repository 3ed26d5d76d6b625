"""Cells and notes shared by several tables: estimates, p-values, agreement, sign tests."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from lattice_simp.metrics.krippendorff import Level, krippendorff_alpha
from lattice_simp.metrics.significance import holm
from lattice_simp.metrics.table import Cell, Table
from lattice_simp.systems.judging.statistics import Estimate, sign_test
from lattice_simp.systems.judging.study import Study
from lattice_simp.systems.judging.tables.votes import Vote, Votes, count_wins


def estimate_cells(
    estimate: Estimate | None, factor: float = 1.0, decimals: int = 2, *, signed: bool = False
) -> tuple[Cell, Cell]:
    """Returns the cells of a value and its interval."""
    if estimate is None:
        return Cell(None), Cell(None)
    value = Cell(factor * estimate.value, decimals, signed)
    if np.isnan(estimate.low):
        return value, Cell(None)
    bounds = (Cell(factor * bound, decimals, signed).number for bound in (estimate.low, estimate.high))
    return value, Cell(" to ".join(bounds))


def p_text(value: float) -> str:
    """Returns a p-value for a note."""
    return "p < 0.0001" if value < 0.0001 else f"p = {value:.4f}"


def alpha_of(votes: Votes, value: Callable[[Vote], Any], level: Level = "nominal") -> str:
    """Returns the agreement of raters on the same outputs for a note; `value` maps a vote to a number."""
    return alpha_text([(vote.item, vote.systems) for vote in votes], [value(vote) for vote in votes], level)


def alpha_text(units: Sequence[Hashable], values: Sequence[int], level: Level = "nominal") -> str:
    """Returns Krippendorff's alpha for a note, or the reason why it is undefined."""
    alpha = krippendorff_alpha(units, values, level)
    if alpha is not None:
        return f"Krippendorff's alpha ({level}) {alpha:.3f}"
    reason = "all answers are the same" if len(set(units)) < len(units) else "each output has one answer"
    return f"Krippendorff's alpha is undefined, as {reason}"


def sign_tables(study: Study, name: str, meaning: str, values: Mapping[str, Mapping[int, float]]) -> Iterator[Table]:
    """Yields a table of sign tests of all pairs of systems, item by item."""
    pairs = list(combinations(study.systems, 2))
    counts = [count_wins(values[first], values[second]) for first, second in pairs]
    corrected = holm([sign_test(wins, losses) for wins, losses in counts])
    rows = tuple(
        (Cell(first), Cell(second), Cell(wins), Cell(losses), Cell(p, 4))
        for (first, second), (wins, losses), p in zip(pairs, counts, corrected, strict=True)
    )
    if rows:
        notes = (f"items: {meaning}; p: sign tests, corrected by Holm's method",)
        yield Table(f"Differences: {name}", ("system", "other", "system's", "other's", "p"), rows, notes, words=2)
