"""Which paragraphs of two articles say the same.

A simple paragraph may match several complex ones, never the other way round: each complex paragraph goes to the simple
one that is most like it (the first of several such), if their cosine reaches the threshold.

Source: Coster and Kauchak 2011, section 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.systems.corpus.alignment import Ranges, similarities
from lattice_simp.systems.corpus.tfidf import Vectors


class ParagraphPairs(NamedTuple):
    """Pairs of paragraphs, in the order of the simple ones, then of the complex ones.

    Attributes:
        complex, simple: (pairs,) int64 rows of the paragraphs' vectors.
        cosine: (pairs,) float64.
    """

    complex: Longs
    simple: Longs
    cosine: Floats


def pair_paragraphs(
    left: Vectors, right: Vectors, articles: Ranges, others: Ranges, threshold: float
) -> ParagraphPairs:
    """Pairs the paragraphs of articles.

    >>> from lattice_simp.systems.corpus.tfidf import Frequencies
    >>> table = Frequencies.of(np.array([1, 2, 3]), np.array([1, 1, 1]), 9)
    >>> left, right = (Vectors.of(np.arange(4), np.array(words), table) for words in ([1, 1, 2], [3, 2, 1]))
    >>> pairs = pair_paragraphs(left, right, *[Ranges(np.array([0]), np.array([3]))] * 2, 0.5)
    >>> pairs.complex.tolist(), pairs.simple.tolist()
    ([2, 0, 1], [1, 2, 2])

    Args:
        left, right: the vectors of the complex and the simple paragraphs.
        articles, others: which rows are an article's, for each pair of articles.
        threshold: the least cosine.
    """
    found = similarities(left, right, articles, others)
    order = np.lexsort((found.other, -found.cosine, found.row))
    _, first = np.unique(found.row[order], return_index=True)
    best = order[first]
    best = best[found.cosine[best] >= threshold]
    best = best[np.lexsort((found.row[best], found.other[best], found.pair[best]))]
    return ParagraphPairs(found.row[best], found.other[best], found.cosine[best])
