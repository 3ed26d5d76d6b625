"""Finds the words in which two texts differ."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher


def differing(words: Sequence[str], other: Sequence[str]) -> list[bool]:
    """Returns for each word whether the other text differs there.

    >>> differing("a man saw it".split(), "a woman saw it".split())
    [False, True, False, False]
    """
    changed = [True] * len(words)
    for block in SequenceMatcher(a=words, b=other, autojunk=False).get_matching_blocks():
        changed[block.a : block.a + block.size] = [False] * block.size
    return changed
