"""Word edits (insertions, deletions and substitutions), and the formula of error rates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lattice_simp.core.kernel import Floats
from lattice_simp.support.extras import Late

distance, process = Late("rapidfuzz.distance"), Late("rapidfuzz.process")


def error_rate(edits: npt.ArrayLike, length: npt.ArrayLike, *, scale: float = 1.0) -> Floats:
    """Returns edits by the length of the reference, times `scale`; the rate is 1 if an empty reference has edits.

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
    return distance_table([string], references)[0]


def distance_table(strings: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> Floats:
    """Returns the edit distances of strings of tokens to references, (strings, references).

    rapidfuzz compares the tokens' hashes, 64 places at a time (Myers 1999; Hyyrö 2003).
    """
    if not len(strings) or not len(references):
        return np.zeros((len(strings), len(references)))
    table: Floats = process.cdist(strings, references, scorer=distance.Levenshtein.distance, dtype=np.float64)
    return table
