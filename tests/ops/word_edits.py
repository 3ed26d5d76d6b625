"""The plain definition of word errors, the reference for operations."""

from __future__ import annotations


def edits(first, other):
    """Returns the least number of insertions, deletions and substitutions between two token lists."""
    row = list(range(len(other) + 1))
    for i, word in enumerate(first, start=1):
        previous, row = row, [i]
        for j, also in enumerate(other, start=1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (word != also)))
    return row[-1]
