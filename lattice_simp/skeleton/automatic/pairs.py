"""Compression data: sentences and their compressions, as far as these are made by deletion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import SkeletonError
from lattice_simp.skeleton.io import line_pairs
from lattice_simp.skeleton.skeleton import Skeleton


def align_pairs(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> tuple[list[Skeleton | None], int]:
    """Finds each compression in its sentence; returns None for those that are not a subsequence, and their number.

    Words are compared without regard to case, since a compression may begin with another word.

    >>> skeletons, others = align_pairs([("Today it rained".split(), ["It", "rained"]), (["a"], ["b"])])
    >>> [skeleton and skeleton.to_mask() for skeleton in skeletons], others
    (['011', None], 1)
    """
    found = [_align(tokens, words) for tokens, words in pairs]
    return found, sum(skeleton is None for skeleton in found)


def read_pairs(source: str | Path, compressed: str | Path) -> tuple[list[Skeleton], int]:
    """Reads two files of tokens, a sentence and its compression a line; pairs with a blank line are left out.

    Returns:
        The skeletons, and how many compressions were not a subsequence of their sentence.

    Raises:
        FormatError: files of different lengths.
    """
    lines = line_pairs(source, compressed, "give one compression a sentence")
    full = ((split_tokens(one), split_tokens(other)) for one, other in lines if one.strip() and other.strip())
    found, others = align_pairs(full)
    return [skeleton for skeleton in found if skeleton], others


def _align(tokens: Sequence[str], words: Sequence[str]) -> Skeleton | None:
    try:
        lowered = Skeleton.from_words([token.lower() for token in tokens], [word.lower() for word in words])
        return Skeleton(tuple(tokens), lowered.mask)
    except SkeletonError:
        return None
