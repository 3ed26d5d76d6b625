"""What can be deleted from a sentence: relations, modifiers and orphan words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DeletionKind(StrEnum):
    """The three tables of the paper's deletion model (Table 2), in the order of their use."""

    RELATION = "relation"
    MODIFIER = "modifier"
    ORPHAN = "orphan"


@dataclass(frozen=True)
class Deletion:
    """A phrase or word that can go.

    Attributes:
        kind: see `DeletionKind`.
        word: the relation's word, the modifier or the orphan, in lower case.
        detail: the range of the phrase's length (`0-2`, `2-5`, `5-`) for a relation; `true` or `false` for an orphan
            word, whether it is at a boundary of the sentence; empty for a modifier.
        positions: what goes; punctuation is decided by `delete`.
        within: the index of the smallest candidate that contains this one, in the tuple that both are in; None for
            none.
    """

    kind: DeletionKind
    word: str
    detail: str
    positions: tuple[int, ...]
    within: int | None = None

    @property
    def feature(self) -> tuple[str, str, str]:
        """What the model's tables are indexed by."""
        return self.kind.value, self.word, self.detail
