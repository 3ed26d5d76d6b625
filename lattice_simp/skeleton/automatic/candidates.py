"""Chooses distinct candidates from many masks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lattice_simp.errors import LatticeSimpError
from lattice_simp.skeleton.skeleton import Skeleton

LEAST_DIFFERENCE = 0.1
"""The share of the tokens by which candidates differ (at least two tokens), so that none is a mere variant."""

Mask = tuple[bool, ...]


def choose(tokens: Sequence[str], masks: Iterable[Mask], candidates: int) -> list[Skeleton]:
    """Chooses the first masks that differ enough, or the whole sentence if no other mask keeps a token.

    >>> masks = [(True, True, True, False), (True, True, True, True), (True, True, False, True)]
    >>> [skeleton.to_mask() for skeleton in choose("a b c d".split(), masks, 2)]
    ['1110', '1101']
    """
    apart = max(2, round(LEAST_DIFFERENCE * len(tokens)))
    chosen: list[Mask] = []
    for mask in masks:
        if (
            any(mask)
            and not all(mask)
            and all(sum(a != b for a, b in zip(mask, earlier, strict=True)) >= apart for earlier in chosen)
        ):
            chosen.append(mask)
        if len(chosen) == candidates:
            break
    return [Skeleton(tuple(tokens), mask) for mask in chosen or [(True,) * len(tokens)]]


def check_wanted(rate: float, candidates: int) -> None:
    """Raises LatticeSimpError for a rate out of range, or fewer than one candidate."""
    if not 0 < rate <= 1:
        raise LatticeSimpError(f"the compression rate is {rate}; give a number above 0 and up to 1")
    if candidates < 1:
        raise LatticeSimpError(f"{candidates} candidates; ask for at least one")
