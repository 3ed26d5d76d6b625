"""Skeletons: the tokens of a sentence left after deleting less important ones; files and statistics."""

from __future__ import annotations

from lattice_simp.skeleton.io import (
    SkeletonRecord,
    lines_of_records,
    read_brackets,
    read_parallel,
    read_skeletons,
    write_brackets,
    write_skeletons,
)
from lattice_simp.skeleton.skeleton import Gap, GapType, Skeleton, classify_gaps
from lattice_simp.skeleton.statistics import (
    GapTypeStatistics,
    SkeletonStatistics,
    skeleton_statistics,
    statistics_table,
)

__all__ = [
    "Gap",
    "GapType",
    "GapTypeStatistics",
    "Skeleton",
    "SkeletonRecord",
    "SkeletonStatistics",
    "classify_gaps",
    "lines_of_records",
    "read_brackets",
    "read_parallel",
    "read_skeletons",
    "skeleton_statistics",
    "statistics_table",
    "write_brackets",
    "write_skeletons",
]
