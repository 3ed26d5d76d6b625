"""Learns the usual case of words from a corpus."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from lattice_simp.train.text.vocabulary import word_counts


def learn_casing(columns: Iterable[pa.ChunkedArray]) -> dict[str, str]:
    """Learns the usual forms from all words except the first of each sentence.

    >>> learn_casing([pa.chunked_array([["The Union agrees", "Is the Union here", "the end"]])])["union"]
    'Union'
    """
    best: dict[str, tuple[int, str]] = {}
    for word, count in word_counts(columns, firsts=False).items():
        best[word.lower()] = max(best.get(word.lower(), (0, "")), (count, word))
    return {lowered: word for lowered, (_, word) in best.items()}
