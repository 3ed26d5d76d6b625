"""The data of simplification: words with their source tokens, unfinished sentences, and results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

from lattice_simp.systems.hindi.clause import ClauseType


class ChangeKind(StrEnum):
    """The kind of change of a word."""

    ADDED = "added"
    COPIED = "copied"
    CHANGED = "changed"


@dataclass(frozen=True)
class Change:
    """A change of a word, or of its position, with the reason."""

    kind: ChangeKind
    word: str
    reason: str


@dataclass(frozen=True)
class SimpleSentence:
    """A resulting sentence.

    Attributes:
        words: the words in order.
        sources: for each word, the positions of its source tokens (from 0); none for an added word.
        changes: the added, copied and changed words.
    """

    words: tuple[str, ...]
    sources: tuple[tuple[int, ...], ...]
    changes: tuple[Change, ...] = ()

    def __str__(self) -> str:
        return " ".join(self.words)

    @property
    def kept(self) -> list[int]:
        """The positions of the source tokens in the sentence, in order."""
        return sorted({token for tokens in self.sources for token in tokens})


@dataclass(frozen=True)
class Simplified:
    """A simplified sentence.

    Attributes:
        sentences: the sentences in reading order; a single one if the source was simple or could not be split.
        dropped: tokens in no sentence, with reasons: marks and words that only joined clauses.
        kept_together: clauses and gerunds that were not split off, with reasons.
    """

    sentences: tuple[SimpleSentence, ...]
    dropped: tuple[tuple[int, str], ...] = ()
    kept_together: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return " | ".join(map(str, self.sentences))


@dataclass(frozen=True)
class Word:
    """A word of an unfinished sentence.

    Attributes:
        form: the form in Devanagari.
        sources: the positions of its source tokens.
        reason: why it differs from the source; "" if it does not.
        is_verb: whether it is the verb of its sentence.
    """

    form: str
    sources: tuple[int, ...] = ()
    reason: str = ""
    is_verb: bool = False


PartKind = Literal["finite", "participle", "gerund"]
"""The kind of clause that becomes a sentence."""


@dataclass(frozen=True)
class Part:
    """An unfinished sentence.

    Attributes:
        name: the name of the split that made it: `clause 3` or `gerund 2`; "" for the rest of the sentence.
        kind: whether it was finite, a participle or a gerund.
        clause_kind: the type of the clause.
        tokens: the positions of its source tokens, in order.
        verb: the chunk of its verb; None if it has none.
        governor: the verb chunk that a participle or gerund depends on.
        lead: connectives at the beginning.
        subject: words copied to the beginning.
        instead: the replacements of tokens; an empty one drops the token.
        agent: the tokens of its agent.
        copied: the tokens of an agent shared with another sentence.
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
    """The name of an impossible split ("" if no single split is the cause), and the reason."""

    name: str
    reason: str


def without(tokens: Iterable[int], excluded: Iterable[int]) -> tuple[int, ...]:
    """Returns the tokens that are not excluded.

    >>> without([1, 2, 3], [2])
    (1, 3)
    """
    left_out = set(excluded)
    return tuple(token for token in tokens if token not in left_out)
