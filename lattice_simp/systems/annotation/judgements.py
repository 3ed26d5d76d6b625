"""Tasks of annotators, and their judgements."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import TypeAlias

from lattice_simp.errors import LatticeSimpError, SkeletonError
from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.support.options import option


class Task(str, Enum):
    """The two tasks of Hasler et al. 2016, section 3.1."""

    SHORTEN = "shorten"
    """Shorten a sentence by deleting words."""
    CHECK = "check"
    """Mark the bad ones among the shortened sentences of other annotators."""

    def __str__(self) -> str:
        return self.value


SkeletonKey: TypeAlias = tuple[str, str]
"""The id of a sentence and the mask of a skeleton, which several annotators may have made."""

_LARGEST = 10**9
"""The largest setting: what any database stores, and as seconds more than thirty years."""


@dataclass(frozen=True)
class AnnotationSettings:
    """The number of judgements to collect, stored in the file of annotations.

    >>> AnnotationSettings(shortenings=0)
    Traceback (most recent call last):
    ...
    lattice_simp.errors.LatticeSimpError: shortenings is 0; give a number above 0 and up to 1000000000

    Attributes:
        shortenings: the number of annotators who shorten each sentence.
        checks: the number of other annotators who check each skeleton.
        lease: the seconds for which a sentence opened by an annotator is reserved.

    Raises:
        LatticeSimpError: a number is not above 0, or more than a file can hold.
    """

    shortenings: int = option(3, "shortenings", "number of annotators who shorten each sentence")
    checks: int = option(3, "checks", "number of annotators who check each skeleton")
    lease: float = option(1200.0, "lease", "seconds to reserve an open sentence for its annotator")

    def __post_init__(self) -> None:
        for setting in fields(self):
            value = getattr(self, setting.name)
            if not 0 < value <= _LARGEST:
                raise LatticeSimpError(f"{setting.name} is {value}; give a number above 0 and up to {_LARGEST}")


@dataclass(frozen=True)
class Sentence:
    """A sentence to annotate.

    Attributes:
        id: a name unique in the file.
        line: the line number in the source text, from 0.
        tokens: the tokens, at least one.

    Raises:
        SkeletonError: there are no tokens, or one is invalid.
    """

    id: str
    line: int
    tokens: tuple[str, ...]

    def __post_init__(self) -> None:
        Skeleton(self.tokens, (True,) * len(self.tokens))

    def skeleton(self, mask: str) -> Skeleton:
        """Returns the skeleton of a mask; see `Skeleton.from_mask`."""
        return Skeleton.from_mask(mask, self.tokens)


@dataclass(frozen=True)
class Judgement:
    """An annotator's skeleton of a sentence."""

    sentence: Sentence
    annotator: str
    skeleton: Skeleton

    def __post_init__(self) -> None:
        if self.sentence.tokens != self.skeleton.tokens:
            raise SkeletonError(f"the judgement of {self.sentence.id!r} is of another sentence")

    @property
    def key(self) -> SkeletonKey:
        """The key of the skeleton."""
        return self.sentence.id, self.skeleton.to_mask()


@dataclass(frozen=True)
class Verdict:
    """An annotator's verdict on another annotator's skeleton: whether it is bad."""

    sentence: Sentence
    annotator: str
    skeleton: Skeleton
    bad: bool

    @property
    def key(self) -> SkeletonKey:
        """The key of the skeleton."""
        return self.sentence.id, self.skeleton.to_mask()


@dataclass(frozen=True)
class Assignment:
    """The next item for an annotator.

    Attributes:
        task: the task.
        sentence: the sentence.
        skeletons: the skeletons of other annotators to check; empty for shortening.
        earlier: after an undo, the mask that the annotator had chosen, or the masks marked as bad.
    """

    task: Task
    sentence: Sentence
    skeletons: tuple[Skeleton, ...] = ()
    earlier: frozenset[str] = frozenset()


class AnnotationError(LatticeSimpError):
    """A judgement that cannot be stored: of an unknown sentence, a second one, or an empty one."""
