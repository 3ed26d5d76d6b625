"""Probabilities of splits and deletions (Narayan and Gardent 2014, Tables 1 and 2).

Each table row is a feature with the expected number of times that its operation was done and its number of chances.
Rare features back off to coarser ones, and these to even odds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from lattice_simp.errors import FormatError
from lattice_simp.formats.common import finite, shown
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.systems.simplify.deletion import Deletion
from lattice_simp.systems.simplify.split import Split

Feature: TypeAlias = tuple[str, ...]
"""The key of a table: the operation, then the values of its features, from coarse to fine."""

SPLIT = "split"
"""The first part of split features; deletion features begin with the kind of the deletion."""

EVEN_ODDS = 0.5
"""The probability of an unseen operation (section 3.3)."""

PRIOR_CHANCES = 2.0
"""The weight of the coarser feature's estimate, in chances."""

_HEADER = ("done", "chances", "feature")


def split_feature(split: Split) -> Feature:
    """Returns the feature of a split: its construction and the roles of both events."""
    return SPLIT, split.kind.value, *(" ".join(roles) for roles in split.roles)


def deletion_feature(deletion: Deletion) -> Feature:
    """Returns the feature of a deletion: its kind, the phrase's length or the orphan's place, and the word."""
    kind, word, detail = deletion.feature
    return kind, detail, word


@dataclass(frozen=True)
class OperationModel:
    """The tables of split and deletion counts.

    >>> model = OperationModel({("modifier", "", "very"): (9.0, 10.0)})
    >>> round(model.probability(("modifier", "", "very")), 3), model.probability(("modifier", "", "not"))
    (0.898, 0.8888888888888888)
    >>> OperationModel().probability(("relation", "0-2", "in"))
    0.5

    Attributes:
        counts: how often the operation of each feature was done, and its chances; both may be expectations.
        prior: the weight of the coarser feature's estimate, in chances.
    """

    counts: Mapping[Feature, tuple[float, float]] = field(default_factory=dict, repr=False)
    prior: float = PRIOR_CHANCES
    _totals: dict[Feature, tuple[float, float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        totals: dict[Feature, tuple[float, float]] = {}
        for feature, (done, chances) in self.counts.items():
            for length in range(1, len(feature) + 1):
                before = totals.get(feature[:length], (0.0, 0.0))
                totals[feature[:length]] = before[0] + done, before[1] + chances
        object.__setattr__(self, "_totals", totals)

    def probability(self, feature: Feature) -> float:
        """Returns the probability that the operation is done, strictly between 0 and 1."""
        estimate = EVEN_ODDS
        for length in range(1, len(feature) + 1):
            done, chances = self._totals.get(feature[:length], (0.0, 0.0))
            estimate = (done + self.prior * estimate) / (chances + self.prior)
        return estimate

    def log_odds(self, feature: Feature) -> tuple[float, float]:
        """Returns the natural log probabilities that the operation is done and that it is not."""
        probability = self.probability(feature)
        return math.log(probability), math.log1p(-probability)

    def with_split_odds(self, shift: float) -> OperationModel:
        """Returns the model with the log odds of all splits moved by `shift` nats.

        >>> model = OperationModel({("split", "relative"): (50.0, 100.0)}).with_split_odds(math.log(4.0))
        >>> model.counts
        {('split', 'relative'): (80.0, 100.0)}
        """
        factor = math.exp(shift)

        def shifted(done: float, chances: float) -> float:
            return chances * factor * done / (factor * done + chances - done) if done else 0.0

        counts = {
            feature: (shifted(done, chances) if feature[0] == SPLIT else done, chances)
            for feature, (done, chances) in self.counts.items()
        }
        return replace(self, counts=counts)

    def write(self, path: str | Path) -> None:
        """Writes the tables as tab-separated values, most frequent features first."""
        rows = sorted(self.counts.items(), key=lambda row: (row[0][0], -row[1][1], row[0]))
        with open_text(str(path), "w") as file:
            file.write("\t".join(_HEADER) + "\n")
            for feature, (done, chances) in rows:
                file.write("\t".join((f"{done:.6g}", f"{chances:.6g}", *feature)) + "\n")

    @classmethod
    def read(cls, path: str | Path) -> OperationModel:
        """Reads a file written by `write`.

        Raises:
            FormatError: a line is not a table row; names the line.
        """
        counts: dict[Feature, tuple[float, float]] = {}
        for number, line in enumerate(read_lines(path), start=1):
            if number == 1:
                continue
            done, chances, *feature = [*line.split("\t"), "", ""]
            row = finite(done), finite(chances)
            if row[0] is None or row[1] is None or not 0 <= row[0] <= row[1] or not feature[0]:
                remedy = "write done<TAB>chances<TAB>feature..., 0 <= done <= chances"
                raise FormatError(f"{shown(line)} is not a row of operations", path=path, line=number, remedy=remedy)
            counts[tuple(feature[:-2])] = row[0], row[1]
        return cls(counts)

    @classmethod
    def from_counts(cls, rows: Iterable[tuple[Feature, float, float]]) -> OperationModel:
        """Sums rows of (feature, done, chances) into tables."""
        counts: dict[Feature, tuple[float, float]] = {}
        for feature, done, chances in rows:
            before = counts.get(feature, (0.0, 0.0))
            counts[feature] = before[0] + done, before[1] + chances
        return cls(counts)
