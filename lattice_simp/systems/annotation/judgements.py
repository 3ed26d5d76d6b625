"""What annotators are given, and what they say."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, fields
from enum import Enum

from lattice_simp.errors import LatticeSimpError, SkeletonError
from lattice_simp.skeleton.skeleton import Skeleton
from lattice_simp.support.options import option

LONGEST_NAME = 100
"""Characters of an annotator's name."""

_JOINERS = dict.fromkeys([0x200C, 0x200D])
"""Characters without a shape that names in some scripts have."""


class Task(str, Enum):
    """The two tasks of Hasler et al. 2016, section 3.1."""

    SHORTEN = "shorten"
    """Shorten a sentence by deleting words."""
    CHECK = "check"
    """Mark the bad ones among the shortened sentences of other annotators."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class AnnotationSettings:
    """How much is wanted of the annotators; kept in the file of the annotations.

    >>> AnnotationSettings(shortenings=0)
    Traceback (most recent call last):
    ...
    lattice_simp.errors.LatticeSimpError: shortenings is 0; give a number above 0

    Attributes:
        shortenings: of each sentence, by as many annotators.
        checks: of each skeleton, by as many annotators other than its own.
        lease: seconds for which a sentence that is open at an annotator is kept from others.

    Raises:
        LatticeSimpError: a number is not above 0.
    """

    shortenings: int = option(3, "shortenings", "annotators who shorten each sentence")
    checks: int = option(3, "checks", "annotators who check each skeleton")
    lease: float = option(1200.0, "lease", "seconds to reserve an open sentence for its annotator")

    def __post_init__(self) -> None:
        for own in fields(self):
            if not getattr(self, own.name) > 0:
                raise LatticeSimpError(f"{own.name} is {getattr(self, own.name)}; give a number above 0")


@dataclass(frozen=True)
class Sentence:
    """A sentence to annotate.

    Attributes:
        id: its name, unique in the file.
        line: where it is in the text that it is from, from 0.
        tokens: at least one.

    Raises:
        SkeletonError: there are no tokens, or one of them is none.
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
    """A skeleton that an annotator made of a sentence."""

    sentence: Sentence
    annotator: str
    skeleton: Skeleton

    def __post_init__(self) -> None:
        if self.sentence.tokens != self.skeleton.tokens:
            raise SkeletonError(f"the judgement of {self.sentence.id!r} is of another sentence")


@dataclass(frozen=True)
class Verdict:
    """What an annotator says of another one's skeleton: whether it is bad."""

    sentence: Sentence
    annotator: str
    skeleton: Skeleton
    bad: bool


@dataclass(frozen=True)
class Assignment:
    """What an annotator is to do next.

    Attributes:
        skeletons: what others made of the sentence, to be checked; empty where it is to be shortened.
        earlier: the masks that the annotator deleted to (one) or marked as bad (any number) before an undo.
    """

    task: Task
    sentence: Sentence
    skeletons: tuple[Skeleton, ...] = ()
    earlier: frozenset[str] = frozenset()


class AnnotationError(LatticeSimpError):
    """A judgement that cannot be taken: of an unknown sentence, a second one, or one that says nothing."""


def annotator_name(name: str) -> str:
    r"""Returns a name in the one form in which it is stored: composed characters, single blanks.

    >>> annotator_name(" Ada  Lovelace\n")
    'Ada Lovelace'

    Raises:
        AnnotationError: it is empty, too long, or holds what cannot be seen.
    """
    own = " ".join(unicodedata.normalize("NFC", name).split())
    if not own:
        raise AnnotationError("an annotator needs a name")
    if len(own) > LONGEST_NAME:
        raise AnnotationError(f"the name has {len(own)} characters; at most {LONGEST_NAME} are taken")
    if not own.translate(_JOINERS).isprintable():
        raise AnnotationError("the name holds characters that cannot be seen; type it again")
    return own
