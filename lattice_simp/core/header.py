"""The header of a lattice: its utterance, the scales of its scores, its start time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Header:
    """Metadata of a lattice, which operations on its arcs keep.

    >>> header = Header("utterance-7", {"lm": 12.0}, word_score=-0.5)
    >>> header.with_scale("lm", 10.0).scales, header.without_scale("lm").scales
    ({'lm': 10.0}, {})

    Attributes:
        name: the name of the utterance; None if the file has none.
        scales: the weights of the features in the costs, by name.
        word_score: the log score of each label but epsilon, marks included, in addition to the features; negative for a
            penalty.
        start: when the lattice begins, in seconds.
        fields: further fields, by their names in the file.
        unread: names of the fields of nodes and arcs that the reader skipped.
    """

    name: str | None = None
    scales: Mapping[str, float] = field(default_factory=dict)
    word_score: float = 0.0
    start: float = 0.0
    fields: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    def with_scale(self, feature: str, scale: float) -> Header:
        """Returns the header with the scale of one feature."""
        return replace(self, scales={**self.scales, feature: scale})

    def with_word_score(self, more: float) -> Header:
        """Returns the header with `more` added to the score of each word."""
        return replace(self, word_score=self.word_score + more)

    def without_scale(self, feature: str) -> Header:
        """Returns the header without the scale of a feature."""
        return replace(self, scales={name: scale for name, scale in self.scales.items() if name != feature})

    def without_scales(self) -> Header:
        """Returns the header without scales, for costs that do not come from the features."""
        return replace(self, scales={}, word_score=0.0)


NO_HEADER = Header()
