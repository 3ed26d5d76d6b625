"""Word edits (insertions, deletions and substitutions), and the formula of error rates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.scores.ngrams import joined, numbered


def error_rate(edits: npt.ArrayLike, length: npt.ArrayLike, *, scale: float = 1.0) -> Floats:
    """Returns edits by the length of the reference, times `scale`; all is wrong where an empty reference is edited.

    >>> error_rate([1.0, 2.0, 0.0], [4.0, 0.0, 0.0]).tolist()
    [0.25, 1.0, 0.0]
    """
    edits, length = np.asarray(edits, dtype=np.float64), np.asarray(length, dtype=np.float64)
    empty = np.where(edits > 0, scale, 0.0)
    return np.asarray(np.divide(scale * edits, length, out=empty, where=length > 0))


def edit_distances(string: Sequence[str], references: Sequence[Sequence[str]]) -> Floats:
    """Returns the fewest edits that make a string of tokens each of the references, (references,).

    >>> edit_distances(("a", "b", "c"), [("a", "c"), ("a", "b", "d", "c")]).tolist()
    [1.0, 1.0]
    """
    words, offsets = joined(numbered([string, *references]))
    distances: Floats = distances_between(words, offsets, 0, np.arange(1, len(references) + 1, dtype=np.int32))
    return distances


@jit
def distances_between(words: Ints, offsets: Longs, number: int, references: Ints) -> Floats:
    """Returns the edit distances of a string to references, (references,); all are numbers of joined strings."""
    string = words[offsets[number] : offsets[number + 1]]
    distances = np.zeros(len(references))
    costs = np.zeros(len(string) + 1, dtype=np.int32)
    for row in range(len(references)):
        costs[:] = np.arange(len(string) + 1)
        for place in range(offsets[references[row]], offsets[references[row] + 1]):
            diagonal = costs[0]
            costs[0] += 1
            for index in range(len(string)):
                changed = diagonal + (0 if string[index] == words[place] else 1)
                diagonal = costs[index + 1]
                costs[index + 1] = min(changed, diagonal + 1, costs[index] + 1)
        distances[row] = costs[len(string)]
    return distances
