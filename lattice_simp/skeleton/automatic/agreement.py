"""Measures how well skeletons agree with reference skeletons of the same sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from lattice_simp.errors import LatticeSimpError, SkeletonError
from lattice_simp.skeleton.io import SkeletonRecord
from lattice_simp.skeleton.skeleton import GapType, Skeleton
from lattice_simp.support.plurals import counted


def token_f1(first: Skeleton, second: Skeleton) -> float:
    """Returns the F1 of the kept tokens, above 0 and up to 1; it is symmetric.

    >>> round(token_f1(Skeleton.from_brackets("a b [[c]]"), Skeleton.from_brackets("a [[b]] c")), 2)
    0.5

    Raises:
        SkeletonError: skeletons of different sentences.
    """
    if first.tokens != second.tokens:
        raise SkeletonError("skeletons of different sentences cannot be compared")
    common = sum(a and b for a, b in zip(first.mask, second.mask, strict=True))
    return 2 * common / (sum(first.mask) + sum(second.mask))


@dataclass(frozen=True)
class Agreement:
    """The agreement of skeletons with one or several references, averaged over sentences.

    Attributes:
        sentences: the number of sentences.
        f1_by_reference: the F1 of the first candidate with each reference, over the sentences that have this reference.
        mean_f1: the F1 of the first candidate with a sentence's references, averaged.
        best_f1: the F1 of the first candidate with its best reference.
        oracle_f1: the F1 of the best candidate with its best reference.
        exact: the share of first candidates that equal one of the references.
        rate: the compression rate of the first candidates.
        reference_rate: the compression rate of all references.
        gap_types: the share of each type among the first candidates.
    """

    sentences: int
    f1_by_reference: tuple[float, ...]
    mean_f1: float
    best_f1: float
    oracle_f1: float
    exact: float
    rate: float
    reference_rate: float
    gap_types: dict[GapType, float]

    @property
    def rows(self) -> dict[str, float]:
        """The averages by name, as a table shows them."""
        return {
            **{f"F1 with skeleton {number}": value for number, value in enumerate(self.f1_by_reference, start=1)},
            "F1, mean of skeletons": self.mean_f1,
            "F1, best skeleton": self.best_f1,
            "F1, best candidate too": self.oracle_f1,
            "exact": self.exact,
            "compression rate": self.rate,
            "compression rate, gold": self.reference_rate,
            **{f"gap type {kind}": share for kind, share in self.gap_types.items()},
        }


def agreement(predicted: Sequence[Sequence[Skeleton]], references: Sequence[Sequence[Skeleton]]) -> Agreement:
    """Compares candidates, the preferred one first, with references, sentence by sentence.

    >>> first, second = Skeleton.from_brackets("so [[it]] is"), Skeleton.from_brackets("[[so]] it is")
    >>> result = agreement([[first]], [[second, first]])
    >>> result.f1_by_reference, result.mean_f1, result.best_f1, result.exact
    ((0.5, 1.0), 0.75, 1.0, 1.0)

    Raises:
        LatticeSimpError: no sentences, or different numbers of them.
        SkeletonError: skeletons of different sentences.
    """
    if not predicted or len(predicted) != len(references):
        raise LatticeSimpError(f"{counted(len(predicted), 'sentence')} to compare with {len(references)}")
    table = [
        [[token_f1(candidate, reference) for reference in alternatives] for candidate in candidates]
        for candidates, alternatives in zip(predicted, references, strict=True)
    ]
    first = [scores[0] for scores in table]
    chosen = [candidates[0] for candidates in predicted]
    columns = max(map(len, references))
    return Agreement(
        sentences=len(chosen),
        f1_by_reference=tuple(fmean(row[column] for row in first if column < len(row)) for column in range(columns)),
        mean_f1=fmean(map(fmean, first)),
        best_f1=fmean(map(max, first)),
        oracle_f1=fmean(max(map(max, scores)) for scores in table),
        exact=fmean(
            any(skeleton.mask == reference.mask for reference in alternatives)
            for skeleton, alternatives in zip(chosen, references, strict=True)
        ),
        rate=fmean(skeleton.compression_rate for skeleton in chosen),
        reference_rate=fmean(reference.compression_rate for alternatives in references for reference in alternatives),
        gap_types={kind: fmean(skeleton.gap_type is kind for skeleton in chosen) for kind in GapType},
    )


def compare_records(gold: Sequence[SkeletonRecord], predicted: Sequence[SkeletonRecord]) -> Agreement:
    """Compares the records of two files that have the same id.

    Raises:
        LatticeSimpError: no record of one file is in the other, or ids occur twice.
        SkeletonError: records with the same id and different tokens; names the id.
    """
    by_id = {record.id: record for record in predicted}
    if len(by_id) != len(predicted) or len({record.id for record in gold}) != len(gold):
        raise LatticeSimpError("several records have the same id: make the ids unique")
    common = [record for record in gold if record.id in by_id]
    if not common:
        raise LatticeSimpError("the two files have no record with the same id")
    for record in common:
        if record.tokens != by_id[record.id].tokens:
            raise SkeletonError(f"the records {record.id!r} have different tokens; tokenise both files in the same way")
    return agreement([by_id[record.id].skeletons for record in common], [record.skeletons for record in common])
