"""Statistics of many skeletons: compression rates, numbers of gaps, and gap types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.table import Table

from lattice_simp.skeleton.skeleton import GapType, Skeleton
from lattice_simp.support.plurals import number_or_dash


@dataclass(frozen=True)
class GapTypeStatistics:
    """The skeletons of one gap type.

    Attributes:
        gap_type: the type.
        count: the number of skeletons of the type.
        share: `count` by the number of all skeletons, from 0 to 1.
        compression_rate: the mean over the type's skeletons, above 0 and up to 1; None without any.
    """

    gap_type: GapType
    count: int
    share: float
    compression_rate: float | None


@dataclass(frozen=True)
class SkeletonStatistics:
    """The numbers of Tables 1 and 2 of Hasler et al. 2016, for any set of skeletons.

    Attributes:
        count: the number of skeletons.
        compression_rate: the mean of the skeletons' rates (not of their tokens), above 0 and up to 1; None without any.
        gaps_per_sentence: the mean number of gaps; None without any skeletons.
        by_gap_type: one row for each type in the order of `GapType`, including types that do not occur.
    """

    count: int
    compression_rate: float | None
    gaps_per_sentence: float | None
    by_gap_type: tuple[GapTypeStatistics, ...]

    def __getitem__(self, gap_type: GapType) -> GapTypeStatistics:
        return next(row for row in self.by_gap_type if row.gap_type is gap_type)


def skeleton_statistics(skeletons: Iterable[Skeleton]) -> SkeletonStatistics:
    """Counts skeletons by gap type and averages their compression rates and gaps.

    >>> statistics = skeleton_statistics(map(Skeleton.from_brackets, ["[[well]] yes", "oh [[my]] dear", "[[so]] a b"]))
    >>> statistics.gaps_per_sentence, round(statistics.compression_rate, 3)
    (1.0, 0.611)
    >>> statistics[GapType.START].count, round(statistics[GapType.START].share, 3)
    (2, 0.667)
    """
    rates: dict[GapType, list[float]] = {gap_type: [] for gap_type in GapType}
    gaps = 0
    for skeleton in skeletons:
        rates[skeleton.gap_type].append(skeleton.compression_rate)
        gaps += len(skeleton.gaps)
    everything = [rate for of_type in rates.values() for rate in of_type]
    count = len(everything)
    return SkeletonStatistics(
        count=count,
        compression_rate=_mean(everything),
        gaps_per_sentence=gaps / count if count else None,
        by_gap_type=tuple(
            GapTypeStatistics(gap_type, len(of_type), len(of_type) / count if count else 0.0, _mean(of_type))
            for gap_type, of_type in rates.items()
        ),
    )


def statistics_table(statistics: SkeletonStatistics, title: str = "Skeletons") -> Table:
    """Returns a table for `rich.console.Console.print`: a row for each gap type, and the totals in its last row.

    >>> skeletons = [Skeleton.from_brackets("[[well]] yes"), Skeleton.from_brackets("no [[way]]")]
    >>> table = statistics_table(skeleton_statistics(skeletons))
    >>> [column.header for column in table.columns]
    ['Gap type', 'Skeletons', 'Share', 'Compression rate', 'Gaps a sentence']

    The row for `GapType.NONE` appears only if there are such skeletons.
    """
    table = Table(title=title, show_footer=True)
    table.add_column("Gap type", footer="All")
    table.add_column("Skeletons", footer=str(statistics.count), justify="right")
    table.add_column("Share", footer="100.0%" if statistics.count else "", justify="right")
    table.add_column("Compression rate", footer=number_or_dash(statistics.compression_rate), justify="right")
    table.add_column("Gaps a sentence", footer=number_or_dash(statistics.gaps_per_sentence), justify="right")
    for row in statistics.by_gap_type:
        if row.count or row.gap_type is not GapType.NONE:
            table.add_row(str(row.gap_type), str(row.count), f"{row.share:.1%}", number_or_dash(row.compression_rate))
    return table


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
