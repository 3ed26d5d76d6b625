"""What simplification reads and returns: words that know their source tokens, sentences in the making, the result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

from lattice_simp.systems.hindi.clause import ClauseType


class ChangeKind(StrEnum):
    """What was done to a word."""

    ADDED = "added"
    COPIED = "copied"
    CHANGED = "changed"


@dataclass(frozen=True)
class Change:
    """What was done to a word of the result that is not the source's, or not at its position, and the reason."""

    kind: ChangeKind
    word: str
    reason: str


@dataclass(frozen=True)
class SimpleSentence:
    """A sentence of the result.

    Attributes:
        words: in order.
        sources: for each word, the source tokens that it stands for, from 0; none for an added word.
        changes: what was added, copied or changed.
    """

    words: tuple[str, ...]
    sources: tuple[tuple[int, ...], ...]
    changes: tuple[Change, ...] = ()

    def __str__(self) -> str:
        return " ".join(self.words)

    @property
    def kept(self) -> list[int]:
        """The source tokens that the sentence stands for, in order."""
        return sorted({token for tokens in self.sources for token in tokens})


@dataclass(frozen=True)
class Simplified:
    """A sentence made simpler.

    Attributes:
        sentences: in the order in which they are to be read; one, if the source was simple or could not be split.
        dropped: tokens that no sentence has, with reasons: marks and words that only joined clauses.
        kept_together: clauses and gerunds that were not split off, with reasons.
    """

    sentences: tuple[SimpleSentence, ...]
    dropped: tuple[tuple[int, str], ...] = ()
    kept_together: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return " | ".join(map(str, self.sentences))


@dataclass(frozen=True)
class Word:
    """A word in the making.

    Attributes:
        form: in Devanagari.
        sources: the tokens it stands for.
        reason: why it is not the source's word; "" if it is.
        is_verb: whether it is the verb of its sentence.
    """

    form: str
    sources: tuple[int, ...] = ()
    reason: str = ""
    is_verb: bool = False


PartKind = Literal["finite", "participle", "gerund"]
"""What a sentence in the making was."""


@dataclass(frozen=True)
class Part:
    """A sentence in the making.

    Attributes:
        name: of the split that made it: `clause 3` or `gerund 2`; "" for what is there anyway.
        kind: what it was.
        clause_kind: of the clause.
        tokens: of the source, in order.
        verb: the chunk of its verb; None if it has none.
        governor: the verb chunk that a participle or gerund hangs on.
        lead: connectives in front.
        subject: what was copied in front.
        instead: what replaces a token; nothing drops it.
        agent: the tokens of its own agent.
        copied: the tokens of another sentence's agent that it shares.
    """

    name: str
    kind: PartKind
    clause_kind: ClauseType | None
    tokens: tuple[int, ...]
    verb: int | None
    governor: int | None = None
    lead: tuple[Word, ...] = ()
    subject: tuple[Word, ...] = ()
    instead: dict[int, tuple[Word, ...]] = field(default_factory=dict)
    agent: tuple[int, ...] = ()
    copied: tuple[int, ...] = ()


class Refusal(NamedTuple):
    """The name of a split that cannot be made ("" where none is to blame), and the reason."""

    name: str
    reason: str


def without(tokens: Iterable[int], others: Iterable[int]) -> tuple[int, ...]:
    """Leaves some tokens out.

    >>> without([1, 2, 3], [2])
    (1, 3)
    """
    left_out = set(others)
    return tuple(token for token in tokens if token not in left_out)
