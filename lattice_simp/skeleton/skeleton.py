"""The skeleton of a sentence: the tokens left after deleting less important ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

import numpy as np

from lattice_simp.core.arguments import instance
from lattice_simp.core.symbols import as_tokens, is_word
from lattice_simp.errors import SkeletonError
from lattice_simp.formats.common import shown
from lattice_simp.skeleton.brackets import format_brackets, parse_brackets
from lattice_simp.skeleton.embedding import fewest_gaps_mask
from lattice_simp.support.plurals import counted

_ENDS = re.compile(r"[ \t\r\n]")
"""The characters that end a token in a line of text; other white space belongs to its token."""


@dataclass(frozen=True)
class Gap:
    """A maximal run of deleted tokens, `tokens[start:end]`.

    >>> gap = Gap(2, 5)
    >>> len(gap), list(gap.span)
    (3, [2, 3, 4])
    """

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def span(self) -> range:
        """The token positions in the gap."""
        return range(self.start, self.end)


class GapType(str, Enum):
    """The places of the gaps of a skeleton (Hasler et al. 2016, Table 2), in the order of that table.

    >>> Skeleton.from_mask("0110", "so it rained today".split()).gap_type
    <GapType.BRACE: 'Brace'>

    Punctuation at the start and the end of the sentence is ignored; see `Skeleton.gap_type`.
    """

    MIDDLE = "Middle"
    """One or more gaps, none of them at the start or the end."""
    MIXED = "Mixed"
    """A gap inside the sentence, and one at the start, at the end, or both."""
    START = "Start"
    """One gap, at the start."""
    END = "End"
    """One gap, at the end."""
    BRACE = "Brace"
    """Two gaps, at the start and at the end."""
    NONE = "None"
    """No gap: everything is kept."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Skeleton:
    """A sentence and the choice of the tokens to keep; nothing is changed or reordered.

    >>> skeleton = Skeleton.from_brackets("the proposal [[to close two bridges]] was supported [[, he said]]")
    >>> " ".join(skeleton.words)
    'the proposal was supported'
    >>> skeleton.gaps, skeleton.gap_positions
    ((Gap(start=2, end=6), Gap(start=8, end=11)), (2, 4))
    >>> skeleton.gap_type, round(skeleton.compression_rate, 3)
    (<GapType.MIXED: 'Mixed'>, 0.364)

    A mask that keeps every token is allowed, since annotators and automatic methods may find nothing to delete; its
    gap type is `GapType.NONE`. `is_strict` distinguishes such masks from strict subsequences. (Hasler et al. 2016,
    section 3.)

    Attributes:
        tokens: the whole sentence; no token is empty or holds white space.
        mask: one bool for each token, True if the token is kept.

    Raises:
        SkeletonError: tokens and mask differ in length, the sentence is empty, a token is invalid, or no token is kept.
    """

    tokens: tuple[str, ...]
    mask: tuple[bool, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.tokens, tuple):
            object.__setattr__(self, "tokens", as_tokens(self.tokens))
        if len(self.tokens) != len(self.mask):
            raise SkeletonError(f"{counted(len(self.tokens), 'token')}, but a mask of {len(self.mask)}")
        if not self.tokens:
            raise SkeletonError("a skeleton needs a sentence of at least one token")
        for position, token in enumerate(self.tokens):
            if not token or _ENDS.search(token):
                raise SkeletonError(f"token {position} is {shown(token)}; tokens are not empty and hold no blanks")
        if not any(self.mask):
            raise SkeletonError("the skeleton keeps no token; keep at least one")

    @classmethod
    def from_mask(cls, mask: str | Iterable[bool | int], tokens: str | Iterable[str]) -> Skeleton:
        """Makes a skeleton from a mask: `1` or True keeps a token, `0` or False deletes it.

        >>> Skeleton.from_mask("0011", "yes , we can".split()).words
        ('we', 'can')

        Raises:
            SkeletonError: the mask holds anything but 0 and 1, or does not fit the tokens.
        """
        if not np.iterable(mask):
            raise TypeError(f"expected a mask such as '0011', not {mask!r:.80}")
        bits = list(mask)
        for position, bit in enumerate(bits):
            if bit not in (0, 1, "0", "1"):
                remedy = "a mask holds 0 (delete) and 1 (keep); from words: Skeleton.from_words"
                raise SkeletonError(f"mask position {position} is {bit!r}; {remedy}")
        return cls(as_tokens(tokens), tuple(bit in (1, "1") for bit in bits))

    @classmethod
    def from_words(cls, tokens: str | Iterable[str], words: str | Iterable[str]) -> Skeleton:
        """Finds the kept tokens from the words of the skeleton.

        >>> Skeleton.from_words("in the end the band played".split(), "the band played".split()).to_brackets()
        '[[in the end]] the band played'

        If the words fit in several ways, the one with the fewest gaps is taken, and the leftmost of these.

        Raises:
            SkeletonError: the words are not a subsequence of the tokens; names the first word without a place.
        """
        sentence = as_tokens(tokens)
        return cls(sentence, fewest_gaps_mask(sentence, as_tokens(words)))

    @classmethod
    def from_brackets(cls, text: str) -> Skeleton:
        """Reads a sentence whose gaps are in double brackets; see `skeleton.brackets` for the escapes.

        >>> Skeleton.from_brackets("[[By the way ,]] the shop is shut").gap_type
        <GapType.START: 'Start'>

        Raises:
            SkeletonError: nested, unbalanced or misplaced brackets, or nothing kept.
        """
        instance(text, str, "a sentence with brackets")
        return cls(*parse_brackets(text))

    def to_brackets(self) -> str:
        """Writes the sentence with its gaps in double brackets; `from_brackets` returns the same skeleton back.

        >>> Skeleton.from_mask("1101", "stop it right now").to_brackets()
        'stop it [[right]] now'
        """
        return format_brackets(self.tokens, [(gap.start, gap.end) for gap in self.gaps])

    def to_mask(self) -> str:
        """Writes the mask as zeros (deleted) and ones (kept).

        >>> Skeleton.from_brackets("stop [[right]] there").to_mask()
        '101'
        """
        return "".join("1" if kept else "0" for kept in self.mask)

    @property
    def words(self) -> tuple[str, ...]:
        """The kept tokens."""
        return tuple(token for token, kept in zip(self.tokens, self.mask, strict=True) if kept)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The maximal runs of deleted tokens, from left to right."""
        return _gaps(self.mask)

    @property
    def gap_positions(self) -> tuple[int, ...]:
        """For each gap, how many kept words come before it: 0 is the start, `len(words)` the end of the skeleton."""
        return tuple(sum(self.mask[: gap.start]) for gap in self.gaps)

    @property
    def gap_type(self) -> GapType:
        """The type of the gaps, ignoring punctuation at the start and the end of the sentence.

        A full stop is nearly always kept: if it counted, no gap would be at the end.

        >>> Skeleton.from_brackets("it rained [[all day]] .").gap_type
        <GapType.END: 'End'>
        >>> Skeleton.from_brackets('" it rained all day [[. "]]').gap_type
        <GapType.NONE: 'None'>

        If no word is kept, or there is none, punctuation counts like words.
        """
        words = [position for position, token in enumerate(self.tokens) if is_word(token)]
        if not any(self.mask[position] for position in words):
            return classify_gaps(self.gaps, len(self.tokens))
        inner = self.mask[words[0] : words[-1] + 1]
        return classify_gaps(_gaps(inner), len(inner))

    @property
    def compression_rate(self) -> float:
        """Kept tokens by all tokens, above 0 and up to 1."""
        return sum(self.mask) / len(self.mask)

    @property
    def is_strict(self) -> bool:
        """Whether at least one token is deleted."""
        return not all(self.mask)

    def __str__(self) -> str:
        return self.to_brackets()


def _gaps(mask: Sequence[bool]) -> tuple[Gap, ...]:
    gaps: list[Gap] = []
    start = 0
    for kept, run in groupby(mask):
        end = start + sum(1 for _ in run)
        if not kept:
            gaps.append(Gap(start, end))
        start = end
    return tuple(gaps)


def classify_gaps(gaps: Sequence[Gap], length: int) -> GapType:
    """Returns the type of the gaps (from left to right) in a sentence of `length` tokens.

    >>> classify_gaps([Gap(0, 1), Gap(3, 4)], 6)
    <GapType.MIXED: 'Mixed'>
    """
    if not gaps:
        return GapType.NONE
    at_start, at_end = gaps[0].start == 0, gaps[-1].end == length
    inner = len(gaps) - at_start - at_end
    if inner:
        return GapType.MIXED if at_start or at_end else GapType.MIDDLE
    if at_start and at_end:
        return GapType.BRACE
    return GapType.START if at_start else GapType.END
