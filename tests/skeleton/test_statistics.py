"""Statistics by gap type, checked by hand."""

from __future__ import annotations

import pytest
from rich.console import Console

from lattice_simp.skeleton import GapType, Skeleton, skeleton_statistics, statistics_table

SKELETONS = [
    Skeleton.from_mask(mask, list("abcdefgh")[: len(mask)]) for mask in ("0011", "0111", "1010", "101", "0110")
]


def test_statistics() -> None:
    statistics = skeleton_statistics(SKELETONS)
    assert statistics.count == 5
    assert statistics.gaps_per_sentence == pytest.approx(7 / 5)
    assert statistics.compression_rate == pytest.approx((0.5 + 0.75 + 0.5 + 2 / 3 + 0.5) / 5)
    start = statistics[GapType.START]
    assert (start.count, start.share, start.compression_rate) == (2, 0.4, 0.625)
    assert statistics[GapType.END].count == 0
    assert statistics[GapType.END].compression_rate is None
    assert sum(row.share for row in statistics.by_gap_type) == pytest.approx(1)


def test_table() -> None:
    console = Console(width=100, record=True, force_terminal=False)
    with console.capture() as capture:
        console.print(statistics_table(skeleton_statistics(SKELETONS), title="Pilot"))
    text = capture.get()
    assert "Pilot" in text
    assert "40.0%" in text
    assert "None" not in text
    assert text.count("0.625") == 1


def test_nothing() -> None:
    statistics = skeleton_statistics([])
    assert (statistics.count, statistics.compression_rate, statistics.gaps_per_sentence) == (0, None, None)
    assert statistics_table(statistics).row_count == 5
