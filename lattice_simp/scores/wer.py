"""The word error rate: edits between hypotheses and the nearest reference, by word ids.

Of several references the nearest is the one with the fewest edits, as for the alternatives in a reference of NIST's
sclite; its length counts, too. Of references with equally many edits it is the longest, which gives the lowest rate.
The rate of a corpus is the sum of the edits by the sum of the lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats, Ints, Longs, jit
from lattice_simp.scores.edits import error_rate
from lattice_simp.scores.ngrams import joined, require_reference


class WerReferences(NamedTuple):
    """The references of one sentence.

    Attributes:
        words: (words,) int32, the words of all references, one after another.
        offsets: (references + 1,) int64, where each begins.
    """

    words: Ints
    offsets: Longs

    @classmethod
    def of(cls, references: Sequence[npt.ArrayLike]) -> WerReferences:
        """Joins one sentence's references, each an array of word ids.

        Raises:
            LatticeSimpError: no reference.
        """
        require_reference(references)
        return cls(*joined(references))

    def rows(self, words: Ints, offsets: Longs) -> Longs:
        """Returns edits and the reference's length, (hypotheses, 2) int64, see `tune.metric.Prepared`.

        >>> sentence = WerReferences.of([[1, 2, 3], [4, 5]])
        >>> sentence.rows(np.array([1, 3, 4], dtype=np.int32), np.array([0, 2, 3])).tolist()
        [[1, 3], [1, 2]]
        """
        edits: Longs = _edits(words, offsets, self)
        lengths = np.diff(self.offsets)
        nearest = np.argmin(edits * (lengths.max() + 1) - lengths, axis=1)  # the fewest edits, then the longest
        return np.column_stack((edits[np.arange(len(edits)), nearest], lengths[nearest]))


def word_accuracy(statistics: npt.ArrayLike) -> Floats:
    """Returns 1 minus the error rate of each row of summed edits and lengths, (..., 2) to (...); it may be below 0.

    >>> word_accuracy([[1, 4], [3, 2]]).tolist()
    [0.75, -0.5]
    """
    rows = np.asarray(statistics)
    return np.asarray(1.0 - error_rate(rows[..., 0], rows[..., 1]))


@jit
def _edits(words: Ints, offsets: Longs, references: WerReferences) -> Longs:
    """Returns the word edit distances, (hypotheses, references)."""
    table = np.empty((len(offsets) - 1, len(references.offsets) - 1), dtype=np.int64)
    longest = 0
    for reference in range(table.shape[1]):
        longest = max(longest, references.offsets[reference + 1] - references.offsets[reference])
    row = np.empty(longest + 1, dtype=np.int64)
    for hypothesis in range(table.shape[0]):
        for reference in range(table.shape[1]):
            first, end = references.offsets[reference], references.offsets[reference + 1]
            for column in range(end - first + 1):
                row[column] = column
            for place in range(offsets[hypothesis], offsets[hypothesis + 1]):
                before, row[0] = row[0], row[0] + 1
                for column in range(1, end - first + 1):
                    replaced = before + (words[place] != references.words[first + column - 1])
                    before = row[column]
                    row[column] = min(replaced, before + 1, row[column - 1] + 1)
            table[hypothesis, reference] = row[end - first]
    return table
