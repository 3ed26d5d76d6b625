"""Finds the words of a skeleton in its sentence."""

from __future__ import annotations

from collections.abc import Sequence

from lattice_simp.errors import SkeletonError

_KEPT, _DELETED = 0, 1
_IMPOSSIBLE = 1 << 30


def fewest_gaps_mask(tokens: Sequence[str], words: Sequence[str]) -> tuple[bool, ...]:
    """Returns the mask that deletes `tokens` down to `words` with the fewest gaps; ties go to the leftmost words.

    >>> fewest_gaps_mask(list("abxab"), list("ab"))
    (True, True, False, False, False)

    A dynamic programme over (token, word, whether a gap is open): quadratic time and memory.

    Raises:
        SkeletonError: `words` is empty or not a subsequence of `tokens`.
    """
    _check_subsequence(tokens, words)
    gaps = _fewest_gaps(tokens, words)
    mask: list[bool] = []
    word, state = 0, _KEPT
    for position, token in enumerate(tokens):
        opened = state == _KEPT
        deleted = gaps[position + 1][word][_DELETED] + opened
        fits = word < len(words) and token == words[word]
        keep = fits and gaps[position + 1][word + 1][_KEPT] <= deleted
        mask.append(keep)
        word, state = (word + 1, _KEPT) if keep else (word, _DELETED)
    return tuple(mask)


def _fewest_gaps(tokens: Sequence[str], words: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Returns, by [token][word], the least number of gaps in the rest, after a kept and after a deleted token."""
    following = [(_IMPOSSIBLE, _IMPOSSIBLE)] * len(words) + [(0, 0)]
    table = [following]
    for token in reversed(tokens):
        row = []
        for word in range(len(words) + 1):
            deleted = following[word][_DELETED]
            kept = following[word + 1][_KEPT] if word < len(words) and words[word] == token else _IMPOSSIBLE
            row.append((min(kept, deleted + 1), min(kept, deleted)))
        table.append(row)
        following = row
    table.reverse()
    return table


def _check_subsequence(tokens: Sequence[str], words: Sequence[str]) -> None:
    if not words:
        raise SkeletonError("the skeleton has no words; keep at least one")
    rest = iter(tokens)
    for number, word in enumerate(words, start=1):
        if not any(token == word for token in rest):
            why = "it comes too late or too often" if word in tokens else "the sentence does not hold it"
            raise SkeletonError(f"word {number} of the skeleton, {word!r}, cannot be placed: {why}")
