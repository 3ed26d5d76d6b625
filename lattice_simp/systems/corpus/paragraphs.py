"""Pairs paragraphs of two articles with the same content.

Each complex paragraph is paired with the most similar simple one (the first of equals) if their cosine reaches the
threshold; a simple paragraph may match several complex ones.

Source: Coster and Kauchak 2011, section 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.systems.corpus.alignment import Ranges, similarities
from lattice_simp.systems.corpus.tfidf import Vectors


class ParagraphPairs(NamedTuple):
    """The rows of pairs of paragraphs, ordered by the simple, then by the complex ones, and their cosines."""

    complex: Longs
    simple: Longs
    cosine: Floats


def pair_paragraphs(
    left: Vectors, right: Vectors, complex_articles: Ranges, simple_articles: Ranges, threshold: float
) -> ParagraphPairs:
    """Pairs the paragraphs, of which these are the vectors, of pairs of articles, of which these are the rows.

    >>> from lattice_simp.systems.corpus.tfidf import Frequencies
    >>> table = Frequencies.of(np.array([1, 2, 3]), np.array([1, 1, 1]), 9)
    >>> left, right = (Vectors.of(np.arange(4), np.array(words), table) for words in ([1, 1, 2], [3, 2, 1]))
    >>> pairs = pair_paragraphs(left, right, *[Ranges(np.array([0]), np.array([3]))] * 2, 0.5)
    >>> pairs.complex.tolist(), pairs.simple.tolist()
    ([2, 0, 1], [1, 2, 2])
    """
    cells = similarities(left, right, complex_articles, simple_articles)
    order = np.lexsort((cells.right, -cells.cosine, cells.left))
    _, first = np.unique(cells.left[order], return_index=True)
    best = order[first]
    best = best[cells.cosine[best] >= threshold]
    best = best[np.lexsort((cells.left[best], cells.right[best], cells.pair[best]))]
    return ParagraphPairs(cells.left[best], cells.right[best], cells.cosine[best])
