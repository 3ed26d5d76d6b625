"""Columns of token lines as arrays of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lattice_simp.core.kernel import Longs


def split_words(column: pa.ChunkedArray) -> tuple[Longs, pa.Array]:
    """Returns the words of all lines, flat, and where each line begins: (lines + 1,) int64.

    >>> offsets, words = split_words(pa.chunked_array([["a b", "c"]]))
    >>> offsets.tolist(), words.to_pylist()
    ([0, 2, 3], ['a', 'b', 'c'])
    """
    split = pa.concat_arrays([pa.array([], pa.list_(pa.string())), *pc.split_pattern(column, " ").chunks])
    return split.offsets.to_numpy().astype(np.int64), split.flatten()


def word_counts(columns: Iterable[pa.ChunkedArray], *, firsts: bool = True) -> Counter[str]:
    """Counts the words of columns; without `firsts`, the first word of each line is left out.

    >>> word_counts([pa.chunked_array([["a b", "c a a"]])], firsts=False)
    Counter({'a': 2, 'b': 1})
    """
    counts: Counter[str] = Counter()
    for column in columns:
        offsets, words = split_words(column)
        if not firsts:
            rest = np.ones(len(words), dtype=np.bool_)
            rest[offsets[:-1]] = False
            words = words.filter(pa.array(rest))
        found = words.value_counts()
        # An ordinary loop: `Counter.update` adds up in Python, too.
        for word, count in zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True):
            counts[word] += count
    return counts
