"""Groups of sentences for breakdowns: one label for each sentence, and the order of labels in tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.skeleton import GapType, Skeleton, SkeletonRecord, lines_of_records
from lattice_simp.support.parallel import require_parallel
from lattice_simp.support.textio import read_lines

LENGTH_EDGES = (10, 20, 30, 40)
"""The longest lengths of the default length groups."""

MOST_GAPS = 4
"""Sentences with this many gaps or more share a group: more are rare, since the mean is 1.5 to 2 gaps a sentence."""


@dataclass(frozen=True)
class Groups:
    """A label for each sentence.

    >>> groups = Groups.of("register", ["formal", "casual", None, "formal"])
    >>> groups.order, groups.rows("formal").tolist()
    (('formal', 'casual'), [0, 3])

    Attributes:
        name: the kind of labels, the heading in tables.
        labels: one for each sentence; None for a sentence that belongs to no group.
        order: the labels that occur, in display order.
    """

    name: str
    labels: tuple[str | None, ...]
    order: tuple[str, ...]

    @classmethod
    def of(cls, name: str, labels: Iterable[str | None], order: Iterable[str] = ()) -> Groups:
        """Makes groups; labels that `order` lacks come after it, by their first occurrence.

        >>> Groups.of("register", ["casual", None, "formal"], order=["formal", "other"]).order
        ('formal', 'casual')
        """
        all_labels = tuple(labels)
        present = dict.fromkeys(label for label in all_labels if label is not None)
        first = [label for label in order if label in present]
        return cls(name, all_labels, tuple(dict.fromkeys([*first, *present])))

    def rows(self, label: str) -> npt.NDArray[np.intp]:
        """Returns the sentences with a label, from 0."""
        return np.array([row for row, row_label in enumerate(self.labels) if row_label == label], dtype=np.intp)

    @property
    def left_out(self) -> int:
        """The number of sentences that belong to no group."""
        return sum(label is None for label in self.labels)


def gap_type_groups(skeletons: Sequence[Skeleton | None]) -> Groups:
    """Groups sentences by the gap type of their skeletons, in the order of `GapType`; None is in no group.

    >>> gap_type_groups([Skeleton.from_mask("101", "a b c"), Skeleton.from_mask("011", "a b c"), None]).labels
    ('Middle', 'Start', None)
    """
    labels = [None if skeleton is None else skeleton.gap_type.value for skeleton in skeletons]
    return Groups.of("gap type", labels, [kind.value for kind in GapType])


def gap_count_groups(skeletons: Sequence[Skeleton | None], most: int = MOST_GAPS) -> Groups:
    """Groups sentences by the number of gaps of their skeletons; `most` or more form one group.

    >>> gap_count_groups([Skeleton.from_mask("10101", "a b c d e"), Skeleton.from_mask("10", "a b")], most=2).order
    ('1', '2 or more')
    """
    names = [*map(str, range(most)), f"{most} or more"]
    labels = [None if skeleton is None else names[min(len(skeleton.gaps), most)] for skeleton in skeletons]
    return Groups.of("gaps", labels, names)


def length_groups(lengths: Iterable[int], edges: Sequence[int] = LENGTH_EDGES) -> Groups:
    """Groups sentences by their length; an edge is the longest length of its group.

    >>> length_groups([3, 11, 99], edges=[10, 20]).labels
    ('up to 10', '11-20', 'over 20')

    Raises:
        LatticeSimpError: edges that do not increase.
    """
    if not edges or edges[0] < 0 or any(low >= high for low, high in pairwise(edges)):
        raise LatticeSimpError(f"length groups with the edges {list(edges)}; give increasing numbers")
    middle = [f"{low + 1}-{high}" if high > low + 1 else str(high) for low, high in pairwise(edges)]
    names = [f"up to {edges[0]}", *middle, f"over {edges[-1]}"]
    return Groups.of("length", [names[position] for position in np.searchsorted(edges, list(lengths))], names)


def read_groups(path: str | Path, count: int) -> Groups:
    """Reads one label a line; a sentence with an empty line belongs to no group.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "registers.txt"
    >>> _ = path.write_text("formal\\n\\ncasual\\n")
    >>> read_groups(path, 3).labels
    ('formal', None, 'casual')

    Raises:
        FormatError: another number of lines than `count`, or no label at all.
    """
    labels = [line.strip() or None for line in read_lines(path)]
    require_parallel(path, len(labels), "the first reference", count, remedy="write one label on each line")
    if not any(labels):
        raise FormatError("holds no label", path=path, remedy="write one label on each line")
    return Groups.of("group", labels)


def align_skeletons(
    records: Sequence[SkeletonRecord], count: int, mask_index: int = 0, path: str | Path | None = None
) -> list[Skeleton | None]:
    """Returns the skeleton of each sentence, or None.

    >>> skeleton = Skeleton.from_mask("101", "so it rained")
    >>> align_skeletons([SkeletonRecord("talk.7", 1, (skeleton,))], 2)[1].words
    ('so', 'rained')

    If there are as many records as sentences, they are in the same order; otherwise, `line` (from 0) assigns them.
    `mask_index` chooses one of several skeletons of a sentence, or the last one.

    Raises:
        FormatError: a record of a line that does not exist, or a second record of the same line.
    """
    skeletons: list[Skeleton | None] = [None] * count
    for line, record in zip(lines_of_records(records, count, path), records, strict=True):
        skeletons[line] = record.skeletons[min(mask_index, len(record.skeletons) - 1)]
    return skeletons
