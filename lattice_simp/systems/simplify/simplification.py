"""Simplified sentences, with the operations that made them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lattice_simp.systems.simplify.deletion import Deletion
from lattice_simp.systems.simplify.split import Split


@dataclass(frozen=True)
class Substitution:
    """A replacement of words by other words.

    Attributes:
        source, target: the words before and after.
        start: the position of the new words in the simplification; None if unknown.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    start: int | None = None

    def shifted(self, number: int) -> Substitution:
        """Returns the substitution behind this many more tokens."""
        return self if self.start is None else replace(self, start=self.start + number)


@dataclass(frozen=True)
class Reordering:
    """Two neighbouring phrases of the source, `first` before `second`, whose translations change places."""

    first: tuple[str, ...]
    second: tuple[str, ...]


@dataclass(frozen=True)
class Simplification:
    """A simplified sentence, possibly several, with the operations that made it.

    Attributes:
        source: the tokens of the sentence.
        tokens: the tokens of all new sentences, with first words capitalised.
        cost: the model's cost; 0 for a sentence passed through unchanged.
        features: the scores that make up the cost, by name.
        splits, deletions, substitutions, reorderings: the operations.
        problem: why the sentence was passed through unchanged; otherwise empty.
        note: why only substitutions were tried; otherwise empty.
    """

    source: tuple[str, ...]
    tokens: tuple[str, ...]
    cost: float = 0.0
    features: Mapping[str, float] = field(default_factory=dict)
    splits: tuple[Split, ...] = ()
    deletions: tuple[Deletion, ...] = ()
    substitutions: tuple[Substitution, ...] = ()
    reorderings: tuple[Reordering, ...] = ()
    problem: str = ""
    note: str = ""

    @property
    def text(self) -> str:
        """The tokens, separated by spaces."""
        return " ".join(self.tokens)

    @property
    def is_changed(self) -> bool:
        """Whether the simplification differs from its source."""
        return [word.lower() for word in self.tokens] != [word.lower() for word in self.source]

    def followed_by(self, following: Simplification) -> Simplification:
        """Returns the simplification of two sentences, one after the other."""
        read, written = len(self.source), len(self.tokens)
        names = dict.fromkeys((*self.features, *following.features))
        return Simplification(
            self.source + following.source,
            self.tokens + following.tokens,
            self.cost + following.cost,
            {name: self.features.get(name, 0.0) + following.features.get(name, 0.0) for name in names},
            self.splits + tuple(split.shifted(read) for split in following.splits),
            self.deletions + tuple(deletion.shifted(read) for deletion in following.deletions),
            self.substitutions + tuple(substitution.shifted(written) for substitution in following.substitutions),
            self.reorderings + following.reorderings,
            self.problem or following.problem,
            self.note or following.note,
        )
